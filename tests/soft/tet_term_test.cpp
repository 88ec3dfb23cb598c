// Tetrahedra as a term: derivatives, and steps that are solved.
#include <palpate/soft/tet_term.h>

#include <algorithm>
#include <cmath>

#include <soft/blocks.h>
#include <solve/term_checks.h>
#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/soft/elements.h>
#include <palpate/solve/quasi_newton.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

constexpr std::array models = {Model::stvk, Model::neo_hookean, Model::corotated};

using testing::block;

TEST(TetTermProperty, DerivativesAreRight) {
  each_case(60, [](Random& random) {
    const double size = 0.01;
    const TetMesh mesh = block(1 + random.below(3), 1 + random.below(2), 1, size);
    std::vector<Material> materials;
    for (std::size_t i = random.chance(0.5) ? mesh.tets.size() : 1; i > 0; --i)
      materials.push_back({.young = 1e5 * random.uniform(0.5, 2),
                           .poisson = random.uniform(0, 0.45),
                           .model = models[random.below(3)]});
    TetTerm term(mesh, materials);
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x) p += 0.15 * size * testing::random_directions(random, 1)[0];
    testing::check_term(term, x, size, 1e5 * size * 10, random);
    const bool exact = std::none_of(materials.begin(), materials.end(),
                                    [](const Material& m) { return m.model == Model::corotated; });
    testing::check_stiffness_at_rest(term, mesh.positions, size, random, exact);
    // What stands in for the second derivative elsewhere leaves out what goes down, and nothing else.
    const std::vector<Vec3> d = testing::random_directions(random, x.size());
    const auto slope = [&](double h) {
      std::vector<Vec3> moved = x, gradient(x.size(), Vec3::Zero());
      for (std::size_t i = 0; i < x.size(); ++i) moved[i] += h * d[i];
      term.add_gradient(moved, gradient);
      return testing::dot(gradient, d);
    };
    const double h = 1e-5 * size, curvature = (slope(h) - slope(-h)) / (2 * h);
    std::vector<Vec3> product(x.size(), Vec3::Zero());
    term.add_product(x, d, product);
    const double along = testing::dot(product, d);
    EXPECT_GT(along, curvature - 1e-5 * std::abs(along));
  });
}

// The fast code against the plain formulas, over several blocks of it: also flat, inside out, far away.
TEST(TetTermProperty, PacksAgreeWithThePlainFormulas) {
  each_case(12, [](Random& random) {
    const double size = random.magnitude(1e-3, 1e2);
    const TetMesh mesh = block(1 + random.below(9), 1 + random.below(6), 1 + random.below(5), std::abs(size));
    std::vector<Material> materials;
    for (std::size_t i = 0; i < mesh.tets.size(); ++i)
      materials.push_back({.young = std::abs(random.magnitude(1e3, 1e9)),
                           .poisson = random.uniform(-0.5, 0.499),
                           .model = models[random.below(3)]});
    TetTerm term(mesh, materials);
    std::vector<Vec3> x = mesh.positions;
    const double shaken = random.chance(0.5) ? 0.1 : 2;
    for (Vec3& p : x) p += shaken * size * testing::random_directions(random, 1)[0];
    if (random.chance(0.2))
      for (Vec3& p : x) p.z() = 0;
    if (random.chance(0.2))
      for (Vec3& p : x) p += 1000 * size * Vec3(1, -2, 3);
    std::vector<Vec3> gradient(x.size(), Vec3::Zero()), expected(x.size(), Vec3::Zero());
    double energy = 0, energies = 0, forces = 0;
    for (std::size_t e = 0; e < mesh.tets.size(); ++e) {
      const TetShape shape(tet_at(mesh.positions, mesh.tets[e]));
      const Elasticity elasticity(materials[e]);
      const Mat3 f = shape.gradient(tet_at(x, mesh.tets[e]));
      const double part = shape.volume * energy_density(elasticity, f);
      energy += part;
      energies += std::abs(part) + shape.volume * (std::abs(elasticity.lambda) + elasticity.mu);
      const std::array<Vec3, 4> pull = shape.pull(stress(elasticity, f));
      for (std::size_t k = 0; k < 4; ++k) {
        expected[mesh.tets[e][k]] += pull[k];
        forces = std::max(forces, pull[k].norm());
      }
    }
    const double total = term.add_gradient(x, gradient);
    ASSERT_NEAR(total, energy, 1e-12 * energies);
    ASSERT_NEAR(term.value(x), energy, 1e-12 * energies);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LT((gradient[i] - expected[i]).norm(), 1e-11 * forces) << "node " << i;
  });
}

// Turned and carried off as a whole, elements have no energy and pull at nothing, however stiff they are.
TEST(TetTermProperty, WholesThatMoveAreAtRest) {
  each_case(30, [](Random& random) {
    const double size = std::abs(random.magnitude(1e-3, 1e2));
    const TetMesh mesh = block(1 + random.below(9), 1 + random.below(6), 1 + random.below(5), size);
    for (const Model model : models) {
      const std::vector<Material> material{{.young = std::abs(random.magnitude(1e3, 1e9)),
                                            .poisson = random.uniform(0, 0.45),
                                            .model = model}};
      TetTerm term(mesh, material);
      const std::vector<Vec3> x = testing::moved_as_a_whole(mesh.positions, size, random);
      std::vector<Vec3> gradient(x.size(), Vec3::Zero());
      const double energy = term.add_gradient(x, gradient), force = material[0].young * size * size;
      EXPECT_LT(std::abs(energy), 1e-13 * force * size * static_cast<double>(mesh.tets.size()));
      for (const Vec3& g : gradient) ASSERT_LT(g.norm(), 1e-12 * force) << name_of(model);
    }
  });
}

