#include <palpate/collide/tree_boxes.h>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/collide/tree_boxes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::size_t lanes = hn::MaxLanes(D());

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

HWY_INLINE V dot(V ax, V ay, V az, V bx, V by, V bz) {
  return hn::Add(hn::Add(hn::Mul(ax, bx), hn::Mul(ay, by)), hn::Mul(az, bz));
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

unsigned near_children_of(const Group& group, const FloatBox& box, float reach) {
  return overlapping(group, query(box, reach));
}

unsigned near_boxes_of(const float* rows, std::size_t stride, const FloatBox& box, float reach) {
  return overlapping<8>(rows, rows + 3 * stride, stride, query(box, reach));
}

// --- boxes of a leaf ------------------------------------------------------------------------------

// Those of up to 24 numbers that eight indices name.
struct Table {
  const float* numbers;
  bool few;  // not more than 16
  HWY_INLINE V at(const std::uint8_t* which) const {
    if constexpr (lanes == 8) {
      if (HWY_LIKELY(few)) {
        const hn::RebindToSigned<D> di;
        const auto i = hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::uint8_t, D>(), which));
        const auto low = hn::IndicesFromVec(d, hn::And(i, hn::Set(di, 7)));
        return hn::IfThenElse(hn::RebindMask(d, hn::Gt(i, hn::Set(di, 7))),
                              hn::TableLookupLanes(hn::LoadU(d, numbers + 8), low),
                              hn::TableLookupLanes(hn::LoadU(d, numbers), low));
      }
    }
    HWY_ALIGN float some[lanes];
    for (std::size_t i = 0; i < lanes; ++i) some[i] = numbers[which[i]];
    return hn::Load(d, some);
  }
};

// Places without a triangle or an edge stay as clear() left them.
HWY_INLINE void store(V v, float* to, std::size_t first, std::size_t count) {
  if (first + lanes <= count) {
    hn::Store(v, d, to + first);
  } else if (first < count) {
    hn::Store(hn::IfThenElse(hn::FirstN(d, count - first), v, hn::Load(d, to + first)), d, to + first);
  }
}

// Boxes and planes of the triangles; returns the sum of the normals, of twice the areas in length.
HWY_INLINE void refit_triangles(const Leaf& leaf, const Table (&x)[3], float reach, LeafBoxes& boxes,
                                float (&sum)[3]) {
  V sums[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t i = 0; i < leaf.triangles; i += lanes) {
    V a[3], ab[3], ac[3];
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = x[k].at(leaf.corner[0].data() + i);
      const V b = x[k].at(leaf.corner[1].data() + i), c = x[k].at(leaf.corner[2].data() + i);
      store(hn::Min(hn::Min(a[k], b), c), boxes.triangle.lo[k], i, leaf.triangles);
      store(hn::Max(hn::Max(a[k], b), c), boxes.triangle.hi[k], i, leaf.triangles);
      ab[k] = hn::Sub(b, a[k]);
      ac[k] = hn::Sub(c, a[k]);
    }
    const V n[3] = {hn::Sub(hn::Mul(ab[1], ac[2]), hn::Mul(ab[2], ac[1])),
                    hn::Sub(hn::Mul(ab[2], ac[0]), hn::Mul(ab[0], ac[2])),
                    hn::Sub(hn::Mul(ab[0], ac[1]), hn::Mul(ab[1], ac[0]))};
    const V squared = dot(n[0], n[1], n[2], n[0], n[1], n[2]);
    const V longer =
        hn::Max(dot(ab[0], ab[1], ab[2], ab[0], ab[1], ab[2]), dot(ac[0], ac[1], ac[2], ac[0], ac[1], ac[2]));
    const V length = hn::Mul(hn::Set(d, 2.0f), hn::Sqrt(longer));  // no edge is longer
    // Corners err by 2^-23 at most, which tilts the normal by as much over the triangle's height; far from
    // the corner, the tilt counts by so much. Thin triangles: no plane, nothing is told apart by it.
    const V whole = hn::Sqrt(squared);
    const auto good =
        hn::And(hn::Gt(whole, hn::Mul(hn::Set(d, 1e-3f), longer)), hn::Gt(whole, hn::Set(d, 1e-15f)));
    const V scale = hn::IfThenElse(good, hn::Div(hn::Set(d, 1.0f), whole), hn::Zero(d));
    const V far = hn::Mul(hn::Set(d, 2.0f), hn::Add(length, hn::Set(d, reach)));
    const V tilt = hn::Mul(hn::Mul(hn::Set(d, 16 * 0x1p-23f), length), scale);
    store(hn::Mul(far, tilt), boxes.error, i, leaf.triangles);
    V unit[3];
    const auto used = hn::FirstN(d, leaf.triangles - i);
    for (std::size_t k = 0; k < 3; ++k) {
      unit[k] = hn::Mul(n[k], scale);
      store(unit[k], boxes.normal[k], i, leaf.triangles);
      sums[k] = hn::Add(sums[k], hn::IfThenElse(used, n[k], hn::Zero(d)));
    }
    store(dot(unit[0], unit[1], unit[2], a[0], a[1], a[2]), boxes.offset, i, leaf.triangles);
  }
  for (std::size_t k = 0; k < 3; ++k) sum[k] = hn::GetLane(hn::SumOfLanes(d, sums[k]));
}

