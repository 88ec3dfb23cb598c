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

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

using D = Doubles;
using V = hn::Vec<D>;
constexpr D d;

// A 3x3 matrix in each lane, by columns.
struct Columns {
  Three4 c[3];
};

HWY_INLINE Columns cofactors(const Columns& f) {
  return {{cross(f.c[1], f.c[2]), cross(f.c[2], f.c[0]), cross(f.c[0], f.c[1])}};
}

// What a model says of a deformation: energy of a cubic metre, stress. `k`: the constants of the pack.
struct Answer {
  V energy;
  Columns stress;
};

// Constants: lambda, mu.
struct Stvk {
  static HWY_INLINE Answer of(const Columns& f, const V* k) {
    const V half = hn::Set(d, 0.5), one = hn::Set(d, 1.0);
    const auto strain = [&](std::size_t i, std::size_t j) {
      const V product = dot(f.c[i], f.c[j]);
      return hn::Mul(half, i == j ? hn::Sub(product, one) : product);
    };
    const V xx = strain(0, 0), yy = strain(1, 1), zz = strain(2, 2), xy = strain(0, 1), xz = strain(0, 2),
            yz = strain(1, 2);
    const V trace = hn::Add(hn::Add(xx, yy), zz), spread = hn::Mul(k[0], trace),
            twice_mu = hn::Add(k[1], k[1]);
    const V across = hn::Add(hn::Add(hn::Mul(xy, xy), hn::Mul(xz, xz)), hn::Mul(yz, yz));
    const V along = hn::Add(hn::Add(hn::Mul(xx, xx), hn::Mul(yy, yy)), hn::Mul(zz, zz));
    const auto part = [&](V e) { return hn::Mul(twice_mu, e); };
    const Three4 first{hn::Add(part(xx), spread), part(xy), part(xz)},
        second{part(xy), hn::Add(part(yy), spread), part(yz)},
        third{part(xz), part(yz), hn::Add(part(zz), spread)};
    const auto column = [&](const Three4& s) { return s.x * f.c[0] + s.y * f.c[1] + s.z * f.c[2]; };
    return {hn::Add(hn::Mul(k[1], hn::Add(along, hn::Add(across, across))),
                    hn::Mul(half, hn::Mul(spread, trace))),
            {{column(first), column(second), column(third)}}};
  }
};

// Constants: lambda, mu, alpha of NeoHookean.
struct Neo {
  static HWY_INLINE Answer of(const Columns& f, const V* k) {
    const V half = hn::Set(d, 0.5), one = hn::Set(d, 1.0), quarter = hn::Set(d, 0.25);
    const Columns cofactor = cofactors(f);
    const V squares = hn::Add(hn::Add(dot(f.c[0], f.c[0]), dot(f.c[1], f.c[1])), dot(f.c[2], f.c[2]));
    const V one_more = hn::Add(squares, one);
    const V off = hn::Sub(dot(f.c[0], cofactor.c[0]), k[2]), rest = hn::Sub(one, k[2]);
    const V shape = hn::Sub(hn::Sub(squares, hn::Set(d, 3.0)), hn::Log(d, hn::Mul(one_more, quarter)));
    const V volume = hn::Sub(hn::Mul(off, off), hn::Mul(rest, rest));
    const V a = hn::Mul(k[1], hn::Sub(one, hn::Div(one, one_more))), b = hn::Mul(k[0], off);
    return {
        hn::Mul(half, hn::Add(hn::Mul(k[1], shape), hn::Mul(k[0], volume))),
        {{a * f.c[0] + b * cofactor.c[0], a * f.c[1] + b * cofactor.c[1], a * f.c[2] + b * cofactor.c[2]}}};
  }
};

// Constants: lambda, mu. The rotation is found for one lane after the other.
struct Corotated {
  static HWY_INLINE Answer of(const Columns& f, const V* k) {
    HWY_ALIGN double in[9][double_lanes], turn[9][double_lanes];
    for (std::size_t c = 0; c < 3; ++c) {
      hn::Store(f.c[c].x, d, in[3 * c]);
      hn::Store(f.c[c].y, d, in[3 * c + 1]);
      hn::Store(f.c[c].z, d, in[3 * c + 2]);
    }
    for (std::size_t lane = 0; lane < double_lanes; ++lane) {
      Mat3 one;
      for (std::size_t i = 0; i < 9; ++i) one.data()[i] = in[i][lane];
      const Mat3 rotation = rotation_of(one);
      for (std::size_t i = 0; i < 9; ++i) turn[i][lane] = rotation.data()[i];
    }
    const Columns cofactor = cofactors(f);
    const V off = hn::Sub(dot(f.c[0], cofactor.c[0]), hn::Set(d, 1.0));
    const V a = hn::Add(k[1], k[1]), b = hn::Mul(k[0], off);
    V squares = hn::Zero(d);
    Answer answer;
    for (std::size_t c = 0; c < 3; ++c) {
      const Three4 stretch = f.c[c] - Three4{hn::Load(d, turn[3 * c]), hn::Load(d, turn[3 * c + 1]),
                                             hn::Load(d, turn[3 * c + 2])};
      squares = hn::Add(squares, dot(stretch, stretch));
      answer.stress.c[c] = a * stretch + b * cofactor.c[c];
    }
    answer.energy = hn::Add(hn::Mul(k[1], squares), hn::Mul(hn::Set(d, 0.5), hn::Mul(b, off)));
    return answer;
  }
};

template <class Rule, bool pulling>
double energy_by(const TetPack* packs, std::size_t count, const double* x, double* pulls) {
  // One sum for every place in a pack, so that it does not matter how many lanes there are.
  HWY_ALIGN double sums[pack_size] = {};
  for (std::size_t at = 0; at < pack_size; at += double_lanes) {
    V sum = hn::Zero(d);
    for (std::size_t i = 0; i < count; ++i) {
      const TetPack& pack = packs[i];
      const auto inverse = [&](std::size_t row, std::size_t column) {
        return hn::LoadU(d, pack.inverse[3 * column + row] + at);
      };
      const Three4 origin = gather_points(x, pack.corner[0] + at);
      const Three4 edge[3] = {gather_points(x, pack.corner[1] + at) - origin,
                              gather_points(x, pack.corner[2] + at) - origin,
                              gather_points(x, pack.corner[3] + at) - origin};
      Columns f;
      for (std::size_t c = 0; c < 3; ++c)
        f.c[c] = inverse(0, c) * edge[0] + inverse(1, c) * edge[1] + inverse(2, c) * edge[2];
      const V volume = hn::LoadU(d, pack.volume + at);
      const V constants[3] = {hn::LoadU(d, pack.constants[0] + at), hn::LoadU(d, pack.constants[1] + at),
                              hn::LoadU(d, pack.constants[2] + at)};
      const Answer answer = Rule::of(f, constants);
      sum = hn::Add(sum, hn::Mul(volume, answer.energy));
      if constexpr (pulling) {
        Three4 pull[3];
        for (std::size_t r = 0; r < 3; ++r)
          pull[r] = volume * (inverse(r, 0) * answer.stress.c[0] + inverse(r, 1) * answer.stress.c[1] +
                              inverse(r, 2) * answer.stress.c[2]);
        const Three4 all = pull[0] + pull[1] + pull[2];
        add_to_points({hn::Neg(all.x), hn::Neg(all.y), hn::Neg(all.z)}, pulls, pack.corner[0] + at);
        for (std::size_t r = 0; r < 3; ++r) add_to_points(pull[r], pulls, pack.corner[r + 1] + at);
      }
    }
    hn::StoreU(sum, d, sums + at);
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
