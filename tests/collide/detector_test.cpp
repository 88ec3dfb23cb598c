// The detector as its users see it: what is a contact and what is not, changes from call to call, bad input.
#include <palpate/collide/detector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <support/allocation_counter.h>
#include <support/cases.h>
#include <support/contact_scenes.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

const TriangleMesh one_triangle{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};

TriangleMesh moved(TriangleMesh mesh, const Vec3& by) {
  for (Vec3& p : mesh.positions) p += by;
  return mesh;
}

bool same(std::span<const Contact> a, std::span<const Contact> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), testing::same_bits);
}

std::vector<Contact> copy(const ContactSet& set) { return {set.begin(), set.end()}; }

// What people are shown of a search holds all that was searched, at every depth.
TEST(Detector, ShowsBoxesThatHoldTheSurfaces) {
  const TriangleMesh ball = make(IcosphereShape{.radius = 1, .frequency = 16});
  const TriangleMesh other = moved(ball, Vec3(2.005, 0, 0));
  for (const char* finder : {"tree", "grid", "auto"}) {
    Detector detector({.contact_distance = 0.01, .finder = finder});
    detector.add(ball);
    detector.add(other);
    detector.detect();
    std::size_t last = 0;
    for (const std::size_t depth : {0u, 1u, 2u, 9u}) {
      std::vector<Box> boxes;
      detector.show_boxes(depth, boxes);
      ASSERT_FALSE(boxes.empty()) << finder;
      EXPECT_GE(boxes.size(), last) << finder;
      last = boxes.size();
      if (std::string_view(finder) != "tree") continue;
      for (const TriangleMesh* mesh : {&ball, &other})
        for (const Vec3& p : mesh->positions)
          EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
            return ((p - box.lo).array() > -1e-5).all() && ((box.hi - p).array() > -1e-5).all();
          }));
    }
    if (std::string_view(finder) == "tree") {
      EXPECT_GT(last, 100u) << "64 triangles each, at most";
    }
  }
  std::vector<Box> none;
  Detector brute({.finder = "brute"});
  brute.show_boxes(0, none);
  EXPECT_TRUE(none.empty());
}

TEST(Detector, FindsAVertexOverATriangle) {
  Detector detector({.contact_distance = 0.1});
  const SurfaceId ground = detector.add(one_triangle, {.name = "ground"});
  const SurfaceId tip =
      detector.add({{Vec3(0.25, 0.25, 0.05), Vec3(0.3, 0.25, 2), Vec3(0.25, 0.3, 2)}, {{0, 1, 2}}});
  const ContactSet found = detector.detect();
  ASSERT_EQ(found.size(), 1u);
  const Contact& contact = found.contacts[0];
  EXPECT_EQ(contact.kind(), ContactKind::vertex_triangle);
  EXPECT_EQ(detector.first_surface(contact), tip);
  EXPECT_EQ(detector.second_surface(contact), ground);
  EXPECT_EQ(detector.first_feature(contact), 0u);
  EXPECT_EQ(detector.second_feature(contact), 0u);
  EXPECT_DOUBLE_EQ(contact.distance, 0.05);
  EXPECT_NEAR((contact.normal - Vec3(0, 0, -1)).norm(), 0, 1e-15);
  EXPECT_NEAR(contact.second_weights()[0], 0.5, 1e-15);
  EXPECT_NEAR(contact.second_weights()[1], 0.25, 1e-15);
  EXPECT_EQ(contact.in_margin, 0u);
  EXPECT_EQ(found.stages.size(), 4u);
}

TEST(Detector, FindsTwoEdgesThatCross) {
  Detector detector({.contact_distance = 0.1});
  detector.add({{Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, -3)}, {{0, 1, 2}}});
  detector.add({{Vec3(0, -1, 0.05), Vec3(0, 1, 0.05), Vec3(0, 0, 3)}, {{0, 1, 2}}});
  const ContactSet found = detector.detect();
  ASSERT_EQ(found.size(), 1u);
  const Contact& contact = found.contacts[0];
  EXPECT_EQ(contact.kind(), ContactKind::edge_edge);
  EXPECT_DOUBLE_EQ(contact.distance, 0.05);
  EXPECT_NEAR(contact.normal.z(), 1, 1e-15);
  EXPECT_NEAR(contact.first_weights()[1], 0.5, 1e-15);
}

