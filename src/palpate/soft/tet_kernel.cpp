// The energy and the pulls of a block of tetrahedra, four at a time. Every formula is one of elasticity.cpp
// or of damping_term.h, written plainly there or in the tests, which compare the two.
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

// What a rule says of a deformation. `k`: the constants of the pack.
struct Answer {
  T energy;  // of a cubic metre
  Columns<T> stress;
};

struct Strain {
  T xx, yy, zz, xy, xz, yz;
};
HWY_INLINE Strain green_strain(const Columns<T>& f) {
  const T half = 0.5, one = 1.0;
  return {half * (dot(f.c[0], f.c[0]) - one), half * (dot(f.c[1], f.c[1]) - one),
          half * (dot(f.c[2], f.c[2]) - one), half * dot(f.c[0], f.c[1]),
          half * dot(f.c[0], f.c[2]),         half * dot(f.c[1], f.c[2])};
}

// mu |e|^2 + lambda/2 trace(e)^2 of a strain, or of its change.
HWY_INLINE Answer square_of(const Strain& e, const Columns<T>& f, T lambda, T mu) {
  const T trace = e.xx + e.yy + e.zz, spread = lambda * trace, m = mu + mu;
  const T squares =
      (e.xx * e.xx + e.yy * e.yy + e.zz * e.zz) + T(2.0) * (e.xy * e.xy + e.xz * e.xz + e.yz * e.yz);
  return {mu * squares + T(0.5) * spread * trace,
          {{(m * e.xx + spread) * f.c[0] + (m * e.xy) * f.c[1] + (m * e.xz) * f.c[2],
            (m * e.xy) * f.c[0] + (m * e.yy + spread) * f.c[1] + (m * e.yz) * f.c[2],
            (m * e.xz) * f.c[0] + (m * e.yz) * f.c[1] + (m * e.zz + spread) * f.c[2]}}};
}

// Constants: lambda, mu.
struct Stvk {
  HWY_INLINE Answer of(const Columns<T>& f, const T* k, std::size_t /*pack*/, std::size_t /*lane*/) const {
    return square_of(green_strain(f), f, k[0], k[1]);
  }
};

// Constants: lambda, mu, both times eta.
struct Damping {
  const TetStrains* before;  // of the packs
  double rate;

  HWY_INLINE Answer of(const Columns<T>& f, const T* k, std::size_t pack, std::size_t lane) const {
    const auto old = [&](std::size_t row) { return T::load(before[pack].of[row] + lane); };
    const Strain now = green_strain(f);
    return square_of({now.xx - old(0), now.yy - old(1), now.zz - old(2), now.xy - old(3), now.xz - old(4),
                      now.yz - old(5)},
                     f, T(rate) * k[0], T(rate) * k[1]);
  }
};

// Constants: lambda, mu, alpha of NeoHookean.
struct Neo {
  HWY_INLINE Answer of(const Columns<T>& f, const T* k, std::size_t /*pack*/, std::size_t /*lane*/) const {
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
  HWY_INLINE Answer of(const Columns<T>& f, const T* k, std::size_t /*pack*/, std::size_t /*lane*/) const {
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

HWY_INLINE T inverse_of(const TetPack& pack, std::size_t at, std::size_t row, std::size_t column) {
  return T::load(pack.inverse[3 * column + row] + at);
}

// F, of the places of a pack from `at` on.
HWY_INLINE Columns<T> deformation(const TetPack& pack, std::size_t at, const double* x) {
  const Three<T> origin = gather_points(x, pack.corner[0] + at);
  const Three<T> edge[3] = {gather_points(x, pack.corner[1] + at) - origin,
                            gather_points(x, pack.corner[2] + at) - origin,
                            gather_points(x, pack.corner[3] + at) - origin};
  Columns<T> f;
  for (std::size_t c = 0; c < 3; ++c)
    f.c[c] = inverse_of(pack, at, 0, c) * edge[0] + inverse_of(pack, at, 1, c) * edge[1] +
             inverse_of(pack, at, 2, c) * edge[2];
  return f;
}

template <bool pulling, class Rule>
double energy_by(const Rule& rule, const TetPack* packs, std::size_t count, const double* x, double* pulls) {
  // One sum for every place in a pack, so that it does not matter how many lanes there are.
  double sums[pack_size] = {};
  for (std::size_t at = 0; at < pack_size; at += double_lanes) {
    T sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const TetPack& pack = packs[i];
      const T volume = T::load(pack.volume + at);
      const T constants[3] = {T::load(pack.constants[0] + at), T::load(pack.constants[1] + at),
                              T::load(pack.constants[2] + at)};
      const Answer answer = rule.of(deformation(pack, at, x), constants, i, at);
      sum = sum + volume * answer.energy;
      if constexpr (pulling) {
        Three<T> pull[3];
        for (std::size_t r = 0; r < 3; ++r)
          pull[r] = volume * (inverse_of(pack, at, r, 0) * answer.stress.c[0] +
                              inverse_of(pack, at, r, 1) * answer.stress.c[1] +
                              inverse_of(pack, at, r, 2) * answer.stress.c[2]);
        add_to_points(-(pull[0] + pull[1] + pull[2]), pulls, pack.corner[0] + at);
        for (std::size_t r = 0; r < 3; ++r) add_to_points(pull[r], pulls, pack.corner[r + 1] + at);
      }
    }
    sum.store(sums + at);
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

double energy_of(const TetPacks& all, const TetBlock& block, const double* x, double* pulls) {
  const TetPack* packs = all.packs.data() + block.first_pack;
  const auto with = [&](const auto& rule) {
    return pulls != nullptr ? energy_by<true>(rule, packs, block.packs, x, pulls)
                            : energy_by<false>(rule, packs, block.packs, x, nullptr);
  };
  switch (block.rule) {
    case TetRule::stvk:
      return with(Stvk());
    case TetRule::neo_hookean:
      return with(Neo());
    case TetRule::corotated:
      return with(Corotated());
    case TetRule::damping:
      return with(Damping{all.strains.data() + block.first_pack, all.rate});
  }
  return 0;
}

void strains_of(const TetPack* packs, std::size_t count, const double* x, TetStrains* strains) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t at = 0; at < pack_size; at += double_lanes) {
      const Strain now = green_strain(deformation(packs[i], at, x));
      const T rows[6] = {now.xx, now.yy, now.zz, now.xy, now.xz, now.yz};
      for (std::size_t k = 0; k < 6; ++k) rows[k].store(strains[i].of[k] + at);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(energy_of);
HWY_EXPORT(strains_of);

double block_energy(const TetPacks& packs, const TetBlock& block, const double* x, double* pulls) {
  return HWY_DYNAMIC_DISPATCH(energy_of)(packs, block, x, pulls);
}

void find_strains(TetPacks& packs, const TetBlock& block, const double* x) {
  HWY_DYNAMIC_DISPATCH(strains_of)
  (packs.packs.data() + block.first_pack, block.packs, x, packs.strains.data() + block.first_pack);
}

}  // namespace palpate
#endif