HWY_INLINE void refit_edges(const Leaf& leaf, const Table (&x)[3], LeafBoxes& boxes) {
  V longest = hn::Zero(d);
  for (std::size_t i = 0; i < leaf.edges; i += lanes) {
    V along[3], sum = hn::Zero(d);
    for (std::size_t k = 0; k < 3; ++k) {
      const V a = x[k].at(leaf.end[0].data() + i), b = x[k].at(leaf.end[1].data() + i);
      store(hn::Min(a, b), boxes.edge.lo[k], i, leaf.edges);
      store(hn::Max(a, b), boxes.edge.hi[k], i, leaf.edges);
      along[k] = hn::Sub(b, a);
      sum = hn::Add(sum, hn::Abs(along[k]));
    }
    for (std::size_t k = 1; k < 3; ++k) {
      const auto against = hn::Xor(hn::Lt(along[0], hn::Zero(d)), hn::Lt(along[k], hn::Zero(d)));
      store(hn::IfThenElse(against, hn::Set(d, -1.0f), hn::Set(d, 1.0f)), boxes.sign[k - 1], i, leaf.edges);
    }
    longest = hn::Max(longest, hn::IfThenElse(hn::FirstN(d, leaf.edges - i), sum, hn::Zero(d)));
  }
  boxes.longest = hn::GetLane(hn::MaxOfLanes(d, longest));
}

