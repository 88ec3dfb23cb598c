// Bodies that are changed between steps, against bodies that are built anew.
#include <palpate/soft/soft_body.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <Eigen/Geometry>

#include <soft/blocks.h>
#include <solve/term_checks.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/soft/elements.h>

namespace palpate {
namespace {

using testing::block;
using testing::each_case;
using testing::Random;

constexpr std::array models = {Model::stvk, Model::neo_hookean, Model::corotated};

std::vector<std::uint32_t> present(const TetMesh& mesh) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t e = 0; e < mesh.tets.size(); ++e)
    if (!is_hole(mesh.tets[e])) list.push_back(e);
  return list;
}

// Some elements removed, some split at their middle, some torn off a node that gets a double.
SoftChange random_change(const SoftBody& body, Random& random) {
  SoftChange change;
  const TetMesh& mesh = body.rest();
  std::set<std::uint32_t> gone;
  const std::vector<std::uint32_t> there = present(mesh);
  for (std::size_t k = 0; k < 1 + random.below(6); ++k) {
    if (there.empty()) break;
    const std::uint32_t e = there[random.below(there.size())];
    if (!gone.insert(e).second) continue;
    change.removed.push_back(e);
    const TetCorners& t = mesh.tets[e];
    const auto node = static_cast<std::uint32_t>(mesh.positions.size() + change.nodes.size());
    const std::size_t what = random.below(3);
    if (what == 0) continue;
    SoftChange::Node made{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    if (what == 1) {
      for (const std::uint32_t v : t) {
        made.rest += 0.25 * mesh.positions[v];
        made.position += 0.25 * body.positions()[v];
        made.velocity += 0.25 * body.velocities()[v];
      }
      for (std::size_t c = 0; c < 4; ++c) {
        TetCorners part = t;
        part[c] = node;
        change.added.push_back({part, e});
      }
    } else {
      TetCorners torn = t;
      const std::size_t c = random.below(4);
      made = {mesh.positions[t[c]], body.positions()[t[c]], body.velocities()[t[c]]};
      torn[c] = node;
      change.added.push_back({torn, e});
    }
    change.nodes.push_back(made);
  }
  return change;
}

// Without holes, and without nodes that nothing has.
struct Compact {
  TetMesh mesh;
  std::vector<std::uint32_t> node;  // in the body that was changed
};
Compact compact(const TetMesh& mesh) {
  Compact result;
  std::map<std::uint32_t, std::uint32_t> number;
  for (const std::uint32_t e : present(mesh)) {
    TetCorners corners{};
    for (std::size_t c = 0; c < 4; ++c) {
      const auto [at, is_new] =
          number.emplace(mesh.tets[e][c], static_cast<std::uint32_t>(result.node.size()));
      if (is_new) {
        result.node.push_back(mesh.tets[e][c]);
        result.mesh.positions.push_back(mesh.positions[mesh.tets[e][c]]);
      }
      corners[c] = at->second;
    }
    result.mesh.tets.push_back(corners);
  }
  return result;
}

TEST(SoftChangeProperty, ChangedBodiesAreLikeThoseBuiltAnew) {
  each_case(40, [](Random& random) {
    const double size = 0.01;
    // Large enough for more than one block of elements, now and then.
    const TetMesh mesh = block(1 + random.below(7), 1 + random.below(4), 1 + random.below(4), size);
    const Material material{.young = 1e5, .poisson = 0.3, .damping = random.chance(0.5) ? 0.001 : 0};
    SoftBodyOptions options;
    options.untangle = false;
    SoftBody body(mesh, material, options);
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x) p += 0.15 * size * testing::random_directions(random, 1)[0];
    body.set_positions(x);
    for (std::size_t round = 0; round < 1 + random.below(12); ++round) {
      const SoftChange change = random_change(body, random);
      const std::vector<std::uint32_t> added = body.change(change);
      ASSERT_EQ(added.size(), change.added.size());
      for (std::size_t i = 0; i < added.size(); ++i)
        ASSERT_EQ(body.rest().tets[added[i]], change.added[i].corners);
      if (random.chance(0.3)) body.step(1e-4);
    }
    const Compact other = compact(body.rest());
    if (other.mesh.tets.empty()) return;
    SoftBody anew(other.mesh, material, options);
    std::vector<Vec3> positions, velocities;
    for (const std::uint32_t v : other.node) {
      positions.push_back(body.positions()[v]);
      velocities.push_back(body.velocities()[v]);
    }
    anew.set_positions(positions);
    anew.set_velocities(velocities);
    EXPECT_EQ(body.inverted(), anew.inverted());
    EXPECT_NEAR(body.elastic_energy(), anew.elastic_energy(), 1e-12 * (1e-9 + anew.elastic_energy()));
    std::vector<Vec3> forces(body.positions().size()), expected(positions.size());
    body.elastic_forces(forces);
    anew.elastic_forces(expected);
    double most = 0;
    for (const Vec3& force : expected) most = std::max(most, force.norm());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_LT((forces[other.node[i]] - expected[i]).norm(), 1e-11 * most + 1e-15);
      ASSERT_NEAR(body.masses()[other.node[i]], anew.masses()[i], 1e-12 * anew.masses()[i]);
    }
    std::set<std::uint32_t> used(other.node.begin(), other.node.end());
    for (std::uint32_t v = 0; v < forces.size(); ++v)
      if (!used.contains(v)) {
        ASSERT_EQ(body.masses()[v], 0);
        ASSERT_EQ(forces[v], Vec3::Zero());
      }
  });
}

