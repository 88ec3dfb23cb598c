// Damping as a term: the fast code against the plain formulas, also after changes.
#include <palpate/soft/damping_term.h>

#include <algorithm>
#include <cmath>

#include <soft/blocks.h>
#include <solve/term_checks.h>
#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/parallel.h>
#include <palpate/soft/elements.h>
#include <palpate/soft/soft_body.h>

namespace palpate {
namespace {

using testing::block;
using testing::each_case;
using testing::Random;

Mat3 green_strain(const Mat3& f) { return 0.5 * (f.transpose() * f - Mat3::Identity()); }

// The formulas of damping_term.h, one element after the other.
struct Plain {
  double energy = 0, energies = 0;  // energies: what was summed up, and what was subtracted on the way
  double forces = 0;                // the largest of the same
  std::vector<Vec3> gradient;

  Plain(const TetMesh& mesh, std::span<const Material> materials, std::span<const Vec3> before,
        std::span<const Vec3> x, double step)
      : gradient(x.size(), Vec3::Zero()) {
    for (std::size_t e = 0; e < mesh.tets.size(); ++e) {
      const double eta = materials[materials.size() == 1 ? 0 : e].damping;
      if (is_hole(mesh.tets[e]) || eta == 0) continue;
      const TetShape shape(tet_at(mesh.positions, mesh.tets[e]));
      const Elasticity elasticity = elasticity_of(materials, e);
      const double lambda = eta * std::max(0.0, elasticity.lambda), mu = eta * elasticity.mu;
      const Mat3 f = shape.gradient(tet_at(x, mesh.tets[e]));
      const Mat3 now = green_strain(f), then = green_strain(shape.gradient(tet_at(before, mesh.tets[e])));
      const Mat3 change = now - then;
      const double part =
          shape.volume / step * (mu * change.squaredNorm() + 0.5 * lambda * change.trace() * change.trace());
      energy += part;
      const double size = now.norm() + then.norm() + 1;
      energies += shape.volume / step * (mu + lambda) * size * size;
      const Mat3 stress = (2 * mu * change + lambda * change.trace() * Mat3::Identity()) / step;
      const std::array<Vec3, 4> pull = shape.pull(f * stress);
      for (std::size_t k = 0; k < 4; ++k) {
        gradient[mesh.tets[e][k]] += pull[k];
        forces = std::max(
            forces, shape.volume / step * (2 * mu + 3 * lambda) * size * f.norm() * shape.slope(k).norm());
      }
    }
  }
};

void expect_plain(DampingTerm& term, const TetMesh& mesh, std::span<const Material> materials,
                  std::span<const Vec3> before, std::span<const Vec3> x, double step) {
  const Plain plain(mesh, materials, before, x, step);
  term.begin_step(before, step);
  std::vector<Vec3> gradient(x.size(), Vec3::Zero());
  ASSERT_NEAR(term.add_gradient(x, gradient), plain.energy, 1e-12 * plain.energies);
  ASSERT_NEAR(term.value(x), plain.energy, 1e-12 * plain.energies);
  for (std::uint32_t i = 0; i < x.size(); ++i) {
    ASSERT_LE((gradient[i] - plain.gradient[i]).norm(), 1e-12 * plain.forces) << "node " << i;
    Vec3 own = Vec3::Zero();
    Mat3 stiffness = Mat3::Zero();
    term.add_block(i, x, own, stiffness);
    ASSERT_LE((own - plain.gradient[i]).norm(), 1e-12 * plain.forces) << "node " << i << " alone";
  }
}

std::vector<Material> random_materials(std::size_t count, Random& random) {
  std::vector<Material> materials;
  for (std::size_t i = 0; i < count; ++i)
    materials.push_back({.young = std::abs(random.magnitude(1e3, 1e9)),
                         .poisson = random.uniform(-0.5, 0.499),
                         .damping = random.chance(0.3) ? 0 : std::abs(random.magnitude(1e-5, 1))});
  return materials;
}

// Over several blocks of elements: also flat, inside out, on one point, far away, and where nothing moves.
std::vector<Vec3> random_positions(const TetMesh& mesh, double size, Random& random) {
  std::vector<Vec3> x = mesh.positions;
  const double shaken = random.chance(0.5) ? 0.1 : 2;
  for (Vec3& p : x) p += shaken * size * testing::random_directions(random, 1)[0];
  const std::size_t how = random.below(8);
  const Vec3 far = 1000 * size * Vec3(1, -2, 3);
  for (Vec3& p : x) {
    if (how == 0) p.z() = 0;
    if (how == 1) p.x() = -p.x();
    if (how == 2) p.setZero();
    if (how == 3) p += far;
  }
  return x;
}

TEST(DampingTermProperty, PacksAgreeWithThePlainFormulas) {
  each_case(24, [](Random& random) {
    const double size = std::abs(random.magnitude(1e-3, 1e2)), step = std::abs(random.magnitude(1e-5, 1));
    const TetMesh mesh = block(1 + random.below(9), 1 + random.below(6), 1 + random.below(5), size);
    const std::vector<Material> materials =
        random_materials(random.chance(0.3) ? 1 : mesh.tets.size(), random);
    DampingTerm term(mesh, materials);
    EXPECT_EQ(term.empty(), std::none_of(materials.begin(), materials.end(),
                                         [](const Material& m) { return m.damping > 0; }));
    for (int round = 0; round < 2; ++round) {
      const std::vector<Vec3> before = random_positions(mesh, size, random);
      const std::vector<Vec3> x = random.chance(0.2) ? before : random_positions(mesh, size, random);
      expect_plain(term, mesh, materials, before, x, step);
    }
  });
}

TEST(DampingTermProperty, ChangedElementsAgreeToo) {
  each_case(24, [](Random& random) {
    const double size = 0.01;
    TetMesh mesh = block(1 + random.below(9), 1 + random.below(6), 1 + random.below(5), size);
    std::vector<Material> materials = random_materials(mesh.tets.size(), random);
    materials[0].damping = 0.1;
    DampingTerm term(mesh, materials);
    std::vector<Vec3> before = random_positions(mesh, size, random);
    for (int round = 0; round < 6; ++round) {
      std::vector<std::uint32_t> changed;
      for (std::uint32_t e = 0; e < mesh.tets.size(); ++e) {
        if (!random.chance(0.1)) continue;
        changed.push_back(e);
        // Gone, like another one, or torn off a node that gets a double.
        const std::size_t what = random.below(3);
        if (what == 0) mesh.tets[e] = hole;
        if (what == 1) materials[e] = materials[random.below(materials.size())];
        if (what == 2 && !is_hole(mesh.tets[e])) {
          std::uint32_t& corner = mesh.tets[e][random.below(4)];
          mesh.positions.push_back(Vec3(mesh.positions[corner]));
          before.push_back(Vec3(before[corner]));
          corner = static_cast<std::uint32_t>(mesh.positions.size() - 1);
        }
      }
      for (std::size_t k = random.below(40); k > 0; --k) {  // more elements than there were
        changed.push_back(static_cast<std::uint32_t>(mesh.tets.size()));
        mesh.tets.push_back(TetCorners(mesh.tets[random.below(mesh.tets.size())]));
        materials.push_back(Material(materials[random.below(materials.size())]));
      }
      term.update(mesh, materials, changed);
      expect_plain(term, mesh, materials, before, random_positions(mesh, size, random), 0.01);
    }
  });
}

TEST(DampingTerm, SameBytesForAnyNumberOfThreadsAndNoAllocations) {
  const TetMesh mesh = block(12, 6, 6, 0.01);
  for (const std::string solver : {"quasi_newton", "vertex"}) {
    std::vector<Vec3> expected;
    for (const int threads : {1, 2, 4})
      Threads(threads).run([&] {
        SoftBodyOptions options;
        options.solver = solver;
        options.solve.iterations = 5;
        SoftBody body(mesh, {.young = 1e5, .damping = 0.01}, options);
        std::vector<Vec3> x = mesh.positions;
        for (Vec3& p : x) p = Vec3(1.3 * p.x(), p.y(), p.z() + p.x() * p.x());
        body.set_positions(x);
        for (int i = 0; i < 4; ++i) body.step(0.01);
        x.assign(body.positions().begin(), body.positions().end());
        if (expected.empty()) expected = x;
        EXPECT_EQ(x, expected) << solver << ", " << threads << " threads";
        if (testing::counts_allocations() && threads == 1) {
          EXPECT_EQ(testing::allocations_in([&] { body.step(0.01); }), 0u) << solver;
        }
      });
  }
}

}  // namespace
}  // namespace palpate