TEST(Detector, TheThresholdItselfIsFar) {
  const TriangleMesh above = moved(one_triangle, Vec3(0, 0, 0.5));
  for (const FinderEntry& entry : finders()) {
    Detector detector({.contact_distance = 0.5, .finder = std::string(entry.name)});
    detector.add(one_triangle);
    detector.add(above);
    EXPECT_EQ(detector.detect().size(), 0u) << entry.name;
    detector.set_contact_distance(std::nextafter(0.5, 1));
    EXPECT_GT(detector.detect().size(), 0u) << entry.name;
  }
}

TEST(Detector, MarginBringsMorePairsMarked) {
  Detector detector({.contact_distance = 0.1, .margin = 0.2});
  detector.add(one_triangle);
  const SurfaceId other = detector.add(moved(one_triangle, Vec3(0, 0, 0.25)));
  const std::size_t all = detector.detect().size();
  EXPECT_GT(all, 0u);
  for (const Contact& contact : detector.detect()) EXPECT_EQ(contact.in_margin, 1u);
  detector.set_positions(other, moved(one_triangle, Vec3(0, 0, 0.05)).positions);
  std::size_t near = 0;
  for (const Contact& contact : detector.detect()) {
    EXPECT_EQ(contact.in_margin == 0, contact.distance < 0.1);
    near += contact.in_margin == 0 ? 1 : 0;
  }
  EXPECT_GT(near, 0u);
}

TEST(Detector, ARestShapeNeverTouchesItself) {
  // Two sheets of one surface, nearer than d at rest.
  TriangleMesh mesh = testing::sheet(3, 3);
  const TriangleMesh above = moved(testing::sheet(3, 3), Vec3(0, 0, 0.2));
  for (const TriangleCorners& t : above.triangles)
    mesh.triangles.push_back({t[0] + 16, t[1] + 16, t[2] + 16});
  mesh.positions.insert(mesh.positions.end(), above.positions.begin(), above.positions.end());
  Detector bare({.contact_distance = 0.5}), detector({.contact_distance = 0.5});
  bare.add(mesh);
  EXPECT_GT(bare.detect().size(), 0u);
  const SurfaceId id = detector.add(mesh, {.rest = mesh.positions});
  EXPECT_EQ(detector.detect().size(), 0u);
  // At less than half the distance they had at rest they do.
  std::vector<Vec3> pressed = mesh.positions;
  for (std::size_t i = 16; i < 32; ++i) pressed[i].z() = 0.11;
  detector.set_positions(id, pressed);
  EXPECT_EQ(detector.detect().size(), 0u);
  for (std::size_t i = 16; i < 32; ++i) pressed[i].z() = 0.09;
  detector.set_positions(id, pressed);
  EXPECT_GT(detector.detect().size(), 0u);
  // Triangles made later count at once.
  std::vector<std::uint32_t> places;
  detector.set_positions(id, mesh.positions);
  const std::vector<std::uint32_t> gone{0};
  const std::vector<TriangleCorners> back{mesh.triangles[0]};
  detector.remove_triangles(id, gone);
  detector.add_triangles(id, back, places);
  EXPECT_EQ(places, gone);
  EXPECT_GT(detector.detect().size(), 0u);
}

TEST(Detector, PairsCanBeExcludedAndHaveTheirOwnDistance) {
  Detector detector({.contact_distance = 0.1});
  const SurfaceId a = detector.add(one_triangle), b = detector.add(moved(one_triangle, Vec3(0, 0, 0.05)));
  EXPECT_GT(detector.detect().size(), 0u);
  detector.exclude(a, b);
  EXPECT_EQ(detector.detect().size(), 0u);
  detector.exclude(b, a, false);
  EXPECT_GT(detector.detect().size(), 0u);
  detector.set_contact_distance(a, b, 0.01);
  EXPECT_EQ(detector.detect().size(), 0u);
  detector.set_contact_distance(b, a, 0.06);
  EXPECT_GT(detector.detect().size(), 0u);
  detector.remove(b);
  EXPECT_EQ(detector.detect().size(), 0u);
  // The next surface in the slot is a new one.
  detector.add(moved(one_triangle, Vec3(0, 0, 0.095)));
  EXPECT_GT(detector.detect().size(), 0u);
}

