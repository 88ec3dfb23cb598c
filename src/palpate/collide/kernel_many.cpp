// The kernel on several pairs at once. See kernel.h: every operation here mirrors one of nearest.cpp and
// kernel.cpp, in the same order, and the tests compare the bits.
#include <palpate/collide/kernel.h>

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/collide/kernel_many.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 4>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
constexpr D d;
constexpr std::size_t lanes = hn::MaxLanes(D());

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
// As Eigen sums three products: two in a register, then the third.
HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE V square(const V3& a) { return dot(a, a); }
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE V3 choose(M yes, const V3& a, const V3& b) {
  return {hn::IfThenElse(yes, a.x, b.x), hn::IfThenElse(yes, a.y, b.y), hn::IfThenElse(yes, a.z, b.z)};
}
HWY_INLINE V clamped(V t) { return hn::Min(hn::Max(t, hn::Zero(d)), hn::Set(d, 1.0)); }
HWY_INLINE M equal(const V3& a, const V3& b) {
  return hn::And(hn::Eq(a.x, b.x), hn::And(hn::Eq(a.y, b.y), hn::Eq(a.z, b.z)));
}
HWY_INLINE M before(const V3& a, const V3& b) {
  return hn::Or(
      hn::Lt(a.x, b.x),
      hn::And(hn::Eq(a.x, b.x), hn::Or(hn::Lt(a.y, b.y), hn::And(hn::Eq(a.y, b.y), hn::Lt(a.z, b.z)))));
}
template <class T>
HWY_INLINE void swap_if(M yes, T& a, T& b);
template <>
HWY_INLINE void swap_if(M yes, V& a, V& b) {
  const V old = a;
  a = hn::IfThenElse(yes, b, a);
  b = hn::IfThenElse(yes, old, b);
}
template <>
HWY_INLINE void swap_if(M yes, V3& a, V3& b) {
  swap_if(yes, a.x, b.x);
  swap_if(yes, a.y, b.y);
  swap_if(yes, a.z, b.z);
}
HWY_INLINE V largest(const V3& a) { return hn::Max(hn::Abs(a.x), hn::Max(hn::Abs(a.y), hn::Abs(a.z))); }

// The points with these numbers, one in each lane.
HWY_INLINE V3 load(const double* positions, const std::uint32_t* which) {
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
  const auto point = [&](std::size_t i) { return hn::LoadU(d, positions + std::size_t{3} * which[i]); };
  const V p0 = point(0), p1 = point(1), p2 = point(2), p3 = point(3);
  const V xz01 = hn::InterleaveLower(d, p0, p1), yw01 = hn::InterleaveUpper(d, p0, p1);
  const V xz23 = hn::InterleaveLower(d, p2, p3), yw23 = hn::InterleaveUpper(d, p2, p3);
  return {hn::ConcatLowerLower(d, xz23, xz01), hn::ConcatLowerLower(d, yw23, yw01),
          hn::ConcatUpperUpper(d, xz23, xz01)};
#else
  HWY_ALIGN double lane[3][lanes];
  for (std::size_t i = 0; i < lanes; ++i)
    for (std::size_t k = 0; k < 3; ++k) lane[k][i] = positions[std::size_t{3} * which[i] + k];
  return {hn::Load(d, lane[0]), hn::Load(d, lane[1]), hn::Load(d, lane[2])};
#endif
}

struct PointSegment {
  V t, squared_distance;
};
HWY_INLINE PointSegment point_segment(const V3& to_a, const V3& to_b, const V3& along) {
  const V t = clamped(hn::Div(hn::Neg(dot(to_a, along)), square(along)));
  const M second = hn::Lt(hn::Set(d, 0.5), t);
  const V from = hn::IfThenElse(second, hn::Sub(t, hn::Set(d, 1.0)), t);
  return {t, square(choose(second, to_b, to_a) + from * along)};
}

struct Result {
  V squared_distance;
  V at[2];
  V3 normal;
  M careful;  // to be done alone
};

