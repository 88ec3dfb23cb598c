// Eight floats at a time, for the sources that are compiled once for every kind of processor (see Highway's
// foreach_target.h): hence the guard that turns, and no use elsewhere.
#if defined(PALPATE_FLOAT_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALPATE_FLOAT_LANES_INL
#undef PALPATE_FLOAT_LANES_INL
#else
#define PALPATE_FLOAT_LANES_INL
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include <palpate/collide/tree_boxes.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::size_t lanes = hn::MaxLanes(D());

HWY_INLINE V dot(V ax, V ay, V az, V bx, V by, V bz) {
  return hn::Add(hn::Add(hn::Mul(ax, bx), hn::Mul(ay, by)), hn::Mul(az, bz));
}

struct V3 {
  V x, y, z;
};
HWY_INLINE V3 operator-(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE V3 operator+(const V3& a, const V3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE V3 operator*(V s, const V3& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
HWY_INLINE V dot(const V3& a, const V3& b) { return dot(a.x, a.y, a.z, b.x, b.y, b.z); }

HWY_INLINE unsigned bits_of(hn::Mask<D> mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

// Calls test(i) for every vector of `count` lanes, and puts the bits of its masks together.
template <std::size_t count, class Test>
HWY_INLINE unsigned gather_bits(Test&& test) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < count; i += lanes) bits |= bits_of(test(i)) << i;
  return bits;
}

// A box in all lanes, to compare many others with.
struct Query {
  V lo[3], hi[3];
};
HWY_INLINE Query query(const FloatBox& box, float reach) {
  Query q;
  for (std::size_t k = 0; k < 3; ++k) {
    q.lo[k] = hn::Set(d, box.lo[k] - reach);
    q.hi[k] = hn::Set(d, box.hi[k] + reach);
  }
  return q;
}

// The bits of the boxes that overlap the query. Boxes lie in rows `stride` apart: three of low ends, three of
// high ends.
template <std::size_t count>
HWY_INLINE unsigned overlapping(const float* lo, const float* hi, std::size_t stride, const Query& q) {
  return gather_bits<count>([&](std::size_t i) {
    const auto axis = [&](std::size_t k) {
      return hn::And(hn::Ge(q.hi[k], hn::LoadU(d, lo + k * stride + i)),
                     hn::Le(q.lo[k], hn::LoadU(d, hi + k * stride + i)));
    };
    return hn::And(hn::And(axis(0), axis(1)), axis(2));
  });
}
template <std::size_t n>
HWY_INLINE unsigned overlapping(const Boxes<n>& boxes, const Query& q) {
  return overlapping<n>(boxes.lo[0], boxes.hi[0], n, q);
}

// Eight places among 16 or 24 numbers.
struct Places {
#if HWY_TARGET == HWY_SCALAR || HWY_MAX_BYTES < 32
  const std::uint8_t* which;
  HWY_INLINE explicit Places(const std::uint8_t* indices) : which(indices) {}
  template <bool few>
  HWY_INLINE V of(const float* numbers) const {
    HWY_ALIGN float some[lanes];
    for (std::size_t i = 0; i < lanes; ++i) some[i] = numbers[which[i]];
    return hn::Load(d, some);
  }
#else
  using Int = hn::RebindToSigned<D>;
  decltype(hn::IndicesFromVec(d, hn::Zero(Int()))) low;
  hn::Mask<D> over_7, over_15;
  HWY_INLINE explicit Places(const std::uint8_t* indices)
      : Places(hn::PromoteTo(Int(), hn::LoadU(hn::Rebind<std::uint8_t, D>(), indices))) {}
  HWY_INLINE explicit Places(hn::Vec<Int> i)
      : low(hn::IndicesFromVec(d, hn::And(i, hn::Set(Int(), 7)))),
        over_7(hn::RebindMask(d, hn::Gt(i, hn::Set(Int(), 7)))),
        over_15(hn::RebindMask(d, hn::Gt(i, hn::Set(Int(), 15)))) {}
  // `few`: no place is beyond 15.
  template <bool few>
  HWY_INLINE V of(const float* numbers) const {
    const V of_16 = hn::IfThenElse(over_7, hn::TableLookupLanes(hn::LoadU(d, numbers + 8), low),
                                   hn::TableLookupLanes(hn::LoadU(d, numbers), low));
    if constexpr (few) return of_16;
    return hn::IfThenElse(over_15, hn::TableLookupLanes(hn::LoadU(d, numbers + 16), low), of_16);
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#endif
