// First hits of rays.
//
// Whether a ray hits a triangle is exact (geometry/ray.h); boxes must not take a hit away, so they are looked
// at with the rounding of three operations to spare. How far along is rounded. To be the same whatever boxes
// were passed over, it is taken as not less than where the ray enters the triangle's own box: that bound only
// grows from box to box inward, in floating point too.
#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/collide/queries.h>
#include <palpate/collide/queries_checks.h>
#include <palpate/geometry/scaling.h>

namespace palpate {

namespace {

using Block = TriangleTree::Block;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t batch_grain = 64;
// A direction that is nearly across an axis says nothing about it that could be computed.
constexpr double least_slope = 1e-200;

}  // namespace

struct Queries::Aim {
  Ray ray;   // with a direction whose squares are safe
  Vec3 per;  // how far along the ray [m] for a metre along an axis
  double length;

  explicit Aim(const Ray& given) : ray(given) {
    const double size = given.direction.cwiseAbs().maxCoeff();
    if (!(size > 1e-60 && size < 1e60)) ray.direction = scaled(given.direction, -std::ilogb(size));
    length = ray.direction.norm();
    per = length * ray.direction.cwiseInverse();
  }

  // How far away [m] the ray enters eight boxes; infinity for those it does not meet.
  void operator()(const Block& block, double* low) const {
    double far[TriangleTree::width];
    std::fill_n(low, TriangleTree::width, 0.0);
    std::fill_n(far, TriangleTree::width, infinity);
    for (int k = 0; k < 3; ++k) clip(block.lo[k], block.hi[k], k, low, far);
    for (std::uint32_t i = 0; i < TriangleTree::width; ++i)
      if (low[i] * (1 - 0x1p-50) > far[i] * (1 + 0x1p-50) + 1e-300) low[i] = infinity;
  }

 private:
  void clip(const double* lo, const double* hi, int k, double* low, double* far) const {
    const double origin = ray.origin[k], slope = ray.direction[k], scale = per[k];
    if (slope == 0) {
      for (std::uint32_t i = 0; i < TriangleTree::width; ++i)
        if (!(lo[i] <= origin && origin <= hi[i])) low[i] = infinity;
      return;
    }
    if (std::abs(slope) < least_slope) {
      for (std::uint32_t i = 0; i < TriangleTree::width; ++i)
        if (!(lo[i] <= hi[i])) low[i] = infinity;
      return;
    }
    const double *near_side = slope > 0 ? lo : hi, *far_side = slope > 0 ? hi : lo;
    for (std::uint32_t i = 0; i < TriangleTree::width; ++i) {
      low[i] = std::max(low[i], (near_side[i] - origin) * scale);
      far[i] = std::min(far[i], (far_side[i] - origin) * scale);
    }
  }
};

std::optional<RayHit> Queries::first_hit(const Ray& ray, double most) {
  detail::check_ray(ray, most);
  return find_hit(update_all(), Aim(ray), most);
}
std::optional<RayHit> Queries::first_hit(SurfaceId id, const Ray& ray, double most) {
  detail::check_ray(ray, most);
  return find_hit(update_one(id), Aim(ray), most);
}
void Queries::first_hits(std::span<const Ray> rays, std::span<std::optional<RayHit>> out, double most) {
  detail::check_rays(rays, most, out.size());
  const Slots slots = update_all();
  parallel_for(rays.size(), batch_grain,
               [&](std::size_t i) { out[i] = find_hit(slots, Aim(rays[i]), most); });
}

std::optional<RayHit> Queries::find_hit(Slots slots, const Aim& aim, double most) const {
  RayHit best;
  best.triangle = no_index;
  best.distance = infinity;
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot) search_hit(slot, aim, most, best);
  if (best.triangle == no_index) return std::nullopt;
  return best;
}

void Queries::search_hit(std::uint32_t slot, const Aim& aim, double most, RayHit& best) const {
  const TriangleTree& tree = kept_[slot].tree;
  const TriangleView triangles = view(slot);
  const SurfaceId id = (*surfaces_)[slot].id;
  const auto side_of = [](int side) {
    return side > 0 ? HitSide::front : (side < 0 ? HitSide::back : HitSide::along);
  };
  tree.search(
      aim, [&] { return std::min(best.distance, most); },
      [&](std::uint32_t place, double enters) {
        const std::uint32_t t = tree.order()[place];
        const std::optional<RayTriangle> found = first_common_point(aim.ray, triangles[t]);
        if (!found) return;
        const double distance = std::max(found->at * aim.length, enters);
        // Surfaces come in order: of equal hits an earlier one stays.
        const bool first = distance < best.distance ||
                           (distance == best.distance && best.surface == id && t < best.triangle);
        if (first && distance <= most)
          best = {id, t, found->weights, found->point, distance, side_of(found->side)};
      });
}

}  // namespace palpate
