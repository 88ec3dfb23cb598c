#include <palpate/mesh/boundary.h>

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/base/radix_sort.h>
#include <palpate/geometry/predicates.h>
#include <palpate/mesh/degenerate.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 1 << 13;

TriangleCorners face_of(const TetMesh& mesh, std::uint32_t face) {
  const TetCorners& tet = mesh.tets[face / 4];
  const auto& corners = tet_faces[face % 4];
  return {tet[corners[0]], tet[corners[1]], tet[corners[2]]};
}

// True if sorting the corners takes an odd number of swaps.
bool is_odd(const TriangleCorners& t) { return (t[0] > t[1]) ^ (t[1] > t[2]) ^ (t[0] > t[2]); }

void check(const TetMesh& mesh) {
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (const std::uint32_t v : mesh.tets[t])
      if (v >= mesh.positions.size() && !is_hole(mesh.tets[t]))
        throw Error(Place().element("tetrahedron", t),
                    fmt::format("it has corner {}, but there are {} nodes", v, mesh.positions.size()),
                    "Nodes are counted from 0: check how the tetrahedra were made.");
  if (mesh.tets.size() >= no_index / 4)
    throw Error(Place::named("mesh", "for a boundary"), "it has more than a billion tetrahedra",
                "Split the mesh.");
}

constexpr std::uint32_t alone = no_index, crowded = no_index - 1;

// For every face (4 tet + i) the face it coincides with; `alone` on the boundary, `crowded` where three or
// more meet. Tetrahedra with a repeated corner take no part, nor do holes.
std::vector<std::uint32_t> partners(const TetMesh& mesh) {
  const std::size_t n = 4 * mesh.tets.size();
  std::vector<std::uint64_t> keys(n);
  std::vector<std::uint32_t> faces(n), third(n), partner(n, alone);
  parallel_for(n, grain, [&](std::size_t i) {
    TriangleCorners corners = face_of(mesh, static_cast<std::uint32_t>(i));
    std::sort(corners.begin(), corners.end());
    keys[i] = std::uint64_t{corners[0]} << 32 | corners[1];
    third[i] = corners[2];
    faces[i] = static_cast<std::uint32_t>(i);
  });
  radix_sort(std::span(keys), std::span(faces));
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && keys[end] == keys[begin]) ++end;
    // Faces with two corners in common are few: sort them by the third.
    std::sort(
        faces.begin() + static_cast<std::ptrdiff_t>(begin), faces.begin() + static_cast<std::ptrdiff_t>(end),
        [&](std::uint32_t a, std::uint32_t b) { return third[a] != third[b] ? third[a] < third[b] : a < b; });
    while (begin < end) {
      std::vector<std::uint32_t> same;
      const std::uint32_t corner = third[faces[begin]];
      for (; begin < end && third[faces[begin]] == corner; ++begin)
        if (!has_repeated_corner(mesh.tets[faces[begin] / 4])) same.push_back(faces[begin]);
      if (same.size() == 2) {
        partner[same[0]] = same[1];
        partner[same[1]] = same[0];
      } else if (same.size() > 2) {
        for (const std::uint32_t face : same) partner[face] = crowded;
      }
    }
  }
  return partner;
}

// Which tetrahedra have their faces inside out. Those without volume look to their neighbours.
std::vector<char> inside_out(const TetMesh& mesh, const std::vector<std::uint32_t>& partner) {
  constexpr char unknown = 2;
  std::vector<char> turned(mesh.tets.size(), 0);
  parallel_for(mesh.tets.size(), grain, [&](std::size_t t) {
    if (is_hole(mesh.tets[t])) return;
    const auto [a, b, c, d] = tet_at(mesh.positions, mesh.tets[t]);
    const int sign = orient3d(a, b, c, d);
    turned[t] = sign > 0 ? 0 : sign < 0 ? 1 : unknown;
  });
  std::deque<std::uint32_t> known;  // with neighbours that may not be
  const auto tell_neighbours = [&](std::uint32_t tet) {
    for (std::uint32_t face = 4 * tet; face < 4 * tet + 4; ++face) {
      const std::uint32_t other = partner[face];
      if (other >= crowded || turned[other / 4] != unknown) continue;
      const bool opposite = is_odd(face_of(mesh, face)) != is_odd(face_of(mesh, other));
      turned[other / 4] = static_cast<char>(opposite ? turned[tet] : 1 - turned[tet]);
      known.push_back(other / 4);
    }
  };
  for (std::uint32_t t = 0; t < mesh.tets.size(); ++t) {
    if (turned[t] == unknown) continue;
    for (tell_neighbours(t); !known.empty(); known.pop_front()) tell_neighbours(known.front());
  }
  std::replace(turned.begin(), turned.end(), unknown, char{0});
  return turned;
}

}  // namespace

BoundarySurface boundary_surface(const TetMesh& mesh) {
  check(mesh);
  const std::vector<std::uint32_t> partner = partners(mesh);
  const std::vector<char> turned = inside_out(mesh, partner);
  BoundarySurface surface;
  std::vector<std::uint32_t> number(mesh.positions.size(), no_index);
  for (std::uint32_t face = 0; face < partner.size(); ++face) {
    if (partner[face] == crowded && (surface.crowded_tets.empty() || surface.crowded_tets.back() != face / 4))
      surface.crowded_tets.push_back(face / 4);
    if (partner[face] != alone || has_repeated_corner(mesh.tets[face / 4])) continue;
    TriangleCorners corners = face_of(mesh, face);
    if (turned[face / 4]) std::swap(corners[1], corners[2]);
    surface.mesh.triangles.push_back(corners);
    surface.tets.push_back(face / 4);
    for (const std::uint32_t v : corners) number[v] = 0;
  }
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    if (number[v] == no_index) continue;
    number[v] = static_cast<std::uint32_t>(surface.nodes.size());
    surface.nodes.push_back(v);
    surface.mesh.positions.push_back(mesh.positions[v]);
  }
  for (TriangleCorners& t : surface.mesh.triangles)
    for (std::uint32_t& v : t) v = number[v];
  return surface;
}

}  // namespace palpate
