// The projection of tetrahedra, for one number type: plain numbers, or lanes. Every formula is one of
// TetConstraints::at, written out so that nothing is stored that can be summed: see docs/soft.md.
#if defined(PALPATE_TET_PROJECTION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALPATE_TET_PROJECTION_INL
#undef PALPATE_TET_PROJECTION_INL
#else
#define PALPATE_TET_PROJECTION_INL
#endif

#include <cmath>
#include <cstddef>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>
#include <palpate/soft/rotation-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {

HWY_INLINE double root_of(double a) { return std::sqrt(a); }
HWY_INLINE double log_of_1_plus(double a) { return std::log1p(a); }
template <class D>
HWY_INLINE Lanes<D> root_of(Lanes<D> a) {
  return hn::Sqrt(a.v);
}
template <class D>
HWY_INLINE Lanes<D> log_of_1_plus(Lanes<D> a) {
  return hn::Log1p(D(), a.v);
}
// `yes` where a is above 0, else `no`.
HWY_INLINE double if_positive(double a, double yes, double no) { return a > 0 ? yes : no; }
template <class D>
HWY_INLINE Lanes<D> if_positive(Lanes<D> a, Lanes<D> yes, Lanes<D> no) {
  return hn::IfThenElse(hn::Gt(a.v, hn::Zero(D())), yes.v, no.v);
}
// a / b, or 0 where b is 0.
HWY_INLINE double quotient(double a, double b) { return b != 0 ? a / b : 0; }
template <class D>
HWY_INLINE Lanes<D> quotient(Lanes<D> a, Lanes<D> b) {
  return hn::IfThenElseZero(hn::Ne(b.v, hn::Zero(D())), hn::Div(a.v, b.v));
}

// What is needed of a tetrahedron; see TetConstraints::Element.
template <class T>
struct TetNumbers {
  Three<T> slope[3];  // of the functions that are 1 at corners 1, 2, 3
  T root_volume;
  T mass[6];    // xx, yy, zz, yz, xz, xy of G
  T soft[3];    // see TetConstraints::Element
  T weight[4];  // inverse masses
};

template <class T>
HWY_INLINE Columns<T> deformation(const Three<T>* edge, const Three<T>* slope) {
  return {{slope[0].x * edge[0] + slope[1].x * edge[1] + slope[2].x * edge[2],
           slope[0].y * edge[0] + slope[1].y * edge[1] + slope[2].y * edge[2],
           slope[0].z * edge[0] + slope[1].z * edge[1] + slope[2].z * edge[2]}};
}
// Sum over the places of two symmetric matrices of six numbers each.
template <class T>
HWY_INLINE T paired(const T* a, const T* b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + T(2) * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}
template <class T>
HWY_INLINE void products(const Columns<T>& f, T* s) {
  s[0] = dot(f.c[0], f.c[0]);
  s[1] = dot(f.c[1], f.c[1]);
  s[2] = dot(f.c[2], f.c[2]);
  s[3] = dot(f.c[1], f.c[2]);
  s[4] = dot(f.c[0], f.c[2]);
  s[5] = dot(f.c[0], f.c[1]);
}

// The pulls of a stress-like matrix P at the four corners, times their inverse masses.
template <class T>
HWY_INLINE void moves_of(const TetNumbers<T>& t, const Columns<T>& p, Three<T>* move) {
  Three<T> sum{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Three<T> pull = t.slope[k].x * p.c[0] + t.slope[k].y * p.c[1] + t.slope[k].z * p.c[2];
    move[k + 1] = t.weight[k + 1] * pull;
    sum = k == 0 ? pull : sum + pull;
  }
  move[0] = -(t.weight[0] * sum);
}

// A rule gives the values of the constraint, the changes of its multipliers, and the matrix P that such
// changes pull with.

// Six numbers: the Green strain, with engineering shears, times the root of the volume.
struct StvkRule {
  static constexpr std::size_t rows = 6;

