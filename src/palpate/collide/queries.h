// Questions beside contacts: what is near this point, what does this ray hit first, do two surfaces meet?
//
//   Queries queries(detector.surfaces());
//   const auto below = queries.first_hit({eye, Vec3(0, 0, -1)});
//   const auto depth = queries.signed_distance(liver, tip).distance;   // negative inside
//
// A tree for each surface (triangle_tree.h) is made when it is first asked for; it follows positions and
// changes of triangles before it answers. Answers do not depend on the tree: they are those of a look at
// every triangle, and what is equally near is told apart by the lowest surface, then the lowest triangle.
// Features have the numbers of their own surface. Once warm, nothing is allocated.
//
// What is decided by exact signs: whether a ray hits a triangle, whether two triangles meet, inside and
// outside. Distances are rounded like those of contacts, and "nearest" and "first" go by them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <palpate/collide/surfaces.h>
#include <palpate/collide/triangle_tree.h>
#include <palpate/geometry/intersect.h>
#include <palpate/geometry/ray.h>

namespace palpate {

enum class FeatureKind : std::uint8_t { vertex, edge, triangle };

struct NearFeature {
  SurfaceId surface;
  FeatureKind kind;
  std::uint32_t number;  // in its own surface; of an edge as in Topology
  double distance;       // [m]
};

struct NearestPoint {
  SurfaceId surface;
  std::uint32_t triangle;
  Vec3 weights;     // of its corners
  Vec3 point;       // [m]
  double distance;  // [m]
};

enum class HitSide : std::uint8_t { front, back, along };  // front: where the normal points to

struct RayHit {
  SurfaceId surface;
  std::uint32_t triangle;
  Vec3 weights;
  Vec3 point;       // [m]
  double distance;  // from the ray's origin [m], whatever the length of its direction
  HitSide side;     // along: the ray lies in the triangle's plane, or the triangle has none
};

struct Meeting {
  std::uint32_t first, second;  // triangles, of the first and of the second surface
  TriangleIntersection where;
};

class Queries {
 public:
  // The surfaces must outlive the queries, and stay where they are: a detector that is moved takes its
  // surfaces along.
  explicit Queries(const Surfaces& surfaces) : surfaces_(&surfaces) {}

  // Vertices, edges and triangles not farther than `radius` [m], ordered by surface, kind and number;
  // vertices without triangles are not part of a surface. Valid until the next such call.
  std::span<const NearFeature> features_within(const Vec3& point, double radius);
  std::span<const NearFeature> features_within(SurfaceId id, const Vec3& point, double radius);

  // None if there is no triangle.
  std::optional<NearestPoint> nearest(const Vec3& point);
  std::optional<NearestPoint> nearest(SurfaceId id, const Vec3& point);
  // Of many points at once, in parallel.
  void nearest(std::span<const Vec3> points, std::span<std::optional<NearestPoint>> out);

  // The nearest point, with a distance that is negative inside: where the surface winds around the point at
  // all, whichever way. So a surface that crosses itself has one inside, and one that is turned inside out
  // has the same. Exactly 0 on the surface. Refused for a surface that is not closed.
  NearestPoint signed_distance(SurfaceId id, const Vec3& point);
  void signed_distances(SurfaceId id, std::span<const Vec3> points, std::span<NearestPoint> out);
  // 0 outside, 1 inside a surface that faces outward; refused for one that is not closed. See winding.h.
  int winding_number(SurfaceId id, const Vec3& point);
  bool is_closed(SurfaceId id);

  // The first point of the ray that belongs to a surface, not farther than `most` [m]. No ray slips through
  // an edge or a vertex.
  std::optional<RayHit> first_hit(const Ray& ray, double most = std::numeric_limits<double>::infinity());
  std::optional<RayHit> first_hit(SurfaceId id, const Ray& ray,
                                  double most = std::numeric_limits<double>::infinity());
  // Of many rays at once, in parallel.
  void first_hits(std::span<const Ray> rays, std::span<std::optional<RayHit>> out,
                  double most = std::numeric_limits<double>::infinity());

  // Do two surfaces have a point in common? Of one surface with itself: does it pass through itself, as
  // self_intersections.h defines it? Neighbours may touch in what they share.
  bool intersect(SurfaceId a, SurfaceId b);
  // Every pair of triangles that meet, ascending, and where. Of one surface with itself the lower triangle is
  // the first. Valid until the next such call.
  std::span<const Meeting> intersections(SurfaceId a, SurfaceId b);

  std::size_t memory() const;  // bytes held

 private:
  struct Kept {  // of a slot
    TriangleTree tree;
    const TriangleCorners* corners = nullptr;  // tells surfaces of another detector apart
    std::uint64_t moves = 0, changes = 0;
    std::uint64_t closed_at = 0;  // `changes` when it was looked at whether it is closed
    std::uint32_t open_edge = 0;
  };
  struct Slots {
    std::uint32_t begin, end;
  };
  struct Aim;
  struct Nearest;

  TriangleView view(std::uint32_t slot) const;
  void update(std::uint32_t slot);
  Slots update_all();
  Slots update_one(SurfaceId id);
  std::uint32_t require_closed(SurfaceId id);

  std::span<const NearFeature> collect_features(Slots slots, const Vec3& point, double radius);
  void search_features(std::uint32_t slot, const Vec3& point, double radius);
  std::optional<NearestPoint> find_nearest(Slots slots, const Vec3& point) const;
  void search_nearest(std::uint32_t slot, const Vec3& point, Nearest& best) const;
  NearestPoint find_signed(std::uint32_t slot, const Vec3& point) const;
  int find_winding(std::uint32_t slot, const Vec3& point) const;
  bool is_on(std::uint32_t slot, const Vec3& point) const;
  std::optional<RayHit> find_hit(Slots slots, const Aim& aim, double most) const;
  void search_hit(std::uint32_t slot, const Aim& aim, double most, RayHit& best) const;
  void drop_twins(std::uint32_t triangles);

  const Surfaces* surfaces_;
  std::vector<Kept> kept_;  // by slot
  std::vector<NearFeature> features_;
  std::vector<Meeting> meetings_;
  std::vector<std::vector<Meeting>> parts_;        // of meetings, by chunk
  std::vector<std::vector<std::uint32_t>> twins_;  // triangles that repeat a lower one, by chunk
  std::vector<std::uint8_t> is_twin_;
};

// For one use, of meshes as they lie.
std::vector<NearFeature> features_within(const TriangleMesh& mesh, const Vec3& point, double radius);
std::optional<NearestPoint> nearest_on(const TriangleMesh& mesh, const Vec3& point);
NearestPoint signed_distance_to(const TriangleMesh& mesh, const Vec3& point);
std::optional<RayHit> first_hit_on(const TriangleMesh& mesh, const Ray& ray,
                                   double most = std::numeric_limits<double>::infinity());
bool intersect(const TriangleMesh& a, const TriangleMesh& b);
std::vector<Meeting> intersections(const TriangleMesh& a, const TriangleMesh& b);

}  // namespace palpate
