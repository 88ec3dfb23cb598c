// Soft bodies against closed forms, and from states that no body should be in.
#include <palpate/soft/soft_body.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include <soft/blocks.h>
#include <solve/term_checks.h>
#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/solve/embedded_term.h>

namespace palpate {
namespace {

using testing::block;
using testing::each_case;
using testing::Random;

constexpr std::array models = {Model::stvk, Model::neo_hookean, Model::corotated};

std::vector<std::uint32_t> nodes_where(const TetMesh& mesh, const std::function<bool(const Vec3&)>& yes) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i)
    if (yes(mesh.positions[i])) result.push_back(i);
  return result;
}
double longest(const TetMesh& mesh) {
  Vec3 low = mesh.positions[0], high = low;
  for (const Vec3& p : mesh.positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).maxCoeff();
}
// To rest: what swings faster than the step is long is gone after a few.
void settle(SoftBody& body, int steps = 3, double seconds = 0.1) {
  for (int i = 0; i < steps; ++i) body.step(seconds);
}
SoftBodyOptions converged(const Vec3& gravity = Vec3::Zero()) {
  SoftBodyOptions options;
  options.gravity = gravity;
  options.solve.iterations = 4000;
  options.solve.tolerance = 1e-7;
  return options;
}

TEST(SoftBody, EnergyDensitiesSumUpToTheEnergy) {
  each_case(6, [](Random& random) {
    const TetMesh mesh = block(3, 2, 2, 0.01);
    SoftBody body(mesh, {.young = 1e6, .poisson = 0.3, .model = models[random.below(3)]});
    std::vector<double> density(mesh.positions.size());
    body.energy_densities(density);
    for (const double one : density) EXPECT_NEAR(one, 0, 1e-6) << "at rest";
    // The same strain everywhere has the same energy everywhere.
    std::vector<Vec3> x(mesh.positions.begin(), mesh.positions.end());
    const double stretch = random.uniform(1.05, 1.3);
    for (Vec3& p : x) p.x() *= stretch;
    body.set_positions(x);
    body.energy_densities(density);
    const double volume = 3 * 2 * 2 * 1e-6;
    for (const double one : density) EXPECT_NEAR(one * volume, body.elastic_energy(), 1e-9 * one * volume);
  });
}

TEST(SoftBody, InsideNodesFollowAnAffineMapOfTheSurface) {
  each_case(6, [](Random& random) {
    const TetMesh mesh = block(4, 3, 3, 0.01);
    SoftBody body(mesh, {.young = 1e6, .poisson = random.uniform(0, 0.45), .model = models[random.below(3)]},
                  converged());
    Mat3 map = Mat3::Identity();
    for (int i = 0; i < 9; ++i) map.data()[i] += random.uniform(-0.08, 0.08);
    const auto inside = [](double a, double most) { return a > 1e-6 && a < most - 1e-6; };
    const auto outside = nodes_where(mesh, [&](const Vec3& p) {
      return !(inside(p.x(), 0.04) && inside(p.y(), 0.03) && inside(p.z(), 0.03));
    });
    ASSERT_LT(outside.size(), mesh.positions.size());
    body.fix(outside);
    for (const std::uint32_t v : outside) body.move(v, map * mesh.positions[v]);
    settle(body);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
      ASSERT_LT((body.positions()[i] - map * mesh.positions[i]).norm(), 1e-6 * longest(mesh)) << "node " << i;
  });
}

// A bar along x, twice as long between its held ends, which are given the stretch that is expected. The pull
// it answers with, and how thick it is in the middle, are its own.
struct Pulled {
  double stress;  // nominal [Pa]
  double across;  // stretch
};
Pulled pull_bar(const Material& material, double along, double across) {
  const double size = 0.01, length = 8 * size, width = 2 * size;
  const TetMesh mesh = block(8, 2, 2, size);
  SoftBody body(mesh, material, converged());
  const auto ends = nodes_where(mesh, [&](const Vec3& p) { return p.x() < 1e-9 || p.x() > length - 1e-9; });
  body.fix(ends);
  for (const std::uint32_t v : ends)
    body.move(v, mesh.positions[v].cwiseProduct(Vec3(along, across, across)));
  settle(body, 5);
  std::vector<Vec3> forces(mesh.positions.size());
  body.elastic_forces(forces);
  Pulled result{0, 0};
  for (const std::uint32_t v : ends)
    if (mesh.positions[v].x() > length / 2) result.stress -= forces[v].x() / (width * width);
  double low = 1, high = -1;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    if (std::abs(mesh.positions[i].x() - length / 2) < 1e-9) {
      low = std::min(low, body.positions()[i].y());
      high = std::max(high, body.positions()[i].y());
    }
  result.across = (high - low) / width;
  return result;
}

TEST(SoftBody, BarsObeyHookeForSmallStrains) {
  for (const Model model : models)
    for (const double poisson : {0.0, 0.3, 0.45, 0.49})
      for (const double strain : {-0.001, 0.001}) {
        const Material material{.young = 2e6, .poisson = poisson, .model = model};
        const Pulled bar = pull_bar(material, 1 + strain, 1 - poisson * strain);
        EXPECT_NEAR(bar.stress, material.young * strain, 0.005 * material.young * std::abs(strain))
            << poisson;
        EXPECT_NEAR(bar.across - 1, -poisson * strain, 0.005 * std::abs(strain)) << poisson;
        // With ends that do not give way, the middle still does.
        if (poisson > 0) {
          const Pulled clamped = pull_bar(material, 1 + strain, 1);
          EXPECT_NEAR(clamped.across - 1, -poisson * strain, 0.15 * std::abs(strain)) << poisson;
        }
      }
}