TEST(Detector, RigidSurfacesFollowTheirPose) {
  for (const FinderEntry& entry : finders()) {
    Detector detector({.contact_distance = 0.1, .finder = std::string(entry.name)});
    detector.add(testing::sheet(4, 4), {.motion = Motion::fixed});
    const SurfaceId tool = detector.add(one_triangle, {.motion = Motion::rigid});
    Pose pose;
    pose.position = Vec3(2, 2, 5);
    detector.set_pose(tool, pose);
    EXPECT_EQ(detector.detect().size(), 0u) << entry.name;
    pose.rotation = Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()));
    pose.position = Vec3(2.2, 2.3, 0.05);
    detector.set_pose(tool, pose);
    EXPECT_GT(detector.detect().size(), 0u) << entry.name;
  }
}

TEST(Detector, TwoFixedSurfacesNeverTouch) {
  Detector detector({.contact_distance = 0.1});
  detector.add(one_triangle, {.motion = Motion::fixed});
  detector.add(one_triangle, {.motion = Motion::fixed});
  EXPECT_EQ(detector.detect().size(), 0u);
}

// Rigid, fixed and deformable surfaces, moving, for all finders: those that keep something from call to call
// must not be led astray by it.
TEST(DetectorProperty, AllFindersAgreeCallAfterCall) {
  each_case(60, [](Random& random) {
    std::vector<Detector> detectors;
    const double d = random.uniform(0.05, 0.4);
    for (const FinderEntry& entry : finders())
      detectors.emplace_back(DetectorOptions{d, {}, 0, std::string(entry.name)});
    std::vector<SurfaceId> ids;
    std::vector<TriangleMesh> meshes;
    std::vector<Motion> motions;
    for (std::size_t i = 2 + random.below(5); i > 0; --i) {
      meshes.push_back(testing::random_soup(random, 1 + random.below(30), 1, 0.4));
      motions.push_back(static_cast<Motion>(random.below(3)));
      for (Detector& detector : detectors) {
        const SurfaceId id = detector.add(meshes.back(), {.motion = motions.back()});
        if (&detector == &detectors[0]) ids.push_back(id);
      }
    }
    for (int step = 0; step < 6; ++step) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (random.chance(0.3)) continue;
        Pose pose;
        pose.rotation =
            Quat(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 1.1).normalized();
        pose.position = testing::random_point(random, 1);
        std::vector<Vec3> positions = meshes[i].positions;
        for (Vec3& p : positions) p += testing::random_point(random, 0.3);
        for (Detector& detector : detectors) {
          if (motions[i] == Motion::rigid) detector.set_pose(ids[i], pose);
          if (motions[i] == Motion::deformable) detector.set_positions(ids[i], positions);
        }
      }
      if (random.chance(0.2) && ids.size() > 1) {
        for (Detector& detector : detectors) detector.exclude(ids[0], ids[1], step % 2 == 0);
      }
      if (random.chance(0.2)) {
        for (Detector& detector : detectors) detector.set_contact_distance(ids[0], ids.back(), 1.3 * d);
      }
      const std::vector<Contact> expected = copy(detectors.back().detect());
      for (std::size_t k = 0; k < detectors.size(); ++k)
        ASSERT_TRUE(same(copy(detectors[k].detect()), expected)) << finders()[k].name << " in step " << step;
    }
  });
}

TEST(Detector, ChangesOfASurfaceThatIsExcludedFromItself) {
  for (const FinderEntry& entry : finders()) {
    Detector detector({.contact_distance = 0.3, .finder = std::string(entry.name)});
    const SurfaceId a = detector.add(testing::sheet(3, 3));
    detector.add(moved(testing::sheet(3, 3), Vec3(0, 0, 0.2)));
    detector.detect();
    detector.exclude(a, a);
    const std::vector<Vec3> more{Vec3(0, 0, 0.4), Vec3(1, 0, 0.4), Vec3(0, 1, 0.4)};
    const std::uint32_t first = detector.add_vertices(a, more);
    const std::vector<TriangleCorners> made{{first, first + 1, first + 2}};
    std::vector<std::uint32_t> places;
    const std::size_t before = detector.detect().size();
    detector.add_triangles(a, made, places);
    EXPECT_GT(detector.detect().size(), before) << entry.name;
    detector.exclude(a, a, false);
    EXPECT_GT(detector.detect().size(), before) << entry.name;
  }
}