HWY_INLINE M is_length(V squared) {
  return hn::And(hn::Gt(squared, hn::Set(d, 1e-280)), hn::Lt(squared, hn::Set(d, 1e300)));
}
// kernel.cpp's direction().
HWY_INLINE V3 direction(const V3& offset, const V3& across) {
  const V one = hn::Set(d, 1.0), of_offset = square(offset), of_across = square(across);
  if (HWY_LIKELY(hn::AllTrue(d, is_length(of_offset)))) return hn::Div(one, hn::Sqrt(of_offset)) * offset;
  const V3 fallback = choose(is_length(of_across), hn::Div(one, hn::Sqrt(of_across)) * across,
                             V3{one, hn::Zero(d), hn::Zero(d)});
  return choose(is_length(of_offset), hn::Div(one, hn::Sqrt(of_offset)) * offset, fallback);
}

struct Best {
  V a, b, c, squared_distance;
};
HWY_INLINE Best nearer(const Best& one, const Best& two) {
  const M second = hn::Lt(two.squared_distance, one.squared_distance);
  return {hn::IfThenElse(second, two.a, one.a), hn::IfThenElse(second, two.b, one.b),
          hn::IfThenElse(second, two.c, one.c),
          hn::IfThenElse(second, two.squared_distance, one.squared_distance)};
}

// With `full`, weights and normals as well.
template <bool full>
HWY_INLINE void vertex_triangle(const V3& p, V3 a, V3 b, V3 c, Result& result) {
  const M first = before(b, a);
  swap_if(first, a, b);
  const M middle = before(c, b);
  swap_if(middle, b, c);
  const M last = before(b, a);
  swap_if(last, a, b);

  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const V3 ab = b - a, ac = c - a, normal = cross(ab, ac);
  const V area = square(normal), scale = hn::Div(one, area);
  const V3 towards_b = cross(ac, normal), towards_c = cross(normal, ab);
  V3 rest = p - a;
  V weight_b = zero, weight_c = zero;
  for (int round = 0; round < 2; ++round) {
    const V more_b = hn::Mul(dot(rest, towards_b), scale), more_c = hn::Mul(dot(rest, towards_c), scale);
    rest = rest - (more_b * ab + more_c * ac);
    weight_b = hn::Add(weight_b, more_b);
    weight_c = hn::Add(weight_c, more_c);
  }
  const V weight_a = hn::Sub(hn::Sub(one, weight_b), weight_c);
  const M inside = hn::And(hn::And(hn::Lt(zero, weight_a), hn::Lt(zero, weight_b)), hn::Lt(zero, weight_c));
  const Best foot{weight_a, weight_b, weight_c,
                  hn::IfThenElse(inside, square(rest), hn::Set(d, std::numeric_limits<double>::infinity()))};
  const V3 to_a = a - p, to_b = b - p, to_c = c - p;
  const PointSegment on_ab = point_segment(to_a, to_b, ab), on_ac = point_segment(to_a, to_c, ac),
                     on_bc = point_segment(to_b, to_c, c - b);
  const Best best = nearer(nearer({hn::Sub(one, on_ab.t), on_ab.t, zero, on_ab.squared_distance}, foot),
                           nearer({hn::Sub(one, on_ac.t), zero, on_ac.t, on_ac.squared_distance},
                                  {zero, hn::Sub(one, on_bc.t), on_bc.t, on_bc.squared_distance}));
  const V bound = hn::Add(hn::Mul(hn::Mul(hn::Set(d, 1e-6), square(ab)), square(ac)), hn::Set(d, 1e-250));
  result.squared_distance = best.squared_distance;
  result.careful = hn::Not(hn::Gt(area, bound));
  if constexpr (!full) return;

  V wa = best.a, wb = best.b, wc = best.c;
  result.normal = direction((wa * to_a + wb * to_b) + wc * to_c, normal);
  swap_if(last, wa, wb);
  swap_if(middle, wb, wc);
  swap_if(first, wa, wb);
  result.at[0] = wb;
  result.at[1] = wc;
}

// The better of what is known and an end of one edge with its nearest point on the other.
HWY_INLINE void take_better(M lanes_of_interest, V s, V t, V squared_distance, V& best_s, V& best_t,
                            V& best) {
  const M better = hn::And(lanes_of_interest, hn::Le(squared_distance, best));
  best_s = hn::IfThenElse(better, s, best_s);
  best_t = hn::IfThenElse(better, t, best_t);
  best = hn::IfThenElse(better, squared_distance, best);
}

