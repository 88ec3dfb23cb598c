// Going back in time, and the same bytes again.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <support/cases.h>
#include <world/world_cases.h>

#include <palpate/base/build_facts.h>
#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/solve/solver.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;

double orient(const SoftBody& body, const TetCorners& t) {
  const auto at = [&](std::size_t k) {
    return t[k] < body.positions().size() ? body.rest().positions[t[k]] : body.rest().positions[0];
  };
  return (at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0));
}

void go(World& world, int steps) {
  for (int i = 0; i < steps; ++i) world.step(frame);
}

TEST(Snapshot, RestoredWorldsGoOnTheSame) {
  for (const std::string_view solver : solver_names())
    for (const int substeps : {1, 2}) {
      SCOPED_TRACE(solver);
      const auto world = testing::mixed_world(substeps, solver);
      go(*world, 5);
      const Snapshot then = world->snapshot();
      const std::uint64_t hash_then = world->hash();
      go(*world, 10);
      const std::uint64_t hash_later = world->hash();
      EXPECT_NE(hash_then, hash_later);
      world->restore(then);
      EXPECT_EQ(world->hash(), hash_then);
      EXPECT_EQ(world->snapshot().bytes, then.bytes);
      go(*world, 10);
      EXPECT_EQ(world->hash(), hash_later) << "back and on";
      const auto other = testing::mixed_world(substeps, solver);
      other->restore(then);
      go(*other, 10);
      EXPECT_EQ(other->hash(), hash_later) << "in a world that never was there";
      EXPECT_EQ(other->steps(), 15u);
    }
}

// While the factor of a changed body is still being made in the background, too.
TEST(Snapshot, NodesMayBeFixedAndReleasedOnTheWay) {
  const auto run = [](World& world, int from, int to, Snapshot* at, int when) {
    for (int i = from; i < to; ++i) {
      if (at != nullptr && i == when) world.snapshot(*at);
      SoftBody& body = world.soft(world.find("held"));
      const std::vector<std::uint32_t> some = {1, 2, 3};
      if (i == 4) body.fix(some);
      if (i == 6) body.release(some);
      if (i == 7) body.fix(std::vector<std::uint32_t>{5});
      if (i == 8) body.set_force(2, Vec3(0, 1, 0));
      world.step(frame);
    }
  };
  const auto whole = testing::mixed_world();
  run(*whole, 0, 15, nullptr, 0);
  for (int when = 3; when < 12; ++when) {
    const auto world = testing::mixed_world(), other = testing::mixed_world();
    Snapshot then;
    run(*world, 0, 15, &then, when);
    ASSERT_EQ(world->hash(), whole->hash()) << when;
    world->restore(then);
    run(*world, when, 15, nullptr, 0);
    EXPECT_EQ(world->hash(), whole->hash()) << when;
    other->restore(then);
    run(*other, when, 15, nullptr, 0);
    EXPECT_EQ(other->hash(), whole->hash()) << when;
  }
}

// Elements that were changed, with the old factor still in use; and a step of another length on the way.
TEST(Snapshot, ChangedBodiesAndOtherStepsGoOnTheSame) {
  const auto cut = [](World& world) {
    SoftChange change;
    change.removed = {3, 7};
    const SoftBody& body = world.soft(world.find("held"));
    change.nodes = {{body.rest().positions[0], body.positions()[0], Vec3::Zero()}};
    const TetCorners& like = body.rest().tets[10];
    change.added = {{{static_cast<std::uint32_t>(body.positions().size()), like[1], like[2], like[3]}, 10}};
    if (!(orient(body, change.added[0].corners) > 0)) change.added.clear();
    world.soft(world.find("held")).change(change);
  };
  for (const int before : {0, 1, 3}) {
    const auto world = testing::mixed_world();
    go(*world, 4);
    cut(*world);
    go(*world, before);
    const Snapshot then = world->snapshot();
    go(*world, 8);
    const std::uint64_t later = world->hash();
    world->restore(then);
    go(*world, 8);
    EXPECT_EQ(world->hash(), later) << before;
    world->restore(then);
    world->step(1.0 / 240);
    world->restore(then);
    go(*world, 8);
    EXPECT_EQ(world->hash(), later) << "after a step of another length";
  }
}

