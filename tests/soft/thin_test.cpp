// Shells and strings: derivatives, closed forms, and states that nothing should be in.
#include <palpate/soft/thin.h>

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include <solve/term_checks.h>
#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/soft/soft_body.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

std::vector<Vec3> line(std::size_t segments, double length) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i <= segments; ++i)
    points.emplace_back(length * static_cast<double>(i) / static_cast<double>(segments), 0, 0);
  return points;
}
// In rows of squares, each cut along one diagonal; turned in its plane by an angle.
TriangleMesh sheet(std::size_t along, std::size_t across, double size) {
  TriangleMesh mesh;
  for (std::size_t j = 0; j <= across; ++j)
    for (std::size_t i = 0; i <= along; ++i)
      mesh.positions.emplace_back(size * static_cast<double>(i), size * static_cast<double>(j), 0);
  const auto at = [&](std::size_t i, std::size_t j) {
    return static_cast<std::uint32_t>(j * (along + 1) + i);
  };
  for (std::size_t j = 0; j < across; ++j)
    for (std::size_t i = 0; i < along; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}
void shake(std::vector<Vec3>& x, double by, Random& random) {
  for (Vec3& p : x) p += by * testing::random_directions(random, 1)[0];
}
SoftBodyOptions calm(std::string solver = "quasi_newton") {
  SoftBodyOptions options;
  options.solver = std::move(solver);
  options.solve.iterations = 5000;
  options.solve.tolerance = 1e-9;
  return options;
}

TEST(ThinProperty, DerivativesAreRight) {
  each_case(60, [](Random& random) {
    const double size = 0.01;
    TriangleMesh mesh = sheet(1 + random.below(4), 1 + random.below(3), size);
    shake(mesh.positions, random.chance(0.5) ? 0 : 0.2 * size, random);  // flat or crumpled at rest
    const ThinParts shell = shell_parts(mesh, 0.001, {.young = 1e6, .poisson = 0.3});
    ThinTerms terms(shell);
    std::vector<Vec3> x = mesh.positions;
    shake(x, 0.3 * size, random);
    for (Term* term : terms.all()) {
      testing::check_term(*term, x, size, 1e3, random);
      testing::check_stiffness_at_rest(*term, mesh.positions, size, random);
    }
    std::vector<Vec3> points = line(2 + random.below(5), 0.05);
    if (random.chance(0.5)) shake(points, 0.005, random);
    ThinTerms strings(string_parts(points, 0.001, {.young = 1e6}, random.chance(0.5) && points.size() > 3));
    for (Term* term : strings.all()) testing::check_stiffness_at_rest(*term, points, 0.01, random);
    shake(points, 0.005, random);
    for (Term* term : strings.all()) testing::check_term(*term, points, size, 1e3, random);
    strings.begin_step(points, 3);
    for (Term* term : strings.all()) EXPECT_LT(term->value(points), 1e-20);
    shake(points, 0.005, random);
    for (Term* term : strings.all()) testing::check_term(*term, points, size, 1e4, random);
  });
}

TEST(ThinProperty, WholesThatMoveAreAtRest) {
  each_case(30, [](Random& random) {
    TriangleMesh mesh = sheet(4, 4, 0.01);
    shake(mesh.positions, 0.002, random);
    ThinTerms shell(shell_parts(mesh, 0.001, {.young = 1e6}));
    std::vector<Vec3> points = line(8, 0.1);
    shake(points, 0.005, random);
    ThinTerms string(string_parts(points, 0.001, {.young = 1e6}, true));
    const Eigen::AngleAxisd turn(random.uniform(0, 3), testing::random_directions(random, 1)[0].normalized());
    for (Vec3& p : mesh.positions) p = turn * p + Vec3(0.1, -0.2, 0.3);
    for (Vec3& p : points) p = turn * p + Vec3(0.1, -0.2, 0.3);
    for (Term* term : shell.all()) EXPECT_LT(term->value(mesh.positions), 1e-20);
    for (Term* term : string.all()) EXPECT_LT(term->value(points), 1e-20);
  });
}

// Of what resists, nothing is infinite: not where points meet, not where triangles have no area.
TEST(ThinProperty, EveryStateIsFinite) {
  each_case(200, [](Random& random) {
    const TriangleMesh mesh = sheet(3, 2, 0.01);
    ThinTerms shell(shell_parts(mesh, 0.001, {.young = 1e6}));
    std::vector<Vec3> points = line(5, 0.05);
    ThinTerms string(string_parts(points, 0.001, {.young = 1e6}, false));
    const auto check = [&](ThinTerms& terms, std::vector<Vec3> x) {
      for (Vec3& p : x) {
        if (random.chance(0.3)) p = x[random.below(x.size())];
        if (random.chance(0.1)) p.setZero();
        if (random.chance(0.1)) p += 1e-12 * testing::random_directions(random, 1)[0];
      }
      std::vector<Vec3> gradient(x.size(), Vec3::Zero()), out = gradient;
      for (Term* term : terms.all()) {
        EXPECT_TRUE(std::isfinite(term->add_gradient(x, gradient)));
        term->add_product(x, testing::random_directions(random, x.size()), out);
        for (std::uint32_t v = 0; v < x.size(); ++v) {
          Vec3 g = Vec3::Zero();
          Mat3 h = Mat3::Zero();
          term->add_block(v, x, g, h);
          EXPECT_TRUE(g.allFinite() && h.allFinite());
        }
      }
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(gradient[i].allFinite() && out[i].allFinite());
    };
    check(shell, mesh.positions);
    check(string, points);
  });
}

// A string as a beam that is clamped at one end: F L^3 / (3 E I).
TEST(Thin, StringsBendLikeBeams) {
  const double length = 0.2, radius = 0.002, young = 1e7, force = 5e-4;
  const double inertia = std::numbers::pi * std::pow(radius, 4) / 4;
  const double expected = force * std::pow(length, 3) / (3 * young * inertia);
  ASSERT_LT(expected, 0.1 * length);
  double last = 1;
  for (const std::size_t segments : {10, 20, 40}) {
    SoftBodyOptions options = calm();
    options.gravity.setZero();
    SoftBody body = SoftBody::string(line(segments, length), radius, {.young = young}, options);
    const std::uint32_t clamped[] = {0, 1};
    body.fix(clamped);
    body.set_force(static_cast<std::uint32_t>(segments), Vec3(0, 0, force));
    for (int i = 0; i < 5; ++i) body.step(0.5);
    // The clamp holds to the second point: half a turn is shared by the first segment.
    const double free = length * (1 - 1.0 / static_cast<double>(segments));
    const double error = std::abs(body.positions().back().z() / (expected * std::pow(free / length, 3)) - 1);
    EXPECT_LT(error, 2.5 / static_cast<double>(segments));
    EXPECT_LT(error, last);
    last = error;
  }
}

// Hung up, a string is longer by density g L^2 / (2 E).
TEST(Thin, StringsStretchUnderTheirWeight) {
  const double length = 1, young = 1e5, density = 1000;
  SoftBody body = SoftBody::string(line(50, length), 0.002, {.density = density, .young = young}, calm());
  std::vector<Vec3> down = line(50, length);
  for (Vec3& p : down) p = Vec3(0, 0, -p.x());
  body.set_positions(down);
  const std::uint32_t top = 0;
  body.fix({&top, 1});
  for (int i = 0; i < 50; ++i) body.step(0.1);
  const double longer = -body.positions().back().z() - length;
  EXPECT_NEAR(longer, density * 9.81 * length * length / (2 * young), 0.002 * longer);
}

// Rolled up in any direction, a sheet of equal triangles has D/2 for each square metre and squared curvature;
// so does one of squares, rolled along their sides.
TEST(Thin, RolledSheetsHaveTheEnergyOfPlates) {
  const double size = 0.005, thickness = 0.002, young = 1e6, poisson = 0.3, radius = 1;
  const double bend = young * std::pow(thickness, 3) / (12 * (1 - poisson * poisson));
  for (const bool squares : {true, false})
    for (const double angle : {0.0, 0.3, 0.9, 1.5}) {
      if (squares && angle > 0) continue;
      TriangleMesh mesh = sheet(60, 60, size);
      if (!squares)
        for (Vec3& p : mesh.positions) p = Vec3(p.x() - 0.5 * p.y(), std::sqrt(0.75) * p.y(), 0);
      const ThinParts parts = shell_parts(mesh, thickness, {.young = young, .poisson = poisson});
      CompliantTerm<HingeRule> hinges(mesh.positions.size(), parts.hinges);
      double area = 0;
      for (const TriangleCorners& t : mesh.triangles) {
        const Triangle at = triangle_at(mesh.positions, t);
        area += 0.5 * (at[1] - at[0]).cross(at[2] - at[0]).norm();
      }
      for (Vec3& p : mesh.positions) {
        const Vec3 along(std::cos(angle), std::sin(angle), 0), side(-along.y(), along.x(), 0);
        const double s = p.dot(along) / radius, t = p.dot(side);
        p = radius * std::sin(s) * along + t * side + Vec3(0, 0, radius * (1 - std::cos(s)));
      }
      // Edges of the border have no hinge.
      EXPECT_NEAR(hinges.value(mesh.positions) / (0.5 * bend * area / (radius * radius)), 1, 0.025) << angle;
    }
}

// A strip that is clamped and hangs, as a beam: q L^4 / (8 E I). Its hinges let it twist while it bends,
// which makes it softer: squares that are cut all one way, by a fifth.
TEST(Thin, ClampedStripsHang) {
  const std::size_t along = 24, across = 4;
  const double size = 0.005, thickness = 0.002, young = 1e8, density = 1000;
  const double length = size * static_cast<double>(along - 1);
  const double expected =
      density * 9.81 * thickness * std::pow(length, 4) / (8 * young * std::pow(thickness, 3) / 12);
  ASSERT_LT(expected, 0.15 * length);
  const TriangleMesh mesh = sheet(along, across, size);
  SoftBody body =
      SoftBody::shell(mesh, thickness, {.density = density, .young = young, .poisson = 0}, calm());
  std::vector<std::uint32_t> clamped;
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
    if (mesh.positions[v].x() < 1.5 * size) clamped.push_back(v);
  body.fix(clamped);
  for (int i = 0; i < 5; ++i) body.step(0.5);
  const double sag = -body.positions()[along].z();
  EXPECT_GT(sag, expected);
  EXPECT_LT(sag, 1.4 * expected);
}

// Pulled in its plane, a sheet has Young's modulus.
TEST(Thin, ShellsStretchLikeSheets) {
  const double size = 0.005, thickness = 0.001, young = 1e6, strain = 0.001;
  const std::size_t along = 20, across = 20;
  const TriangleMesh mesh = sheet(along, across, size);
  SoftBodyOptions options = calm();
  options.gravity.setZero();
  SoftBody body = SoftBody::shell(mesh, thickness, {.young = young}, options);
  std::vector<std::uint32_t> ends;
  const double length = size * static_cast<double>(along);
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
    if (mesh.positions[v].x() < 1e-9 || mesh.positions[v].x() > length - 1e-9) ends.push_back(v);
  body.fix(ends);
  for (const std::uint32_t v : ends)
    body.move(v, mesh.positions[v] + Vec3(strain * mesh.positions[v].x(), 0, 0));
  for (int i = 0; i < 5; ++i) body.step(0.1);
  std::vector<Vec3> forces(mesh.positions.size());
  body.elastic_forces(forces);
  double pull = 0;
  for (const std::uint32_t v : ends)
    if (mesh.positions[v].x() > length / 2) pull -= forces[v].x();
  const double stress = pull / (thickness * size * static_cast<double>(across));
  // A net of squares with one diagonal each is no isotropic sheet: within a quarter.
  EXPECT_NEAR(stress, young * strain, 0.25 * young * strain);
}

// A string that is stretched has E/2 times its squared strain everywhere; together, nodes have all there is.
TEST(Thin, EnergyDensitiesAddUp) {
  const double young = 1e6, strain = 0.02, density = 800;
  const Material rubber{.density = density, .young = young, .poisson = 0.3};
  SoftBody rope = SoftBody::string(line(9, 0.2), 0.002, rubber, calm());
  std::vector<Vec3> x(rope.positions().begin(), rope.positions().end());
  for (Vec3& p : x) p *= 1 + strain;
  rope.set_positions(x);
  std::vector<double> densities(x.size());
  rope.energy_densities(densities);
  for (const double one : densities)
    EXPECT_NEAR(one, 0.5 * young * strain * strain, 1e-9 * young * strain * strain);

  SoftBody flag = SoftBody::shell(sheet(6, 4, 0.01), 0.001, rubber, calm());
  x.assign(flag.positions().begin(), flag.positions().end());
  Random random(3);
  shake(x, 0.002, random);
  flag.set_positions(x);
  densities.resize(x.size());
  flag.energy_densities(densities);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_GT(densities[i], 0);
    sum += densities[i] * flag.masses()[i] / density;
  }
  EXPECT_NEAR(sum, flag.elastic_energy(), 1e-12 * sum);
}