template <bool full>
HWY_INLINE void edge_edge(V3 a0, V3 a1, V3 b0, V3 b1, Result& result) {
  const M swap_a = before(a1, a0), swap_b = before(b1, b0);
  swap_if(swap_a, a0, a1);
  swap_if(swap_b, b0, b1);
  const M swapped = hn::Or(before(b0, a0), hn::And(equal(b0, a0), before(b1, a1)));
  swap_if(swapped, a0, b0);
  swap_if(swapped, a1, b1);

  const V zero = hn::Zero(d), one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  const V3 u = a1 - a0, v = b1 - b0, across = b0 - a0, normal = cross(u, v);
  const V uu = square(u), vv = square(v), uv = dot(u, v), nn = square(normal);
  const V per_u = hn::Div(one, uu), per_v = hn::Div(one, vv);
  const V foot = clamped(hn::Div(dot(cross(across, v), normal), nn));
  const V t_there = hn::Mul(hn::Sub(hn::Mul(foot, uv), dot(across, v)), per_v);
  V t = clamped(t_there);
  V s = hn::IfThenElse(hn::Eq(t, t_there), foot,
                       clamped(hn::Mul(hn::Add(dot(across, u), hn::Mul(t, uv)), per_u)));
  const auto offset_at = [&](V at_s, V at_t) {
    const M far_s = hn::Lt(half, at_s), far_t = hn::Lt(half, at_t);
    const V3 between = choose(far_t, b1, b0) - choose(far_s, a1, a0);
    return (between + hn::IfThenElse(far_t, hn::Sub(at_t, one), at_t) * v) -
           hn::IfThenElse(far_s, hn::Sub(at_s, one), at_s) * u;
  };
  V3 offset = offset_at(s, t);
  V squared_distance = square(offset);
  const M well = hn::Gt(nn, hn::Add(hn::Mul(hn::Mul(hn::Set(d, 1e-6), uu), vv), hn::Set(d, 1e-250)));
  result.careful = hn::MaskFromVec(hn::Zero(d));
  if (!hn::AllTrue(d, well)) {
    // Near-parallel edges are no rarity in regular meshes. Of ordinary size they are done here, else alone.
    const M ill = hn::Not(well);
    const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    const V size = hn::Max(largest(u), hn::Max(largest(across), largest(b1 - a0)));
    const M ordinary = hn::And(hn::Gt(size, hn::Set(d, 1e-40)), hn::Lt(size, hn::Set(d, 1e40)));
    result.careful = hn::AndNot(ordinary, ill);
    const M lost = hn::AndNot(hn::Lt(squared_distance, infinity), ill);
    s = hn::IfThenElse(lost, zero, s);
    t = hn::IfThenElse(lost, zero, t);
    squared_distance = hn::IfThenElse(lost, infinity, squared_distance);
    for (const int end : {0, 1}) {
      const V3& of_a = end == 0 ? a0 : a1;
      const V3& of_b = end == 0 ? b0 : b1;
      const V at_end = hn::Set(d, static_cast<double>(end));
      const PointSegment on_b = point_segment(b0 - of_a, b1 - of_a, v);
      take_better(ill, at_end, on_b.t, on_b.squared_distance, s, t, squared_distance);
      const PointSegment on_a = point_segment(a0 - of_b, a1 - of_b, u);
      take_better(ill, on_a.t, at_end, on_a.squared_distance, s, t, squared_distance);
    }
    offset = choose(ill, offset_at(s, t), offset);
  }
  result.squared_distance = squared_distance;
  if constexpr (!full) return;

  const V3 towards = direction(offset, normal);
  result.normal = choose(swapped, V3{hn::Neg(towards.x), hn::Neg(towards.y), hn::Neg(towards.z)}, towards);
  swap_if(swapped, s, t);
  result.at[0] = hn::IfThenElse(swap_a, hn::Sub(one, s), s);
  result.at[1] = hn::IfThenElse(swap_b, hn::Sub(one, t), t);
}

