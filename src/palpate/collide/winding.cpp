#include <palpate/collide/winding.h>

#include <palpate/geometry/predicates.h>

namespace palpate {

namespace {

// The turn from a to b to the point moved by (e, e^2), in the shadows; 0 only if a and b have one shadow.
int turn(const Vec3& a, const Vec3& b, const Vec3& point) {
  if (const int side = orient2d(a.head<2>(), b.head<2>(), point.head<2>()); side != 0) return side;
  if (a.y() != b.y()) return a.y() > b.y() ? 1 : -1;
  return a.x() < b.x() ? 1 : (a.x() > b.x() ? -1 : 0);
}

}  // namespace

int winding_over(const Vec3& point, const Triangle& t) {
  const int facing = turn(t[0], t[1], point);
  if (facing == 0 || turn(t[1], t[2], point) != facing || turn(t[2], t[0], point) != facing) return 0;
  return orient3d(t[0], t[1], t[2], point) * facing < 0 ? facing : 0;
}

std::uint32_t open_edge(const Topology& topology) {
  const auto sides = static_cast<std::uint32_t>(topology.edges_of_sides().size());
  for (std::uint32_t edge = 0; edge < sides; ++edge) {
    if (topology.edge_of(edge) != edge) continue;
    int sum = 1;
    for (std::uint32_t side = topology.next_side(edge); side != edge; side = topology.next_side(side))
      sum += runs_same_way(topology, edge, side) ? 1 : -1;
    if (sum != 0) return edge;
  }
  return no_index;
}

}  // namespace palpate
