// Soft bodies whose elements are changed in a world: their surfaces follow, and contacts with them.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>
#include <world/world_cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/topology.h>
#include <palpate/world/surface_change.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;
constexpr double distance = 0.02;

// What a blade at x does that goes between elements: those beyond get nodes of their own there.
SoftChange cut_at(const SoftBody& body, double x) {
  const TetMesh& rest = body.rest();
  SoftChange change;
  std::vector<std::uint32_t> twin(rest.positions.size(), no_index);
  for (std::uint32_t e = 0; e < rest.tets.size(); ++e) {
    if (is_hole(rest.tets[e])) continue;
    TetCorners corners = rest.tets[e];
    const auto at_blade = [&](std::uint32_t v) { return std::abs(rest.positions[v].x() - x) < 1e-9; };
    double middle = 0;
    for (const std::uint32_t v : corners) middle += rest.positions[v].x() / 4;
    if (middle < x || std::none_of(corners.begin(), corners.end(), at_blade)) continue;
    for (std::uint32_t& v : corners) {
      if (!at_blade(v)) continue;
      if (twin[v] == no_index) {
        twin[v] = static_cast<std::uint32_t>(rest.positions.size() + change.nodes.size());
        change.nodes.push_back({rest.positions[v], body.positions()[v], body.velocities()[v]});
      }
      v = twin[v];
    }
    change.removed.push_back(e);
    change.added.push_back({corners, e});
  }
  return change;
}

std::unique_ptr<World> beam_world(const SoftOptions& soft = {}) {
  WorldOptions options;
  options.response.name = "none";
  options.contact.contact_distance = distance;
  options.rigid.gravity.setZero();
  auto world = std::make_unique<World>(options);
  world->add_soft(SoftBody(make(BeamShape{.cell = 0.1, .along = 6, .across = 2}),
                           {.density = 1000, .young = 2e5, .poisson = 0.4}),
                  soft);
  return world;
}

double middle_of(const SoftBody& body) {
  double low = HUGE_VAL;
  for (const Vec3& p : body.rest().positions) low = std::min(low, p.x());
  return low + 0.3;
}

// All beyond the blade goes away from it, by less than the contact distance: each place is of one node then.
void part(SoftBody& body, double x, double gap) {
  const TetMesh& rest = body.rest();
  std::vector<Vec3> moved(body.positions().begin(), body.positions().end());
  std::vector<std::uint8_t> beyond(moved.size(), 0);
  for (const TetCorners& corners : rest.tets) {
    if (is_hole(corners)) continue;
    double middle = 0;
    for (const std::uint32_t v : corners) middle += rest.positions[v].x() / 4;
    if (middle > x)
      for (const std::uint32_t v : corners) beyond[v] = 1;
  }
  for (std::size_t v = 0; v < moved.size(); ++v)
    if (beyond[v] != 0) moved[v].x() += gap;
  body.set_positions(moved);
}

TopologyFacts facts_of(const TriangleMesh& surface) {
  return describe(Topology(surface.positions.size(), surface.triangles));
}

// A contact by the places of its features to a micrometre, whatever their numbers.
using Places = std::vector<std::array<long long, 3>>;
using Named = std::tuple<int, Places, Places, double>;

