// A tetrahedral mesh that is being changed: swaps of edges and faces, moves and mergers of inner nodes.
//
// Every operation looks at the worst quality of the tetrahedra it would replace and of those it would make,
// and is done only if the worst gets better by a margin. Since all new tetrahedra are positive and fill the
// place of the old ones, a valid mesh stays valid. The boundary surface changes only where a flat tetrahedron
// is peeled off it and where one of its edges is so short that its ends are merged.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate::detail {

class TetEditor {
 public:
  // `measure` gives the quality of four corners; not positive for flat and inverted ones.
  using Measure = double (*)(const std::array<Vec3, 4>&);
  TetEditor(TetMesh& mesh, Measure measure);

  double quality(std::uint32_t tet) const { return measure_(tet_at(mesh_.positions, mesh_.tets[tet])); }
  // Not taken out, and no tetrahedron in name only (one with a repeated corner).
  bool alive(std::uint32_t tet) const;
  std::size_t size() const { return mesh_.tets.size(); }
  bool on_boundary(std::uint32_t node) const { return boundary_[node] != 0; }
  // With so many tetrahedra that every look at them all costs too much: such a node is neither moved nor
  // merged.
  bool crowded(std::uint32_t node) const { return around_[node].size() > 500; }

  bool remove_edge(std::uint32_t a, std::uint32_t b);
  bool swap_face(std::uint32_t tet, unsigned face);
  bool move_node(std::uint32_t node);
  // A node of the boundary only along an edge of the surface that is shorter than `most` times its longest.
  bool merge_node(std::uint32_t node, std::uint32_t into, double most);
  // Empties the place around a bad tetrahedron and fills it with a star around a new node, put where it is
  // best.
  bool insert_node(std::uint32_t tet);
  // Drops a tetrahedron with two or three faces on the boundary if it is thinner than `most` times its
  // longest edge.
  bool peel(std::uint32_t tet, double most);

  // Takes the dead tetrahedra out; the editor may not be used afterwards.
  void finish();

 private:
  double worst_of(std::span<const std::uint32_t> tets) const;
  double worst_around(std::uint32_t node, const Vec3& at) const;
  Vec3 climb_direction(std::uint32_t node) const;
  std::vector<std::uint32_t> around_edge(std::uint32_t a, std::uint32_t b) const;
  // The faces of a set of tetrahedra that are not inside it, seen from outside.
  std::vector<TriangleCorners> shell_of(std::span<const std::uint32_t> tets) const;
  // Where a star to the faces has the best worst quality, and that quality.
  struct StarPoint {
    Vec3 at;
    double worst;
  };
  StarPoint best_star(std::span<const TriangleCorners> shell) const;
  // Both leave the old tetrahedra's places to the new ones; the first only if that is better.
  bool replace(std::span<const std::uint32_t> old, std::span<const TetCorners> made);
  void put(std::span<const std::uint32_t> old, std::span<const TetCorners> made);
  bool better(std::span<const std::uint32_t> old, std::span<const TetCorners> made) const;
  std::uint32_t neighbour(std::uint32_t tet, unsigned face) const;
  bool on_surface(std::uint32_t a, std::uint32_t b) const;
  bool may_merge_on_surface(std::uint32_t node, std::uint32_t into, double most) const;
  void unlink(std::uint32_t tet);
  void link(std::uint32_t tet);

  TetMesh& mesh_;
  Measure measure_;
  std::vector<std::vector<std::uint32_t>> around_;  // tetrahedra of each node
  std::vector<char> boundary_;
};

}  // namespace palpate::detail
