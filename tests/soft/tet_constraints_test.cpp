// Tetrahedra as constraints: derivatives, energies, and the fast code against the plain.
#include <palpate/soft/tet_constraints.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <Eigen/LU>

#include <soft/blocks.h>
#include <support/cases.h>

#include <palpate/base/parallel.h>
#include <palpate/soft/elements.h>

namespace palpate {
namespace {

using testing::block;
using testing::each_case;
using testing::Random;

constexpr std::array models = {Model::stvk, Model::neo_hookean, Model::corotated};

struct Case {
  TetMesh mesh;
  std::vector<Material> materials;
  Model model;
  double size;
  std::vector<double> inverse_masses;
  std::vector<PaddedPoint> x;

  explicit Case(Random& random, double shaken)
      : mesh(block(1 + random.below(4), 1 + random.below(3), 1 + random.below(3), 0.01)),
        model(models[random.below(3)]),
        size(0.01) {
    for (std::size_t i = 0; i < mesh.tets.size(); ++i)
      materials.push_back({.young = random.uniform(1e4, 1e6),
                           .poisson = random.uniform(0.1, 0.45),
                           .model = random.chance(0.9) ? model : models[random.below(3)]});
    inverse_masses = node_masses(mesh, materials);
    for (double& mass : inverse_masses) mass = random.chance(0.1) ? 0 : 1 / mass;
    for (const Vec3& p : mesh.positions)
      x.emplace_back(p + shaken * size *
                             Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)));
  }
  std::vector<double> random_multipliers(const Constraints& constraints, Random& random) const {
    std::vector<double> result(constraints.multipliers(), 0);
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      if (constraints.at(i, x).gradient.isZero()) continue;  // fills up a pack
      const auto [first, stride] = constraints.multipliers_of(i);
      for (std::size_t r = 0; r < constraints.rows(); ++r)
        result[first + r * stride] = 1e-7 * random.uniform(-1, 1);
    }
    return result;
  }
};

TEST(TetConstraintsProperty, GradientsAndEnergiesAreRight) {
  each_case(60, [](Random& random) {
    Case one(random, 0.2);
    TetConstraints constraints(one.mesh, one.materials, one.model);
    std::vector<Elasticity> elasticities = elasticities_of(one.mesh, one.materials);
    const std::vector<TetShape> shapes = shapes_of(one.mesh);
    double energy = 0, expected = 0;
    for (std::size_t e = 0; e < one.mesh.tets.size(); ++e) {
      if (elasticities[e].model != one.model) continue;
      std::array<Vec3, 4> corners;
      for (std::size_t k = 0; k < 4; ++k) corners[k] = one.x[one.mesh.tets[e][k]].point();
      expected += shapes[e].volume * energy_density(elasticities[e], shapes[e].gradient(corners));
    }
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const Constraints::Local local = constraints.at(i, one.x);
      energy += 0.5 * local.value.dot(Eigen::MatrixXd(local.compliance).inverse() * local.value);
      const auto nodes = constraints.nodes(i);
      for (std::size_t k = 0; k < 4; ++k)
        for (int c = 0; c < 3; ++c) {
          const double h = 1e-5 * one.size;
          const auto moved = [&](double by) {
            std::vector<PaddedPoint> x = one.x;
            x[nodes[k]].at[c] += by;
            return constraints.at(i, x).value;
          };
          const Eigen::VectorXd slope =
              (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
          ASSERT_LT((slope - local.gradient.col(3 * static_cast<Eigen::Index>(k) + c)).norm(),
                    1e-6 * local.gradient.norm());
        }
    }
    ASSERT_NEAR(energy, expected, 1e-12 * expected);
  });
}

// Positions and multipliers after a sweep, of fast code and plain.
void expect_same(const TetConstraints& constraints, std::span<const PaddedPoint> x,
                 std::span<const PaddedPoint> y, std::span<const double> a, std::span<const double> b,
                 double tolerance, double size) {
  double most = 0;
  for (const double number : b) most = std::max(most, std::abs(number));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_LT((x[i].point() - y[i].point()).norm(), tolerance * size) << "node " << i;
  for (std::size_t i = 0; i < constraints.size(); ++i)
    for (std::size_t r = 0; r < constraints.rows(); ++r) {
      const auto [first, stride] = constraints.multipliers_of(i);
      ASSERT_NEAR(a[first + r * stride], b[first + r * stride], tolerance * most) << "constraint " << i;
    }
}

TEST(TetConstraintsProperty, FastAgreesWithPlain) {
  each_case(100, [](Random& random) {
    Case one(random, random.chance(0.5) ? 0.02 : 0.2);
    const auto arrangement = random.chance(0.5) ? Arrangement::one_by_one : Arrangement::by_colour;
    TetConstraints constraints(one.mesh, one.materials, one.model);
    if (random.chance(0.3)) constraints.prepare(one.inverse_masses, 0.01, Arrangement::by_colour);
    constraints.prepare(one.inverse_masses, 1.0 / 60, arrangement);
    const std::vector<double> start = one.random_multipliers(constraints, random);
    const Constraints& plain = constraints;
    const double exact = 1e-8, floats = 1e-3;  // float has 7 digits, and a sweep passes errors on and on
    auto x = one.x, y = one.x;
    std::vector<double> a = start, b = start;
    constraints.project(x, a);
    constraints.Constraints::project(y, b);
    expect_same(constraints, x, y, a, b, arrangement == Arrangement::by_colour ? floats : exact, one.size);

    a.assign(start.size(), 0);
    b.assign(start.size(), 0);
    plain.changes(one.x, start, a);
    plain.Constraints::changes(one.x, start, b);
    expect_same(constraints, one.x, one.x, a, b, exact, one.size);

    std::vector<double> share(one.x.size());
    for (double& s : share) s = random.uniform(0, 1);
    x = y = one.x;
    plain.apply(one.x, a, share, x);
    plain.Constraints::apply(one.x, a, share, y);
    expect_same(constraints, x, y, a, a, exact, one.size);
    const double expected = plain.Constraints::squared_residual(one.x, start);
    ASSERT_NEAR(plain.squared_residual(one.x, start), expected, 1e-9 * expected);
  });
}

