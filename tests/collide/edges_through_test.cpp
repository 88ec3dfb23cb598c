// The judge itself, against all edges and all triangles in exact arithmetic, decided in another way.
#include <palpate/collide/edges_through.h>

#include <algorithm>
#include <set>

#include <support/cases.h>
#include <support/contact_scenes.h>
#include <support/rational.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::IntegerPoints;
using testing::Random;
using testing::Rational;

// Whether a place on a segment (points 0, 1) and one on a triangle (2, 3, 4) are the same, with weights for
// some of the five points alone. Where these do not follow from the equations, fewer points would do.
bool meet_with(const IntegerPoints& p, unsigned points) {
  std::vector<std::array<Rational, 5>> columns;
  for (std::size_t i = 0; i < 5; ++i)
    if ((points >> i & 1) != 0) {
      const int side = i < 2 ? 1 : -1;
      columns.push_back({side * p[i].x, side * p[i].y, side * p[i].z, i < 2 ? 1 : 0, i < 2 ? 0 : 1});
    }
  columns.push_back({0, 0, 0, 1, 1});  // no difference; all weights of each are one together
  const std::size_t unknown = columns.size() - 1;
  for (std::size_t k = 0; k < unknown; ++k) {
    std::size_t pivot = k;
    while (pivot < 5 && sgn(columns[k][pivot]) == 0) ++pivot;
    if (pivot == 5) return false;
    for (auto& column : columns) std::swap(column[k], column[pivot]);
    for (std::size_t row = 0; row < 5; ++row) {
      if (row == k || sgn(columns[k][row]) == 0) continue;
      const Rational factor = columns[k][row] / columns[k][k];
      for (std::size_t c = k; c <= unknown; ++c) columns[c][row] -= factor * columns[c][k];
    }
  }
  for (std::size_t row = 0; row < 5; ++row) {
    const int sign = sgn(columns[unknown][row]);
    if (row < unknown ? sign * sgn(columns[row][row]) < 0 : sign != 0) return false;
  }
  return true;
}

bool meet_exactly(const Segment& s, const Triangle& t) {
  for (int axis = 0; axis < 3; ++axis) {  // saves time
    const auto [low, high] = std::minmax(s[0][axis], s[1][axis]);
    const auto [least, most] = std::minmax({t[0][axis], t[1][axis], t[2][axis]});
    if (high < least || most < low) return false;
  }
  const IntegerPoints p = testing::to_integers(std::vector<Vec3>{s[0], s[1], t[0], t[1], t[2]});
  for (unsigned points = 1; points < 32; ++points)
    if (meet_with(p, points)) return true;
  return false;
}

// As the header defines them; `same`: the triangles are of the same surface.
std::vector<EdgeThroughTriangle> all_pairs(const TriangleMesh& edges, const TriangleMesh& triangles,
                                           bool same) {
  std::set<std::array<std::uint32_t, 2>> sides;
  for (const TriangleCorners& c : edges.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [begin, end] = std::minmax(c[k], c[(k + 1) % 3]);
      sides.insert({begin, end});
    }
  std::vector<EdgeThroughTriangle> result;
  for (const auto& [begin, end] : sides)
    for (std::uint32_t t = 0; t < triangles.triangles.size(); ++t) {
      const TriangleCorners& c = triangles.triangles[t];
      const auto has = [&](std::uint32_t v) { return std::find(c.begin(), c.end(), v) != c.end(); };
      if (same && (has(begin) || has(end))) continue;
      if (meet_exactly({edges.positions[begin], edges.positions[end]}, triangle_at(triangles.positions, c)))
        result.push_back({begin, end, t});
    }
  return result;
}

// Returns how many there are.
std::size_t expect_exact(const TriangleMesh& one, const TriangleMesh& other) {
  const auto inside = all_pairs(one, one, true), between = all_pairs(one, other, false),
             back = all_pairs(other, one, false);
  EXPECT_EQ(edges_through_triangles(one), inside);
  EXPECT_EQ(edges_through_triangles(one, other), between);
  EXPECT_EQ(edges_through_triangles(other, one), back);
  return inside.size() + between.size() + back.size();
}