  template <class T>
  struct State {
    Columns<T> f;
    T s[6];  // F^T F
    T value[6];
    HWY_INLINE State(const TetNumbers<T>& t, const Three<T>* edge) : f(deformation(edge, t.slope)) {
      products(f, s);
      const T half = t.root_volume * T(0.5);
      for (std::size_t r = 0; r < 3; ++r) value[r] = half * (s[r] - T(1));
      for (std::size_t r = 3; r < 6; ++r) value[r] = t.root_volume * s[r];
    }
    // C + a/h^2 multipliers.
    HWY_INLINE void residual(const TetNumbers<T>& t, const T* multipliers, T* out) const {
      const T sum = t.soft[1] * (multipliers[0] + multipliers[1] + multipliers[2]);
      const T own = t.soft[0] - t.soft[1];
      for (std::size_t r = 0; r < 3; ++r) out[r] = value[r] + own * multipliers[r] + sum;
      for (std::size_t r = 3; r < 6; ++r) out[r] = value[r] + t.soft[2] * multipliers[r];
    }
    HWY_INLINE void change(const TetNumbers<T>& t, const T* multipliers, T* out) const {
      // Places of a symmetric matrix.
      constexpr std::size_t at[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
      constexpr std::size_t pair[3][2] = {{1, 2}, {0, 2}, {0, 1}};
      const T* g = t.mass;
      T a[6][6];
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          a[i][j] = s[at[i][j]] * g[at[i][j]] + (i == j ? t.soft[0] : t.soft[1]);
          const auto [p, q] = pair[i];
          const auto [u, v] = pair[j];
          a[3 + i][3 + j] = (s[at[p][u]] * g[at[q][v]] + s[at[q][v]] * g[at[p][u]]) +
                            (s[at[p][v]] * g[at[q][u]] + s[at[q][u]] * g[at[p][v]]);
          if (i == j) a[3 + i][3 + j] = a[3 + i][3 + j] + t.soft[2];
        }
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          const auto [p, q] = pair[i];
          a[3 + i][j] = s[at[j][p]] * g[at[j][q]] + s[at[j][q]] * g[at[j][p]];
        }
      residual(t, multipliers, out);
      // LDL^T, in place.
      T inverse[6];
      for (std::size_t j = 0; j < 6; ++j) {
        T row[6];
        for (std::size_t k = 0; k < j; ++k) {
          row[k] = a[j][k];
          for (std::size_t i = 0; i < k; ++i) row[k] = row[k] - row[i] * a[k][i];
        }
        T diagonal = a[j][j];
        for (std::size_t k = 0; k < j; ++k) {
          a[j][k] = row[k] * inverse[k];
          diagonal = diagonal - a[j][k] * row[k];
        }
        inverse[j] = T(1) / diagonal;
      }
      for (std::size_t i = 0; i < 6; ++i) {
        out[i] = -out[i];
        for (std::size_t k = 0; k < i; ++k) out[i] = out[i] - a[i][k] * out[k];
      }
      for (std::size_t i = 6; i-- > 0;) {
        out[i] = out[i] * inverse[i];
        for (std::size_t k = i + 1; k < 6; ++k) out[i] = out[i] - a[k][i] * out[k];
      }
    }
    HWY_INLINE Columns<T> pull(const TetNumbers<T>& t, const T* c) const {
      const T v = t.root_volume;
      return {{v * (c[0] * f.c[0] + c[5] * f.c[1] + c[4] * f.c[2]),
               v * (c[5] * f.c[0] + c[1] * f.c[1] + c[3] * f.c[2]),
               v * (c[4] * f.c[0] + c[3] * f.c[1] + c[2] * f.c[2])}};
    }
  };
};

// Two numbers, times the root of the volume: one of the shape, and the ratio of volumes less 1. A kind of
// these says what the first one is, and its gradient by F.
template <class Shape>
struct ShapeAndVolume {
  static constexpr std::size_t rows = 2;

