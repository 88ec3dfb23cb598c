#include <palpate/collide/leaf_search.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#ifndef PALPATE_LEAF_SEARCH_ONCE
#define PALPATE_LEAF_SEARCH_ONCE
namespace palpate {
namespace {

// [0][b]: the numbers of the bits set in b; [1]: those plus 8.
constexpr auto set_bits = [] {
  std::array<std::array<std::array<std::uint8_t, 8>, 256>, 2> table{};
  for (unsigned b = 0; b < 256; ++b)
    for (unsigned bit = 0, n = 0; bit < 8; ++bit)
      if ((b >> bit & 1) != 0) {
        table[0][b][n] = static_cast<std::uint8_t>(bit);
        table[1][b][n++] = static_cast<std::uint8_t>(bit + 8);
      }
  return table;
}();

}  // namespace
}  // namespace palpate
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/collide/leaf_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <palpate/collide/float_lanes-inl.h>
#include <palpate/collide/leaf_motion-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

struct Pair {
  const Leaf *low, *high;
  const LeafBoxes *low_boxes, *high_boxes;
  const NearLeaf* near;  // null: all pairs count
  const LeafMask* mask;
  bool same;  // one leaf with itself
};

HWY_INLINE V between(V least, V most, V t) { return hn::Min(hn::Max(t, least), most); }
// Degenerate features have nothing to divide by: whatever comes out is clamped, and any direction is a proof.
HWY_INLINE V ratio(V a, V b) { return hn::Div(a, hn::Max(b, hn::Set(d, 1e-30f))); }

struct Verdict {
  unsigned near, sure;  // bits: not told apart; of those, surely near enough
};
// The limits for features that all lie in a box of this size. Coordinates are below 2 and err by 2^-24,
// differences are below `size`: the gap along a direction then errs by less than 7e-7 + size * 9e-7, the
// distance of two points, found by products, by less than 1.2e-6 + size * 1e-6.
struct Limits {
  float apart, sure;  // what is farther does not count; what is nearer does
};
HWY_INLINE Limits within(const Range& range, float size) {
  const float slack = size * 0x1p-19f;
  return {range.distance * (1 + 1e-6f) + (0x1p-20f + slack),
          range.same_for_all ? range.distance * (1 - 1e-6f) - (0x1p-19f + slack) : -1};
}
// `offset`: between the two points; `gap`: of the features along it, times its length.
HWY_INLINE Verdict judge(const V3& offset, V gap, float reach, float sure) {
  const V squared = dot(offset, offset);
  const auto apart = hn::And(hn::Gt(gap, hn::Zero(d)),
                             hn::Gt(hn::Mul(gap, gap), hn::Mul(hn::Set(d, reach * reach), squared)));
  const unsigned near = ~bits_of(apart) & ((1u << lanes) - 1);
  return {near, sure > 0 ? near & bits_of(hn::Lt(squared, hn::Set(d, sure * sure))) : 0};
}

// --- edges ----------------------------------------------------------------------------------------

struct Lines {
  V3 middle, along;
};
HWY_INLINE Lines lines_at(const LeafBoxes& boxes, const Places& at) {
  return {{at.of<true>(boxes.middle[0]), at.of<true>(boxes.middle[1]), at.of<true>(boxes.middle[2])},
          {at.of<true>(boxes.along[0]), at.of<true>(boxes.along[1]), at.of<true>(boxes.along[2])}};
}

// All in twice the lengths: the points of an edge are middle + s * along, s from -1 to 1.
HWY_INLINE Verdict judge_edges(const Lines& a, const Lines& b, const Limits& limits) {
  const V minus = hn::Set(d, -1.0f), plus = hn::Set(d, 1.0f);
  const V3 &u = a.along, &v = b.along, w = b.middle - a.middle;
  const V uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), wu = dot(w, u), wv = dot(w, v);
  const V first =
      between(minus, plus,
              ratio(hn::Sub(hn::Mul(wu, vv), hn::Mul(wv, uv)), hn::Sub(hn::Mul(uu, vv), hn::Mul(uv, uv))));
  const V t = between(minus, plus, ratio(hn::Sub(hn::Mul(first, uv), wv), vv));
  const V s = between(minus, plus, ratio(hn::Add(hn::Mul(t, uv), wu), uu));
  const V3 offset = (w + t * v) - s * u;
  const V gap = hn::Sub(hn::Sub(dot(offset, w), hn::Abs(dot(offset, v))), hn::Abs(dot(offset, u)));
  return judge(offset, gap, 2 * limits.apart, 2 * limits.sure);
}