// Pulled or pressed by a pressure on both ends, nothing held: the strain is the same everywhere, and linear
// tetrahedra can have it.
TEST(SoftBody, BarsUnderPressureStretchAndThinAsHookeSays) {
  const double size = 0.01, length = 8 * size, width = 2 * size, young = 2e6;
  const TetMesh mesh = block(8, 2, 2, size);
  // A third of each triangle of an end for each of its corners.
  std::vector<double> shares(mesh.positions.size(), 0);
  for (const TetCorners& t : mesh.tets)
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::array<std::uint32_t, 3> face{};
      for (std::size_t k = 0, n = 0; k < 4; ++k)
        if (k != left_out) face[n++] = t[k];
      const Vec3 &a = mesh.positions[face[0]], &b = mesh.positions[face[1]], &c = mesh.positions[face[2]];
      const auto at = [&](double x) {
        return std::abs(a.x() - x) < 1e-9 && std::abs(b.x() - x) < 1e-9 && std::abs(c.x() - x) < 1e-9;
      };
      const double out = at(0) ? -1 : at(length) ? 1 : 0;
      for (const std::uint32_t v : face) shares[v] += out * 0.5 * (b - a).cross(c - a).norm() / 3;
    }
  for (const Model model : models)
    for (const double poisson : {0.0, 0.3, 0.45, 0.49})
      for (const double strain : {-0.001, 0.001}) {
        SoftBodyOptions options = converged();
        options.solve.tolerance = 1e-12;
        SoftBody body(mesh, {.young = young, .poisson = poisson, .model = model}, options);
        for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
          body.set_force(v, Vec3(young * strain * shares[v], 0, 0));
        // Many small steps: it swings to and fro within four milliseconds, and what is pressed has no time to
        // tip over.
        settle(body, 50, 0.002);
        // Between nodes, as it turns a little.
        const auto stretch = [&](const Vec3& from, const Vec3& to) {
          const auto node = [&](const Vec3& p) {
            return body
                .positions()[nodes_where(mesh, [&](const Vec3& q) { return (p - q).norm() < 1e-9; })[0]];
          };
          return (node(to) - node(from)).norm() / (to - from).norm() - 1;
        };
        const double half = width / 2, middle = length / 2;
        EXPECT_NEAR(stretch({0, half, half}, {length, half, half}), strain, 0.005 * std::abs(strain))
            << poisson;
        const double bound = 0.005 * (poisson > 0 ? poisson : 1) * std::abs(strain);
        EXPECT_NEAR(stretch({middle, 0, half}, {middle, width, half}), -poisson * strain, bound) << poisson;
        EXPECT_NEAR(stretch({middle, half, 0}, {middle, half, width}), -poisson * strain, bound) << poisson;
      }
}

// Where f is zero, between two places where it has different signs.
double root(const std::function<double(double)>& f, double low, double high) {
  const bool rises = f(high) > f(low);
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) < 0) == rises ? low : high) = middle;
  }
  return low;
}

// Under a pull along one axis the other two stretch alike: two equations in two unknowns.
TEST(SoftBody, BarsObeyTheirMaterialForLargeStrains) {
  const double young = 1e6, poisson = 0.3, lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
               mu = young / (2 * (1 + poisson));
  const auto expect_bar = [&](Model model, double along, double across, double stress) {
    const Pulled bar = pull_bar({.young = young, .poisson = poisson, .model = model}, along, across);
    EXPECT_NEAR(bar.across, across, 1e-5);
    EXPECT_NEAR(bar.stress, stress, 1e-5 * young);
  };
  for (const double along : {0.85, 1.15, 1.4}) {
    // StVK has a closed form.
    {
      const double strain = 0.5 * (along * along - 1), stress = along * young * strain;
      expect_bar(Model::stvk, along, std::sqrt(1 - 2 * poisson * strain), stress);
    }
    {
      const auto across_stress = [&](double across) {
        return 2 * mu * (across - 1) + lambda * (along * across * across - 1) * along * across;
      };
      const double across = root(across_stress, 0.3, 2);
      const double stress = 2 * mu * (along - 1) + lambda * (along * across * across - 1) * across * across;
      expect_bar(Model::corotated, along, across, stress);
    }
    {
      const double m = 4 * mu / 3, l = lambda + 5 * mu / 6, alpha = 1 + 0.75 * m / l;
      const auto shape = [&](double across) {
        return m * (1 - 1 / (along * along + 2 * across * across + 1));
      };
      const auto across_stress = [&](double across) {
        return shape(across) * across + l * (along * across * across - alpha) * along * across;
      };
      const double across = root(across_stress, 0.3, 2);
      const double stress = shape(across) * along + l * (along * across * across - alpha) * across * across;
      expect_bar(Model::neo_hookean, along, across, stress);
    }
  }
}

// A beam of this many cells across, 0.2 x 0.02 x 0.02 m, held at one end.
SoftBody cantilever(std::size_t across, const Material& material, const SoftBodyOptions& options) {
  const double cell = 0.02 / static_cast<double>(across);
  TetMesh mesh = block(10 * across, across, across, cell);
  const auto end = nodes_where(mesh, [](const Vec3& p) { return p.x() == 0; });
  SoftBody body(std::move(mesh), material, options);
  body.fix(end);
  return body;
}
double tip(const SoftBody& body) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < body.positions().size(); ++i)
    if (body.rest().positions[i].x() > 0.2 - 1e-9) {
      sum += body.positions()[i].z() - body.rest().positions[i].z();
      ++count;
    }
  return sum / count;
}