// The rigid motion from rest, found by three vertices and the middle of all.
HWY_INLINE void refit_motion(const Leaf& leaf, const LeafRest& rest, float scale, LeafBoxes& boxes) {
  boxes.strain = 1e30f;
  if (!rest.has_frame) return;
  float x[3], y[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const float a = boxes.point[k][rest.anchor[0]];
    x[k] = boxes.point[k][rest.anchor[1]] - a;
    y[k] = boxes.point[k][rest.anchor[2]] - a;
  }
  float z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
  const float xx = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], zz = z[0] * z[0] + z[1] * z[1] + z[2] * z[2];
  const float yy = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
  // Too narrow a base would make a frame that is not square, and a motion that is not rigid.
  if (!(xx > 1e-20f) || !(zz > 1e-2f * xx * yy)) return;
  const float per_x = 1 / std::sqrt(xx), per_z = 1 / std::sqrt(zz);
  for (std::size_t k = 0; k < 3; ++k) {
    x[k] *= per_x;
    z[k] *= per_z;
  }
  y[0] = z[1] * x[2] - z[2] * x[1], y[1] = z[2] * x[0] - z[0] * x[2], y[2] = z[0] * x[1] - z[1] * x[0];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      boxes.turn[3 * i + k] =
          x[i] * rest.frame[3 * k] + y[i] * rest.frame[3 * k + 1] + z[i] * rest.frame[3 * k + 2];
  const float per_vertex = 1 / static_cast<float>(leaf.vertices);
  for (std::size_t k = 0; k < 3; ++k) {
    float sum = 0;
    for (std::size_t i = 0; i < leaf.vertices; ++i) sum += boxes.point[k][i];
    boxes.middle[k] = sum * per_vertex;
  }
  V most = hn::Zero(d);
  const V in_frame = hn::Set(d, scale);
  for (std::size_t i = 0; i < leaf.vertices; i += lanes) {
    const V p[3] = {hn::Mul(in_frame, hn::Load(d, rest.point[0] + i)),
                    hn::Mul(in_frame, hn::Load(d, rest.point[1] + i)),
                    hn::Mul(in_frame, hn::Load(d, rest.point[2] + i))};
    V out[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const V there = dot(hn::Set(d, boxes.turn[3 * k]), hn::Set(d, boxes.turn[3 * k + 1]),
                          hn::Set(d, boxes.turn[3 * k + 2]), p[0], p[1], p[2]);
      out[k] = hn::Sub(hn::Sub(hn::Load(d, boxes.point[k] + i), hn::Set(d, boxes.middle[k])), there);
    }
    const V squared = dot(out[0], out[1], out[2], out[0], out[1], out[2]);
    most = hn::Max(most, hn::IfThenElse(hn::FirstN(d, leaf.vertices - i), squared, hn::Zero(d)));
  }
  // The turn is one to rounding only, which counts by the leaf's size.
  boxes.strain = std::sqrt(hn::GetLane(hn::MaxOfLanes(d, most))) * 1.0001f + rest.radius * scale * 1e-5f;
}

FloatBox refit_leaf(const Leaf& leaf, const LeafRest* rest, const Vec3* positions, const Frame& frame,
                    float reach, LeafBoxes& boxes) {
  for (std::size_t i = 0; i < leaf.vertices; ++i) {
    const Vec3& p = positions[leaf.vertex[i]];
    for (std::size_t k = 0; k < 3; ++k)
      boxes.point[k][i] = frame.in_float(p[static_cast<Eigen::Index>(k)], k);
  }
  const bool few = leaf.vertices <= 16;
  const Table x[3] = {{boxes.point[0], few}, {boxes.point[1], few}, {boxes.point[2], few}};
  float sum[3];
  refit_triangles(leaf, x, reach, boxes, sum);
  refit_edges(leaf, x, boxes);
  if (rest != nullptr) refit_motion(leaf, *rest, static_cast<float>(frame.scale), boxes);

  const float squared = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
  const float scale = squared > 1e-30f ? 1 / std::sqrt(squared) : 0;
  for (std::size_t k = 0; k < 3; ++k) boxes.across[k] = sum[k] * scale;
  const V far = hn::Set(d, 1e30f), minus_far = hn::Set(d, -1e30f);
  V least = far, most = minus_far, lo[3] = {far, far, far}, hi[3] = {minus_far, minus_far, minus_far};
  for (std::size_t i = 0; i < leaf.vertices; i += lanes) {
    const auto used = hn::FirstN(d, leaf.vertices - i);
    const V p[3] = {hn::Load(d, boxes.point[0] + i), hn::Load(d, boxes.point[1] + i),
                    hn::Load(d, boxes.point[2] + i)};
    const V at = dot(p[0], p[1], p[2], hn::Set(d, boxes.across[0]), hn::Set(d, boxes.across[1]),
                     hn::Set(d, boxes.across[2]));
    least = hn::Min(least, hn::IfThenElse(used, at, far));
    most = hn::Max(most, hn::IfThenElse(used, at, minus_far));
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k] = hn::Min(lo[k], hn::IfThenElse(used, p[k], far));
      hi[k] = hn::Max(hi[k], hn::IfThenElse(used, p[k], minus_far));
    }
  }
  boxes.slab[0] = hn::GetLane(hn::MinOfLanes(d, least));
  boxes.slab[1] = hn::GetLane(hn::MaxOfLanes(d, most));
  FloatBox all;
  for (std::size_t k = 0; k < 3; ++k) {
    all.lo[k] = hn::GetLane(hn::MinOfLanes(d, lo[k]));
    all.hi[k] = hn::GetLane(hn::MaxOfLanes(d, hi[k]));
  }
  return all;
}

