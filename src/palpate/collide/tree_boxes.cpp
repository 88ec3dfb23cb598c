#include <palpate/collide/tree_boxes.h>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/collide/tree_boxes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <palpate/collide/float_lanes-inl.h>
#include <palpate/collide/leaf_motion-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

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
    const Places places(which);
    return few ? places.of<true>(numbers) : places.of<false>(numbers);
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
  for (std::size_t i = 0; i < leaf.edges; i += lanes)
    for (std::size_t k = 0; k < 3; ++k) {
      const V a = x[k].at(leaf.end[0].data() + i), b = x[k].at(leaf.end[1].data() + i);
      store(hn::Add(a, b), boxes.middle[k], i, leaf.edges);
      store(hn::Sub(b, a), boxes.along[k], i, leaf.edges);
    }
}

FloatBox refit_leaf(const Leaf& leaf, const LeafRest* rest, const Vec3* positions, const Frame& frame,
                    float reach, LeafBoxes& boxes, LeafMotion* motion) {
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
  if (rest != nullptr) refit_motion(leaf, *rest, static_cast<float>(frame.scale), boxes.point, *motion);

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

// The radius is a power of two and the origin on a lattice of half of that: which one it is depends on the
// scene alone, not on scenes before, as what is within rounding may.
Frame Frame::coarse(const Box& scene) {
  Frame frame = around(scene);
  const double coarse = std::ldexp(1.0, std::clamp(std::ilogb(frame.radius) + 1, -1000, 1000));
  for (double& x : frame.origin)
    if (std::abs(x) < 0x1p50 * coarse) x = std::round(x / (0.5 * coarse)) * (0.5 * coarse);
  frame.radius = 1.25 * coarse;
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
  fill(boxes.middle, beyond);
  fill(boxes.along, 0);
  std::fill(std::begin(boxes.error), std::end(boxes.error), 0.0f);
}

FloatBox refit(const Leaf& leaf, const LeafRest* rest, const Vec3* positions, const Frame& frame, float reach,
               LeafBoxes& boxes, LeafMotion* motion) {
  return HWY_DYNAMIC_DISPATCH(refit_leaf)(leaf, rest, positions, frame, reach, boxes, motion);
}

}  // namespace palpate
#endif