TEST(Thin, AllSolversAgree) {
  const TriangleMesh mesh = sheet(5, 4, 0.01);
  std::vector<Vec3> first;
  for (const std::string_view solver : solver_names()) {
    SoftBodyOptions options = calm(std::string(solver));
    // Averaged corrections are slow to get there.
    const double bound = solver == "xpbd_jacobi" ? 1e-4 : solver.starts_with("xpbd") ? 1e-5 : 1e-7;
    SoftBody body = SoftBody::shell(mesh, 0.003, {.young = 1e5}, options);
    const std::uint32_t corner[] = {0, 5};
    body.fix(corner);
    for (int i = 0; i < 3; ++i) body.step(0.005);
    if (first.empty()) first.assign(body.positions().begin(), body.positions().end());
    for (std::size_t i = 0; i < first.size(); ++i)
      ASSERT_LT((first[i] - body.positions()[i]).norm(), bound) << solver;
  }
}

TEST(ThinProperty, CrumpledSheetsAndStringsCalmDown) {
  each_case(4, [](Random& random) {
    const TriangleMesh mesh = sheet(8, 8, 0.01);
    SoftBodyOptions options;
    options.gravity.setZero();
    const Material material{.young = 1e6, .damping = random.chance(0.5) ? 0.01 : 0};
    SoftBody shell = SoftBody::shell(mesh, 0.002, material, options);
    SoftBody string = SoftBody::string(line(20, 0.2), 0.002, material, options);
    for (SoftBody* body : {&shell, &string}) {
      std::vector<Vec3> x(body->positions().begin(), body->positions().end());
      for (Vec3& p : x) p = 0.05 * testing::random_directions(random, 1)[0];
      body->set_positions(x);
      const double before = body->elastic_energy();
      for (int i = 0; i < 200; ++i) {
        body->step(1.0 / 60);
        for (const Vec3& p : body->positions()) ASSERT_TRUE(p.allFinite() && p.norm() < 1);
      }
      EXPECT_LT(body->elastic_energy(), 1e-2 * before);
    }
  });
}