// Also with factors that lag behind, and colours that were only mended.
TEST(SoftChangeProperty, AllSolversGoOnToTheSameStep) {
  each_case(8, [](Random& random) {
    const double size = 0.01;
    const TetMesh mesh = block(2 + random.below(3), 2, 1, size);
    const Material material{.young = 3e4, .poisson = 0.3, .model = models[random.below(3)]};
    std::vector<std::uint32_t> end;
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
      if (mesh.positions[v].x() == 0) end.push_back(v);
    for (const std::string_view solver : solver_names()) {
      SoftBodyOptions options;
      options.solver = solver;
      SoftBody body(mesh, material, options);
      body.fix(end);
      for (int round = 0; round < 4; ++round) {
        body.step(0.003);
        body.change(random_change(body, random));
      }
      const Compact other = compact(body.rest());
      SoftBody anew(other.mesh, material, options);
      std::vector<Vec3> positions, velocities;
      std::vector<std::uint32_t> same_end;
      for (const std::uint32_t v : other.node) {
        if (std::count(end.begin(), end.end(), v) > 0)
          same_end.push_back(static_cast<std::uint32_t>(positions.size()));
        positions.push_back(body.positions()[v]);
        velocities.push_back(body.velocities()[v]);
      }
      anew.set_positions(positions);
      anew.set_velocities(velocities);
      anew.fix(same_end);
      for (SoftBody* one : {&body, &anew}) {
        one->set_solve({.iterations = 4000, .tolerance = 1e-11});
        EXPECT_FALSE(one->step(0.003).failed) << solver;
      }
      double most = 0;
      for (std::size_t i = 0; i < positions.size(); ++i)
        most = std::max(most, (anew.positions()[i] - body.positions()[other.node[i]]).norm());
      // Where projections end depends on their order, a little.
      EXPECT_LT(most, (solver.starts_with("xpbd") ? 3e-2 : 1e-6) * size) << solver;
    }
  });
}