TEST(EdgesThroughProperty, OfSoupsAreExact) {
  std::size_t found = 0;
  const std::size_t cases = each_case(30, [&](Random& random) {
    const double edge = random.uniform(0.3, 1.5);
    const auto soup = [&] { return testing::random_soup(random, 1 + random.below(14), 1, edge); };
    TriangleMesh one = soup(), other = soup();
    if (random.chance(0.3))  // far away, where not much is left of it
      for (TriangleMesh* mesh : {&one, &other})
        for (Vec3& p : mesh->positions) p += Vec3(1e12, -3e11, 1e13);
    found += expect_exact(one, other);
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(found, 5 * cases) << "hardly anything crosses";
}

// On few points nearly everything touches: corners on edges, edges in planes, vertices in the same place,
// triangles that are lines or points or twice there.
TEST(EdgesThroughProperty, OfMeshesOnAGridAreExact) {
  std::size_t found = 0;
  const std::size_t cases = each_case(60, [&](Random& random) {
    const std::size_t below = 2 + random.below(4);
    const bool flat = random.chance(0.2);
    const auto any = [&] {
      TriangleMesh mesh;
      const std::size_t vertices = 4 + random.below(10);
      const auto number = [&] { return static_cast<double>(random.below(below)); };
      for (std::size_t i = 0; i < vertices; ++i)
        mesh.positions.emplace_back(number(), number(), flat ? 0 : number());
      const auto vertex = [&] { return static_cast<std::uint32_t>(random.below(vertices)); };
      while (mesh.triangles.size() < 8) {
        const TriangleCorners t = {vertex(), vertex(), vertex()};
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
      }
      return mesh;
    };
    found += expect_exact(any(), any());
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(found, 60 * cases) << "hardly anything touches";
}

// Of all sizes, signed zeros, and what nearly touches or nearly lies in one plane, by units in the last
// place.
TEST(EdgesThroughProperty, OfWhatNearlyTouchesAreExact) {
  std::size_t found = 0;
  const std::size_t cases = each_case(60, [&](Random& random) {
    testing::Shapes shapes(random);
    std::array<TriangleMesh, 2> meshes;
    Triangle last = shapes.triangle();
    for (TriangleMesh& mesh : meshes)
      for (std::uint32_t t = 0; t < 5; ++t) {
        last = shapes.triangle_near(last);
        mesh.positions.insert(mesh.positions.end(), last.begin(), last.end());
        mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
      }
    found += expect_exact(meshes[0], meshes[1]);
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(found, 12 * cases) << "hardly anything touches";
}

// A triangle on the floor, and two upright ones that hang together at vertex 5 and cross it.
TEST(EdgesThrough, AreListedInOrder) {
  const TriangleMesh mesh{{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0), Vec3(1, 1, -1), Vec3(1, 1, 1),
                           Vec3(9, 9, 0), Vec3(1, 2, 5), Vec3(1, 2, -5)},
                          {{6, 5, 7}, {4, 3, 5}, {2, 0, 1}}};
  using List = std::vector<EdgeThroughTriangle>;
  EXPECT_EQ(edges_through_triangles(mesh), (List{{1, 2, 0}, {1, 2, 1}, {3, 4, 2}, {6, 7, 2}}));
  TriangleMesh floor = mesh, upright = mesh;
  floor.triangles = {mesh.triangles[2]};
  upright.triangles.pop_back();
  EXPECT_EQ(edges_through_triangles(floor, upright), (List{{1, 2, 0}, {1, 2, 1}}));
  EXPECT_EQ(edges_through_triangles(upright, floor), (List{{3, 4, 0}, {6, 7, 0}}));
  EXPECT_EQ(edges_through_triangles(floor), List{});
  // The same numbers in two surfaces are not the same vertices: each edge lies on the other surface's copy.
  EXPECT_EQ(edges_through_triangles(floor, floor), (List{{0, 1, 0}, {0, 2, 0}, {1, 2, 0}}));
}

TEST(EdgesThrough, OfNothingAreNone) {
  const TriangleMesh triangle{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}}, nothing;
  EXPECT_TRUE(edges_through_triangles(nothing).empty());
  EXPECT_TRUE(edges_through_triangles(triangle, nothing).empty());
  EXPECT_TRUE(edges_through_triangles(nothing, triangle).empty());
}

}  // namespace
}  // namespace palpate
