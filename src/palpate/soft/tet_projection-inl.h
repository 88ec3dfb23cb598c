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
#include <palpate/soft/material.h>
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
    // A = dC M^-1 dC^T + a/h^2, of which every entry is a sum of products of s and G; then LDL^T. Written
    // out: compilers keep loops over these few places, and all of it in memory.
    HWY_INLINE void change(const TetNumbers<T>& t, const T* multipliers, T* out) const {
      const T *g = t.mass, own = t.soft[0], other = t.soft[1], shear = t.soft[2];
      const T sxx = s[0], syy = s[1], szz = s[2], syz = s[3], sxz = s[4], sxy = s[5];
      const T gxx = g[0], gyy = g[1], gzz = g[2], gyz = g[3], gxz = g[4], gxy = g[5];
      const T a00 = sxx * gxx + own, a11 = syy * gyy + own, a22 = szz * gzz + own;
      const T a10 = sxy * gxy + other, a20 = sxz * gxz + other, a21 = syz * gyz + other;
      // Shears yz, xz, xy with normal strains.
      const T a30 = sxy * gxz + sxz * gxy, a31 = syy * gyz + syz * gyy, a32 = syz * gzz + szz * gyz;
      const T a40 = sxx * gxz + sxz * gxx, a41 = sxy * gyz + syz * gxy, a42 = sxz * gzz + szz * gxz;
      const T a50 = sxx * gxy + sxy * gxx, a51 = sxy * gyy + syy * gxy, a52 = sxz * gyz + syz * gxz;
      // Shears with shears.
      const T a33 = (syy * gzz + szz * gyy) + T(2) * (syz * gyz) + shear;
      const T a44 = (sxx * gzz + szz * gxx) + T(2) * (sxz * gxz) + shear;
      const T a55 = (sxx * gyy + syy * gxx) + T(2) * (sxy * gxy) + shear;
      const T a43 = (sxy * gzz + szz * gxy) + (sxz * gyz + syz * gxz);
      const T a53 = (sxy * gyz + syz * gxy) + (syy * gxz + sxz * gyy);
      const T a54 = (sxx * gyz + syz * gxx) + (sxy * gxz + sxz * gxy);
      residual(t, multipliers, out);

      const T i0 = T(1) / a00;
      const T l10 = a10 * i0, l20 = a20 * i0, l30 = a30 * i0, l40 = a40 * i0, l50 = a50 * i0;
      const T b11 = a11 - l10 * a10, b21 = a21 - l20 * a10, b31 = a31 - l30 * a10, b41 = a41 - l40 * a10,
              b51 = a51 - l50 * a10;
      const T b22 = a22 - l20 * a20, b32 = a32 - l30 * a20, b42 = a42 - l40 * a20, b52 = a52 - l50 * a20;
      const T b33 = a33 - l30 * a30, b43 = a43 - l40 * a30, b53 = a53 - l50 * a30;
      const T b44 = a44 - l40 * a40, b54 = a54 - l50 * a40, b55 = a55 - l50 * a50;
      const T i1 = T(1) / b11;
      const T l21 = b21 * i1, l31 = b31 * i1, l41 = b41 * i1, l51 = b51 * i1;
      const T c22 = b22 - l21 * b21, c32 = b32 - l31 * b21, c42 = b42 - l41 * b21, c52 = b52 - l51 * b21;
      const T c33 = b33 - l31 * b31, c43 = b43 - l41 * b31, c53 = b53 - l51 * b31;
      const T c44 = b44 - l41 * b41, c54 = b54 - l51 * b41, c55 = b55 - l51 * b51;
      const T i2 = T(1) / c22;
      const T l32 = c32 * i2, l42 = c42 * i2, l52 = c52 * i2;
      const T d33 = c33 - l32 * c32, d43 = c43 - l42 * c32, d53 = c53 - l52 * c32;
      const T d44 = c44 - l42 * c42, d54 = c54 - l52 * c42, d55 = c55 - l52 * c52;
      const T i3 = T(1) / d33;
      const T l43 = d43 * i3, l53 = d53 * i3;
      const T e44 = d44 - l43 * d43, e54 = d54 - l53 * d43, e55 = d55 - l53 * d53;
      const T i4 = T(1) / e44;
      const T l54 = e54 * i4;
      const T i5 = T(1) / (e55 - l54 * e54);

      const T y0 = -out[0], y1 = -out[1] - l10 * y0, y2 = -out[2] - l20 * y0 - l21 * y1,
              y3 = -out[3] - l30 * y0 - l31 * y1 - l32 * y2,
              y4 = -out[4] - l40 * y0 - l41 * y1 - l42 * y2 - l43 * y3,
              y5 = -out[5] - l50 * y0 - l51 * y1 - l52 * y2 - l53 * y3 - l54 * y4;
      out[5] = y5 * i5;
      out[4] = y4 * i4 - l54 * out[5];
      out[3] = y3 * i3 - l43 * out[4] - l53 * out[5];
      out[2] = y2 * i2 - l32 * out[3] - l42 * out[4] - l52 * out[5];
      out[1] = y1 * i1 - l21 * out[2] - l31 * out[3] - l41 * out[4] - l51 * out[5];
      out[0] = y0 * i0 - l10 * out[1] - l20 * out[2] - l30 * out[3] - l40 * out[4] - l50 * out[5];
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