Equations equations_of(const TetMesh& mesh, std::span<const Material> materials, Term& term) {
  Equations equations;
  equations.masses = node_masses(mesh, materials);
  equations.held.assign(mesh.positions.size(), 0);
  equations.targets = mesh.positions;
  equations.terms = {&term};
  return equations;
}

TEST(TetTermProperty, QuasiNewtonFindsTheLeast) {
  each_case(20, [](Random& random) {
    const TetMesh mesh = block(4, 2, 2, 0.01);
    const std::vector<Material> material{
        {.young = std::abs(random.magnitude(1e4, 1e7)),
         .poisson = random.uniform(0, 0.45),
         .model = random.chance(0.5) ? Model::neo_hookean : Model::corotated}};
    TetTerm term(mesh, material);
    Equations equations = equations_of(mesh, material, term);
    for (std::size_t i = 0; i < equations.size(); ++i) {
      equations.held[i] = mesh.positions[i].x() == 0;
      equations.targets[i] += Vec3(0, 0, -9.81 * equations.step * equations.step);
    }
    std::vector<Vec3> x = mesh.positions;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (equations.held[i] == 0) x[i] += 0.002 * testing::random_directions(random, 1)[0];
    const double before = potential(equations, x);
    QuasiNewton solver;
    solver.prepare(equations);
    const SolveReport report = solver.solve(equations, x, {.iterations = 500, .tolerance = 1e-11});
    ASSERT_LE(report.residual, 1e-11);
    ASSERT_LT(report.potential, before);
    // The gradient is nothing, and no small change goes lower.
    for (int k = 0; k < 20; ++k) {
      std::vector<Vec3> other = x;
      for (std::size_t i = 0; i < other.size(); ++i)
        if (equations.held[i] == 0) other[i] += 1e-5 * testing::random_directions(random, 1)[0];
      ASSERT_GT(potential(equations, other), report.potential);
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(equations.held[i] == 0 || x[i] == mesh.positions[i]);
  });
}

// However few iterations: the momentum of what is free is right.
TEST(TetTerm, MomentumIsRightAfterAnyNumberOfIterations) {
  TetMesh mesh = block(3, 2, 2, 0.01);
  const TetMesh other = block(2, 2, 1, 0.01);
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const Vec3& p : other.positions) mesh.positions.push_back(p + Vec3(0.1, 0, 0));
  for (const TetCorners& t : other.tets)
    mesh.tets.push_back({t[0] + first, t[1] + first, t[2] + first, t[3] + first});
  const std::vector<Material> material{{.young = 1e5}};
  TetTerm term(mesh, material);
  Equations equations = equations_of(mesh, material, term);
  Random random(5);
  std::vector<Vec3> start = mesh.positions;
  for (Vec3& p : start) p += 0.003 * testing::random_directions(random, 1)[0];
  for (std::size_t i = 0; i < equations.size(); ++i)
    equations.targets[i] = start[i] + 0.01 * testing::random_directions(random, 1)[0];
  QuasiNewton solver;
  solver.prepare(equations);
  for (const int iterations : {0, 1, 2, 7, 40}) {
    std::vector<Vec3> x = start;
    solver.solve(equations, x, {.iterations = iterations});
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, std::size_t{first}}, {first, x.size()}}) {
      Vec3 off = Vec3::Zero();
      double mass = 0;
      for (std::size_t i = begin; i < end; ++i) {
        off += equations.masses[i] * (x[i] - equations.targets[i]);
        mass += equations.masses[i];
      }
      EXPECT_LT((off / mass).norm(), 1e-15) << iterations;
    }
  }
}

TEST(TetTerm, SameBytesForAnyNumberOfThreadsAndNoAllocations) {
  const TetMesh mesh = block(12, 6, 6, 0.01);
  const std::vector<Material> material{{.young = 1e5}};
  std::vector<Vec3> expected;
  for (const int threads : {1, 2, 4})
    Threads(threads).run([&] {
      TetTerm term(mesh, material);
      Equations equations = equations_of(mesh, material, term);
      for (Vec3& y : equations.targets) y = Vec3(1.3 * y.x(), y.y(), y.z() + y.x() * y.x());
      QuasiNewton solver;
      solver.prepare(equations);
      std::vector<Vec3> x = mesh.positions;
      solver.solve(equations, x, {.iterations = 5});
      if (expected.empty()) expected = x;
      EXPECT_EQ(x, expected);
      if (testing::counts_allocations() && threads == 1) {
        EXPECT_EQ(testing::allocations_in([&] { solver.solve(equations, x, {.iterations = 3}); }), 0u);
      }
    });
}

TEST(TetTerm, RefusesWhatIsBad) {
  TetMesh mesh = block(1, 1, 1, 0.01);
  const std::vector<Material> one{{}}, two{{}, {}};
  EXPECT_THROW(TetTerm(mesh, two), Error);
  EXPECT_THROW(TetTerm(mesh, std::vector<Material>{{.poisson = 0.5}}), Error);
  TetMesh inverted = mesh;
  std::swap(inverted.tets[2][0], inverted.tets[2][1]);
  EXPECT_THROW(TetTerm(inverted, one), Error);
  mesh.tets[0][0] = 100;
  EXPECT_THROW(TetTerm(mesh, one), Error);
}

}  // namespace
}  // namespace palpate
