// Solves with the panels of a factor. A point is one vector register (or two): its fourth number is carried
// along.
#include <palpate/solve/metric.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/solve/metric_solve.cpp"
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

template <std::size_t width>
HWY_INLINE void lower(const std::uint32_t* row, const std::uint32_t* end, const double* values, double* own,
                      double* x) {
  V known[width];
  for (std::size_t k = 0; k < width; ++k) {
    known[k] = hn::Load(d, own + 4 * k);
    for (std::size_t j = 0; j < k; ++j)
      known[k] = hn::NegMulAdd(hn::Set(d, values[k * width + j]), known[j], known[k]);
    hn::Store(known[k], d, own + 4 * k);
  }
  values += width * width;
  for (; row != end; ++row, values += width) {
    double* to = x + std::size_t{4} * *row;
    V sum = hn::Load(d, to);
    for (std::size_t k = 0; k < width; ++k) sum = hn::NegMulAdd(hn::Set(d, values[k]), known[k], sum);
    hn::Store(sum, d, to);
  }
}

template <std::size_t width>
HWY_INLINE void upper(const std::uint32_t* row, const std::uint32_t* end, const double* values,
                      const double* inverse, double* own, const double* x) {
  V sum[width];
  for (std::size_t k = 0; k < width; ++k) sum[k] = hn::Mul(hn::Set(d, inverse[k]), hn::Load(d, own + 4 * k));
  const double* line = values + width * width;
  for (; row != end; ++row, line += width) {
    const V known = hn::Load(d, x + std::size_t{4} * *row);
    for (std::size_t k = 0; k < width; ++k) sum[k] = hn::NegMulAdd(hn::Set(d, line[k]), known, sum[k]);
  }
  for (std::size_t k = width; k-- > 0;) {
    for (std::size_t j = k + 1; j < width; ++j)
      sum[k] = hn::NegMulAdd(hn::Set(d, values[j * width + k]), sum[j], sum[k]);
    hn::Store(sum[k], d, own + 4 * k);
  }
}

// Calls work with the width as a constant.
template <class Work>
HWY_INLINE void by_width(std::size_t width, Work&& work) {
  switch (width) {
    case 1:
      return work.template operator()<1>();
    case 2:
      return work.template operator()<2>();
    case 3:
      return work.template operator()<3>();
    case 4:
      return work.template operator()<4>();
    case 5:
      return work.template operator()<5>();
    case 6:
      return work.template operator()<6>();
    case 7:
      return work.template operator()<7>();
    default:
      return work.template operator()<8>();
  }
}

void lower_all(const Metric::Panel* panels, std::size_t count, const std::uint32_t* rows,
               const double* values, double* x) {
  for (std::size_t at = 0; at < 4; at += double_lanes)
    for (std::size_t i = 0; i < count; ++i) {
      const Metric::Panel& p = panels[i];
      by_width(p.width, [&]<std::size_t width> {
        lower<width>(rows + p.first_row, rows + p.last_row, values + p.first_value,
                     x + at + std::size_t{4} * p.first, x + at);
      });
    }
}
void upper_all(const Metric::Panel* panels, std::size_t count, const std::uint32_t* rows,
               const double* values, const double* inverse, double* x) {
  for (std::size_t at = 0; at < 4; at += double_lanes)
    for (std::size_t i = count; i-- > 0;) {
      const Metric::Panel& p = panels[i];
      by_width(p.width, [&]<std::size_t width> {
        upper<width>(rows + p.first_row, rows + p.last_row, values + p.first_value, inverse + p.first,
                     x + at + std::size_t{4} * p.first, x + at);
      });
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(lower_all);
HWY_EXPORT(upper_all);

void solve_lower(std::span<const Metric::Panel> panels, const std::uint32_t* rows, const double* values,
                 PaddedPoint* x) {
  HWY_DYNAMIC_DISPATCH(lower_all)(panels.data(), panels.size(), rows, values, x->at);
}
void solve_upper(std::span<const Metric::Panel> panels, const std::uint32_t* rows, const double* values,
                 const double* inverse, PaddedPoint* x) {
  HWY_DYNAMIC_DISPATCH(upper_all)(panels.data(), panels.size(), rows, values, inverse, x->at);
}

}  // namespace palpate
#endif