TEST(Snapshot, ThreadsMakeNoDifference) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    const auto world = testing::mixed_world();
    Threads(threads).run([&] { go(*world, 20); });
    hashes.push_back(world->hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Snapshot, FilesComeBack) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("palpate_snapshot_test_" + std::to_string(::getpid())))
          .string();
  const auto world = testing::mixed_world();
  go(*world, 3);
  write_snapshot(path, world->snapshot());
  const auto other = testing::mixed_world();
  other->restore(read_snapshot(path));
  EXPECT_EQ(other->hash(), world->hash());
  // Bytes that are changed, missing or foreign.
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto expect_refused = [&](const std::string& changed, std::string_view word) {
    std::ofstream(path, std::ios::binary) << changed;
    try {
      read_snapshot(path);
      ADD_FAILURE() << "accepted, " << word;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  expect_refused("", "no snapshot");
  expect_refused("solid cube\n", "no snapshot");
  std::string newer = bytes;
  newer[17] = 9;
  expect_refused(newer, "version");
  testing::Random random(3);
  for (int i = 0; i < 50; ++i) {
    std::string changed = bytes;
    changed[21 + random.below(bytes.size() - 21)] ^= static_cast<char>(1 << random.below(8));
    expect_refused(changed, "damaged");
    expect_refused(bytes.substr(0, 21 + random.below(bytes.size() - 21)), "cut off");
  }
  std::filesystem::remove(path);
  EXPECT_THROW(read_snapshot(path), Error);
  EXPECT_THROW(write_snapshot("/nowhere/at/all", world->snapshot()), Error);
}

TEST(Snapshot, OtherWorldsRefuseByName) {
  const auto world = testing::mixed_world();
  go(*world, 2);
  const Snapshot then = world->snapshot();
  const auto expect_refused = [&](World& other, std::string_view word) {
    const std::uint64_t before = other.hash();
    try {
      other.restore(then);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
    EXPECT_EQ(other.hash(), before) << "what is refused changes nothing";
  };
  World empty;
  expect_refused(empty, "floor");
  const auto fewer = testing::mixed_world();
  fewer->remove(fewer->find("embedded"));
  expect_refused(*fewer, "embedded");
  const auto jointless = testing::mixed_world();
  jointless->add_joint({}, jointless->find("b"), {.kind = JointKind::ball, .point = Vec3(0, 2, 1)});
  expect_refused(*jointless, "joints");
  const auto projected = testing::mixed_world(1, "vertex");
  expect_refused(*projected, "solved by quasi_newton");
  const auto more = testing::mixed_world();
  more->add_static(make(BoxShape{}), {.name = "one more"});
  expect_refused(*more, "one more");
}

// Two boxes on a joint and a soft one: what is asked for here is what differs.
struct Parts {
  RigidMass mass = {.mass = 2, .moments = Vec3(1, 1.5, 2), .frame = {}};
  JointOptions joint = {.kind = JointKind::ball, .point = Vec3(0, 1, 0)};
  bool joined_to_world = false;
  Material material = {.density = 1000, .young = 2e5, .poisson = 0.4, .damping = 0.01};
  bool same_everywhere = true;  // of the material
  double last_node = 0;         // where it is besides [m]
  double thickness = 0.002;     // of the sheet [m]
};

std::unique_ptr<World> world_of(const Parts& parts) {
  auto world = std::make_unique<World>();
  const TriangleMesh box = make(BoxShape{});
  const BodyId a = world->add_rigid(box, {.name = "a", .mass = parts.mass});
  const BodyId b = world->add_rigid(box, {.name = "b", .state = {.pose = {Quat::Identity(), Vec3(0, 2, 0)}}});
  world->add_joint(parts.joined_to_world ? BodyId{} : a, b, parts.joint);
  TetMesh beam = make(BeamShape{.cell = 0.1, .along = 3, .across = 1});
  for (Vec3& p : beam.positions) p.y() += 10;
  beam.positions.back() += Vec3(parts.last_node, 0, 0);
  std::vector<Material> materials(parts.same_everywhere ? 1 : beam.tets.size(), parts.material);
  if (!parts.same_everywhere) materials.back().young *= 2;
  world->add_soft(SoftBody(beam, materials), {.name = "jelly"});
  const TriangleMesh sheet = make(PlaneShape{.size_x = 0.5, .size_y = 0.5, .cells_x = 2, .cells_y = 2});
  world->add_soft(SoftBody::shell(sheet, parts.thickness, parts.material),
                  {.name = "sheet", .surface = sheet, .collides = false});
  return world;
}

TEST(Snapshot, WhatIsMadeOfSomethingElseIsRefusedAndSaysWhat) {
  const Parts parts;
  const auto world = world_of(parts);
  world->step(frame);
  const Snapshot then = world->snapshot();
  world_of(parts)->restore(then);
  const auto expect_refused = [&](const Parts& other, std::string_view words) {
    const auto one = world_of(other);
    const std::uint64_t before = one->hash();
    try {
      one->restore(then);
      ADD_FAILURE() << "accepted, " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    EXPECT_EQ(one->hash(), before) << "what is refused changes nothing";
  };
  const auto with = [&](auto&& change) {
    Parts other = parts;
    change(other);
    return other;
  };
  expect_refused(with([](Parts& p) { p.joint.kind = JointKind::hinge; }),
                 "its joint 1 is a ball of a and b, not a hinge of a and b");
  expect_refused(with([](Parts& p) { p.joined_to_world = true; }),
                 "its joint 1 is a ball of a and b, not a ball of the world and b");
  expect_refused(with([](Parts& p) { p.joint.compliance = 1e-3; }), "a compliance of 0, not 3 and 0.001");
  expect_refused(with([](Parts& p) { p.mass.mass = 3; }), "its body 'a' has another mass: 2, not 3");
  expect_refused(with([](Parts& p) { p.mass.moments.z() = 2.25; }),
                 "its body 'a' has another inertia or centre of mass");
  expect_refused(with([](Parts& p) { p.material.young = 3e5; }),
                 "its body 'jelly' has another Young's modulus: 200000, not 300000");
  expect_refused(with([](Parts& p) { p.material.poisson = 0.3; }), "another Poisson's ratio: 0.4, not 0.3");
  expect_refused(with([](Parts& p) { p.material.density = 900; }), "another density: 1000, not 900");
  expect_refused(with([](Parts& p) { p.material.damping = 0.02; }), "another damping: 0.01, not 0.02");
  expect_refused(with([](Parts& p) { p.material.model = Model::corotated; }),
                 "its body 'jelly' has another material in some elements, or model of it");
  expect_refused(with([](Parts& p) { p.same_everywhere = false; }),
                 "its body 'jelly' has another material in some elements");
  expect_refused(with([](Parts& p) { p.last_node = 0.01; }), "its body 'jelly' has another shape at rest");
  expect_refused(with([](Parts& p) { p.thickness = 0.003; }), "its body 'sheet' has another mass");
}

TEST(Snapshot, SurfacesOfOtherShapeAreRefused) {
  const auto make_world = [](double width, BodyKind kind) {
    auto world = std::make_unique<World>();
    const TriangleMesh box = make(BoxShape{.size_x = width});
    if (kind == BodyKind::rigid)
      world->add_rigid(box, {.name = "thing", .mass = Parts{}.mass});
    else
      world->add_static(box, {.name = "thing"});
    return world;
  };
  for (const BodyKind kind : {BodyKind::fixed, BodyKind::rigid}) {
    const Snapshot then = make_world(0.1, kind)->snapshot();
    EXPECT_NO_THROW(make_world(0.1, kind)->restore(then));
    EXPECT_THROW(make_world(0.2, kind)->restore(then), Error);
  }
}

// Constraints of users are told apart by what they call themselves.
TEST(Snapshot, ConstraintsOfUsersHaveANameToo) {
  struct Pin : RigidConstraint {
    explicit Pin(BodyId body) : RigidConstraint(body, {}) {}
    std::size_t rows() const override { return 1; }
    void at(const ConstraintSide& a, const ConstraintSide& b, ConstraintRows& out) const override {
      out.row[0] = {a.pose.position.x() - b.pose.position.x(), {Vec3::UnitX(), -Vec3::UnitX()}};
    }
  };
  struct NamedPin final : Pin {
    using Pin::Pin;
    std::string_view kind() const override { return "pin"; }
  };
  const auto make_world = [](auto&& joint_of) {
    auto world = std::make_unique<World>();
    world->add_joint(joint_of(world->add_rigid(make(BoxShape{}), {.name = "a"})));
    return world;
  };
  const auto pin = [](BodyId id) { return std::make_shared<Pin>(id); };
  const auto named_pin = [](BodyId id) { return std::make_shared<NamedPin>(id); };
  const Snapshot then = make_world(named_pin)->snapshot();
  make_world(named_pin)->restore(then);
  try {
    make_world(pin)->restore(then);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is a pin of a and the world, not a constraint of a"),
              std::string::npos)
        << error.what();
  }
}

// The same in every build: in a campaign of several builds, each leaves its hash in a file that they share.
TEST(Snapshot, DebugAndReleaseAgree) {
  const auto world = testing::mixed_world(), again = testing::mixed_world();
  go(*world, 30);
  go(*again, 30);
  EXPECT_EQ(world->hash(), again->hash());
  const char* file = std::getenv("PALPATE_HASHES");
  if (file == nullptr) return;
  std::ofstream(file, std::ios::app) << build_facts().build_type << ' ' << world->hash() << '\n';
  std::ifstream in(file);
  std::string build;
  std::uint64_t hash = 0;
  while (in >> build >> hash) EXPECT_EQ(hash, world->hash()) << "in the build " << build;
}

}  // namespace
}  // namespace palpate