// --- pairs of leaves ------------------------------------------------------------------------------

struct Pair {
  const Leaf *low, *high;
  const LeafBoxes *low_boxes, *high_boxes;
  const NearLeaf* near;  // null: all pairs count
  const LeafMask* mask;
  bool same;  // one leaf with itself
};

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

// Vertices of one leaf (those of `live`) and triangles of the other (those of `there`).
template <class Put>
HWY_INLINE void near_vertices(const LeafBoxes& rows, unsigned live, const LeafBoxes& others, unsigned there,
                              float reach, const std::array<std::uint8_t, leaf_features>* closed, Put&& put) {
  for (; live != 0; live &= live - 1) {
    const auto v = static_cast<unsigned>(__builtin_ctz(live));
    unsigned bits = closed != nullptr ? there & ~unsigned{(*closed)[v]} : there;
    if (bits == 0) continue;
    const FloatBox point = {{rows.point[0][v], rows.point[1][v], rows.point[2][v]},
                            {rows.point[0][v], rows.point[1][v], rows.point[2][v]}};
    bits &= overlapping(others.triangle, query(point, reach));
    if (bits == 0) continue;
    bits &= gather_bits<leaf_triangles>([&](std::size_t i) {
      const V at = dot(hn::Load(d, others.normal[0] + i), hn::Load(d, others.normal[1] + i),
                       hn::Load(d, others.normal[2] + i), hn::Set(d, point.lo[0]), hn::Set(d, point.lo[1]),
                       hn::Set(d, point.lo[2]));
      return hn::Le(hn::Abs(hn::Sub(at, hn::Load(d, others.offset + i))),
                    hn::Add(hn::Set(d, reach), hn::Load(d, others.error + i)));
    });
    for (; bits != 0; bits &= bits - 1) put(v, static_cast<unsigned>(__builtin_ctz(bits)));
  }
}

// Edges in lanes: twice the centre, and the whole of the edge.
struct Lines {
  V middle[3], along[3];
};
HWY_INLINE Lines lines(V lox, V loy, V loz, V hix, V hiy, V hiz, V sign_y, V sign_z) {
  return {{hn::Add(lox, hix), hn::Add(loy, hiy), hn::Add(loz, hiz)},
          {hn::Sub(hix, lox), hn::Mul(sign_y, hn::Sub(hiy, loy)), hn::Mul(sign_z, hn::Sub(hiz, loz))}};
}