// Linear tetrahedra are too stiff by an error that falls with the square of their size: from two meshes one
// can tell where they lead.
void expect_sag(double poisson, const std::array<std::size_t, 3>& across) {
  const double young = 2e8, side = 0.02, length = 0.2, weight = 1100 * 9.81 * side * side;
  std::vector<double> sags;
  for (const std::size_t n : across) {
    SoftBody body =
        cantilever(n, {.density = 1100, .young = young, .poisson = poisson}, converged({0, 0, -9.81}));
    settle(body);
    EXPECT_EQ(body.inverted(), 0u);
    sags.push_back(-tip(body));
  }
  // Timoshenko's, with Cowper's coefficient for a square.
  const double bending = young * std::pow(side, 4) / 12,
               shear = young / (2 * (1 + poisson)) * (10 * (1 + poisson) / (12 + 11 * poisson)) * side * side;
  const double theory = weight * std::pow(length, 4) / (8 * bending) + weight * length * length / (2 * shear);
  EXPECT_LT(sags[0], sags[1]);
  EXPECT_LT(sags[1], sags[2]);
  const double limit = sags[2] + (sags[2] - sags[1]) / 3;  // the last is twice as fine as the one before
  EXPECT_NEAR(limit, theory, 0.02 * theory) << sags[0] << " " << sags[1] << " " << sags[2];
}
TEST(SoftBody, CantileversSagAsBeamTheorySays) { expect_sag(0, {2, 4, 8}); }
TEST(SoftBodyProperty, CantileversThatThinSagAsBeamTheorySays) {
  if (testing::long_run() && !testing::fewer_cases()) expect_sag(0.3, {3, 6, 12});
}

