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
constexpr D d;
constexpr std::size_t lanes = hn::MaxLanes(D());

// Of the first `count` boxes (a multiple of 8), the bits of those that overlap [lo, hi]. Boxes lie in rows of
// n, axis by axis.
template <std::size_t n, std::size_t count>
HWY_INLINE unsigned overlapping(const float (&lo)[3][n], const float (&hi)[3][n],
                                const std::array<float, 3>& from, const std::array<float, 3>& to) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    auto near = hn::And(hn::Le(hn::LoadU(d, lo[0] + i), hn::Set(d, to[0])),
                        hn::Le(hn::Set(d, from[0]), hn::LoadU(d, hi[0] + i)));
    for (std::size_t k = 1; k < 3; ++k)
      near = hn::And(near, hn::And(hn::Le(hn::LoadU(d, lo[k] + i), hn::Set(d, to[k])),
                                   hn::Le(hn::Set(d, from[k]), hn::LoadU(d, hi[k] + i))));
    std::uint8_t some[8] = {};
    hn::StoreMaskBits(d, near, some);
    bits |= static_cast<unsigned>(some[0]) << i;
  }
  return bits;
}

HWY_INLINE FloatBox grow(const FloatBox& box, float reach) {
  return {{box.lo[0] - reach, box.lo[1] - reach, box.lo[2] - reach},
          {box.hi[0] + reach, box.hi[1] + reach, box.hi[2] + reach}};
}

unsigned near_children_of(const Group& group, const FloatBox& box, float reach) {
  const FloatBox larger = grow(box, reach);
  return overlapping<8, 8>(group.lo, group.hi, larger.lo, larger.hi);
}

unsigned near_boxes_of(const float* rows, std::size_t stride, const FloatBox& box, float reach) {
  const FloatBox larger = grow(box, reach);
  unsigned bits = 0;
  for (std::size_t i = 0; i < 8; i += lanes) {
    auto near = hn::And(hn::Le(hn::LoadU(d, rows + i), hn::Set(d, larger.hi[0])),
                        hn::Le(hn::Set(d, larger.lo[0]), hn::LoadU(d, rows + 3 * stride + i)));
    for (std::size_t k = 1; k < 3; ++k)
      near =
          hn::And(near, hn::And(hn::Le(hn::LoadU(d, rows + k * stride + i), hn::Set(d, larger.hi[k])),
                                hn::Le(hn::Set(d, larger.lo[k]), hn::LoadU(d, rows + (k + 3) * stride + i))));
    std::uint8_t some[8] = {};
    hn::StoreMaskBits(d, near, some);
    bits |= static_cast<unsigned>(some[0]) << i;
  }
  return bits;
}

FloatBox refit_leaf(const Leaf& leaf, const Vec3* positions, const Frame& frame, LeafBoxes& boxes) {
  for (std::size_t i = 0; i < leaf.vertices; ++i) {
    const Vec3& p = positions[leaf.vertex[i]];
    for (int k = 0; k < 3; ++k)
      boxes.point[k][i] = static_cast<float>((p[k] - frame.origin[k]) * frame.scale);
  }
  FloatBox all;
  for (std::size_t k = 0; k < 3; ++k) {
    const float* x = boxes.point[k];
    float least = x[0], most = x[0];
    for (std::size_t i = 1; i < leaf.vertices; ++i) {
      least = x[i] < least ? x[i] : least;
      most = x[i] > most ? x[i] : most;
    }
    all.lo[k] = least;
    all.hi[k] = most;
    for (std::size_t t = 0; t < leaf.triangles; ++t) {
      const float a = x[leaf.corner[t][0]], b = x[leaf.corner[t][1]], c = x[leaf.corner[t][2]];
      const float low = a < b ? a : b, high = a < b ? b : a;
      boxes.triangle.lo[k][t] = c < low ? c : low;
      boxes.triangle.hi[k][t] = c > high ? c : high;
    }
    for (std::size_t e = 0; e < leaf.edges; ++e) {
      const float a = x[leaf.end[e][0]], b = x[leaf.end[e][1]];
      boxes.edge.lo[k][e] = a < b ? a : b;
      boxes.edge.hi[k][e] = a < b ? b : a;
    }
  }
  return all;
}