// Pairs of places in two leaves, whose boxes come near.
struct List {
  static constexpr std::size_t room = leaf_features * leaf_features;
  std::uint8_t low[room + 8], high[room + 8];
  std::size_t count = 0;
};

// Of 16 bits, the numbers of those that are set.
HWY_INLINE std::size_t put_numbers(unsigned bits, unsigned row, std::uint8_t* numbers, std::uint8_t* rows) {
  const std::uint64_t all = row * std::uint64_t{0x0101010101010101};
  std::memcpy(numbers, set_bits[0][bits & 0xff].data(), 8);
  std::memcpy(rows, &all, 8);
  const auto first = static_cast<std::size_t>(__builtin_popcount(bits & 0xff));
  std::memcpy(numbers + first, set_bits[1][bits >> 8].data(), 8);
  std::memcpy(rows + first, &all, 8);
  return first + static_cast<std::size_t>(__builtin_popcount(bits >> 8));
}

// A box in the same terms, grown: twice the middle, and the size.
struct EdgeQuery {
  V middle[3], size[3];
  HWY_INLINE EdgeQuery(const FloatBox& box, float reach) {
    for (std::size_t k = 0; k < 3; ++k) {
      middle[k] = hn::Set(d, box.hi[k] + box.lo[k]);
      size[k] = hn::Set(d, box.hi[k] - box.lo[k] + 2 * reach);
    }
  }
};
HWY_INLINE unsigned edges_in(const LeafBoxes& boxes, const EdgeQuery& q) {
  return gather_bits<leaf_features>([&](std::size_t i) {
    const auto axis = [&](std::size_t k) {
      return hn::Le(hn::Abs(hn::Sub(hn::Load(d, boxes.middle[k] + i), q.middle[k])),
                    hn::Add(hn::Abs(hn::Load(d, boxes.along[k] + i)), q.size[k]));
    };
    return hn::And(hn::And(axis(0), axis(1)), axis(2));
  });
}

// Edges of the one leaf (those of `live`) with those of the other (of `there`). `closed`: bits of the other's
// that do not count; `same`: one leaf with itself, each pair once.
HWY_INLINE std::size_t edges_near(const LeafBoxes& rows, unsigned live, const LeafBoxes& others,
                                  unsigned there, float reach,
                                  const std::array<std::uint16_t, leaf_features>* closed, bool same,
                                  std::uint8_t* row_places, std::uint8_t* other_places) {
  HWY_ALIGN float size[3][leaf_features];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < leaf_features; i += lanes)
      hn::Store(hn::Add(hn::Abs(hn::Load(d, others.along[k] + i)), hn::Set(d, 2 * reach)), d, size[k] + i);
  std::size_t count = 0;
  for (; live != 0; live &= live - 1) {
    const auto f = static_cast<unsigned>(__builtin_ctz(live));
    unsigned bits = there;
    if (closed != nullptr) bits &= ~unsigned{(*closed)[f]};
    if (same) bits &= (1u << f) - 1;
    V middle[3], along[3];
    for (std::size_t k = 0; k < 3; ++k) {
      middle[k] = hn::Set(d, rows.middle[k][f]);
      along[k] = hn::Abs(hn::Set(d, rows.along[k][f]));
    }
    bits &= gather_bits<leaf_features>([&](std::size_t i) {
      const auto axis = [&](std::size_t k) {
        return hn::Le(hn::Abs(hn::Sub(hn::Load(d, others.middle[k] + i), middle[k])),
                      hn::Add(hn::Load(d, size[k] + i), along[k]));
      };
      return hn::And(hn::And(axis(0), axis(1)), axis(2));
    });
    count += put_numbers(bits, f, other_places + count, row_places + count);
  }
  return count;
}