// Where the tip of a beam under its weight comes to that bends far: Reissner's beam, which stretches and
// shears as well, by shooting. Along it the weight of what comes after is carried; the moment ends at zero.
double tip_of_bent_beam(double young, double poisson, double side, double length, double weight) {
  const double area = side * side, bending = young * area * area / 12, stretching = young * area,
               shearing = young / (2 * (1 + poisson)) * (10 * (1 + poisson) / (12 + 11 * poisson)) * area;
  using State = Eigen::Vector4d;  // angle below the horizon, moment, along, down
  const auto slope = [&](double s, const State& at) {
    const double load = weight * (length - s), turn = at[0];
    const double stretch = 1 + load * std::sin(turn) / stretching, shear = load * std::cos(turn) / shearing;
    const double along = stretch * std::cos(turn) - shear * std::sin(turn),
                 down = stretch * std::sin(turn) + shear * std::cos(turn);
    return State(at[1] / bending, -load * along, along, down);
  };
  const auto shoot = [&](double moment) {
    const int parts = 400;
    const double h = length / parts;
    State at(0, moment, 0, 0);
    for (int i = 0; i < parts; ++i) {
      const double s = i * h;
      const State a = slope(s, at), b = slope(s + h / 2, at + h / 2 * a),
                  c = slope(s + h / 2, at + h / 2 * b), d = slope(s + h, at + h * c);
      at += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return at;
  };
  const double moment = root([&](double m) { return shoot(m)[1]; }, 0, weight * length * length);
  return -shoot(moment)[3];
}

// A soft one that hardly changes its volume bends far: finer meshes differ less and less, and lead to where
// the theory of beams has it.
TEST(SoftBody, SoftCantileversConvergeUnderRefinement) {
  std::vector<double> tips;
  for (const std::size_t across : {2, 4, 8}) {
    if (across == 8 && testing::fewer_cases()) continue;
    SoftBody body =
        cantilever(across, {.density = 1100, .young = 2e6, .poisson = 0.45}, converged({0, 0, -9.81}));
    settle(body, 8, 1);
    EXPECT_EQ(body.inverted(), 0u);
    tips.push_back(tip(body));
    ::testing::Test::RecordProperty("tip_" + std::to_string(across), std::to_string(tips.back()));
  }
  // What is missing falls faster and faster; with ever smaller elements it would fall to a quarter.
  const double theory = tip_of_bent_beam(2e6, 0.45, 0.02, 0.2, 1100 * 9.81 * 0.02 * 0.02);
  const auto missing = [&](std::size_t i) { return (tips[i] - theory) / std::abs(theory); };
  for (std::size_t i = 0; i < tips.size(); ++i) EXPECT_GT(missing(i), 0);
  for (std::size_t i = 1; i < tips.size(); ++i)
    EXPECT_LT(missing(i), (i == 1 ? 0.6 : 0.45) * missing(i - 1)) << i;
}

// Elements in another order, with their corners in another order.
TEST(SoftBodyProperty, TheOrderOfElementsChangesNothing) {
  each_case(6, [](Random& random) {
    const TetMesh mesh = block(4, 2, 2, 0.01);
    std::vector<Material> materials;
    for (std::size_t e = 0; e < mesh.tets.size(); ++e)
      materials.push_back({.young = random.uniform(1e4, 1e6), .model = models[random.below(3)]});
    TetMesh other = mesh;
    std::vector<Material> same = materials;
    for (std::size_t e = other.tets.size(); e-- > 1;) {
      const std::size_t with = random.below(e + 1);
      std::swap(other.tets[e], other.tets[with]);
      std::swap(same[e], same[with]);
    }
    for (TetCorners& t : other.tets)
      if (random.chance(0.5)) t = {t[1], t[2], t[0], t[3]};
    const auto end = nodes_where(mesh, [](const Vec3& p) { return p.x() == 0; });
    for (const std::string solver : {"quasi_newton", "vertex", "xpbd", "xpbd_coloured", "xpbd_jacobi"}) {
      SoftBodyOptions options = converged({0, 0, -9.81});
      options.solver = solver;
      if (solver != "quasi_newton") options.solve.iterations = 100;  // slow, but in the same order
      SoftBody one(mesh, materials, options), two(other, same, options);
      for (SoftBody* body : {&one, &two}) {
        body->fix(end);
        for (int i = 0; i < 3; ++i) body->step(0.01);
      }
      for (std::size_t i = 0; i < mesh.positions.size(); ++i)
        ASSERT_LT((one.positions()[i] - two.positions()[i]).norm(), 1e-5 * longest(mesh)) << solver;
    }
  });
}

// Four substeps are four steps of a quarter, to the bit: fixed nodes go a quarter of their way in each, and
// what is pushed is pushed in all. Lengths are such that quarters of the way are exact.
TEST(SoftBody, SubstepsAreStepsOfAPart) {
  const double size = 1.0 / 128, h = 1.0 / 60;
  const TetMesh mesh = block(5, 2, 2, size);
  const auto end = nodes_where(mesh, [](const Vec3& p) { return p.x() == 0; });
  const auto far = static_cast<std::uint32_t>(mesh.positions.size() - 1);
  for (const Model model : models)
    for (const std::string_view solver : solver_names()) {
      SoftBodyOptions options;
      options.solver = solver;
      SoftBodyOptions whole = options;
      whole.substeps = 4;
      const bool damped = solver == "quasi_newton" || solver == "vertex";
      const Material material{.young = 1e5, .damping = damped ? 0.001 : 0, .model = model};
      SoftBody one(mesh, material, whole), four(mesh, material, options);
      for (SoftBody* body : {&one, &four}) {
        body->fix(end);
        body->set_force(far, Vec3(0, 0.01, 0));
      }
      const Vec3 quarter(3.0 / 4096, 0, 1.0 / 4096), push(0.02, 0, 0);
      int iterations = 0, iterations_of_four = 0;
      for (int step = 0; step < 3; ++step) {
        for (const std::uint32_t v : end) one.move(v, one.positions()[v] + 4 * quarter);
        one.push(far, push);
        iterations += one.step(h).iterations;
        for (int part = 0; part < 4; ++part) {
          for (const std::uint32_t v : end) four.move(v, four.positions()[v] + quarter);
          four.push(far, push);
          iterations_of_four += four.step(h / 4).iterations;
        }
        for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
          ASSERT_EQ(one.positions()[i], four.positions()[i]) << solver << ", node " << i;
          ASSERT_EQ(one.velocities()[i], four.velocities()[i]) << solver << ", node " << i;
        }
      }
      EXPECT_EQ(iterations, iterations_of_four) << solver;
      // It did move, and another number of substeps is not the same.
      EXPECT_GT((one.positions()[far] - mesh.positions[far]).norm(), 1e-4) << solver;
      SoftBody coarse(mesh, material, options);
      coarse.set_velocities(std::vector<Vec3>(mesh.positions.size(), Vec3(0, 0, 1)));
      SoftBody fine(mesh, material, whole);
      fine.set_velocities(std::vector<Vec3>(mesh.positions.size(), Vec3(0, 0, 1)));
      coarse.step(h);
      fine.step(h);
      EXPECT_NE(coarse.positions()[far], fine.positions()[far]) << solver;
    }
}

TEST(SoftBody, CantileversSwingAtTheirFrequency) {
  const Material material{.density = 1100, .young = 2e6, .poisson = 0.3};
  const double side = 0.02, length = 0.2;
  const double theory = 1.8751041 * 1.8751041 / (2 * std::numbers::pi) *
                        std::sqrt(2e6 * side * side / 12 / (1100 * std::pow(length, 4)));
  // By the time between passing the middle; both meshes are too stiff, as above.
  const auto frequency = [&](std::size_t across) {
    SoftBodyOptions options;
    options.gravity.setZero();
    options.solve.iterations = 30;
    options.solve.tolerance = 1e-9;
    SoftBody body = cantilever(across, material, options);
    std::vector<Vec3> start(body.rest().positions);
    for (Vec3& p : start) p.z() += 0.002 * (p.x() / length) * (p.x() / length);
    body.set_positions(start);
    const double h = 1.0 / 1000;
    std::vector<double> passes;
    double last = tip(body);
    for (int i = 1; passes.size() < 3 && i < 2000; ++i) {
      body.step(h);
      const double now = tip(body);
      if ((now > 0) != (last > 0)) passes.push_back(h * (i - now / (now - last)));
      last = now;
    }
    return passes.size() == 3 ? 1 / (passes[2] - passes[0]) : 0;
  };
  const double coarse = frequency(2), fine = frequency(4);
  // Stiffness, the square of the frequency, has an error that falls with the square of the size.
  const double limit = std::sqrt(fine * fine + (fine * fine - coarse * coarse) / 3);
  EXPECT_NEAR(limit, theory, 0.03 * theory) << coarse << " " << fine;
}