TEST(DetectorProperty, NumberingChangesNothingButIds) {
  each_case(100, [](Random& random) {
    const testing::ContactScene scene = testing::random_scene(random);
    const TriangleMesh& mesh = scene.meshes[0];
    TriangleMesh other = mesh;
    std::vector<std::uint32_t> place(mesh.positions.size());
    for (std::uint32_t i = 0; i < place.size(); ++i) place[i] = i;
    for (std::size_t i = place.size(); i > 1; --i) std::swap(place[i - 1], place[random.below(i)]);
    for (std::size_t i = 0; i < place.size(); ++i) other.positions[place[i]] = mesh.positions[i];
    for (TriangleCorners& t : other.triangles) {
      for (std::uint32_t& v : t) v = place[v];
      std::rotate(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(random.below(3)), t.end());
      if (random.chance(0.5)) std::swap(t[0], t[1]);
    }
    other = testing::shuffled(random, other);
    std::vector<std::uint32_t> back(place.size());
    for (std::uint32_t i = 0; i < place.size(); ++i) back[place[i]] = i;
    // Each contact by its vertices, numbered as at first; the surfaces in either order.
    using Feature = std::vector<std::pair<std::size_t, std::uint32_t>>;
    const auto named = [&](const TriangleMesh& one, std::span<const std::uint32_t> numbers, bool reversed) {
      std::vector<TriangleMesh> meshes{one};
      meshes.insert(meshes.end(), scene.meshes.begin() + 1, scene.meshes.end());
      if (reversed) std::reverse(meshes.begin(), meshes.end());
      Detector detector({.contact_distance = scene.distance});
      for (const TriangleMesh& m : meshes) detector.add(m);
      std::vector<std::tuple<ContactKind, Feature, Feature, double>> all;
      for (const Contact& contact : detector.detect()) {
        const auto feature = [&](std::span<const std::uint32_t> vertices, std::uint32_t slot) {
          const std::size_t surface = reversed ? meshes.size() - 1 - slot : slot;
          Feature result;
          for (std::uint32_t v : vertices) {
            v -= detector.surfaces()[slot].first_vertex;
            result.emplace_back(surface, surface == 0 && !numbers.empty() ? numbers[v] : v);
          }
          std::sort(result.begin(), result.end());
          return result;
        };
        const Surfaces& surfaces = detector.surfaces();
        const auto edge = [&](std::uint32_t side) {
          return std::array{surfaces.side_begin(side), surfaces.side_end(side)};
        };
        const bool edges = contact.kind() == ContactKind::edge_edge;
        Feature first = edges ? feature(edge(contact.first()), contact.first_surface)
                              : feature(std::array{contact.first()}, contact.first_surface);
        Feature second = edges ? feature(edge(contact.second()), contact.second_surface)
                               : feature(surfaces.triangles()[contact.second()], contact.second_surface);
        if (edges && second < first) std::swap(first, second);
        all.emplace_back(contact.kind(), std::move(first), std::move(second), contact.distance);
      }
      std::sort(all.begin(), all.end());
      return all;
    };
    ASSERT_EQ(named(mesh, {}, false), named(other, back, random.chance(0.5))) << scene.name;
  });
}