template <class Put>
HWY_INLINE void search_edges(const Pair& pair, unsigned live, unsigned there, float reach,
                             const Limits& limits, Batch& batch, Put&& put) {
  List list;
  const LeafBoxes &low = *pair.low_boxes, &high = *pair.high_boxes;
  // Fewer rows are better; masks have theirs.
  if (pair.mask == nullptr && __builtin_popcount(there) < __builtin_popcount(live)) {
    list.count = edges_near(low, there, high, live, reach, nullptr, false, list.low, list.high);
  } else {
    list.count = edges_near(high, live, low, there, reach, pair.mask != nullptr ? &pair.mask->edges : nullptr,
                            pair.same, list.high, list.low);
  }
  std::memset(list.low + list.count, 0, 8);
  std::memset(list.high + list.count, 0, 8);
  batch.counters.tested += list.count;
  // All are judged before any is put, so that one judgement need not wait for the one before.
  std::array<Verdict, List::room / lanes> verdicts;
  for (std::size_t i = 0; i < list.count; i += lanes)
    verdicts[i / lanes] =
        judge_edges(lines_at(low, Places(list.low + i)), lines_at(high, Places(list.high + i)), limits);
  for (std::size_t i = 0; i < list.count; i += lanes) {
    auto [near, sure] = verdicts[i / lanes];
    if (list.count - i < lanes) near &= (1u << (list.count - i)) - 1;
    for (; near != 0; near &= near - 1) {
      const auto k = static_cast<std::size_t>(__builtin_ctz(near));
      put(list.low[i + k], list.high[i + k], (sure >> k & 1) != 0);
    }
  }
}

// --- vertices and triangles -----------------------------------------------------------------------

HWY_INLINE Verdict judge_vertices(const V3& p, const V3& a, const V3& b, const V3& c, const Limits& limits) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const V3 w = p - a, ab = b - a, ac = c - a;
  const V bb = dot(ab, ab), cc = dot(ac, ac), bc = dot(ab, ac), wb = dot(w, ab), wc = dot(w, ac);
  // On each side, and how near, but for |w|^2. (From b to c: |c - b|^2, and the way from b to p along it.)
  const V sides = hn::Sub(hn::Add(bb, cc), hn::Add(bc, bc));
  const V along = hn::Add(hn::Sub(wc, wb), hn::Sub(bb, bc));
  const V on_ab = between(zero, one, ratio(wb, bb)), on_ac = between(zero, one, ratio(wc, cc)),
          on_bc = between(zero, one, ratio(along, sides));
  const auto nearness = [](V t, V there, V length) {
    return hn::Mul(t, hn::Sub(hn::Mul(t, length), hn::Add(there, there)));
  };
  const V near_ab = nearness(on_ab, wb, bb), near_ac = nearness(on_ac, wc, cc),
          near_bc = hn::Add(nearness(on_bc, along, sides), hn::Sub(hn::Sub(bb, wb), wb));
  const auto second = hn::Lt(near_ac, near_ab);
  const auto third = hn::Lt(near_bc, hn::Min(near_ab, near_ac));
  V weight_b = hn::IfThenElse(third, hn::Sub(one, on_bc), hn::IfThenElse(second, zero, on_ab));
  V weight_c = hn::IfThenElse(third, on_bc, hn::IfThenElse(second, on_ac, zero));
  const V det = hn::Sub(hn::Mul(bb, cc), hn::Mul(bc, bc));
  const V foot_b = ratio(hn::Sub(hn::Mul(cc, wb), hn::Mul(bc, wc)), det),
          foot_c = ratio(hn::Sub(hn::Mul(bb, wc), hn::Mul(bc, wb)), det);
  const auto inside =
      hn::And(hn::And(hn::Ge(foot_b, zero), hn::Ge(foot_c, zero)), hn::Le(hn::Add(foot_b, foot_c), one));
  weight_b = hn::IfThenElse(inside, foot_b, weight_b);
  weight_c = hn::IfThenElse(inside, foot_c, weight_c);
  const V3 offset = w - (weight_b * ab + weight_c * ac);
  const V gap = hn::Sub(dot(offset, w), hn::Max(zero, hn::Max(dot(offset, ab), dot(offset, ac))));
  return judge(offset, gap, limits.apart, limits.sure);
}

