// What a sound mesh has, checked the plain way: by lists of edges and faces.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/geometry/predicates.h>
#include <palpate/mesh/mesh.h>

namespace palpate::testing {

using DirectedEdge = std::pair<std::uint32_t, std::uint32_t>;

inline std::map<DirectedEdge, int> directed_edges(const TriangleMesh& mesh) {
  std::map<DirectedEdge, int> edges;
  for (const TriangleCorners& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
  return edges;
}

// Every edge has exactly two triangles, which run along it in opposite directions.
inline void expect_closed(const TriangleMesh& mesh) {
  const auto edges = directed_edges(mesh);
  for (const auto& [edge, count] : edges) {
    ASSERT_EQ(count, 1) << edge.first << " " << edge.second;
    ASSERT_TRUE(edges.contains({edge.second, edge.first})) << edge.first << " " << edge.second;
  }
}

// Each direction of an edge at most once: neighbours agree about the front.
inline void expect_oriented(const TriangleMesh& mesh) {
  for (const auto& [edge, count] : directed_edges(mesh))
    ASSERT_EQ(count, 1) << edge.first << " " << edge.second;
}

inline long euler_characteristic(const TriangleMesh& mesh) {
  std::set<DirectedEdge> edges;
  for (const TriangleCorners& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) edges.insert(std::minmax(t[i], t[(i + 1) % 3]));
  return static_cast<long>(mesh.positions.size()) - static_cast<long>(edges.size()) +
         static_cast<long>(mesh.triangles.size());
}

template <class Elements>
void expect_vertices_used_once(const std::vector<Vec3>& positions, const Elements& elements) {
  std::vector<Vec3> sorted = positions;
  std::sort(sorted.begin(), sorted.end(), before);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    ASSERT_TRUE(sorted[i] != sorted[i - 1]) << "two vertices at " << sorted[i].transpose();
  std::vector<bool> used(positions.size(), false);
  for (const auto& element : elements)
    for (const std::uint32_t v : element) {
      ASSERT_LT(v, positions.size());
      used[v] = true;
    }
  ASSERT_EQ(std::count(used.begin(), used.end(), false), 0) << "unused vertices";
}

// No corner twice, and no area so small that rounding made it.
inline void expect_no_degenerate(const TriangleMesh& mesh) {
  for (const TriangleCorners& t : mesh.triangles) {
    ASSERT_TRUE(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
    const auto [a, b, c] = triangle_at(mesh.positions, t);
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    ASSERT_GT((b - a).cross(c - a).norm(), 1e-9 * longest * longest);
  }
}

inline double enclosed_volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const TriangleCorners& t : mesh.triangles) {
    const auto [a, b, c] = triangle_at(mesh.positions, t);
    sum += a.dot(b.cross(c)) / 6;
  }
  return sum;
}

inline void expect_sound_surface(const TriangleMesh& mesh) {
  expect_vertices_used_once(mesh.positions, mesh.triangles);
  expect_no_degenerate(mesh);
}

// Positive tetrahedra whose faces match: each inner face is seen from both sides, once each.
inline void expect_sound_solid(const TetMesh& mesh) {
  expect_vertices_used_once(mesh.positions, mesh.tets);
  for (const TetCorners& t : mesh.tets) {
    const auto [a, b, c, d] = tet_at(mesh.positions, t);
    ASSERT_EQ(orient3d(a, b, c, d), 1);
  }
}

// The faces of one tetrahedron alone. Fails where a face has more than two.
inline TriangleMesh outer_faces(const TetMesh& mesh) {
  std::map<TriangleCorners, std::vector<TriangleCorners>> faces;
  for (const TetCorners& t : mesh.tets)
    for (const auto& f : tet_faces) {
      const TriangleCorners face = {t[f[0]], t[f[1]], t[f[2]]};
      TriangleCorners key = face;
      std::sort(key.begin(), key.end());
      faces[key].push_back(face);
    }
  TriangleMesh result;
  std::map<std::uint32_t, std::uint32_t> index;
  for (const auto& [key, seen] : faces) {
    EXPECT_LE(seen.size(), 2u);
    if (seen.size() != 1) continue;
    TriangleCorners t{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [place, fresh] = index.try_emplace(seen[0][i], static_cast<std::uint32_t>(index.size()));
      if (fresh) result.positions.push_back(mesh.positions[seen[0][i]]);
      t[i] = place->second;
    }
    result.triangles.push_back(t);
  }
  return result;
}

inline double volume_of(const TetMesh& mesh) {
  double sum = 0;
  for (const TetCorners& t : mesh.tets) {
    const auto [a, b, c, d] = tet_at(mesh.positions, t);
    sum += (b - a).cross(c - a).dot(d - a) / 6;
  }
  return sum;
}

// The message of the Error that `work` throws; all three parts of it must be there unless a place is not
// known.
template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_FALSE(error.problem().empty());
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "nothing was refused";
}

inline void expect_mentions(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(message.find(word), std::string::npos) << message << "\n  lacks " << word;
}

}  // namespace palpate::testing