TEST(SoftBodyProperty, ComesBackFromAnyState) {
  each_case(12, [](Random& random) {
    const std::size_t along = 3 + random.below(12), across = 1 + random.below(3);
    const TetMesh mesh = block(along, across, 2, 0.01);
    SoftBodyOptions options;
    options.gravity.setZero();
    const double young = std::abs(random.magnitude(1e3, 1e8));
    SoftBody body(mesh, {.young = young, .poisson = random.uniform(0, 0.45)}, options);
    std::vector<Vec3> x = mesh.positions;
    const std::size_t how = random.below(4);
    const double size = longest(mesh);
    for (Vec3& p : x) {
      if (how == 0) p.z() = 0;
      if (how == 1) p.x() = -p.x();
      if (how == 2) p = Vec3::Zero();
      if (how == 3) p = size * Vec3(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
    }
    body.set_positions(x);
    int steps = 0;
    for (; steps < 600; ++steps) {
      const SolveReport report = body.step(1.0 / 60);
      for (const Vec3& p : body.positions()) ASSERT_TRUE(p.allFinite());
      if (steps == 0) {
        // Done with another energy, it is said so, and what is left is still that of the material.
        EXPECT_TRUE(report.untangled) << "state " << how;
        EXPECT_GT(report.residual, 0) << "state " << how;
      }
    }
    EXPECT_EQ(body.inverted(), 0u) << "state " << how;
    double worst = 0;
    for (const TetCorners& tet : mesh.tets)
      for (std::size_t i = 1; i < 4; ++i) {
        const double rest = (mesh.positions[tet[i]] - mesh.positions[tet[0]]).norm();
        worst = std::max(worst,
                         std::abs((body.positions()[tet[i]] - body.positions()[tet[0]]).norm() / rest - 1));
      }
    EXPECT_LT(worst, 0.01) << "state " << how << ", Young's modulus " << young;
  });
}

// Thrown onto one point, this one comes back as a zigzag of kinks, each of them stable, if the material is
// let in before the shape is there.
TEST(SoftBody, ComesBackFromAPointWithoutKinks) {
  const TetMesh mesh = block(12, 2, 2, 0.01);
  for (const double young : {1e3, 2.5e3, 1e4}) {
    SoftBodyOptions options;
    options.gravity.setZero();
    SoftBody body(mesh, {.young = young, .poisson = 0.325}, options);
    body.set_positions(std::vector<Vec3>(mesh.positions.size(), Vec3::Zero()));
    for (int i = 0; i < 200; ++i) body.step(1.0 / 60);
    EXPECT_LT(body.elastic_energy(), 1e-6) << young;
  }
}

TEST(SoftBodyProperty, DampingHasRightDerivativesAndTakesEnergy) {
  each_case(30, [](Random& random) {
    const double size = 0.01;
    const TetMesh mesh = block(1 + random.below(3), 1 + random.below(2), 1, size);
    const std::vector<Material> material{{.young = 1e5, .poisson = random.uniform(0, 0.45), .damping = 0.01}};
    DampingTerm term(mesh, material);
    std::vector<Vec3> before = mesh.positions, x;
    for (Vec3& p : before) p += 0.1 * size * testing::random_directions(random, 1)[0];
    x = before;
    for (Vec3& p : x) p += 0.1 * size * testing::random_directions(random, 1)[0];
    term.begin_step(before, 0.01);
    testing::check_term(term, x, size, 1e5 * size * 10, random);
    testing::check_stiffness_at_rest(term, before, size, random);
    // Turned as a whole, nothing is felt.
    const Eigen::AngleAxisd turn(1.2, Vec3(1, 2, 3).normalized());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = turn * before[i] + Vec3(1, 2, 3);
    EXPECT_LT(term.value(x), 1e-20);
  });
  const auto energy_after = [](double damping) {
    const TetMesh mesh = block(6, 2, 2, 0.01);
    SoftBodyOptions options;
    options.gravity.setZero();
    SoftBody body(mesh, {.young = 1e5, .damping = damping}, options);
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x) p.x() *= 1.2;
    body.set_positions(x);
    for (int i = 0; i < 300; ++i) body.step(1e-4);
    double energy = body.elastic_energy();
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
      energy += 0.5 * body.masses()[i] * body.velocities()[i].squaredNorm();
    return energy;
  };
  EXPECT_LT(energy_after(5e-4), 0.3 * energy_after(0));
}

// Implicit Euler loses angular momentum, and less of it with smaller steps. What hardly bends turns by the
// angle to where it would go without elasticity: by atan(spin * h) first, then by that of the way it came.
double kept_when_converged(double spin, double h, int steps) {
  double angle = std::atan(spin * h);
  for (int i = 1; i < steps; ++i) angle = std::atan(std::sin(angle) / (2 - std::cos(angle)));
  return std::sin(angle) / (h * spin);
}
TEST(SoftBody, SpinsLoseLessWithSmallerSteps) {
  const auto kept = [](int steps) {
    const TetMesh mesh = block(4, 2, 2, 0.01);
    SoftBody body(mesh, {.young = 1e6}, converged());
    const Vec3 centre(0.02, 0.01, 0.01);
    std::vector<Vec3> velocities;
    for (const Vec3& p : mesh.positions) velocities.push_back(Vec3(0, 0, 10).cross(p - centre));
    body.set_velocities(velocities);
    const auto spin = [&] {
      Vec3 sum = Vec3::Zero();
      for (std::size_t i = 0; i < mesh.positions.size(); ++i)
        sum += body.masses()[i] * (body.positions()[i] - centre).cross(body.velocities()[i]);
      return sum.z();
    };
    const double before = spin();
    for (int i = 0; i < steps; ++i) body.step(0.2 / steps);
    return spin() / before;
  };
  const double coarse = kept(12), fine = kept(96);
  ::testing::Test::RecordProperty("kept_by_12_steps", std::to_string(coarse));
  ::testing::Test::RecordProperty("kept_by_96_steps", std::to_string(fine));
  EXPECT_NEAR(coarse, kept_when_converged(10, 0.2 / 12, 12), 1e-3);
  EXPECT_NEAR(fine, kept_when_converged(10, 0.2 / 96, 96), 1e-3);
  EXPECT_LT(coarse, 1);
  EXPECT_GT(fine, coarse);
  EXPECT_GT(fine, 0.85);
}