// Rows are vertices of one leaf, bits triangles of the other.
HWY_INLINE std::size_t near_vertices(const LeafBoxes& rows, unsigned live, const LeafBoxes& others,
                                     float reach, const std::array<std::uint8_t, leaf_features>* closed,
                                     std::array<std::uint8_t, 2>* out) {
  std::size_t n = 0;
  for (; live != 0; live &= live - 1) {
    const auto v = static_cast<unsigned>(__builtin_ctz(live));
    std::array<float, 3> from, to;
    for (std::size_t k = 0; k < 3; ++k) {
      from[k] = rows.point[k][v] - reach;
      to[k] = rows.point[k][v] + reach;
    }
    unsigned bits = overlapping<8, 8>(others.triangle.lo, others.triangle.hi, from, to);
    if (closed != nullptr) bits &= ~unsigned{(*closed)[v]};
    for (; bits != 0; bits &= bits - 1)
      out[n++] = {static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(__builtin_ctz(bits))};
  }
  return n;
}

void near_features_of(const LeafPair& pair, float reach, LeafPairHits& hits) {
  const LeafBoxes &low = *pair.low_boxes, &high = *pair.high_boxes;
  const FloatBox low_box = grow(pair.low_box, reach), high_box = grow(pair.high_box, reach);
  unsigned edges_open = (1u << pair.high->edges) - 1, low_open = (1u << pair.low->own_vertices) - 1,
           high_open = pair.same ? 0 : (1u << pair.high->own_vertices) - 1;
  if (pair.near != nullptr) {
    edges_open = pair.near->edges_open;
    low_open = pair.near->low_open;
    high_open = pair.near->high_open;
  }
  hits.low = hits.high = hits.edge = 0;
  if (low_open != 0) {
    low_open &= overlapping<leaf_corners, leaf_features>(low.point, low.point, high_box.lo, high_box.hi);
    hits.low =
        near_vertices(low, low_open, high, reach, pair.mask != nullptr ? &pair.mask->vertices_low : nullptr,
                      hits.vertices_low.data());
  }
  if (high_open != 0) {
    high_open &= overlapping<leaf_corners, leaf_features>(high.point, high.point, low_box.lo, low_box.hi);
    hits.high =
        near_vertices(high, high_open, low, reach, pair.mask != nullptr ? &pair.mask->vertices_high : nullptr,
                      hits.vertices_high.data());
  }
  if (edges_open == 0) return;
  edges_open &= overlapping<leaf_features, leaf_features>(high.edge.lo, high.edge.hi, low_box.lo, low_box.hi);
  for (; edges_open != 0; edges_open &= edges_open - 1) {
    const auto f = static_cast<unsigned>(__builtin_ctz(edges_open));
    std::array<float, 3> from, to;
    for (std::size_t k = 0; k < 3; ++k) {
      from[k] = high.edge.lo[k][f] - reach;
      to[k] = high.edge.hi[k][f] + reach;
    }
    unsigned bits = overlapping<leaf_features, leaf_features>(low.edge.lo, low.edge.hi, from, to);
    if (pair.mask != nullptr) bits &= ~unsigned{pair.mask->edges[f]};
    if (pair.same) bits &= (1u << f) - 1;
    for (; bits != 0; bits &= bits - 1)
      hits.edges[hits.edge++] = {static_cast<std::uint8_t>(__builtin_ctz(bits)),
                                 static_cast<std::uint8_t>(f)};
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

namespace {

constexpr float beyond = 1e38f;

}  // namespace

HWY_EXPORT(near_children_of);
HWY_EXPORT(near_boxes_of);
HWY_EXPORT(refit_leaf);
HWY_EXPORT(near_features_of);

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
  const bool extreme = frame.radius > 1e30 || frame.radius < 1e-20;
  frame.scale = extreme ? std::ldexp(1.0, std::clamp(-std::ilogb(frame.radius), -1000, 1000)) : 1;
  return frame;
}

void clear(Group& group) {
  for (int k = 0; k < 3; ++k) {
    std::fill(std::begin(group.lo[k]), std::end(group.lo[k]), beyond);
    std::fill(std::begin(group.hi[k]), std::end(group.hi[k]), -beyond);
  }
}

void clear(LeafBoxes& boxes) {
  clear(boxes.triangle);
  for (int k = 0; k < 3; ++k) {
    std::fill(std::begin(boxes.point[k]), std::end(boxes.point[k]), beyond);
    std::fill(std::begin(boxes.edge.lo[k]), std::end(boxes.edge.lo[k]), beyond);
    std::fill(std::begin(boxes.edge.hi[k]), std::end(boxes.edge.hi[k]), -beyond);
  }
}

FloatBox refit(const Leaf& leaf, std::span<const Vec3> positions, const Frame& frame, LeafBoxes& boxes) {
  return HWY_DYNAMIC_DISPATCH(refit_leaf)(leaf, positions.data(), frame, boxes);
}

void near_features(const LeafPair& pair, float reach, LeafPairHits& hits) {
  HWY_DYNAMIC_DISPATCH(near_features_of)(pair, reach, hits);
}

}  // namespace palpate
#endif