// Of the edges of the lower leaf, those whose lines come near that of edge f of the higher.
HWY_INLINE unsigned lines_near(const LeafBoxes& low, const LeafBoxes& high, unsigned f, float reach,
                               unsigned wanted) {
  const auto in_all = [&](const float* row) { return hn::Set(d, row[f]); };
  const Lines u = lines(in_all(high.edge.lo[0]), in_all(high.edge.lo[1]), in_all(high.edge.lo[2]),
                        in_all(high.edge.hi[0]), in_all(high.edge.hi[1]), in_all(high.edge.hi[2]),
                        in_all(high.sign[0]), in_all(high.sign[1]));
  // What rounding may do to the product below: edges err by 2^-22 in a frame of radius 2, and products by
  // 2^-22 of themselves. Middles, twice the centres, are nearer than `far` in every coordinate.
  float length = 0;
  for (std::size_t k = 0; k < 3; ++k) length += high.edge.hi[k][f] - high.edge.lo[k][f];
  const float far = 2 * (length + low.longest + reach);
  const float error = 3 * far * 0x1p-20f * (4 * (length + low.longest) + 2 * length * low.longest);
  unsigned bits = 0;
  for (std::size_t i = 0; i < leaf_features; i += lanes) {
    if ((wanted >> i & ((1u << lanes) - 1)) == 0) continue;
    const auto row = [&](const float* from) { return hn::Load(d, from + i); };
    const Lines v = lines(row(low.edge.lo[0]), row(low.edge.lo[1]), row(low.edge.lo[2]), row(low.edge.hi[0]),
                          row(low.edge.hi[1]), row(low.edge.hi[2]), row(low.sign[0]), row(low.sign[1]));
    const V nx = hn::Sub(hn::Mul(u.along[1], v.along[2]), hn::Mul(u.along[2], v.along[1])),
            ny = hn::Sub(hn::Mul(u.along[2], v.along[0]), hn::Mul(u.along[0], v.along[2])),
            nz = hn::Sub(hn::Mul(u.along[0], v.along[1]), hn::Mul(u.along[1], v.along[0]));
    const V along = hn::Abs(dot(nx, ny, nz, hn::Sub(v.middle[0], u.middle[0]),
                                hn::Sub(v.middle[1], u.middle[1]), hn::Sub(v.middle[2], u.middle[2])));
    const V length_n = hn::Sqrt(dot(nx, ny, nz, nx, ny, nz));
    bits |= bits_of(hn::Le(hn::Sub(along, hn::Set(d, error)), hn::Mul(hn::Set(d, 2 * reach), length_n))) << i;
  }
  return wanted & bits;
}

template <class Put>
HWY_INLINE void near_edges(const Pair& pair, unsigned live, unsigned there, float reach, Put&& put) {
  const LeafBoxes &low = *pair.low_boxes, &high = *pair.high_boxes;
  for (; live != 0; live &= live - 1) {
    const auto f = static_cast<unsigned>(__builtin_ctz(live));
    unsigned bits = pair.mask != nullptr ? there & ~unsigned{pair.mask->edges[f]} : there;
    if (pair.same) bits &= (1u << f) - 1;
    if (bits == 0) continue;
    const FloatBox edge = {{high.edge.lo[0][f], high.edge.lo[1][f], high.edge.lo[2][f]},
                           {high.edge.hi[0][f], high.edge.hi[1][f], high.edge.hi[2][f]}};
    bits &= overlapping(low.edge, query(edge, reach));
    if (bits == 0) continue;
    for (bits = lines_near(low, high, f, reach, bits); bits != 0; bits &= bits - 1)
      put(static_cast<unsigned>(__builtin_ctz(bits)), f);
  }
}

// A byte of ones for every bit.
HWY_INLINE std::uint64_t rows_of(unsigned bits) {
  const std::uint64_t own = bits * 0x0101010101010101u & 0x8040201008040201u;  // bit i in byte i
  const std::uint64_t spread = ((own + 0x7f7f7f7f7f7f7f7fu) >> 7) & 0x0101010101010101u;
  return spread * 0xff;
}