std::vector<Named> named(const Detector& detector, const ContactSet& contacts) {
  const Surfaces& all = detector.surfaces();
  const auto places = [&](std::span<const std::uint32_t> vertices) {
    Places list;
    for (const std::uint32_t v : vertices) {
      const Vec3 p = 1e6 * all.positions()[v];
      list.push_back({std::llround(p.x()), std::llround(p.y()), std::llround(p.z())});
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  std::vector<Named> result;
  for (const Contact& c : contacts) {
    const auto edge = [&](std::uint32_t side) {
      return places(std::array{all.side_begin(side), all.side_end(side)});
    };
    if (c.kind() == ContactKind::vertex_triangle) {
      result.emplace_back(0, places(std::array{c.first()}), places(all.triangles()[c.second()]), c.distance);
    } else {
      auto a = edge(c.first()), b = edge(c.second());
      result.emplace_back(1, std::min(a, b), std::max(a, b), c.distance);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(Cut, LipsTouchAsIfTheBodyHadBeenLoadedSo) {
  const auto world = beam_world();
  const BodyId id = world->bodies()[0];
  world->step(frame);
  EXPECT_EQ(world->contacts().size(), 0u);
  const double x = middle_of(world->soft(id));
  world->soft(id).change(cut_at(world->soft(id), x));
  part(world->soft(id), x, 0.25 * distance);
  // What the next step finds, found beforehand by a detector that never knew the whole beam.
  Detector anew({.contact_distance = distance});
  const SoftBody& soft = world->soft(id);
  TriangleMesh boundary = boundary_surface(soft.rest()).mesh;
  const std::vector<std::uint32_t> nodes = boundary_surface(soft.rest()).nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) boundary.positions[i] = soft.positions()[nodes[i]];
  anew.add(boundary);
  const std::vector<Named> expected = named(anew, anew.detect());
  EXPECT_GT(expected.size(), 20u);
  world->step(frame);  // both parts are at rest: they end where they began
  const std::vector<Named> found = named(world->detector(), world->contacts());
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(std::get<0>(found[i]), std::get<0>(expected[i]));
    EXPECT_EQ(std::get<1>(found[i]), std::get<1>(expected[i]));
    EXPECT_EQ(std::get<2>(found[i]), std::get<2>(expected[i]));
    EXPECT_NEAR(std::get<3>(found[i]), std::get<3>(expected[i]), 1e-15);
  }
}

TEST(Cut, SurfacesStayClosedAndKeepTheirNumbers) {
  const auto world = beam_world();
  const BodyId id = world->bodies()[0];
  const TriangleMesh before = world->surface(id);
  const double x = middle_of(world->soft(id));
  world->soft(id).change(cut_at(world->soft(id), x));
  world->step(frame);
  const TriangleMesh& after = world->surface(id);
  TopologyFacts facts = facts_of(after);
  EXPECT_EQ(facts.border_edges, 0u);
  EXPECT_EQ(facts.components, 2u);
  EXPECT_TRUE(facts.manifold() && facts.oriented());
  // Faces beyond the blade that touch it have other nodes; all others are what they were.
  std::size_t same = 0;
  for (std::size_t t = 0; t < before.triangles.size(); ++t) same += after.triangles[t] == before.triangles[t];
  EXPECT_GT(same, before.triangles.size() / 2);
  for (std::size_t v = 0; v < before.positions.size(); ++v)
    EXPECT_LT((after.positions[v] - before.positions[v]).norm(), 1e-9);
  // Elements go for good: what is left is closed again, with holes among the triangles.
  SoftChange rest;
  for (std::uint32_t e = 0; e < world->soft(id).rest().tets.size(); ++e) {
    const TetCorners& corners = world->soft(id).rest().tets[e];
    double middle = 0;
    for (const std::uint32_t v : corners) middle += world->soft(id).rest().positions[v].x() / 4;
    if (middle > x) rest.removed.push_back(e);
  }
  world->soft(id).change(rest);
  world->step(frame);
  facts = facts_of(world->surface(id));
  EXPECT_EQ(facts.border_edges, 0u);
  EXPECT_EQ(facts.components, 1u);
  EXPECT_LT(facts.triangles, world->surface(id).triangles.size());
  EXPECT_EQ(facts.triangles, boundary_surface(world->soft(id).rest()).mesh.triangles.size());
  const Surface& known = world->detector().surfaces().at(world->surface_id(id));
  EXPECT_TRUE(std::equal(known.topology.triangles().begin(), known.topology.triangles().end(),
                         world->surface(id).triangles.begin(), world->surface(id).triangles.end()));
  EXPECT_EQ(known.vertices, world->surface(id).positions.size());
}

TEST(Cut, BodiesThatDoNotCollideFollowToo) {
  const auto world = beam_world({.collides = false}), other = beam_world();
  for (World* one : {world.get(), other.get()}) {
    SoftBody& soft = one->soft(one->bodies()[0]);
    soft.change(cut_at(soft, middle_of(soft)));
    one->step(frame);
  }
  EXPECT_EQ(world->surface(world->bodies()[0]), other->surface(other->bodies()[0]));
}

TEST(Cut, HashesAndContactsAreThoseOfOneThread) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    StateHash hash;
    std::size_t contacts = 0;
    Threads(threads).run([&] {
      const auto world = testing::mixed_world();
      SoftBody& soft = world->soft(world->find("held"));
      for (int i = 0; i < 12; ++i) {
        if (i == 3) soft.change(cut_at(soft, middle_of(soft)));
        world->step(frame);
        hash.add(world->hash());
        contacts += world->contacts().size();
        for (const Contact& c : world->contacts()) {
          hash.add(c.key);
          hash.add(c.distance);
        }
      }
    });
    EXPECT_GT(contacts, 0u);
    hashes.push_back(hash.value());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Cut, EmbeddedSurfacesFollowWhatCarriesThem) {
  TriangleMesh ball = make(SphereShape{.radius = 0.03, .around = 12, .bands = 6});
  const TetMesh beam = make(BeamShape{.cell = 0.1, .along = 6, .across = 2});
  Vec3 end = beam.positions[0];
  for (const Vec3& p : beam.positions)
    if (p.sum() > end.sum()) end = p;
  for (Vec3& p : ball.positions) p += end - Vec3(0.05, 0.05, 0.05);
  const auto world = beam_world({.surface = ball});
  const BodyId id = world->bodies()[0];
  world->step(frame);
  SoftBody& soft = world->soft(id);
  const double x = middle_of(soft);
  soft.change(cut_at(soft, x));
  part(soft, x, 0.05);
  // Also by way of a snapshot, before a step has seen the change.
  const Snapshot then = world->snapshot();
  world->restore(then);
  for (std::size_t i = 0; i < ball.positions.size(); ++i)
    EXPECT_LT((world->surface(id).positions[i] - ball.positions[i] - Vec3(0.05, 0, 0)).norm(), 1e-9);
  world->step(frame);
  EXPECT_EQ(world->surface(id).triangles, ball.triangles);
  // With nothing left to carry it, it stays.
  SoftChange all;
  for (std::uint32_t e = 0; e < soft.rest().tets.size(); ++e) all.removed.push_back(e);
  soft.change(all);
  const std::vector<Vec3> before = world->surface(id).positions;
  world->step(frame);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_LT((world->surface(id).positions[i] - before[i]).norm(), 1e-9);
}

TEST(Cut, SnapshotsOfOtherCutsAreRefused) {
  const auto world = beam_world();
  const Snapshot whole = world->snapshot();
  SoftBody& soft = world->soft(world->bodies()[0]);
  soft.change(cut_at(soft, middle_of(soft)));
  world->step(frame);
  EXPECT_THROW(world->restore(whole), Error);
  const Snapshot cut = world->snapshot();
  world->step(frame);
  const std::uint64_t hash = world->hash();
  const auto other = beam_world();
  SoftBody& again = other->soft(other->bodies()[0]);
  again.change(cut_at(again, middle_of(again)));
  other->restore(cut);
  other->step(frame);
  EXPECT_EQ(other->hash(), hash);
  EXPECT_EQ(other->surface(other->bodies()[0]), world->surface(world->bodies()[0]));
}

TEST(SurfaceChange, KeepsWhatStays) {
  // A square of two triangles becomes one of two others, and one triangle more; nodes are 10 times vertices.
  const std::vector<TriangleCorners> triangles = {{0, 1, 2}, {no_index, no_index, no_index}, {0, 2, 3}};
  const std::vector<std::uint32_t> nodes = {0, 10, 20, 30};
  BoundarySurface boundary;
  boundary.nodes = {0, 10, 20, 25, 30};
  boundary.mesh.triangles = {{1, 4, 3}, {2, 0, 1}, {0, 1, 4}};
  const SurfaceChange change = surface_change(triangles, nodes, boundary);
  EXPECT_EQ(change.removed, std::vector<std::uint32_t>{2});
  EXPECT_EQ(change.nodes, std::vector<std::uint32_t>{25});
  EXPECT_EQ(change.added, (std::vector<TriangleCorners>{{1, 3, 4}, {0, 1, 3}}));
  std::vector<TriangleCorners> after = triangles;
  apply(change, after);
  EXPECT_EQ(after, (std::vector<TriangleCorners>{{0, 1, 2}, {1, 3, 4}, {0, 1, 3}}));
}

}  // namespace
}  // namespace palpate