// A neighbour distance as long as the surface: what lies near along it is then looked up, not listed.
TEST(Detector, AVeryLongNeighbourDistanceTakesNoMoreMemory) {
  const TriangleMesh rolled = testing::bent(testing::sheet(60, 8), [](const Vec3& p) {
    const double turn = p.x() / 4, r = 4 + 0.1 * turn;
    return Vec3(r * std::cos(turn), r * std::sin(turn), p.y());
  });
  for (const double g : {2.0, 25.0, 60.0, 1000.0}) {
    std::vector<Contact> expected;
    std::size_t memory = 0;
    for (const FinderEntry& entry : finders()) {
      if (entry.name == "brute" && g != 25) continue;  // it takes its time
      Detector detector(
          {.contact_distance = 0.9, .neighbour_distance = g, .finder = std::string(entry.name)});
      const SurfaceId id = detector.add(rolled);
      EXPECT_EQ(detector.surfaces().slots().size(), 1u);
      std::vector<Contact> found = copy(detector.detect());
      // Some triangles go, and come back: the paths are others, and the same again.
      const std::vector<std::uint32_t> cut{100, 101, 102, 600, 601};
      std::vector<TriangleCorners> gone;
      for (const std::uint32_t t : cut) gone.push_back(rolled.triangles[t]);
      std::vector<std::uint32_t> places;
      detector.remove_triangles(id, cut);
      const std::vector<Contact> without = copy(detector.detect());
      found.insert(found.end(), without.begin(), without.end());
      detector.add_triangles(id, gone, places);
      const ContactSet again = detector.detect();
      memory = std::max(memory, again.memory);
      found.insert(found.end(), again.begin(), again.end());
      if (expected.empty()) expected = found;
      EXPECT_TRUE(same(found, expected)) << entry.name << " with g = " << g;
      EXPECT_EQ(detector.surfaces()[0].paths != nullptr, g > 10);
    }
    EXPECT_EQ(expected.empty(), g > 50) << g;
    EXPECT_LT(memory, 30u << 20u);
  }
}

TEST(Detector, SameBytesForAnyNumberOfThreads) {
  KnotShape shape;
  TriangleMesh knot = make(shape);
  for (Vec3& p : knot.positions) p.z() *= 0.2;  // pressed flat, so that it touches itself
  for (const FinderEntry& entry : finders()) {
    if (entry.name == "brute") continue;
    std::vector<Contact> expected;
    for (const int threads : {1, 2, 5}) {
      Threads(threads).run([&] {
        Detector detector({.contact_distance = 0.005, .finder = std::string(entry.name)});
        detector.add(knot);
        const std::vector<Contact> found = copy(detector.detect());
        EXPECT_GT(found.size(), 1000u);
        if (expected.empty()) expected = found;
        EXPECT_TRUE(same(found, expected)) << entry.name << " with " << threads << " threads";
      });
    }
  }
}

TEST(Detector, KeysStayWhileThingsMove) {
  Detector detector({.contact_distance = 0.3});
  const SurfaceId a = detector.add(testing::sheet(3, 3));
  detector.add(moved(testing::sheet(3, 3), Vec3(0, 0, 0.2)));
  const std::vector<Contact> before = copy(detector.detect());
  detector.set_positions(a, moved(testing::sheet(3, 3), Vec3(0, 0, 0.01)).positions);
  const std::vector<Contact> after = copy(detector.detect());
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].key, after[i].key);
}

