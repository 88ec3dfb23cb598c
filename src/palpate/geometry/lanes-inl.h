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

// A number in each lane, to be written like one number.
template <class D>
struct Lanes {
  using Scalar = hn::TFromD<D>;
  hn::Vec<D> v;

  Lanes() = default;
  HWY_INLINE Lanes(hn::Vec<D> all_lanes) : v(all_lanes) {}
  HWY_INLINE Lanes(Scalar all) : v(hn::Set(D(), all)) {}
  static HWY_INLINE Lanes load(const Scalar* from) { return hn::LoadU(D(), from); }
  HWY_INLINE void store(Scalar* to) const { hn::StoreU(v, D(), to); }

  HWY_INLINE friend Lanes operator+(Lanes a, Lanes b) { return hn::Add(a.v, b.v); }
  HWY_INLINE friend Lanes operator-(Lanes a, Lanes b) { return hn::Sub(a.v, b.v); }
  HWY_INLINE friend Lanes operator*(Lanes a, Lanes b) { return hn::Mul(a.v, b.v); }
  HWY_INLINE friend Lanes operator/(Lanes a, Lanes b) { return hn::Div(a.v, b.v); }
  HWY_INLINE friend Lanes operator-(Lanes a) { return hn::Neg(a.v); }
};

// Three numbers of one kind: lanes, or plain ones.
template <class T>
struct Three {
  T x, y, z;

  HWY_INLINE friend Three operator+(const Three& a, const Three& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  HWY_INLINE friend Three operator-(const Three& a, const Three& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  HWY_INLINE friend Three operator-(const Three& a) { return {-a.x, -a.y, -a.z}; }
  HWY_INLINE friend Three operator*(T s, const Three& a) { return {s * a.x, s * a.y, s * a.z}; }
  HWY_INLINE friend T dot(const Three& a, const Three& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  HWY_INLINE friend Three cross(const Three& a, const Three& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

// A 3x3 matrix, by columns.
template <class T>
struct Columns {
  Three<T> c[3];
};
template <class T>
HWY_INLINE Columns<T> cofactors(const Columns<T>& f) {
  return {{cross(f.c[1], f.c[2]), cross(f.c[2], f.c[0]), cross(f.c[0], f.c[1])}};
}

using Doubles = hn::CappedTag<double, 4>;
constexpr std::size_t double_lanes = hn::MaxLanes(Doubles());
using Double4 = Lanes<Doubles>;

// The points with these numbers.
template <class Index>
HWY_INLINE Three<Double4> gather_points(const double* points, const Index* which) {
  constexpr Doubles four;
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
  const auto point = [&](std::size_t i) { return hn::Load(four, points + std::size_t{4} * which[i]); };
  const auto p0 = point(0), p1 = point(1), p2 = point(2), p3 = point(3);
  const auto xz01 = hn::InterleaveLower(four, p0, p1), yw01 = hn::InterleaveUpper(four, p0, p1);
  const auto xz23 = hn::InterleaveLower(four, p2, p3), yw23 = hn::InterleaveUpper(four, p2, p3);
  return {Double4(hn::ConcatLowerLower(four, xz23, xz01)), Double4(hn::ConcatLowerLower(four, yw23, yw01)),
          Double4(hn::ConcatUpperUpper(four, xz23, xz01))};
#else
  HWY_ALIGN double lane[3][double_lanes];
  for (std::size_t i = 0; i < double_lanes; ++i)
    for (std::size_t k = 0; k < 3; ++k) lane[k][i] = points[std::size_t{4} * which[i] + k];
  return {Double4(hn::Load(four, lane[0])), Double4(hn::Load(four, lane[1])),
          Double4(hn::Load(four, lane[2]))};
#endif
}

// Adds to the points with these numbers, one lane after the other: numbers may repeat.
template <class Index>
HWY_INLINE void add_to_points(const Three<Double4>& sum, double* points, const Index* which) {
  constexpr Doubles four;
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
  const auto add = [&](std::size_t i, hn::Vec<Doubles> what) {
    double* to = points + std::size_t{4} * which[i];
    hn::Store(hn::Add(hn::Load(four, to), what), four, to);
  };
  const auto zero = hn::Zero(four);
  const auto xy02 = hn::InterleaveLower(four, sum.x.v, sum.y.v),
             xy13 = hn::InterleaveUpper(four, sum.x.v, sum.y.v);
  const auto z02 = hn::InterleaveLower(four, sum.z.v, zero), z13 = hn::InterleaveUpper(four, sum.z.v, zero);
  add(0, hn::ConcatLowerLower(four, z02, xy02));
  add(1, hn::ConcatLowerLower(four, z13, xy13));
  add(2, hn::ConcatUpperUpper(four, z02, xy02));
  add(3, hn::ConcatUpperUpper(four, z13, xy13));
#else
  HWY_ALIGN double lane[3][double_lanes];
  hn::Store(sum.x.v, four, lane[0]);
  hn::Store(sum.y.v, four, lane[1]);
  hn::Store(sum.z.v, four, lane[2]);
  for (std::size_t i = 0; i < double_lanes; ++i)
    for (std::size_t k = 0; k < 3; ++k) points[std::size_t{4} * which[i] + k] += lane[k][i];
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#endif