// First what of each leaf is near the other's box at all: rows and bits that are not, or that are closed,
// cost nothing more.
HWY_INLINE void search_leaves(const Pair& pair, const FloatBox& low_box, const FloatBox& high_box,
                              const LeafView& low_view, const LeafView& high_view, float reach,
                              Batch& batch) {
  const LeafBoxes &low = *pair.low_boxes, &high = *pair.high_boxes;
  const Query near_high = query(high_box, reach);
  const unsigned low_triangles = overlapping(low.triangle, near_high);
  if (low_triangles == 0) return;
  const Query near_low = query(low_box, reach);
  const unsigned high_triangles = overlapping(high.triangle, near_low);
  if (high_triangles == 0) return;
  const bool masked = pair.near != nullptr;
  if (masked &&
      (pair.near->triangles_open & rows_of(high_triangles) & low_triangles * 0x0101010101010101u) == 0)
    return;
  if (!masked && (apart_by_slab(low, high, pair.high->vertices, reach) ||
                  apart_by_slab(high, low, pair.low->vertices, reach)))
    return;
  const unsigned low_open = masked ? pair.near->low_open : (1u << pair.low->own_vertices) - 1;
  const unsigned high_open = pair.same ? 0
                             : masked  ? pair.near->high_open
                                       : (1u << pair.high->own_vertices) - 1;
  unsigned edges_open = masked ? pair.near->edges_open : (1u << pair.high->edges) - 1;
  const auto points_in = [](const LeafBoxes& boxes, const Query& q) {
    return overlapping<leaf_features>(boxes.point[0], boxes.point[0], leaf_corners, q);
  };
  if (low_open != 0)
    near_vertices(low, low_open & points_in(low, near_high), high, high_triangles, reach,
                  masked ? &pair.mask->vertices_low : nullptr, [&](unsigned v, unsigned t) {
                    batch.vertex_triangle(low_view.first_vertex + pair.low->vertex[v],
                                          high_view.first_triangle + pair.high->triangle[t]);
                  });
  if (high_open != 0)
    near_vertices(high, high_open & points_in(high, near_low), low, low_triangles, reach,
                  masked ? &pair.mask->vertices_high : nullptr, [&](unsigned v, unsigned t) {
                    batch.vertex_triangle(high_view.first_vertex + pair.high->vertex[v],
                                          low_view.first_triangle + pair.low->triangle[t]);
                  });
  if (edges_open == 0) return;
  edges_open &= overlapping(high.edge, near_low);
  if (edges_open == 0) return;
  near_edges(pair, edges_open, overlapping(low.edge, near_high), reach, [&](unsigned e, unsigned f) {
    batch.edge_edge(3 * low_view.first_triangle + pair.low->edge[e],
                    3 * high_view.first_triangle + pair.high->edge[f]);
  });
}

// How far the motion of the one takes a point of the other from where its own takes it, at most.
HWY_INLINE float disagreement(const LeafBoxes& a, const LeafRest& rest_a, const LeafBoxes& b,
                              const LeafRest& rest_b, float scale) {
  float from[3];
  for (int k = 0; k < 3; ++k) from[k] = static_cast<float>(rest_b.middle[k] - rest_a.middle[k]) * scale;
  float turned = 0, moved = 0;
  for (std::size_t i = 0; i < 9; ++i) turned += (a.turn[i] - b.turn[i]) * (a.turn[i] - b.turn[i]);
  for (std::size_t k = 0; k < 3; ++k) {
    const float there = a.turn[3 * k] * from[0] + a.turn[3 * k + 1] * from[1] + a.turn[3 * k + 2] * from[2];
    const float by = a.middle[k] + there - b.middle[k];
    moved += by * by;
  }
  // Of the nine numbers of a difference of two turns, the sum of squares is twice the square of its norm.
  return std::sqrt(moved) + std::sqrt(0.5f * turned) * rest_b.radius * scale * 1.0001f;
}

// True if the two leaves have changed so little since they were at rest that no pair which counts can be
// near.
HWY_INLINE bool kept_apart(const LeafView& view, const NearLeaf& near, std::uint32_t low, std::uint32_t high,
                           float reach) {
  const LeafBoxes &one = view.leaves[low], &two = view.leaves[high];
  const float left = near.gap * view.scale - reach - one.strain - two.strain;
  return left > 0 &&
         left > disagreement(one, view.shape->rest()[low], two, view.shape->rest()[high], view.scale);
}