// Vertices and triangles of several pairs of leaves: a pair has few, and eight are judged at once.
struct Vertices {
  static constexpr std::size_t room = 64;
  HWY_ALIGN float point[4][3][room];  // the vertex, the corners of the triangle
  std::uint32_t vertex[room], triangle[room];
  std::size_t count = 0;
  float size = 0;

  void judge(const Range& range, Batch& batch) {
    const Limits limits = within(range, size);
    batch.counters.tested += count;
    for (std::size_t i = 0; i < count; i += lanes) {
      const auto at = [&](std::size_t k) {
        return V3{hn::Load(d, point[k][0] + i), hn::Load(d, point[k][1] + i), hn::Load(d, point[k][2] + i)};
      };
      auto [near, sure] = judge_vertices(at(0), at(1), at(2), at(3), limits);
      if (count - i < lanes) near &= (1u << (count - i)) - 1;
      for (; near != 0; near &= near - 1) {
        const auto k = static_cast<std::size_t>(__builtin_ctz(near));
        if ((sure >> k & 1) != 0) {
          batch.keep(contact_key(ContactKind::vertex_triangle, vertex[i + k], triangle[i + k]));
        } else {
          batch.vertex_triangle(vertex[i + k], triangle[i + k]);
        }
      }
    }
    count = 0;
    size = 0;
  }
};

// One leaf and where its features' numbers begin.
struct Side {
  const Leaf& leaf;
  const LeafBoxes& boxes;
  const LeafView& view;
};

// Vertices of one leaf (those of `live`) and triangles of the other (those of `there`).
HWY_INLINE void vertices_near(const Side& side, unsigned live, const Side& other, unsigned there,
                              const Range& range, const std::array<std::uint8_t, leaf_features>* closed,
                              float size, Vertices& out, Batch& batch) {
  const LeafBoxes &rows = side.boxes, &others = other.boxes;
  for (; live != 0; live &= live - 1) {
    const auto v = static_cast<unsigned>(__builtin_ctz(live));
    unsigned bits = closed != nullptr ? there & ~unsigned{(*closed)[v]} : there;
    if (bits == 0) continue;
    const FloatBox point = {{rows.point[0][v], rows.point[1][v], rows.point[2][v]},
                            {rows.point[0][v], rows.point[1][v], rows.point[2][v]}};
    bits &= overlapping(others.triangle, query(point, range.reach));
    if (bits == 0) continue;
    bits &= gather_bits<leaf_triangles>([&](std::size_t i) {
      const V at = dot(hn::Load(d, others.normal[0] + i), hn::Load(d, others.normal[1] + i),
                       hn::Load(d, others.normal[2] + i), hn::Set(d, point.lo[0]), hn::Set(d, point.lo[1]),
                       hn::Set(d, point.lo[2]));
      return hn::Le(hn::Abs(hn::Sub(at, hn::Load(d, others.offset + i))),
                    hn::Add(hn::Set(d, range.reach), hn::Load(d, others.error + i)));
    });
    for (; bits != 0; bits &= bits - 1) {
      const auto t = static_cast<unsigned>(__builtin_ctz(bits));
      if (out.count == Vertices::room) out.judge(range, batch);
      const std::size_t n = out.count++;
      for (std::size_t k = 0; k < 3; ++k) {
        out.point[0][k][n] = point.lo[k];
        for (std::size_t c = 0; c < 3; ++c) out.point[c + 1][k][n] = others.point[k][other.leaf.corner[c][t]];
      }
      out.vertex[n] = side.view.first_vertex + side.leaf.vertex[v];
      out.triangle[n] = other.view.first_triangle + other.leaf.triangle[t];
      out.size = std::max(out.size, size);
    }
  }
}

// --- leaves ---------------------------------------------------------------------------------------

// True if the other leaf lies on one side of the slab. (Unused places are far out on either side: their
// lanes are left alone.)
HWY_INLINE bool apart_by_slab(const LeafBoxes& slab, const LeafBoxes& other, std::size_t vertices,
                              float reach) {
  const V nx = hn::Set(d, slab.across[0]), ny = hn::Set(d, slab.across[1]), nz = hn::Set(d, slab.across[2]);
  const V above = hn::Set(d, slab.slab[1] + reach), below = hn::Set(d, slab.slab[0] - reach);
  unsigned over = 0, under = 0;
  for (std::size_t i = 0; i < leaf_corners; i += lanes) {
    const V at = dot(nx, ny, nz, hn::Load(d, other.point[0] + i), hn::Load(d, other.point[1] + i),
                     hn::Load(d, other.point[2] + i));
    over |= bits_of(hn::Gt(at, above)) << i;
    under |= bits_of(hn::Lt(at, below)) << i;
  }
  const unsigned all = (1u << vertices) - 1;
  return (over & all) == all || (under & all) == all;
}