TEST(Detector, TheDefaultSaysWhatItPicked) {
  const TriangleMesh ball = make(IcosphereShape{});
  Detector detector({.contact_distance = 0.05});
  const SurfaceId id = detector.add(ball);
  const auto starts = [&](std::string_view word) { return detector.detect().remark.starts_with(word); };
  EXPECT_TRUE(starts("grid")) << detector.detect().remark;
  const auto calls_to_tree = [&] {
    int calls = 0;
    while (!starts("tree") && calls < 10'000) ++calls;
    return calls;
  };
  EXPECT_LT(calls_to_tree(), 1000);
  // What was cut goes to the grid again.
  const TriangleCorners first = ball.triangles[0];
  std::vector<std::uint32_t> places;
  detector.remove_triangles(id, std::vector<std::uint32_t>{0});
  detector.add_triangles(id, std::vector<TriangleCorners>{first}, places);
  EXPECT_TRUE(starts("grid")) << detector.detect().remark;
  EXPECT_LT(calls_to_tree(), 1000);
}

TEST(Detector, AWarmCallAllocatesNothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  TriangleMesh mesh = testing::bent(testing::sheet(20, 20),
                                    [](const Vec3& p) { return Vec3(p.x(), p.y(), 2 * std::sin(p.x())); });
  for (const std::string finder : {"auto", "tree", "grid"}) {
    SCOPED_TRACE(finder);
    Detector detector({.contact_distance = 0.6, .finder = finder});
    const SurfaceId id = detector.add(mesh);
    detector.add(moved(mesh, Vec3(0, 0, 0.5)));
    Threads(1).run([&] {
      // Enough calls for the default to have made its choice.
      for (int i = 0; i < 100; ++i) {
        detector.set_positions(id, mesh.positions);
        detector.detect();
      }
      std::size_t contacts = 0;
      EXPECT_EQ(testing::allocations_in([&] {
                  detector.set_positions(id, mesh.positions);
                  contacts = detector.detect().size();
                }),
                0u);
      EXPECT_GT(contacts, 1000u);
    });
  }
}

template <class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Detector, RefusesWhatIsBadAndKeepsWhatItHas) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Detector detector({.contact_distance = 0.1});
  const SurfaceId cloth = detector.add(one_triangle, {.name = "cloth"});
  const SurfaceId tool =
      detector.add(moved(one_triangle, Vec3(0, 0, 0.05)), {.name = "tool", .motion = Motion::rigid});
  const std::vector<Contact> before = copy(detector.detect());
  std::vector<Vec3> bad = one_triangle.positions;
  bad[1].y() = nan;
  EXPECT_NE(message_of([&] { detector.set_positions(cloth, bad); }).find("surface 'cloth', vertex 1"),
            std::string::npos);
  bad[1].y() = std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of([&] { detector.set_positions(cloth, bad); }).find("vertex 1"), std::string::npos);
  bad.pop_back();
  EXPECT_NE(message_of([&] { detector.set_positions(cloth, bad); }).find("2 positions"), std::string::npos);
  EXPECT_NE(message_of([&] { detector.set_positions(tool, one_triangle.positions); }).find("pose"),
            std::string::npos);
  EXPECT_NE(message_of([&] { detector.set_pose(cloth, {}); }).find("not rigid"), std::string::npos);
  Pose pose;
  pose.position.x() = nan;
  EXPECT_NE(message_of([&] { detector.set_pose(tool, pose); }).find("tool"), std::string::npos);
  pose = {};
  pose.rotation = Quat(2, 0, 0, 0);
  EXPECT_NE(message_of([&] { detector.set_pose(tool, pose); }).find("tool"), std::string::npos);
  EXPECT_NE(message_of([&] {
              detector.add({one_triangle.positions, {{0, 1, 3}}});
            }).find("corner 3"),
            std::string::npos);
  EXPECT_NE(message_of([&] { detector.add(one_triangle, {.rest = bad}); }).find("rest positions"),
            std::string::npos);
  EXPECT_NE(message_of([&] { detector.set_contact_distance(0); }).find("contact distance"),
            std::string::npos);
  EXPECT_NE(message_of([&] { detector.set_contact_distance(nan); }).find("contact distance"),
            std::string::npos);
  EXPECT_NE(message_of([&] { detector.set_margin(-1); }).find("margin"), std::string::npos);
  EXPECT_NE(message_of([&] { detector.set_finder("gird"); }).find("'grid'"), std::string::npos);
  EXPECT_NE(message_of([&] { detector.set_finder("octree-of-mine"); }).find("brute"), std::string::npos);
  const std::vector<std::uint32_t> none{7};
  EXPECT_NE(message_of([&] { detector.remove_triangles(cloth, none); }).find("triangle 7"),
            std::string::npos);
  EXPECT_TRUE(same(copy(detector.detect()), before));
  detector.remove(tool);
  EXPECT_NE(message_of([&] { detector.set_pose(tool, {}); }).find("there is none"), std::string::npos);
  EXPECT_NE(message_of([&] { detector.remove(SurfaceId{}); }).find("there is none"), std::string::npos);
}

TEST(Detector, EmptyThingsAreLegal) {
  for (const FinderEntry& entry : finders()) {
    Detector detector({.contact_distance = 0.1, .finder = std::string(entry.name)});
    EXPECT_EQ(detector.detect().size(), 0u);
    detector.add({});
    detector.add({{Vec3(0, 0, 0)}, {}});
    const SurfaceId id = detector.add(one_triangle);
    EXPECT_EQ(detector.detect().size(), 0u);
    const std::vector<std::uint32_t> all{0};
    detector.remove_triangles(id, all);
    EXPECT_EQ(detector.detect().size(), 0u);
  }
}

}  // namespace
}  // namespace palpate