// Newton's steps for nodes alone may lead anywhere, with damping above all: the solver takes none that is
// worse.
TEST(SoftBodyProperty, DampedBodiesThatAreTornApartCalmDown) {
  each_case(12, [](Random& random) {
    const TetMesh mesh = block(8, 2, 2, 0.1);
    SoftBodyOptions options;
    options.gravity.setZero();
    SoftBody body(mesh, {.young = 1e5, .poisson = 0.49, .damping = random.chance(0.5) ? 0.1 : 0.01}, options);
    std::vector<Vec3> x = mesh.positions;
    const Vec3 middle = x[random.below(x.size())];
    const double far = std::abs(random.magnitude(0.3, 1e3));
    for (Vec3& p : x)
      if ((p - middle).norm() < 0.15) p += far * testing::random_directions(random, 1)[0];
    body.set_positions(x);
    const double before = body.elastic_energy();
    const double h = random.chance(0.5) ? 1.0 / 60 : 1e-3;
    for (int i = 0; i < 60; ++i) {
      body.step(h);
      for (const Vec3& p : body.positions()) ASSERT_TRUE(p.allFinite());
      ASSERT_LT(body.elastic_energy(), 1.001 * before);
    }
  });
}

// Projections of what is stiff end far from the least of the potential; that is no reason to stop.
TEST(SoftBody, StiffBodiesThatAreProjectedMoveOn) {
  for (const std::string solver : {"xpbd", "xpbd_coloured"})
    for (const double tolerance : {0.0, 1e-6})
      for (const auto& [size, young] : {std::pair{0.001, 1.9e6}, {0.01, 5.6e8}, {0.01, 2.9e9}}) {
        const TetMesh mesh = block(20, 2, 2, size);
        SoftBodyOptions options;
        options.solver = solver;
        options.solve = {.iterations = 20, .tolerance = tolerance};
        SoftBody body(mesh, {.young = young}, options);
        // A hinge: the nodes of one edge.
        body.fix(nodes_where(mesh, [](const Vec3& p) { return p.x() == 0 && p.z() == 0; }));
        int failed = 0;
        for (int i = 0; i < 30; ++i) failed += body.step(1.0 / 60).failed ? 1 : 0;
        double moved = 0;
        for (std::size_t v = 0; v < mesh.positions.size(); ++v)
          moved = std::max(moved, (body.positions()[v] - mesh.positions[v]).norm());
        EXPECT_EQ(failed, 0) << solver << " " << young;
        EXPECT_GT(moved, 0.1 * size) << solver << " " << young;
      }
}

// Turning a stiff body costs no energy, but solvers that look at one slope after the other take it for a
// deformation: with few iterations, it would hang in the air.
TEST(SoftBody, StiffBodiesSwingOnHingesWithFewIterations) {
  const auto swing = [](double size, double young, const std::string& solver, int iterations, bool by_point) {
    const TetMesh mesh = block(12, 1, 1, size);
    SoftBodyOptions options;
    options.solver = solver;
    options.solve = {.iterations = iterations, .tolerance = iterations > 100 ? 1e-10 : 0};
    SoftBody body(mesh, {.young = young, .poisson = 0.49}, options);
    body.fix(nodes_where(
        mesh, [&](const Vec3& p) { return p.x() == 0 && p.z() == 0 && (!by_point || p.y() == 0); }));
    for (int i = 0; i < 15; ++i) body.step(1.0 / 60);
    return std::vector<Vec3>(body.positions().begin(), body.positions().end());
  };
  for (const auto& [size, young] : {std::pair{0.001, 1.9e6}, {0.01, 1e7}, {0.01, 1e8}})
    for (const bool by_point : {false, true}) {
      const std::vector<Vec3> right = swing(size, young, "quasi_newton", 3000, by_point);
      for (const auto& [solver, iterations] : {std::pair{"quasi_newton", 4}, {"vertex", 4}}) {
        const std::vector<Vec3> x = swing(size, young, solver, iterations, by_point);
        double off = 0;
        for (std::size_t i = 0; i < x.size(); ++i) off = std::max(off, (x[i] - right[i]).norm());
        EXPECT_LT(off, 0.02 * 12 * size) << solver << " " << size << " " << young << " " << by_point;
      }
    }
}