// The colours of elements after any changes: those of one share no node.
TEST(SoftChangeProperty, ConstraintsKeepTheirColoursApart) {
  each_case(20, [](Random& random) {
    const TetMesh mesh = block(2 + random.below(5), 3, 3, 0.01);
    std::vector<Material> materials;
    for (std::size_t i = 0; i < mesh.tets.size(); ++i)
      materials.push_back({.young = 1e5, .model = random.chance(0.8) ? Model::stvk : Model::neo_hookean});
    SoftBody body(mesh, materials);
    TetConstraints constraints(mesh, materials, Model::stvk);
    const Arrangement arrangement = random.chance(0.7) ? Arrangement::by_colour : Arrangement::one_by_one;
    const auto inverse = [&] {
      std::vector<double> result(body.masses().begin(), body.masses().end());
      for (double& mass : result) mass = mass > 0 ? 1 / mass : 0;
      return result;
    };
    constraints.prepare(inverse(), 0.01, arrangement);
    for (int round = 0; round < 8; ++round) {
      const SoftChange change = random_change(body, random);
      std::vector<Material> like;
      for (const auto& e : change.added) like.push_back(materials[e.like]);
      const std::vector<std::uint32_t> added = body.change(change);
      materials.resize(body.rest().tets.size());
      for (std::size_t i = 0; i < added.size(); ++i) materials[added[i]] = like[i];
      std::vector<std::uint32_t> changed = change.removed;
      changed.insert(changed.end(), added.begin(), added.end());
      std::sort(changed.begin(), changed.end());
      changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
      constraints.update(body.rest(), materials, changed);
      constraints.prepare(inverse(), 0.01, arrangement);
    }
    std::size_t expected = 0;
    for (const std::uint32_t e : present(body.rest())) expected += materials[e].model == Model::stvk ? 1 : 0;
    ASSERT_EQ(constraints.elements(), expected);
    std::multiset<TetCorners> have, want;
    for (std::size_t i = 0; i < constraints.size(); ++i)
      if (const auto of = constraints.nodes(i); !of.empty()) have.insert({of[0], of[1], of[2], of[3]});
    for (const std::uint32_t e : present(body.rest()))
      if (materials[e].model == Model::stvk) want.insert(body.rest().tets[e]);
    ASSERT_EQ(have, want);
    if (arrangement == Arrangement::by_colour)
      for (std::size_t c = 0; c < constraints.colours(); ++c) {
        std::set<std::uint32_t> nodes;
        const auto [from, to] = constraints.of_colour(c);
        for (std::size_t i = from; i < to; ++i)
          for (const std::uint32_t v : constraints.nodes(i)) ASSERT_TRUE(nodes.insert(v).second);
      }
    // Fast and plain code do the same with what has been mended, and with what is arranged anew.
    std::vector<PaddedPoint> x;
    for (const Vec3& p : body.rest().positions)
      x.emplace_back(p + 1e-4 * testing::random_directions(random, 1)[0]);
    for (const Arrangement next : {arrangement, Arrangement::by_colour, Arrangement::one_by_one}) {
      constraints.prepare(inverse(), 0.01, next);
      std::vector<PaddedPoint> fast = x, plain = x;
      std::vector<double> one(constraints.multipliers(), 0), two = one;
      constraints.project(fast, one);
      constraints.Constraints::project(plain, two);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LT((fast[i].point() - plain[i].point()).norm(),
                  (next == Arrangement::by_colour ? 1e-4 : 1e-9) * 0.01)
            << i;
    }
  });
}

TEST(SoftChange, RunsAreTheSameForAnyNumberOfThreads) {
  const TetMesh mesh = block(12, 6, 6, 0.01);
  std::vector<Vec3> first;
  for (const std::string solver : {"quasi_newton", "xpbd_coloured", "vertex"}) {
    first.clear();
    for (const int threads : {1, 2, 4})
      Threads(threads).run([&] {
        SoftBodyOptions options;
        options.solver = solver;
        options.solve.iterations = 5;
        SoftBody body(mesh, {.young = 1e5}, options);
        const std::uint32_t held[] = {0, 1, 2};
        Random random(7);
        for (int i = 0; i < 12; ++i) {
          if (i % 2 == 0) body.change(random_change(body, random));
          if (i == 4) body.fix(held);
          if (i == 7) body.release(held);
          body.step(0.004);
        }
        if (first.empty()) first.assign(body.positions().begin(), body.positions().end());
        ASSERT_EQ(first.size(), body.positions().size());
        EXPECT_TRUE(std::equal(first.begin(), first.end(), body.positions().begin())) << solver << threads;
      });
  }
}