// A byte of ones for every bit.
HWY_INLINE std::uint64_t rows_of(unsigned bits) {
  const std::uint64_t own = bits * 0x0101010101010101u & 0x8040201008040201u;  // bit i in byte i
  const std::uint64_t spread = ((own + 0x7f7f7f7f7f7f7f7fu) >> 7) & 0x0101010101010101u;
  return spread * 0xff;
}

// The longest side of the box around both.
HWY_INLINE float size_of_both(const FloatBox& a, const FloatBox& b) {
  float size = 0;
  for (std::size_t k = 0; k < 3; ++k)
    size = std::max(size, std::max(a.hi[k], b.hi[k]) - std::min(a.lo[k], b.lo[k]));
  return size;
}

// First what of each leaf is near the other's box at all: rows and bits that are not, or that are closed,
// cost nothing more.
HWY_INLINE void search_leaves(const Pair& pair, const FloatBox& low_box, const FloatBox& high_box,
                              const LeafView& low_view, const LeafView& high_view, const Range& range,
                              Vertices& vertices, Batch& batch) {
  const LeafBoxes &low = *pair.low_boxes, &high = *pair.high_boxes;
  const Query near_high = query(high_box, range.reach);
  const unsigned low_triangles = overlapping(low.triangle, near_high);
  if (low_triangles == 0) return;
  const Query near_low = query(low_box, range.reach);
  const unsigned high_triangles = overlapping(high.triangle, near_low);
  if (high_triangles == 0) return;
  const bool masked = pair.near != nullptr;
  if (masked &&
      (pair.near->triangles_open & rows_of(high_triangles) & low_triangles * 0x0101010101010101u) == 0)
    return;
  if (!masked && (apart_by_slab(low, high, pair.high->vertices, range.reach) ||
                  apart_by_slab(high, low, pair.low->vertices, range.reach)))
    return;
  const unsigned low_open = masked ? pair.near->low_open : (1u << pair.low->own_vertices) - 1;
  const unsigned high_open = pair.same ? 0
                             : masked  ? pair.near->high_open
                                       : (1u << pair.high->own_vertices) - 1;
  const auto points_in = [](const LeafBoxes& boxes, const Query& q) {
    return overlapping<leaf_features>(boxes.point[0], boxes.point[0], leaf_corners, q);
  };
  const float size = size_of_both(low_box, high_box);
  const Side low_side{*pair.low, low, low_view}, high_side{*pair.high, high, high_view};
  if (low_open != 0)
    vertices_near(low_side, low_open & points_in(low, near_high), high_side, high_triangles, range,
                  masked ? &pair.mask->vertices_low : nullptr, size, vertices, batch);
  if (high_open != 0)
    vertices_near(high_side, high_open & points_in(high, near_low), low_side, low_triangles, range,
                  masked ? &pair.mask->vertices_high : nullptr, size, vertices, batch);
  unsigned edges_open = masked ? pair.near->edges_open : (1u << pair.high->edges) - 1;
  if (edges_open == 0) return;
  edges_open &= edges_in(high, EdgeQuery(low_box, range.reach));
  if (edges_open == 0) return;
  search_edges(pair, edges_open, edges_in(low, EdgeQuery(high_box, range.reach)), range.reach,
               within(range, size), batch, [&](unsigned e, unsigned f, bool sure) {
                 const std::uint32_t one = 3 * low_view.first_triangle + pair.low->edge[e],
                                     two = 3 * high_view.first_triangle + pair.high->edge[f];
                 if (sure) {
                   batch.keep(contact_key(ContactKind::edge_edge, std::min(one, two), std::max(one, two)));
                 } else {
                   batch.edge_edge(one, two);
                 }
               });
}