// The points of some pairs, in lanes; beyond the end the last pair is done again.
struct Points {
  std::uint32_t number[4][lanes];
  void of(ContactKind kind, const TriangleCorners* triangles, const FeaturePair* pairs, std::size_t count) {
    const auto side = [&](std::uint32_t s, std::uint32_t& from, std::uint32_t& to) {
      const std::uint32_t t = s / 3, k = s % 3;
      from = triangles[t][k];
      to = triangles[t][k == 2 ? 0 : k + 1];
    };
    for (std::size_t i = 0; i < lanes; ++i) {
      const FeaturePair& pair = pairs[i < count ? i : count - 1];
      if (kind == ContactKind::vertex_triangle) {
        number[0][i] = pair.first;
        for (std::size_t k = 0; k < 3; ++k) number[k + 1][i] = triangles[pair.second][k];
      } else {
        side(pair.first, number[0][i], number[1][i]);
        side(pair.second, number[2][i], number[3][i]);
      }
    }
  }
};

template <ContactKind kind, bool full, class Take>
HWY_INLINE void each(const Vec3* positions, const TriangleCorners* triangles, const FeaturePair* pairs,
                     std::size_t n, Take&& take) {
  const double* numbers = positions->data();
  Points points;
  for (std::size_t i = 0; i < n; i += lanes) {
    const std::size_t count = n - i < lanes ? n - i : lanes;
    points.of(kind, triangles, pairs + i, count);
    const V3 p0 = load(numbers, points.number[0]), p1 = load(numbers, points.number[1]),
             p2 = load(numbers, points.number[2]), p3 = load(numbers, points.number[3]);
    Result result;
    if constexpr (kind == ContactKind::vertex_triangle) {
      vertex_triangle<full>(p0, p1, p2, p3, result);
    } else {
      edge_edge<full>(p0, p1, p2, p3, result);
    }
    std::uint8_t careful[8] = {};
    hn::StoreMaskBits(d, result.careful, careful);
    const auto alone = [&](std::size_t k) {
      const auto at = [&](std::size_t c) -> const Vec3& { return positions[points.number[c][k]]; };
      return kind == ContactKind::vertex_triangle ? palpate::vertex_triangle(at(0), {at(1), at(2), at(3)})
                                                  : palpate::edge_edge({at(0), at(1)}, {at(2), at(3)});
    };
    take(i, count, result, careful[0], alone);
  }
}

template <ContactKind kind>
void distances_of(const Vec3* positions, const TriangleCorners* triangles, const FeaturePair* pairs,
                  std::size_t n, double* out) {
  each<kind, false>(
      positions, triangles, pairs, n,
      [&](std::size_t i, std::size_t count, const Result& result, unsigned careful, auto&& alone) {
        HWY_ALIGN double squared[lanes];
        hn::Store(result.squared_distance, d, squared);
        for (std::size_t k = 0; k < count; ++k) out[i + k] = squared[k];
        for (unsigned bits = careful & ((1u << count) - 1); bits != 0; bits &= bits - 1) {
          const auto k = static_cast<std::size_t>(__builtin_ctz(bits));
          out[i + k] = alone(k).squared_distance;
        }
      });
}

#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
// Four numbers of four contacts each, written where they belong.
HWY_INLINE void store_turned(V a, V b, V c, V e, double* to) {
  constexpr std::size_t stride = sizeof(Contact) / sizeof(double);
  const V ab02 = hn::InterleaveLower(d, a, b), ab13 = hn::InterleaveUpper(d, a, b),
          ce02 = hn::InterleaveLower(d, c, e), ce13 = hn::InterleaveUpper(d, c, e);
  hn::StoreU(hn::ConcatLowerLower(d, ce02, ab02), d, to);
  hn::StoreU(hn::ConcatLowerLower(d, ce13, ab13), d, to + stride);
  hn::StoreU(hn::ConcatUpperUpper(d, ce02, ab02), d, to + 2 * stride);
  hn::StoreU(hn::ConcatUpperUpper(d, ce13, ab13), d, to + 3 * stride);
}
#endif

