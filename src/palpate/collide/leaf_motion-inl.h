// How leaves have moved from rest, and how much two of them agree on that. Included once for each target.
#include <cmath>

#include <palpate/collide/tree_boxes.h>

#if defined(PALPATE_LEAF_MOTION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALPATE_LEAF_MOTION_INL
#undef PALPATE_LEAF_MOTION_INL
#else
#define PALPATE_LEAF_MOTION_INL
#endif

#include <palpate/collide/float_lanes-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

// The rigid motion from rest, found by three vertices and the middle of all.
HWY_INLINE void refit_motion(const Leaf& leaf, const LeafRest& rest, float scale,
                             const float (&point)[3][leaf_corners], LeafMotion& motion) {
  motion.strain = 1e30f;
  if (!rest.has_frame) return;
  float x[3], y[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const float a = point[k][rest.anchor[0]];
    x[k] = point[k][rest.anchor[1]] - a;
    y[k] = point[k][rest.anchor[2]] - a;
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
      motion.turn[3 * i + k] =
          x[i] * rest.frame[3 * k] + y[i] * rest.frame[3 * k + 1] + z[i] * rest.frame[3 * k + 2];
  const float per_vertex = 1 / static_cast<float>(leaf.vertices);
  for (std::size_t k = 0; k < 3; ++k) {
    float sum = 0;
    for (std::size_t i = 0; i < leaf.vertices; ++i) sum += point[k][i];
    motion.middle[k] = sum * per_vertex;
  }
  V most = hn::Zero(d);
  const V in_frame = hn::Set(d, scale);
  for (std::size_t i = 0; i < leaf.vertices; i += lanes) {
    const V p[3] = {hn::Mul(in_frame, hn::Load(d, rest.point[0] + i)),
                    hn::Mul(in_frame, hn::Load(d, rest.point[1] + i)),
                    hn::Mul(in_frame, hn::Load(d, rest.point[2] + i))};
    V out[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const V there = dot(hn::Set(d, motion.turn[3 * k]), hn::Set(d, motion.turn[3 * k + 1]),
                          hn::Set(d, motion.turn[3 * k + 2]), p[0], p[1], p[2]);
      out[k] = hn::Sub(hn::Sub(hn::Load(d, point[k] + i), hn::Set(d, motion.middle[k])), there);
    }
    const V squared = dot(out[0], out[1], out[2], out[0], out[1], out[2]);
    most = hn::Max(most, hn::IfThenElse(hn::FirstN(d, leaf.vertices - i), squared, hn::Zero(d)));
  }
  float far = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    motion.rest[k] = static_cast<float>(rest.middle[static_cast<Eigen::Index>(k)]) * scale;
    far = std::max(far, std::abs(motion.rest[k]));
  }
  motion.radius = rest.radius * scale * 1.0001f;
  // The turn is one to rounding only, which counts by the leaf's size; places at rest are rounded too.
  motion.strain = std::sqrt(hn::GetLane(hn::MaxOfLanes(d, most))) * 1.0001f + rest.radius * scale * 1e-5f +
                  far * 0x1p-20f;
}

// How far the motion of the one takes a point of the other from where its own takes it, at most.
HWY_INLINE float disagreement(const LeafMotion& a, const LeafMotion& b) {
  float turned = 0, moved = 0;
  for (std::size_t i = 0; i < 9; ++i) turned += (a.turn[i] - b.turn[i]) * (a.turn[i] - b.turn[i]);
  const float from[3] = {b.rest[0] - a.rest[0], b.rest[1] - a.rest[1], b.rest[2] - a.rest[2]};
  for (std::size_t k = 0; k < 3; ++k) {
    const float there = a.turn[3 * k] * from[0] + a.turn[3 * k + 1] * from[1] + a.turn[3 * k + 2] * from[2];
    const float by = a.middle[k] + there - b.middle[k];
    moved += by * by;
  }
  // Of the nine numbers of a difference of two turns, the sum of squares is twice the square of its norm.
  return std::sqrt(moved) + std::sqrt(0.5f * turned) * b.radius;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#endif