// True if the two leaves have changed so little since they were at rest that no pair which counts can be
// near.
HWY_INLINE bool kept_apart(const LeafView& view, const NearLeaf& near, std::uint32_t low, std::uint32_t high,
                           float reach) {
  const LeafMotion &one = view.motions[low], &two = view.motions[high];
  const float left = near.gap * view.scale - reach - one.strain - two.strain;
  return left > 0 && left > disagreement(one, two);
}

// --- groups ---------------------------------------------------------------------------------------

struct LeafPair {
  std::uint32_t low, high;  // places in their groups
  const NearLeaf* near;
};

// The pairs of leaves of two groups that have to be looked at.
HWY_INLINE std::size_t pairs_of(const LeafView& low, const LeafView& high, std::uint32_t low_group,
                                std::uint32_t high_group, bool self, float reach, LeafPair* out,
                                SearchCounters& counters) {
  const Group &a = low.groups[low_group], &b = high.groups[high_group];
  const bool same_group = self && low_group == high_group;
  const auto leaves = std::min<std::size_t>(8, low.shape->leaves().size() - 8 * std::size_t{low_group});
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < leaves; ++i) {
    unsigned bits = overlapping(b, query(box_in(a, i), reach));
    if (same_group) bits &= ~0u << i;
    if (bits == 0) continue;
    const std::uint32_t low_leaf = 8 * low_group + i;
    std::span<const NearLeaf> near;
    if (self) near = low.shape->near_from(low_leaf, 8 * high_group);
    counters.candidates += static_cast<unsigned>(__builtin_popcount(bits));
    for (; bits != 0; bits &= bits - 1) {
      const auto j = static_cast<std::uint32_t>(__builtin_ctz(bits));
      const std::uint32_t high_leaf = 8 * high_group + j;
      while (!near.empty() && near.front().leaf < high_leaf) near = near.subspan(1);
      const NearLeaf* found = near.empty() || near.front().leaf != high_leaf ? nullptr : &near.front();
      if (found != nullptr && (found->closed() || kept_apart(low, *found, low_leaf, high_leaf, reach))) {
        ++counters.culled;
        continue;
      }
      out[count++] = {i, j, found};
    }
  }
  return count;
}

HWY_INLINE void prefetch(const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(from) + i);
}

void search_groups_of(const LeafView& low, const LeafView& high, std::uint32_t low_group,
                      std::uint32_t high_group, bool self, const Range& range, Batch& batch) {
  std::array<LeafPair, 64> pairs;
  const std::size_t count =
      pairs_of(low, high, low_group, high_group, self, range.reach, pairs.data(), batch.counters);
  const Leaf *low_leaves = low.shape->leaves().data() + 8 * std::size_t{low_group},
             *high_leaves = high.shape->leaves().data() + 8 * std::size_t{high_group};
  const LeafBoxes *low_boxes = low.leaves + 8 * std::size_t{low_group},
                  *high_boxes = high.leaves + 8 * std::size_t{high_group};
  Vertices vertices;
  for (std::size_t n = 0; n < count; ++n) {
    const auto [i, j, near] = pairs[n];
    // All trees together are larger than the caches: what comes next is fetched meanwhile.
    if (n + 1 < count) {
      prefetch(high_boxes + pairs[n + 1].high, sizeof(LeafBoxes));
      prefetch(high_leaves + pairs[n + 1].high, sizeof(Leaf));
      if (pairs[n + 1].near != nullptr) __builtin_prefetch(&low.shape->mask(*pairs[n + 1].near));
    }
    search_leaves(
        {low_leaves + i, high_leaves + j, low_boxes + i, high_boxes + j, near,
         near != nullptr ? &low.shape->mask(*near) : nullptr, self && low_group == high_group && i == j},
        box_in(low.groups[low_group], i), box_in(high.groups[high_group], j), low, high, range, vertices,
        batch);
  }
  vertices.judge(range, batch);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(search_groups_of);

void search_groups(const LeafView& low, const LeafView& high, std::uint32_t low_group,
                   std::uint32_t high_group, bool self, const Range& range, Batch& batch) {
  HWY_DYNAMIC_DISPATCH(search_groups_of)(low, high, low_group, high_group, self, range, batch);
}

}  // namespace palpate
#endif