TEST(Thin, WarmStepsAllocateNothingAndThreadsChangeNothing) {
  const TriangleMesh mesh = sheet(40, 30, 0.01);
  std::vector<Vec3> first;
  for (const int threads : {1, 2, 4})
    Threads(threads).run([&] {
      SoftBody body = SoftBody::shell(mesh, 0.002, {.young = 1e5, .damping = 0.001});
      const std::uint32_t corner[] = {0, 40};
      body.fix(corner);
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

TEST(Thin, MistakesAreNamed) {
  const auto expect = [&](auto&& call, std::string_view part) {
    try {
      call();
      ADD_FAILURE() << "was taken: " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
  };
  const TriangleMesh mesh = sheet(1, 1, 0.01);
  const std::vector<Vec3> points = line(3, 0.1);
  expect([&] { SoftBody::shell(mesh, 0, {}); }, "thickness is 0 m");
  expect([&] { SoftBody::shell(mesh, std::nan(""), {}); }, "thickness");
  expect([&] { SoftBody::shell(mesh, 0.01, {.young = -1}); }, "Young's modulus");
  expect([&] { SoftBody::string(points, -1, {}); }, "radius is -1 m");
  expect([&] { SoftBody::string({points.data(), 1}, 0.01, {}); }, "it has 1 points");
  expect([&] { SoftBody::string({points.data(), 2}, 0.01, {}, {}, true); }, "at least 3");
  TriangleMesh flat = mesh;
  flat.positions[1] = flat.positions[0];
  expect([&] { SoftBody::shell(flat, 0.01, {}); }, "triangle 0: it has no area");
  TriangleMesh far = mesh;
  far.triangles[1][2] = 9;
  expect([&] { SoftBody::shell(far, 0.01, {}); }, "9");
  TriangleMesh unused = mesh;
  unused.positions.emplace_back(1, 1, 1);
  expect([&] { SoftBody::shell(unused, 0.01, {}); }, "node 4");
  std::vector<Vec3> doubled = points;
  doubled[2] = doubled[1];
  expect([&] { SoftBody::string(doubled, 0.01, {}); }, "point 1");
  doubled[2].x() = std::nan("");
  expect([&] { SoftBody::string(doubled, 0.01, {}); }, "not a finite number");
  SoftBody body = SoftBody::shell(mesh, 0.01, {});
  expect([&] { body.change({}); }, "no tetrahedra");
  expect([&] { SoftBody::shell(mesh, 0.01, {.damping = 1}, {.solver = "xpbd"}); }, "knows no damping");
}

}  // namespace
}  // namespace palpate