  template <class T>
  struct State {
    Columns<T> f, slope, cofactor;  // `slope`: of the first number
    T value[2];
    HWY_INLINE State(const TetNumbers<T>& t, const Three<T>* edge)
        : f(deformation(edge, t.slope)), cofactor(cofactors(f)) {
      value[0] = t.root_volume * Shape::template of<T>(f, cofactor, slope);
      value[1] = t.root_volume * (dot(f.c[0], cofactor.c[0]) - T(1));
    }
    HWY_INLINE void residual(const TetNumbers<T>& t, const T* multipliers, T* out) const {
      out[0] = value[0] + t.soft[0] * multipliers[0];
      out[1] = value[1] + quotient(multipliers[1], t.soft[1]);
    }
    HWY_INLINE void change(const TetNumbers<T>& t, const T* multipliers, T* out) const {
      T own[6], volume[6];
      products(slope, own);
      products(cofactor, volume);
      // Symmetric, for what a turn of the whole does not change.
      const T both[6] = {dot(slope.c[0], cofactor.c[0]), dot(slope.c[1], cofactor.c[1]),
                         dot(slope.c[2], cofactor.c[2]), dot(slope.c[1], cofactor.c[2]),
                         dot(slope.c[0], cofactor.c[2]), dot(slope.c[0], cofactor.c[1])};
      // The second line times its stiffness, which may be 0.
      const T k = t.soft[1], a = paired(own, t.mass) + t.soft[0], b = paired(both, t.mass),
              c = k * paired(volume, t.mass) + T(1);
      const T right[2] = {-(value[0] + t.soft[0] * multipliers[0]), -(k * value[1] + multipliers[1])};
      const T per = T(1) / (a * c - k * b * b);
      out[0] = per * (c * right[0] - b * right[1]);
      out[1] = per * (a * right[1] - k * b * right[0]);
    }
    HWY_INLINE Columns<T> pull(const TetNumbers<T>& t, const T* change) const {
      const T a = t.root_volume * change[0], b = t.root_volume * change[1];
      return {{a * slope.c[0] + b * cofactor.c[0], a * slope.c[1] + b * cofactor.c[1],
               a * slope.c[2] + b * cofactor.c[2]}};
    }
  };
};
// The root of twice 1/2 (|F|^2 - 3) - 1/2 log((|F|^2 + 1) / 4) - 3/4 (J - 1) + 5/16 (J - 1)^2, which is 0 at
// rest and above elsewhere. Near rest this is a small difference of large numbers: with the invariants of the
// Green strain, 3/4 (trace - (J - 1)) comes without it.
struct NeoShape {
  template <class T>
  static HWY_INLINE T of(const Columns<T>& f, const Columns<T>& cofactor, Columns<T>& slope) {
    T s[6];
    products(f, s);
    const T half = T(0.5), xx = half * (s[0] - T(1)), yy = half * (s[1] - T(1)), zz = half * (s[2] - T(1)),
            yz = half * s[3], xz = half * s[4], xy = half * s[5];
    const T trace = xx + yy + zz;
    const T second = (xx * yy - xy * xy) + (yy * zz - yz * yz) + (zz * xx - xz * xz);
    const T third = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    const T grown = dot(f.c[0], cofactor.c[0]) - T(1);  // J - 1
    const T apart = if_positive(grown + T(1), (trace * grown - T(4) * second - T(8) * third) / (grown + T(2)),
                                trace - grown);
    const T bent = half * trace - log_of_1_plus(half * trace);
    const T energy = T(0.75) * apart + half * bent + T(0.3125) * grown * grown;
    const T value = root_of(if_positive(energy, energy + energy, T(0)));
    const T per = quotient(T(1), value), a = per * (T(1) - T(1) / (T(2) * trace + T(4))),
            b = per * (T(0.625) * grown - T(0.75));
    for (std::size_t c = 0; c < 3; ++c) slope.c[c] = a * f.c[c] + b * cofactor.c[c];
    return value;
  }
};
struct CorotatedShape {
  template <class T>
  static HWY_INLINE T of(const Columns<T>& f, const Columns<T>& /*cofactor*/, Columns<T>& slope) {
    const Columns<T> turn = rotation(f);
    for (std::size_t c = 0; c < 3; ++c) slope.c[c] = f.c[c] - turn.c[c];
    const T value =
        root_of(dot(slope.c[0], slope.c[0]) + dot(slope.c[1], slope.c[1]) + dot(slope.c[2], slope.c[2]));
    const T along = quotient(T(1), value);
    for (std::size_t c = 0; c < 3; ++c) slope.c[c] = along * slope.c[c];
    return value;
  }
};
using NeoRule = ShapeAndVolume<NeoShape>;
using CorotatedRule = ShapeAndVolume<CorotatedShape>;

// Calls work with the rule of a model.
template <class Work>
HWY_INLINE auto with_rule(Model model, Work&& work) {
  switch (model) {
    case Model::stvk:
      return work(StvkRule());
    case Model::neo_hookean:
      return work(NeoRule());
    case Model::corotated:
      break;
  }
  return work(CorotatedRule());
}

}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#endif
