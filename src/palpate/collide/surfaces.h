// All surfaces of a detector in flat arrays, as finders see them.
//
// Vertices and triangles are numbered through all surfaces, each surface with a range of its own and room to
// spare behind it; the corners of triangles are such numbers, and an edge is its lowest side, 3t + k. The
// rooms follow from the counts alone, so a surface that was cut is numbered like one that was loaded so.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <palpate/collide/contact.h>
#include <palpate/geometry/box.h>
#include <palpate/geometry/pose.h>
#include <palpate/mesh/edge_paths.h>
#include <palpate/mesh/neighbourhood.h>
#include <palpate/mesh/topology.h>

namespace palpate {

enum class Motion : std::uint8_t { fixed, rigid, deformable };

// Two surfaces that may touch; the first is not the higher. Equal: contacts inside one.
struct SurfacePair {
  std::uint32_t first, second;  // slots
  double distance;              // the contact distance of the two [m]
};

struct Surface {
  std::string name;
  SurfaceId id;
  Motion motion = Motion::deformable;
  Pose pose;  // of a rigid surface
  bool self_contacts = true;
  bool has_rest = false;  // a rest shape was declared
  std::uint32_t first_vertex = 0, vertices = 0, vertex_room = 0;
  std::uint32_t first_triangle = 0, triangles = 0, triangle_room = 0;  // holes included
  std::vector<Vec3> rest;  // the rest shape, or the first positions; of a rigid surface before its pose
  Topology topology;       // in numbers of its own
  Neighbourhoods near;     // along the surface; made when first asked for
  std::unique_ptr<EdgePaths> paths;    // in place of `near`, where its lists would be long
  std::vector<std::uint32_t> touched;  // vertices whose triangles changed since `near` was made
  std::uint32_t loaded_vertices = 0;
  std::vector<std::uint8_t> loaded_triangles;  // not made later
  Box box;                                     // of its vertices, now
  std::vector<Vec3> end;  // where they are at the end of a step; empty: where they are now
  Box end_box;
  Pose end_pose;             // of a rigid surface that moves
  Vec3 spin = Vec3::Zero();  // of a rigid surface: axis times angle, over the step [rad]
  double bow = 0;            // no vertex leaves the straight line by more, for its surface turns [m]
  double slack = 0;          // of that, what rounding does to a turn about a distant origin [m]
  std::uint64_t moves = 1, changes = 1;  // raised when positions, when triangles change
  // Numbers of the positions now, and of those at the end: the same numbers are the same positions.
  std::uint64_t place = 0, end_place = 0;

  std::uint64_t place_at(bool at_end) const { return at_end && !end.empty() ? end_place : place; }
  double neighbour_distance() const { return paths ? paths->reach() : near.reach(); }  // 0: none [m]
};

class Surfaces {
 public:
  std::span<const Surface> slots() const { return surfaces_; }
  const Surface& operator[](std::uint32_t slot) const { return surfaces_[slot]; }
  bool alive(std::uint32_t slot) const { return static_cast<bool>(ids_.at(slot)); }
  const Surface& at(SurfaceId id) const;  // throws for an id that is not alive
  std::size_t size() const { return ids_.size(); }

  // By number, through all surfaces; between them lie holes. There is one position more than numbers: kernels
  // load four doubles at a time.
  std::span<const Vec3> positions() const { return positions_; }
  std::span<const TriangleCorners> triangles() const { return triangles_; }
  std::uint32_t side_begin(std::uint32_t side) const { return triangles_[side / 3][side % 3]; }
  std::uint32_t side_end(std::uint32_t side) const { return side_begin(next_corner(side)); }
  // Where the vertices are at the end of a step; empty when no step is looked at.
  std::span<const Vec3> ends() const { return ends_; }
  bool moving() const { return !ends_.empty(); }
  // Boxes of all places that something goes through in a step, where one is looked at: on straight lines, and
  // on what a rigid surface is off them.
  Box box(std::uint32_t slot) const;
  Box triangle_box(std::uint32_t t) const;
  Triangle triangle(std::uint32_t t) const { return triangle_at(positions_, triangles_[t]); }
  Segment edge(std::uint32_t side) const {
    return {positions_[side_begin(side)], positions_[side_end(side)]};
  }
  // What a triangle owns: bits 0 to 2 for its vertices, bits 3 to 5 for its sides. 0 for holes.
  std::span<const std::uint8_t> owned() const { return owned_; }
  std::uint32_t surface_of_vertex(std::uint32_t vertex) const { return surface_of_vertex_[vertex]; }
  std::uint32_t surface_of_triangle(std::uint32_t t) const { return surface_of_vertex_[triangles_[t][0]]; }
  std::uint64_t layout() const { return layout_; }  // raised when numbers change
  std::size_t memory() const;                       // bytes held, but for the topologies

  SurfaceId add(Surface surface, std::span<const Vec3> positions, std::span<const TriangleCorners> triangles);
  void remove(SurfaceId id);
  void set_positions(SurfaceId id, std::span<const Vec3> positions);
  void set_pose(SurfaceId id, const Pose& pose);
  void set_end_positions(SurfaceId id, std::span<const Vec3> positions);
  void set_end_pose(SurfaceId id, const Pose& pose);
  // A step is looked at, from here to there.
  void begin_step();
  void end_step() { ends_.clear(); }
  void remove_triangles(SurfaceId id, std::span<const std::uint32_t> triangles);
  std::uint32_t add_vertices(SurfaceId id, std::span<const Vec3> positions, std::span<const Vec3> rest);
  void add_triangles(SurfaceId id, std::span<const TriangleCorners> triangles,
                     std::vector<std::uint32_t>& places);
  void set_self_contacts(SurfaceId id, bool on) { edit(id).self_contacts = on; }
  // Brings the neighbours along a surface up to date; forgets them where none are asked for.
  void make_near(std::uint32_t slot, double reach);
  void forget_near(std::uint32_t slot);

 private:
  Surface& edit(SurfaceId id);
  bool only_last_is_new() const;
  void make_room();
  void copy_triangle(const Surface& surface, std::uint32_t t);
  void find_owners(const Surface& surface, std::span<const std::uint32_t> touched);

  IdPool<SurfaceTag> ids_;
  std::vector<Surface> surfaces_;
  std::vector<Vec3> positions_, ends_;
  std::vector<TriangleCorners> triangles_;
  std::vector<std::uint8_t> owned_;
  std::vector<std::uint32_t> surface_of_vertex_;
  std::uint64_t layout_ = 0;
  std::uint64_t places_ = 0;  // numbers of positions given so far
};

// Two features inside a surface that are too near along it to count: the definition's neighbour filter.
// Also true for features with a common vertex.
bool are_neighbours(const Surfaces& all, ContactKind kind, std::uint32_t first, std::uint32_t second);

// The threshold of a pair [m]: `distance`, or half of how near the two are at rest, if that is nearer than
// `distance` and both were there when the surface was loaded.
double threshold(const Surfaces& all, ContactKind kind, std::uint32_t first, std::uint32_t second,
                 double distance);

}  // namespace palpate
