#include <palpate/collide/points.h>

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/collide/points.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 4>;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::size_t lanes = hn::MaxLanes(D());

// Three vectors hold as many points as there are lanes, each coordinate always in the same place.
bool check_all(const double* from, std::size_t points, double* lo, double* hi) {
  const double infinity = std::numeric_limits<double>::infinity();
  V least[3], most[3], odd = hn::Zero(d);
  for (int k = 0; k < 3; ++k) {
    least[k] = hn::Set(d, infinity);
    most[k] = hn::Set(d, -infinity);
  }
  std::size_t i = 0;
  for (; i + lanes <= points; i += lanes)
    for (std::size_t k = 0; k < 3; ++k) {
      const V x = hn::LoadU(d, from + 3 * i + k * lanes);
      least[k] = hn::Min(x, least[k]);
      most[k] = hn::Max(x, most[k]);
      odd = hn::Add(odd, hn::Sub(x, x));  // 0, or NaN for what is not finite
    }
  HWY_ALIGN double some[lanes];
  for (std::size_t k = 0; k < 3; ++k) {
    hn::Store(least[k], d, some);
    for (std::size_t j = 0; j < lanes; ++j)
      lo[(k * lanes + j) % 3] = std::min(lo[(k * lanes + j) % 3], some[j]);
    hn::Store(most[k], d, some);
    for (std::size_t j = 0; j < lanes; ++j)
      hi[(k * lanes + j) % 3] = std::max(hi[(k * lanes + j) % 3], some[j]);
  }
  bool finite = hn::AllTrue(d, hn::Eq(odd, hn::Zero(d)));
  for (std::size_t j = 3 * i; j < 3 * points; ++j) {
    lo[j % 3] = std::min(lo[j % 3], from[j]);
    hi[j % 3] = std::max(hi[j % 3], from[j]);
    finite = finite && from[j] - from[j] == 0;
  }
  for (std::size_t k = 0; k < 3 && points > 0; ++k) finite = finite && lo[k] > -1e75 && hi[k] < 1e75;
  return finite;
}

void box_of_some(const double* points, const std::uint32_t* which, std::size_t n, double* lo, double* hi) {
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
  V least = hn::LoadU(d, points + std::size_t{3} * which[0]), most = least;
  for (std::size_t i = 1; i < n; ++i) {
    const V p = hn::LoadU(d, points + std::size_t{3} * which[i]);  // and a number more, which is not used
    least = hn::Min(least, p);
    most = hn::Max(most, p);
  }
  HWY_ALIGN double some[lanes];
  hn::Store(least, d, some);
  std::copy_n(some, 3, lo);
  hn::Store(most, d, some);
  std::copy_n(some, 3, hi);
#else
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = points[std::size_t{3} * which[i] + k];
      lo[k] = i == 0 ? x : std::min(lo[k], x);
      hi[k] = i == 0 ? x : std::max(hi[k], x);
    }
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(check_all);
HWY_EXPORT(box_of_some);

Box checked_box(std::span<const Vec3> points, bool& finite) {
  Box box;
  finite = points.empty() ||
           HWY_DYNAMIC_DISPATCH(check_all)(points[0].data(), points.size(), box.lo.data(), box.hi.data());
  return box;
}

Box box_of_points(const Vec3* points, std::span<const std::uint32_t> which) {
  Box box;
  HWY_DYNAMIC_DISPATCH(box_of_some)(points->data(), which.data(), which.size(), box.lo.data(), box.hi.data());
  return box;
}

}  // namespace palpate
#endif