void search_groups_of(const LeafView& low, const LeafView& high, std::uint32_t low_group,
                      std::uint32_t high_group, bool self, float reach, Batch& batch) {
  const Group &a = low.groups[low_group], &b = high.groups[high_group];
  const Leaf *low_leaves = low.shape->leaves().data(), *high_leaves = high.shape->leaves().data();
  const bool same_group = self && low_group == high_group;
  const auto count = std::min<std::size_t>(8, low.shape->leaves().size() - 8 * std::size_t{low_group});
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t low_leaf = 8 * low_group + i;
    const FloatBox low_box = box_in(a, i);
    unsigned bits = overlapping(b, query(low_box, reach));
    if (same_group) bits &= ~0u << i;
    for (; bits != 0; bits &= bits - 1) {
      const auto j = static_cast<std::uint32_t>(__builtin_ctz(bits));
      const std::uint32_t high_leaf = 8 * high_group + j;
      ++batch.counters.candidates;
      const NearLeaf* near = self ? low.shape->near(low_leaf, high_leaf) : nullptr;
      if (near != nullptr && (near->closed() || kept_apart(low, *near, low_leaf, high_leaf, reach))) {
        ++batch.counters.culled;
        continue;
      }
      search_leaves(
          {low_leaves + low_leaf, high_leaves + high_leaf, low.leaves + low_leaf, high.leaves + high_leaf,
           near, near != nullptr ? &low.shape->mask(*near) : nullptr, same_group && i == j},
          low_box, box_in(b, j), low, high, reach, batch);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

namespace {

constexpr float beyond = 1e30f;

template <std::size_t n>
void fill(float (&rows)[3][n], float value) {
  for (auto& row : rows) std::fill(std::begin(row), std::end(row), value);
}

}  // namespace

HWY_EXPORT(near_children_of);
HWY_EXPORT(near_boxes_of);
HWY_EXPORT(refit_leaf);
HWY_EXPORT(search_groups_of);

unsigned near_children(const Group& group, const FloatBox& box, float reach) {
  return HWY_DYNAMIC_DISPATCH(near_children_of)(group, box, reach);
}

unsigned near_boxes(const float* rows, std::size_t stride, const FloatBox& box, float reach) {
  return HWY_DYNAMIC_DISPATCH(near_boxes_of)(rows, stride, box, reach);
}

Frame Frame::around(const Box& scene) {
  Frame frame;
  frame.origin = scene.center();
  frame.radius = scene.size().maxCoeff() / 2 * (1 + 1e-9) + 1e-300;
  frame.scale = std::ldexp(1.0, std::clamp(-std::ilogb(frame.radius), -1000, 1000));
  return frame;
}

void clear(Group& group) {
  fill(group.lo, beyond);
  fill(group.hi, -beyond);
}

void clear(LeafBoxes& boxes) {
  clear(boxes.triangle);
  fill(boxes.point, beyond);
  fill(boxes.normal, 0);
  std::fill(std::begin(boxes.offset), std::end(boxes.offset), 0.0f);
  fill(boxes.edge.lo, beyond);
  fill(boxes.edge.hi, -beyond);
  for (auto& row : boxes.sign) std::fill(std::begin(row), std::end(row), 1.0f);
  std::fill(std::begin(boxes.error), std::end(boxes.error), 0.0f);
  boxes.strain = beyond;
}

FloatBox refit(const Leaf& leaf, const LeafRest* rest, const Vec3* positions, const Frame& frame, float reach,
               LeafBoxes& boxes) {
  return HWY_DYNAMIC_DISPATCH(refit_leaf)(leaf, rest, positions, frame, reach, boxes);
}

void search_groups(const LeafView& low, const LeafView& high, std::uint32_t low_group,
                   std::uint32_t high_group, bool self, float reach, Batch& batch) {
  HWY_DYNAMIC_DISPATCH(search_groups_of)(low, high, low_group, high_group, self, reach, batch);
}

}  // namespace palpate
#endif
