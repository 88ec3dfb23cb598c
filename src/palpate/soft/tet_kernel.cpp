// The energy and the pulls of a block of tetrahedra, four at a time. Every formula is one of elasticity.cpp;
// the tests compare the two.
#include <palpate/soft/tet_packs.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/soft/tet_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>
#include <palpate/geometry/lanes-inl.h>
#include <palpate/soft/rotation-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

using T = Double4;

// What a model says of a deformation. `k`: the constants of the pack.
struct Answer {
  T energy;  // of a cubic metre
  Columns<T> stress;
};

// Constants: lambda, mu.
struct Stvk {
  static HWY_INLINE Answer of(const Columns<T>& f, const T* k) {
    const T half = 0.5, one = 1.0;
    const T xx = half * (dot(f.c[0], f.c[0]) - one), yy = half * (dot(f.c[1], f.c[1]) - one),
            zz = half * (dot(f.c[2], f.c[2]) - one), xy = half * dot(f.c[0], f.c[1]),
            xz = half * dot(f.c[0], f.c[2]), yz = half * dot(f.c[1], f.c[2]);
    const T trace = xx + yy + zz, spread = k[0] * trace, m = k[1] + k[1];
    const T squares = (xx * xx + yy * yy + zz * zz) + T(2.0) * (xy * xy + xz * xz + yz * yz);
    return {k[1] * squares + half * spread * trace,
            {{(m * xx + spread) * f.c[0] + (m * xy) * f.c[1] + (m * xz) * f.c[2],
              (m * xy) * f.c[0] + (m * yy + spread) * f.c[1] + (m * yz) * f.c[2],
              (m * xz) * f.c[0] + (m * yz) * f.c[1] + (m * zz + spread) * f.c[2]}}};
  }
};

// Constants: lambda, mu, alpha of NeoHookean.
struct Neo {
  static HWY_INLINE Answer of(const Columns<T>& f, const T* k) {
    const T half = 0.5, one = 1.0;
    const Columns<T> cofactor = cofactors(f);
    const T squares = dot(f.c[0], f.c[0]) + dot(f.c[1], f.c[1]) + dot(f.c[2], f.c[2]);
    const T off = dot(f.c[0], cofactor.c[0]) - k[2], rest = one - k[2];
    const T shape = squares - T(3.0) - T(hn::Log(Doubles(), ((squares + one) * T(0.25)).v));
    const T a = k[1] * (one - one / (squares + one)), b = k[0] * off;
    return {
        half * (k[1] * shape + k[0] * (off * off - rest * rest)),
        {{a * f.c[0] + b * cofactor.c[0], a * f.c[1] + b * cofactor.c[1], a * f.c[2] + b * cofactor.c[2]}}};
  }
};

// Constants: lambda, mu.
struct Corotated {
  static HWY_INLINE Answer of(const Columns<T>& f, const T* k) {
    const Columns<T> turn = rotation(f), cofactor = cofactors(f);
    const T off = dot(f.c[0], cofactor.c[0]) - T(1.0), b = k[0] * off;
    T squares = 0.0;
    Answer answer;
    for (std::size_t c = 0; c < 3; ++c) {
      const Three<T> stretch = f.c[c] - turn.c[c];
      squares = squares + dot(stretch, stretch);
      answer.stress.c[c] = (k[1] + k[1]) * stretch + b * cofactor.c[c];
    }
    answer.energy = k[1] * squares + T(0.5) * b * off;
    return answer;
  }
};

template <class Rule, bool pulling>
double energy_by(const TetPack* packs, std::size_t count, const double* x, double* pulls) {
  // One sum for every place in a pack, so that it does not matter how many lanes there are.
  double sums[pack_size] = {};
  for (std::size_t at = 0; at < pack_size; at += double_lanes) {
    T sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const TetPack& pack = packs[i];
      const auto inverse = [&](std::size_t row, std::size_t column) {
        return T::load(pack.inverse[3 * column + row] + at);
      };
      const Three<T> origin = gather_points(x, pack.corner[0] + at);
      const Three<T> edge[3] = {gather_points(x, pack.corner[1] + at) - origin,
                                gather_points(x, pack.corner[2] + at) - origin,
                                gather_points(x, pack.corner[3] + at) - origin};
      Columns<T> f;
      for (std::size_t c = 0; c < 3; ++c)
        f.c[c] = inverse(0, c) * edge[0] + inverse(1, c) * edge[1] + inverse(2, c) * edge[2];
      const T volume = T::load(pack.volume + at);
      const T constants[3] = {T::load(pack.constants[0] + at), T::load(pack.constants[1] + at),
                              T::load(pack.constants[2] + at)};
      const Answer answer = Rule::of(f, constants);
      sum = sum + volume * answer.energy;
      if constexpr (pulling) {
        Three<T> pull[3];
        for (std::size_t r = 0; r < 3; ++r)
          pull[r] = volume * (inverse(r, 0) * answer.stress.c[0] + inverse(r, 1) * answer.stress.c[1] +
                              inverse(r, 2) * answer.stress.c[2]);
        add_to_points(-(pull[0] + pull[1] + pull[2]), pulls, pack.corner[0] + at);
        for (std::size_t r = 0; r < 3; ++r) add_to_points(pull[r], pulls, pack.corner[r + 1] + at);
      }
    }
    sum.store(sums + at);
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

double energy_of(Model model, const TetPack* packs, std::size_t count, const double* x, double* pulls) {
  const auto with = [&](auto rule) {
    return pulls != nullptr ? energy_by<decltype(rule), true>(packs, count, x, pulls)
                            : energy_by<decltype(rule), false>(packs, count, x, nullptr);
  };
  switch (model) {
    case Model::stvk:
      return with(Stvk());
    case Model::neo_hookean:
      return with(Neo());
    case Model::corotated:
      return with(Corotated());
  }
  return 0;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(energy_of);

double block_energy(const TetPacks& packs, const TetBlock& block, const double* x, double* pulls) {
  return HWY_DYNAMIC_DISPATCH(energy_of)(block.model, packs.packs.data() + block.first_pack, block.packs, x,
                                         pulls);
}

}  // namespace palpate
#endif