// Turned and carried off as a whole, elements are at rest: constraints are zero and projections move nothing,
// to rounding; that of floats where increments are floats.
TEST(TetConstraintsProperty, WholesThatMoveAreAtRest) {
  each_case(30, [](Random& random) {
    const double size = std::abs(random.magnitude(1e-3, 1e2));
    const TetMesh mesh = block(1 + random.below(6), 1 + random.below(4), 1 + random.below(4), size);
    const std::vector<Vec3> at = testing::moved_as_a_whole(mesh.positions, size, random);
    const std::vector<PaddedPoint> start(at.begin(), at.end());
    const auto farthest = [&](std::span<const PaddedPoint> x) {
      double most = 0;
      for (std::size_t i = 0; i < at.size(); ++i) most = std::max(most, (x[i].point() - at[i]).norm());
      return most / size;
    };
    for (const Model model : models) {
      const std::vector<Material> material{{.young = std::abs(random.magnitude(1e3, 1e9)),
                                            .poisson = random.uniform(0, 0.45),
                                            .model = model}};
      std::vector<double> inverse = node_masses(mesh, material);
      for (double& mass : inverse) mass = 1 / mass;
      const double unit = std::pow(size, 1.5);
      for (const auto arrangement : {Arrangement::one_by_one, Arrangement::by_colour}) {
        TetConstraints constraints(mesh, material, model);
        constraints.prepare(inverse, 1.0 / 60, arrangement);
        for (std::size_t i = 0; i < constraints.size(); ++i) {
          const Eigen::VectorXd value = constraints.at(i, start).value / unit;
          // By the plain formula, the first number of Neo-Hookean elements is the root of a difference.
          const Eigen::Index first = model == Model::neo_hookean ? 1 : 0;
          ASSERT_LT(value.tail(value.size() - first).norm(), 1e-12) << name_of(model);
          ASSERT_LT(value.norm(), 1e-7) << name_of(model);
        }
        const std::vector<double> none(constraints.multipliers(), 0), ones(at.size(), 1);
        ASSERT_LT(constraints.squared_residual(start, none),
                  1e-24 * unit * unit * static_cast<double>(mesh.tets.size()))
            << name_of(model);
        std::vector<PaddedPoint> x = start;
        std::vector<double> multipliers = none;
        constraints.project(x, multipliers);
        // At rest the direction of the first of two numbers is chance. Where it is nearly that of the second,
        // rounding is magnified: usually there is as little of it as with the six of StVK.
        const bool floats = arrangement == Arrangement::by_colour;
        ASSERT_LT(farthest(x), !floats ? 1e-12 : model == Model::stvk ? 1e-6 : 1e-3) << name_of(model);
        std::vector<double> changes = none;
        constraints.changes(start, none, changes);
        x = start;
        constraints.apply(start, changes, ones, x);
        ASSERT_LT(farthest(x), 1e-12) << name_of(model);
      }
    }
  });
}

TEST(TetConstraintsProperty, ColoursShareNoNodeAndThreadsChangeNothing) {
  each_case(6, [](Random& random) {
    const TetMesh mesh = block(6 + random.below(6), 4, 4, 0.01);
    const std::vector<Material> material{{.young = 1e5, .model = models[random.below(3)]}};
    std::vector<std::uint32_t> colours =
        colours_of(mesh.positions.size(), mesh.tets.size(),
                   [&](std::size_t i) { return std::span<const std::uint32_t>(mesh.tets[i]); });
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
    for (std::size_t i = 0; i < mesh.tets.size(); ++i)
      for (const std::uint32_t v : mesh.tets[i]) ASSERT_TRUE(taken.emplace(colours[i], v).second);
    TetConstraints constraints(mesh, material, material[0].model);
    ASSERT_EQ(constraints.elements(), mesh.tets.size());
    std::vector<double> inverse = node_masses(mesh, material);
    for (double& mass : inverse) mass = 1 / mass;
    constraints.prepare(inverse, 0.01, Arrangement::by_colour);
    std::vector<PaddedPoint> start, first;
    for (const Vec3& p : mesh.positions) start.emplace_back(p + 0.001 * Vec3(random.uniform(-1, 1), 0, 0));
    for (const int threads : {1, 2, 4})
      Threads(threads).run([&] {
        std::vector<PaddedPoint> x = start;
        std::vector<double> multipliers(constraints.multipliers(), 0);
        for (int sweep = 0; sweep < 3; ++sweep) constraints.project(x, multipliers);
        if (first.empty()) first = x;
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i].point(), first[i].point());
      });
  });
}

}  // namespace
}  // namespace palpate
