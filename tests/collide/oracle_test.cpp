// Detectors against a second brute force that shares no code with the library: see support/contact_oracle.h.
#include <palpate/collide/detector.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>

#include <Eigen/Geometry>

#include <support/cases.h>
#include <support/contact_oracle.h>
#include <support/contact_scenes.h>

namespace palpate {
namespace {

using testing::ContactOracle;
using testing::ContactScene;
using testing::each_case;
using testing::OracleRules;
using testing::OracleSurface;
using testing::Random;

// A scene with everything that the definition speaks of. `surfaces` say how things lie in the end.
struct Case {
  ContactScene scene;
  std::vector<OracleSurface> surfaces;
  OracleRules rules{};
};

std::vector<Vec3> shaken(Random& random, std::vector<Vec3> positions, double size) {
  for (Vec3& p : positions) p += testing::random_point(random, size);
  return positions;
}

// Folds bring near what keeps its shape and its neighbours; so does shrinking, evenly or along one axis.
std::vector<Vec3> deformed(Random& random, std::vector<Vec3> positions, double d) {
  const std::size_t sort = random.below(4);
  if (sort == 0) return shaken(random, positions, random.uniform(0, 0.5) * d);
  const Vec3 low = std::reduce(positions.begin(), positions.end(), positions[0],
                               [](const Vec3& a, const Vec3& b) { return Vec3(a.cwiseMin(b)); });
  const double squash = random.uniform(0.1, 1), all = random.chance(0.5) ? 1 : squash;
  const double step = random.uniform(0.5, 6) * d, angle = random.uniform(0.3, 1) * std::numbers::pi;
  for (Vec3& p : positions) {
    const Vec3 r = p - low;
    if (sort == 1) {
      p = low + squash * Vec3(r.x(), all * r.y(), all * r.z());
    } else if (sort == 2 && r.x() > step) {  // once, around a line
      p = low + Eigen::AngleAxisd(angle, -Vec3::UnitY()) * Vec3(r - Vec3(step, 0, 0)) + Vec3(step, 0, 0);
    } else if (sort == 3) {  // to and fro
      const double over = std::fmod(r.x(), 2 * step);
      p = low + Vec3(0.3 * d * std::floor(r.x() / step), r.y(), r.z() + std::min(over, 2 * step - over));
    }
  }
  return positions;
}

Case random_case(Random& random) {
  Case made{testing::random_scene(random), {}};
  if (random.chance(0.08))
    made.scene = {
        "wide sheet", {testing::sheet(8 + random.below(16), 3 + random.below(6))}, random.uniform(0.05, 0.6)};
  const double d = made.rules.distance = made.scene.distance;
  if (random.chance(0.4)) made.rules.neighbour_distance = random.chance(0.3) ? 0 : random.uniform(0, 6) * d;
  if (random.chance(0.4)) made.rules.margin = random.uniform(0, 1) * d;
  const bool rest = random.chance(0.4), moved = random.chance(0.5);
  const double aside = random.chance(0.5) ? 1 + 1e-9 : 1 - 1e-9;
  for (const TriangleMesh& mesh : made.scene.meshes) {
    OracleSurface surface = testing::oracle_surface(mesh, rest && random.chance(0.9));
    // A declared rest shape need not be how the mesh came.
    if (surface.rest_declared && random.chance(0.5)) surface.rest = shaken(random, surface.rest, 0.2 * d);
    if (moved && !mesh.positions.empty()) surface.mesh.positions = deformed(random, mesh.positions, d);
    // Everything right at half of its rest distance, a little more or less.
    if (surface.rest_declared && random.chance(0.2)) {
      surface.mesh.positions = surface.rest;
      for (Vec3& p : surface.mesh.positions) p *= aside * 0.5;
    }
    surface.self_contacts = random.chance(0.9);
    surface.fixed = !surface.rest_declared && !moved && random.chance(0.2);
    made.surfaces.push_back(std::move(surface));
  }
  const auto count = static_cast<std::uint32_t>(made.surfaces.size());
  for (std::uint32_t a = 0; a < count; ++a)
    for (std::uint32_t b = a; b < count; ++b)
      if (random.chance(0.15)) {
        std::optional<double> other;
        if (random.chance(0.7)) other = random.uniform(0.3, 2) * d;
        made.rules.pairs.push_back({a, b, other, random.chance(0.3)});
      }
  return made;
}

Detector detector_of(const Case& made, std::string_view finder) {
  const OracleRules& rules = made.rules;
  Detector detector({rules.distance, rules.neighbour_distance, rules.margin, std::string(finder)});
  std::vector<SurfaceId> ids;
  for (std::size_t i = 0; i < made.surfaces.size(); ++i) {
    const OracleSurface& surface = made.surfaces[i];
    SurfaceOptions options{.motion = surface.fixed ? Motion::fixed : Motion::deformable,
                           .self_contacts = surface.self_contacts};
    if (surface.rest_declared) options.rest = surface.rest;
    ids.push_back(detector.add(made.scene.meshes[i], options));
    if (!surface.fixed) detector.set_positions(ids[i], surface.mesh.positions);
  }
  for (const OracleRules::Pair& pair : rules.pairs) {
    if (pair.distance) detector.set_contact_distance(ids[pair.first], ids[pair.second], *pair.distance);
    detector.exclude(ids[pair.first], ids[pair.second], pair.excluded);
  }
  return detector;
}

TEST(OracleProperty, DetectorsFindWhatTheDefinitionSays) {
  std::size_t contacts = 0, in_margin = 0, between = 0;
  each_case(2000, [&](Random& random) {
    const Case made = random_case(random);
    ContactOracle oracle(made.surfaces, made.rules);
    const auto expected = oracle.all();
    SCOPED_TRACE(made.scene.name);
    const bool all_finders = random.chance(0.1);
    for (const FinderEntry& entry : finders()) {
      if (!all_finders && entry.name != "brute" && entry.name != "tree") continue;
      Detector detector = detector_of(made, entry.name);
      const ContactSet found = detector.detect();
      ASSERT_EQ(oracle.disagreement(detector, found.contacts, expected), "") << entry.name;
      if (entry.name == "tree")
        for (const Contact& contact : found) {
          ++contacts;
          in_margin += contact.in_margin;
          between += contact.first_surface != contact.second_surface ? 1 : 0;
        }
    }
  });
  // Few cases need not have all sorts.
  if (std::getenv("PALPATE_SEED") != nullptr || testing::fewer_cases()) return;
  EXPECT_GT(in_margin, 10'000u);
  EXPECT_GT(between, 10'000u);
  EXPECT_GT(contacts, between + 10'000u);
}

// The oracle itself, where the answer is known.
TEST(Oracle, KnowsSimpleDistances) {
  const TriangleMesh low{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};
  const TriangleMesh tip{{Vec3(0.25, 0.25, 0.05), Vec3(0.3, 0.25, 2), Vec3(0.25, 0.3, 2)}, {{0, 1, 2}}};
  const std::vector<OracleSurface> surfaces{testing::oracle_surface(low), testing::oracle_surface(tip)};
  const auto found = ContactOracle(surfaces, {.distance = 0.1}).all();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(testing::to_string(found[0].name), "vertex 0 of surface 1 and triangle 0 of surface 0");
  EXPECT_DOUBLE_EQ(found[0].distance, 0.05);
  EXPECT_TRUE(found[0].certain);
  EXPECT_EQ(ContactOracle(surfaces, {.distance = 0.049}).all().size(), 0u);
  EXPECT_FALSE(ContactOracle(surfaces, {.distance = 0.05}).all()[0].certain);
}

// A strip rolled up until its ends meet, which are 4 apart along it.
OracleSurface rolled_strip() {
  OracleSurface surface = testing::oracle_surface(testing::sheet(4, 1));
  const double r = 2 / std::numbers::pi;
  for (Vec3& p : surface.mesh.positions) {
    const double turn = 0.96 * p.x() / r;
    p = Vec3(r * std::cos(turn), p.y(), r * std::sin(turn));
  }
  return surface;
}

TEST(Oracle, KnowsDistancesAlongASurface) {
  const auto touches = [](double g) {
    return !ContactOracle({rolled_strip()}, {.distance = 0.3, .neighbour_distance = g}).all().empty();
  };
  EXPECT_TRUE(touches(3.999));
  EXPECT_FALSE(touches(4.001));
}

// Right at g, where the oracle leaves the answer open: sums of whole lengths are exact.
TEST(Oracle, TheNeighbourDistanceItselfIsFar) {
  for (const FinderEntry& entry : finders()) {
    Detector detector({.contact_distance = 0.3, .neighbour_distance = 4, .finder = std::string(entry.name)});
    const SurfaceId id = detector.add(testing::sheet(4, 1));
    detector.set_positions(id, rolled_strip().mesh.positions);
    EXPECT_GT(detector.detect().size(), 0u) << entry.name;
    detector.set_neighbour_distance(std::nextafter(4, 5));
    EXPECT_EQ(detector.detect().size(), 0u) << entry.name;
  }
}

}  // namespace
}  // namespace palpate
