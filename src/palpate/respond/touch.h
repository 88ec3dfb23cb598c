// Which contacts push, which way, and from which side.
//
// A detector returns every pair of features that are near: a vertex above a ridge is near both triangles, and
// two plates that lie on each other are near in thousands of ways that all say the same. What pushes is where
// the distance of two surfaces has a local minimum:
//
//   - a vertex and the inside of a triangle;
//   - a vertex and an edge or a corner: once, if all triangles around say so, and the vertex stands out, or
//     its surface does not lead there;
//   - two edges, both in between their ends, whose faces all lead away from each other.
//
// Distances have no sign. Surfaces that are closed have an outside, and features that face each other from
// there touch. Where one of the two sees the other through its own body, or through the other's (plates
// thinner than the contact distance), there is nothing to push. Where both do, the bodies overlap, or both
// are thin: the first is taken for true only of surfaces that are known to overlap. Open surfaces have two
// outsides: a feature is where it is, as nothing crosses a surface in a step
// (touching_guard.cpp).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/contact.h>
#include <palpate/collide/surfaces.h>

namespace palpate {

// A contact that pushes. The vector from the first feature to the second is the sum of weights * vertices.
struct Touch {
  std::uint64_t key = 0;                       // of the contact
  std::array<std::uint32_t, 4> vertices = {};  // numbers through all surfaces
  std::array<double, 4> weights = {};          // below 0: of the first feature
  Vec3 normal = Vec3::Zero();  // of unit length, from the first to the second, outside of both
  double gap = 0;              // along it [m]; below 0: they overlap
  double area = 0;             // that it stands for [m^2]
  std::uint32_t first_surface = 0, second_surface = 0;  // slots
  bool guarded = false;                                 // it is there because it would be crossed otherwise

  ContactKind kind() const { return static_cast<ContactKind>(key >> 63); }
};

// What is known of a surface besides where it is.
struct SurfaceSides {
  std::uint64_t changes = 0;        // of the surface that this was made of; 0: none
  bool closed = false;              // and faces outward everywhere
  std::vector<double> vertex_area;  // a third of each triangle's around it, at rest [m^2]
};

// Surfaces that are known to overlap.
struct OverlappingPair {
  std::uint32_t first, second;  // slots, the first is not the higher
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm
  friend auto operator<=>(const OverlappingPair&, const OverlappingPair&) = default;
};

class TouchFinder {
 public:
  // Of contacts in ascending order of keys, as a detector returns them; those in the margin too. `overlaps`:
  // ascending. In ascending order of keys, valid until the next call.
  std::span<const Touch> find(const Surfaces& surfaces, std::span<const Contact> contacts,
                              std::span<const OverlappingPair> overlaps = {});
  // A contact that pushes whatever is around it.
  Touch touch_of(const Surfaces& surfaces, const Contact& contact);
  // That a vertex and a triangle, or two edges, stand for [m^2].
  double area_of(const Surfaces& surfaces, ContactKind kind, const std::array<std::uint32_t, 4>& vertices);
  // Whether two edges (numbers of sides) push along a direction from the first to the second: their faces
  // lead away from each other.
  bool edges_push(const Surfaces& surfaces, std::uint32_t a, std::uint32_t b, const Vec3& normal);
  // Whether a vertex pushes along a direction from it: its own surface does not lead there. A vertex of a
  // floor does not push what slides past it.
  bool vertex_pushes(const Surfaces& surfaces, std::uint32_t vertex, const Vec3& normal);
  // What is known of a surface.
  const SurfaceSides& sides(const Surfaces& surfaces, std::uint32_t slot);

 private:
  enum class Part : std::uint8_t { inside, edge, corner };  // of a triangle, where the nearest point is
  struct Near {
    Part part;
    std::uint32_t which;  // the side, or the corner
  };
  static Near nearest_part(const Contact& contact);
  void find_vertex_group(std::span<const Contact> group);
  void find_edges(const Contact& contact);
  bool says_the_same(std::span<const Contact> group, const Contact& contact, const Near& near) const;
  Vec3 triangle_normal(std::uint32_t t) const;
  Vec3 vertex_normal(std::uint32_t vertex) const;
  Vec3 edge_normal(std::uint32_t side) const;
  double leads_towards(std::uint32_t vertex, const Vec3& along) const;
  double looks_out(std::uint32_t vertex, const Vec3& normal, const Vec3& along) const;
  double leads_away(std::uint32_t side, const Vec3& along) const;
  bool add(const Contact& contact, const Vec3& first_normal, const Vec3& second_normal, Touch touch);
  bool overlap(std::uint32_t a, std::uint32_t b) const;

  const Surfaces* surfaces_ = nullptr;
  std::span<const OverlappingPair> overlaps_;
  std::vector<SurfaceSides> sides_;
  std::vector<Touch> touches_;
};

}  // namespace palpate
