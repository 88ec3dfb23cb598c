// Points in lanes: the same step done for several points at once, one in each lane.
//
// For the sources that are compiled once for every kind of processor (see Highway's foreach_target.h): hence
// the guard that turns, and no use elsewhere. Points in memory take four numbers each, so that one load takes
// them whole; the fourth is not looked at.
#if defined(PALPATE_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALPATE_LANES_INL
#undef PALPATE_LANES_INL
#else
#define PALPATE_LANES_INL
#endif

#include <cstddef>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A vector of three numbers in each lane.
template <class D>
struct Three {
  using V = hn::Vec<D>;
  V x, y, z;

  HWY_INLINE friend Three operator+(const Three& a, const Three& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
  }
  HWY_INLINE friend Three operator-(const Three& a, const Three& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
  }
  HWY_INLINE friend Three operator*(V s, const Three& a) {
    return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
  }
  HWY_INLINE friend V dot(const Three& a, const Three& b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
  }
  HWY_INLINE friend Three cross(const Three& a, const Three& b) {
    return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
            hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
  }
};

using Doubles = hn::CappedTag<double, 4>;
constexpr std::size_t double_lanes = hn::MaxLanes(Doubles());
using Three4 = Three<Doubles>;

// The points with these numbers.
template <class Index>
HWY_INLINE Three4 gather_points(const double* points, const Index* which) {
  constexpr Doubles d;
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
  const auto point = [&](std::size_t i) { return hn::Load(d, points + std::size_t{4} * which[i]); };
  const auto p0 = point(0), p1 = point(1), p2 = point(2), p3 = point(3);
  const auto xz01 = hn::InterleaveLower(d, p0, p1), yw01 = hn::InterleaveUpper(d, p0, p1);
  const auto xz23 = hn::InterleaveLower(d, p2, p3), yw23 = hn::InterleaveUpper(d, p2, p3);
  return {hn::ConcatLowerLower(d, xz23, xz01), hn::ConcatLowerLower(d, yw23, yw01),
          hn::ConcatUpperUpper(d, xz23, xz01)};
#else
  HWY_ALIGN double lane[3][double_lanes];
  for (std::size_t i = 0; i < double_lanes; ++i)
    for (std::size_t k = 0; k < 3; ++k) lane[k][i] = points[std::size_t{4} * which[i] + k];
  return {hn::Load(d, lane[0]), hn::Load(d, lane[1]), hn::Load(d, lane[2])};
#endif
}

// Adds to the points with these numbers, one lane after the other: numbers may repeat.
template <class Index>
HWY_INLINE void add_to_points(const Three4& sum, double* points, const Index* which) {
  constexpr Doubles d;
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
  const auto add = [&](std::size_t i, hn::Vec<Doubles> what) {
    double* to = points + std::size_t{4} * which[i];
    hn::Store(hn::Add(hn::Load(d, to), what), d, to);
  };
  const auto zero = hn::Zero(d);
  const auto xy02 = hn::InterleaveLower(d, sum.x, sum.y), xy13 = hn::InterleaveUpper(d, sum.x, sum.y);
  const auto z02 = hn::InterleaveLower(d, sum.z, zero), z13 = hn::InterleaveUpper(d, sum.z, zero);
  add(0, hn::ConcatLowerLower(d, z02, xy02));
  add(1, hn::ConcatLowerLower(d, z13, xy13));
  add(2, hn::ConcatUpperUpper(d, z02, xy02));
  add(3, hn::ConcatUpperUpper(d, z13, xy13));
#else
  HWY_ALIGN double lane[3][double_lanes];
  hn::Store(sum.x, d, lane[0]);
  hn::Store(sum.y, d, lane[1]);
  hn::Store(sum.z, d, lane[2]);
  for (std::size_t i = 0; i < double_lanes; ++i)
    for (std::size_t k = 0; k < 3; ++k) points[std::size_t{4} * which[i] + k] += lane[k][i];
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#endif