// A spring from a place in the world to a point inside a body, which is no node.
class AnchoredSpring : public Term {
 public:
  AnchoredSpring(const Vec3& place, double stiffness) : place_(place), stiffness_(stiffness) {}
  bool is_anchored() const override { return true; }
  double rounding() const override { return 0; }
  double value(std::span<const Vec3> x) override { return 0.5 * stiffness_ * (x[0] - place_).squaredNorm(); }
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override {
    gradient[0] += stiffness_ * (x[0] - place_);
    return value(x);
  }
  void add_product(std::span<const Vec3> /*x*/, std::span<const Vec3> d, std::span<Vec3> out) override {
    out[0] += stiffness_ * d[0];
  }
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) override {
    if (node != 0) return;
    gradient += stiffness_ * (x[0] - place_);
    stiffness += stiffness_ * Mat3::Identity();
  }
  void add_metric(std::vector<MetricEntry>& entries) const override { entries.push_back({0, 0, stiffness_}); }

 private:
  Vec3 place_;
  double stiffness_;
};

TEST(SoftBody, TermsOnPointsInsideCarryTheWeight) {
  const TetMesh mesh = block(3, 2, 2, 0.05);
  for (const std::string solver : {"quasi_newton", "vertex"})
    for (const bool from_the_start : {true, false}) {
      SoftBodyOptions options;
      options.solver = solver;
      SoftBody body(mesh, {.density = 1000, .young = 1e6, .poisson = 0.4, .damping = 0.01}, options);
      double mass = 0;
      for (const double m : body.masses()) mass += m;
      // The middle of the body is the middle of two nodes.
      const std::vector<std::uint32_t> along =
          nodes_where(mesh, [](const Vec3& p) { return p.y() == 0.05 && p.z() == 0.05; });
      ASSERT_EQ(along.size(), 4u);
      const double stiffness = 2000 * mass;
      const Vec3 middle(0.075, 0.05, 0.05);
      AnchoredSpring spring(middle, stiffness);
      EmbeddedTerm term(spring, Embedding(mesh, {&middle, 1}));
      if (!from_the_start) body.step(1.0 / 60);
      body.add_term(term);
      for (int i = 0; i < 1200; ++i) body.step(1.0 / 60);
      const Vec3 at = 0.5 * (body.positions()[along[1]] + body.positions()[along[2]]);
      EXPECT_NEAR(at.z(), 0.05 - 9.81 / 2000, 1e-3 * 9.81 / 2000) << solver;
      EXPECT_LT(Vec3(at.x() - 0.075, at.y() - 0.05, 0).norm(), 1e-5) << solver;
      // Let go, it falls like a stone, with its momentum.
      body.remove_term(term);
      const double fall = body.velocities()[along[1]].z();
      for (int i = 0; i < 30; ++i) body.step(1.0 / 60);
      double speed = 0;
      for (std::size_t i = 0; i < mesh.positions.size(); ++i)
        speed += body.masses()[i] / mass * body.velocities()[i].z();
      EXPECT_NEAR(speed, fall - 9.81 * 0.5, 1e-3) << solver;
    }
}

// What a cut leaves: pieces that are well stay where they are while another is brought back.
TEST(SoftBody, PiecesAreBroughtBackEachByItself) {
  const TetMesh one = block(4, 2, 2, 0.05);
  TetMesh mesh = one;
  const auto n = static_cast<std::uint32_t>(one.positions.size());
  for (const Vec3& p : one.positions) mesh.positions.push_back(p + Vec3(0, 1, 0));
  for (TetCorners t : one.tets) {
    for (std::uint32_t& v : t) v += n;
    mesh.tets.push_back(t);
  }
  SoftBodyOptions options;
  options.gravity.setZero();
  SoftBody body(mesh, {.young = 1e5}, options);
  std::vector<Vec3> x = mesh.positions;
  const Eigen::AngleAxisd turn(2.8, Vec3(1, 2, 3).normalized());
  for (std::uint32_t v = 0; v < n; ++v) {
    x[v].z() = -x[v].z();  // inside out
    x[n + v] = turn * x[n + v];
  }
  body.set_positions(x);
  EXPECT_TRUE(body.step(1.0 / 60).untangled);
  for (std::uint32_t v = n; v < 2 * n; ++v) ASSERT_LT((body.positions()[v] - x[v]).norm(), 1e-9);
  for (int i = 0; i < 10; ++i) body.step(1.0 / 60);
  EXPECT_EQ(body.inverted(), 0u);
}

// Solvers that diverge leave the body where it is, and say so.
TEST(SoftBodyProperty, NothingExplodes) {
  std::size_t failures = 0, number = 0;
  const std::size_t cases = each_case(20, [&](Random& random) {
    const TetMesh mesh = block(4, 2, 2, 0.01);
    SoftBodyOptions options;
    const bool hard = number++ == 0;  // one that is known to blow up, however few there are
    const auto names = solver_names();
    options.solver = names[1 + random.below(names.size() - 1)];
    const auto kinds = all_accelerations();
    options.acceleration.kind = options.solver == "vertex" ? Acceleration::Kind::anderson_positions
                                                           : kinds[random.below(kinds.size())];
    const double omega = random.uniform(1, 10);
    if (options.acceleration.kind != Acceleration::Kind::chebyshev) options.acceleration.omega = omega;
    options.acceleration.safeguard = random.chance(0.3);
    options.untangle = random.chance(0.5);
    Material material{.young = std::pow(10, random.uniform(3, 9)), .model = models[random.below(3)]};
    if (hard) {
      options.solver = "xpbd";
      options.acceleration = {.kind = Acceleration::Kind::sor_multipliers, .omega = 10, .safeguard = false};
      material = {.young = 1e6, .model = Model::stvk};
    }
    SoftBody body(mesh, material, options);
    std::vector<Vec3> x = mesh.positions;
    for (Vec3& p : x) {
      p.x() *= 1.5;
      p += 0.005 * testing::random_directions(random, 1)[0];
    }
    body.set_positions(x);
    for (int i = 0; i < 30; ++i) {
      failures += body.step(1.0 / 60).failed ? 1 : 0;
      Vec3 low = Vec3::Constant(HUGE_VAL), high = -low;
      for (const Vec3& p : body.positions()) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
      }
      ASSERT_LT((high - low).norm(), 5) << options.solver << " " << name_of(options.acceleration.kind);
    }
  });
  if (cases > 0) {
    EXPECT_GT(failures, 0u) << "no solver blew up: the cases are too easy";
  }
}

