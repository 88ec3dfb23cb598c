#include <palpate/solve/vectors.h>

#include <cassert>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/solve/vectors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <palpate/geometry/lanes-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

using D = Doubles;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::size_t sums = 8, registers = sums / double_lanes;

double dot_of(const double* a, const double* b, std::size_t n) {
  V sum[registers];
  for (V& one : sum) one = hn::Zero(d);
  std::size_t i = 0;
  for (; i + sums <= n; i += sums)
    for (std::size_t r = 0; r < registers; ++r) {
      const std::size_t at = i + r * double_lanes;
      sum[r] = hn::Add(sum[r], hn::Mul(hn::LoadU(d, a + at), hn::LoadU(d, b + at)));
    }
  HWY_ALIGN double lane[sums];
  for (std::size_t r = 0; r < registers; ++r) hn::Store(sum[r], d, lane + r * double_lanes);
  for (std::size_t k = 0; i + k < n; ++k) lane[k] += a[i + k] * b[i + k];
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

void add_up_of(double scale, const double* from, const Share* shares, std::size_t count, double* out,
               std::size_t n) {
  const V scales = hn::Set(d, scale);
  std::size_t i = 0;
  if (count == 1) {  // most are
    const V much = hn::Set(d, shares->much);
    const double* const of = shares->of->data();
    for (; i + double_lanes <= n; i += double_lanes)
      hn::StoreU(hn::Add(hn::Mul(scales, hn::LoadU(d, from + i)), hn::Mul(much, hn::LoadU(d, of + i))), d,
                 out + i);
  }
  for (; i + double_lanes <= n; i += double_lanes) {
    V sum = hn::Mul(scales, hn::LoadU(d, from + i));
    for (std::size_t k = 0; k < count; ++k)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, shares[k].much), hn::LoadU(d, shares[k].of->data() + i)));
    hn::StoreU(sum, d, out + i);
  }
  for (; i < n; ++i) {
    double sum = scale * from[i];
    for (std::size_t k = 0; k < count; ++k) sum += shares[k].much * shares[k].of->data()[i];
    out[i] = sum;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(dot_of);
HWY_EXPORT(add_up_of);

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  assert(a.size() == b.size());
  if (a.empty()) return 0;
  return HWY_DYNAMIC_DISPATCH(dot_of)(a.front().data(), b.front().data(), 3 * a.size());
}

void add_up(double scale, std::span<const Vec3> from, std::span<const Share> shares, std::span<Vec3> out) {
  assert(from.size() == out.size());
  if (out.empty()) return;
  HWY_DYNAMIC_DISPATCH(add_up_of)
  (scale, from.front().data(), shares.data(), shares.size(), out.front().data(), 3 * out.size());
}

}  // namespace palpate
#endif