template <ContactKind kind>
void contacts_of(const Vec3* positions, const TriangleCorners* triangles, const FeaturePair* pairs,
                 std::size_t n, Contact* out, double* squared_distances) {
  each<kind, true>(
      positions, triangles, pairs, n,
      [&](std::size_t i, std::size_t count, const Result& result, unsigned careful, auto&& alone) {
        const V distance = hn::Sqrt(result.squared_distance);
        HWY_ALIGN std::uint64_t key[lanes];
        for (std::size_t k = 0; k < lanes; ++k)
          key[k] = contact_key(kind, pairs[k < count ? i + k : i].first, pairs[k < count ? i + k : i].second);
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
        if (HWY_LIKELY(count == lanes && careful == 0)) {
          // A contact is eight numbers: its key, distance, normal, two places, and the surfaces.
          hn::StoreU(result.squared_distance, d, squared_distances + i);
          double* to = reinterpret_cast<double*>(out + i);
          store_turned(hn::BitCast(d, hn::Load(hn::RebindToUnsigned<D>(), key)), distance, result.normal.x,
                       result.normal.y, to);
          store_turned(result.normal.z, result.at[0], result.at[1], hn::Zero(d), to + 4);
          return;
        }
#endif
        HWY_ALIGN double squared[lanes], length[lanes], at[2][lanes], normal[3][lanes];
        hn::Store(result.squared_distance, d, squared);
        hn::Store(distance, d, length);
        hn::Store(result.at[0], d, at[0]);
        hn::Store(result.at[1], d, at[1]);
        hn::Store(result.normal.x, d, normal[0]);
        hn::Store(result.normal.y, d, normal[1]);
        hn::Store(result.normal.z, d, normal[2]);
        for (std::size_t k = 0; k < count; ++k) {
          Contact& contact = out[i + k];
          if ((careful >> k & 1) != 0) {
            const Proximity one = alone(k);
            squared_distances[i + k] = one.squared_distance;
            contact = {key[k], std::sqrt(one.squared_distance), one.normal, one.at, 0, 0, 0};
          } else {
            squared_distances[i + k] = squared[k];
            contact = {
                key[k], length[k], Vec3(normal[0][k], normal[1][k], normal[2][k]), {at[0][k], at[1][k]}, 0,
                0,      0};
          }
        }
      });
}

// Highway exports functions, not templates.
void distances_vertex_triangle(const Vec3* positions, const TriangleCorners* triangles,
                               const FeaturePair* pairs, std::size_t n, double* out) {
  distances_of<ContactKind::vertex_triangle>(positions, triangles, pairs, n, out);
}
void distances_edge_edge(const Vec3* positions, const TriangleCorners* triangles, const FeaturePair* pairs,
                         std::size_t n, double* out) {
  distances_of<ContactKind::edge_edge>(positions, triangles, pairs, n, out);
}
void contacts_vertex_triangle(const Vec3* positions, const TriangleCorners* triangles,
                              const FeaturePair* pairs, std::size_t n, Contact* out, double* squared) {
  contacts_of<ContactKind::vertex_triangle>(positions, triangles, pairs, n, out, squared);
}
void contacts_edge_edge(const Vec3* positions, const TriangleCorners* triangles, const FeaturePair* pairs,
                        std::size_t n, Contact* out, double* squared) {
  contacts_of<ContactKind::edge_edge>(positions, triangles, pairs, n, out, squared);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(distances_vertex_triangle);
HWY_EXPORT(distances_edge_edge);
HWY_EXPORT(contacts_vertex_triangle);
HWY_EXPORT(contacts_edge_edge);

void squared_distances(ContactKind kind, std::span<const Vec3> positions,
                       std::span<const TriangleCorners> triangles, std::span<const FeaturePair> pairs,
                       double* out) {
  if (pairs.empty()) return;
  if (kind == ContactKind::vertex_triangle) {
    HWY_DYNAMIC_DISPATCH(distances_vertex_triangle)
    (positions.data(), triangles.data(), pairs.data(), pairs.size(), out);
  } else {
    HWY_DYNAMIC_DISPATCH(distances_edge_edge)
    (positions.data(), triangles.data(), pairs.data(), pairs.size(), out);
  }
}

void make_contacts(ContactKind kind, std::span<const Vec3> positions,
                   std::span<const TriangleCorners> triangles, std::span<const FeaturePair> pairs,
                   Contact* out, double* squared_distances) {
  if (pairs.empty()) return;
  if (kind == ContactKind::vertex_triangle) {
    HWY_DYNAMIC_DISPATCH(contacts_vertex_triangle)
    (positions.data(), triangles.data(), pairs.data(), pairs.size(), out, squared_distances);
  } else {
    HWY_DYNAMIC_DISPATCH(contacts_edge_edge)
    (positions.data(), triangles.data(), pairs.data(), pairs.size(), out, squared_distances);
  }
}

}  // namespace palpate
#endif