TEST(SoftBody, WarmStepsAllocateNothingAndThreadsChangeNothing) {
  const TetMesh mesh = block(12, 6, 6, 0.01);
  std::vector<Vec3> first;
  for (const int threads : {1, 2, 4})
    Threads(threads).run([&] {
      SoftBody body(mesh, {.young = 1e5, .damping = 0.001});
      body.fix(nodes_where(mesh, [](const Vec3& p) { return p.x() == 0; }));
      for (int i = 0; i < 5; ++i) body.step(1.0 / 60);
      if (threads == 1 && testing::counts_allocations()) {
        EXPECT_EQ(testing::allocations_in([&] { body.step(1.0 / 60); }), 0u);
      } else {
        body.step(1.0 / 60);
      }
      if (first.empty()) first.assign(body.positions().begin(), body.positions().end());
      EXPECT_TRUE(std::equal(first.begin(), first.end(), body.positions().begin()));
    });
}

TEST(SoftBody, MistakesAreNamed) {
  const TetMesh mesh = block(1, 1, 1, 0.01);
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect = [&](auto&& call, std::string_view part) {
    const std::string text = message(call);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  SoftBody body(mesh, Material{});
  const std::uint32_t far = 99, zero = 0;
  const double nan = std::nan("");
  expect([&] { body.fix({&far, 1}); }, "node 99");
  expect([&] { body.move(zero, Vec3::Zero()); }, "not fixed");
  expect([&] { body.step(0); }, "above 0");
  expect([&] { body.step(nan); }, "above 0");
  expect([&] { body.set_force(0, Vec3(nan, 0, 0)); }, "not a finite number");
  expect([&] { body.set_positions({}); }, "there are 0 for 8 nodes");
  std::vector<Vec3> bad(8, Vec3::Zero());
  bad[3].y() = nan;
  expect([&] { body.set_velocities(bad); }, "node 3");
  TetMesh unused = mesh;
  unused.positions.emplace_back(1, 1, 1);
  expect([&] { SoftBody(unused, Material{}); }, "no mass");
  expect([&] { SoftBody(mesh, Material{}, {.solver = "newton"}); }, "There are: quasi_newton");
  expect([&] { SoftBody(mesh, Material{}, {.substeps = 0}); }, "At least 1");
  AnchoredSpring spring(Vec3::Zero(), 1);
  expect([&] { body.remove_term(spring); }, "not there");
  body.add_term(spring);
  expect([&] { body.add_term(spring); }, "there already");
  expect([&] { SoftBody(mesh, Material{}, {.solver = "xpbd"}).add_term(spring); }, "knows no terms");
  expect([&] { EmbeddedTerm(spring, Embedding()); }, "Embed every point");
  expect([&] { SoftBody(mesh, Material{.damping = 0.1}, {.solver = "xpbd"}); }, "knows no damping");
}

// Of a step that is cut short: the part of the way; velocities change by as much, or, of what is kept, by all
// but what weight and forces do in what is left of the step.
TEST(SoftBody, StepsThatAreCutPushOnlyForTheirPart) {
  const double h = 1.0 / 60, part = 0.25;
  const Vec3 begun(1, 0, 2), moves(1, 3, 2), pull(0, 0.5, 0);
  for (const bool keeps : {false, true})
    for (const bool goes_on : {false, true}) {
      SoftBody body(make(SolidBoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}), Material{});
      const std::uint32_t held = 0;
      body.fix({&held, 1});
      body.set_velocities(std::vector<Vec3>(body.positions().size(), begun));
      body.set_force(1, pull);
      body.begin_step(h);
      const std::span<Vec3> x = body.unknowns();
      const std::vector<Vec3> before(body.positions_before().begin(), body.positions_before().end());
      for (std::size_t i = 1; i < x.size(); ++i) x[i] = before[i] + h * moves;
      body.end_step(part, keeps, goes_on);
      for (std::uint32_t i = 1; i < x.size(); ++i) {
        EXPECT_LT((body.positions()[i] - before[i] - part * h * moves).norm(), 1e-14) << i;
        Vec3 pushed = h * Vec3(0, 0, -9.81);
        if (i == 1) pushed += h / body.masses()[1] * pull;
        const Vec3 expected = !keeps    ? Vec3((1 - part) * begun + part * moves)
                              : goes_on ? Vec3(moves - (1 - part) * pushed)
                                        : moves;
        EXPECT_LT((body.velocities()[i] - expected).norm(), 1e-12) << i << " " << keeps << " " << goes_on;
      }
      EXPECT_EQ(body.positions()[0], before[0]);
    }
}

}  // namespace
}  // namespace palpate