// With a metric of the body as it was, momentum is as right as with one of the body as it is.
TEST(SoftChange, FreeBodiesKeepTheirMomentum) {
  const TetMesh mesh = block(6, 4, 4, 0.01);
  SoftBodyOptions options;
  options.solve.iterations = 3;
  options.untangle = false;
  SoftBody body(mesh, {.young = 1e5}, options);
  std::vector<Vec3> x = mesh.positions;
  for (Vec3& p : x) p.x() *= 1.3;
  body.set_positions(x);
  Random random(3);
  for (int i = 0; i < 12; ++i) {
    if (i % 3 == 1) body.change(random_change(body, random));
    const auto momentum = [&] {
      Vec3 sum = Vec3::Zero();
      for (std::size_t v = 0; v < body.masses().size(); ++v) sum += body.masses()[v] * body.velocities()[v];
      return sum;
    };
    const double h = 0.004, mass = std::accumulate(body.masses().begin(), body.masses().end(), 0.0);
    const Vec3 expected = momentum() + mass * h * options.gravity;
    body.step(h);
    EXPECT_LT((momentum() - expected).norm(), 1e-12 * mass) << i;
  }
}

TEST(SoftChange, HeldNodesStayWhileTheFactorDoesNotKnowThem) {
  const TetMesh mesh = block(6, 3, 3, 0.01);
  SoftBody body(mesh, {.young = 1e5});
  body.step(0.01);
  std::vector<std::uint32_t> nodes(16);
  std::iota(nodes.begin(), nodes.end(), 0u);
  body.fix(nodes);
  const std::vector<Vec3> before(body.positions().begin(), body.positions().begin() + 16);
  for (int i = 0; i < 6; ++i) {
    body.step(0.01);
    for (std::size_t v = 0; v < 16; ++v) ASSERT_EQ(body.positions()[v], before[v]);
  }
  body.release(nodes);
  for (int i = 0; i < 6; ++i) body.step(0.01);
  for (std::size_t v = 0; v < 16; ++v) EXPECT_LT(body.positions()[v].z(), before[v].z());
}

TEST(SoftChange, EverythingCanBeRemovedAndComeBack) {
  const TetMesh mesh = block(2, 1, 1, 0.01);
  SoftBody body(mesh, {.young = 1e5});
  body.step(0.01);
  SoftChange all;
  for (std::uint32_t e = 1; e < mesh.tets.size(); ++e) all.removed.push_back(e);
  body.change(all);
  body.step(0.01);
  SoftChange last{.removed = {0}, .added = {{mesh.tets[1], 0}, {mesh.tets[2], 0}}};
  EXPECT_EQ(body.change(last), (std::vector<std::uint32_t>{0, 1}));
  body.step(0.01);
  body.change({.removed = {0, 1}});
  const std::vector<Vec3> before(body.positions().begin(), body.positions().end());
  body.step(0.01);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), body.positions().begin()));
  EXPECT_EQ(body.elastic_energy(), 0);
  EXPECT_EQ(body.inverted(), 0u);
}

TEST(SoftChange, MistakesAreNamedAndChangeNothing) {
  const TetMesh mesh = block(1, 1, 1, 0.01);
  SoftBody body(mesh, {.young = 1e5});
  const auto expect = [&](const SoftChange& change, std::string_view part) {
    const std::size_t nodes = body.positions().size();
    try {
      body.change(change);
      ADD_FAILURE() << "was taken: " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
    EXPECT_EQ(body.rest(), mesh);
    EXPECT_EQ(body.positions().size(), nodes);
  };
  const TetCorners t = mesh.tets[0];
  const SoftChange::Node node{Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3::Zero()};
  expect({.removed = {99}}, "tetrahedron 99");
  expect({.removed = {2, 2}}, "removed twice");
  expect({.nodes = {{Vec3(1, std::nan(""), 0), Vec3::Zero(), Vec3::Zero()}}}, "not finite");
  expect({.nodes = {node}, .added = {{{t[0], t[1], t[2], 9}, 0}}}, "node 9 of 9");
  expect({.added = {{t, 77}}}, "like 77");
  expect({.added = {{{t[0], t[1], t[3], t[2]}, 0}}}, "inverted at rest");
  expect({.added = {{{t[0], t[1], t[2], t[2]}, 0}}}, "no volume at rest");
}

}  // namespace
}  // namespace palpate
