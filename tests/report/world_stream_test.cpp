// Messages of a running world, read by what docs/protocol.md says.
#include <palpate/report/world_stream.h>

#include <algorithm>

#include <gtest/gtest.h>
#include <report/stream_samples.h>
#include <nlohmann/json.hpp>

namespace palpate::testing {
namespace {

constexpr double frame_time = 1.0 / 60;

TEST(WorldStream, ATopologyHasAllThatIsDrawn) {
  const Scene scene = stream_scene();
  const auto world = build_world(scene);
  WorldStream stream;
  ASSERT_TRUE(stream.update(*world));
  const TopologyMessage message = read_topology(stream.topology());
  EXPECT_EQ(message.number, 1u);
  ASSERT_EQ(message.bodies.size(), 4u);
  const TopologyBody &stone = message.bodies[1], &jelly = message.bodies[2], &thread = message.bodies[3];
  EXPECT_EQ(stone.name, "stone");
  EXPECT_EQ(stone.kind, 2u);
  const TriangleMesh& surface = world->surface(world->find("stone"));
  EXPECT_EQ(stone.triangles, surface.triangles);
  ASSERT_EQ(stone.points.size(), surface.positions.size());
  const Pose pose = world->state(world->find("stone")).pose;
  for (std::size_t i = 0; i < stone.points.size(); ++i) {
    const Vec3 placed = pose.apply({stone.points[i][0], stone.points[i][1], stone.points[i][2]});
    EXPECT_LT((placed - surface.positions[i]).norm(), 1e-6);
  }
  EXPECT_EQ(jelly.kind, 3u);
  EXPECT_TRUE(jelly.points.empty());
  EXPECT_EQ(jelly.tets, world->soft(world->find("jelly")).rest().tets);
  EXPECT_EQ(jelly.nodes.size(), world->soft(world->find("jelly")).positions().size());
  EXPECT_TRUE(thread.triangles.empty());
  EXPECT_EQ(thread.vertices, 7u);
}

TEST(WorldStream, ATopologyComesAgainWhenSomethingChanged) {
  const auto world = build_world(stream_scene());
  WorldStream stream;
  EXPECT_TRUE(stream.update(*world));
  world->step(frame_time);
  EXPECT_FALSE(stream.update(*world));
  const BodyId jelly = world->find("jelly");
  world->soft(jelly).fix(std::array<std::uint32_t, 2>{3, 5});
  ASSERT_TRUE(stream.update(*world));
  EXPECT_EQ(read_topology(stream.topology()).bodies[2].fixed, (std::vector<std::uint32_t>{3, 5}));
  EXPECT_FALSE(stream.update(*world));
  world->soft(jelly).release(std::array<std::uint32_t, 1>{5});
  EXPECT_TRUE(stream.update(*world));
  world->soft(jelly).change({.removed = {0}});
  world->step(frame_time);
  ASSERT_TRUE(stream.update(*world));
  EXPECT_EQ(read_topology(stream.topology()).bodies[2].tets.size(),
            world->soft(jelly).rest().tets.size() - 1);  // which has a hole
  world->remove(world->find("stone"));
  ASSERT_TRUE(stream.update(*world));
  const TopologyMessage message = read_topology(stream.topology());
  EXPECT_EQ(message.number, 5u);
  EXPECT_EQ(message.bodies.size(), 3u);
}

TEST(WorldStream, AFrameHasEverythingWhereItIs) {
  const auto world = build_world(stream_scene());
  WorldStream stream;
  StepReport report;
  for (int i = 0; i < 20; ++i) report = world->step(frame_time);
  stream.update(*world);
  const FrameMessage frame = read_frame(stream.frame(*world, report));
  EXPECT_EQ(frame.topology, 1u);
  EXPECT_EQ(frame.step, 20u);
  EXPECT_EQ(frame.time, world->time());
  // What bends: within half a cell of the grid.
  const double cell = *std::max_element(frame.size.begin(), frame.size.end()) / 65535;
  MessageReader points(frame.sections.at(2));
  std::size_t soft_points = 0;
  for (const char* name : {"jelly", "thread"}) {
    const BodyId id = world->find(name);
    const auto expected = world->surface(id).triangles.empty() ? world->soft(id).positions()
                                                               : std::span(world->surface(id).positions);
    for (const Vec3& p : expected) {
      const auto at = points.list<std::uint16_t>(3);
      const Vec3 off = frame.place({at[0], at[1], at[2]}) - p;
      EXPECT_LE(off.cwiseAbs().maxCoeff(), 0.501 * cell);
      ++soft_points;
    }
    points.pad();
  }
  EXPECT_EQ(points.left(), 0u);
  EXPECT_LE(static_cast<double>(frame.sections.at(2).size()), 6.5 * static_cast<double>(soft_points));
  MessageReader poses(frame.sections.at(1));
  poses.list<float>(7);  // the floor
  const auto stone = poses.list<float>(7);
  const Pose pose = world->state(world->find("stone")).pose;
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(stone[k], pose.rotation.coeffs()[static_cast<Eigen::Index>(k)], 1e-6);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(stone[4 + k], pose.position[static_cast<Eigen::Index>(k)], 1e-6);
  EXPECT_EQ(poses.left(), 0u);
  MessageReader stages(frame.sections.at(4));
  EXPECT_EQ(stages.left(), frame_stages().size() * sizeof(float));
  // The page piles them up: those inside another one are not among them.
  for (const Stage& inside : world->contacts().stages)
    EXPECT_EQ(std::count(frame_stages().begin(), frame_stages().end(), inside.name), 0) << inside.name;
  MessageReader scalars(frame.sections.at(5));
  const auto values = scalars.list<float>(frame_scalars().size());
  EXPECT_EQ(scalars.left(), 0u);
  EXPECT_NEAR(values[8], world->energies().kinetic, 1e-6 * (1 + world->energies().kinetic));
}

TEST(WorldStream, AFrameTellsWhatTheStepsBeforeItTook) {
  const auto world = build_world(stream_scene());
  WorldStream stream;
  StepReport report;
  std::vector<StepCost> since;
  for (int i = 0; i < 5; ++i) {
    report = world->step(frame_time);
    since.push_back(cost_of(*world, report));
  }
  stream.update(*world);
  const auto first = stream.frame(*world, report);
  const std::vector<std::byte> silent(first.begin(), first.end());
  EXPECT_FALSE(read_frame(silent).sections.contains(10)) << "when none are told";
  const auto second = stream.frame(*world, report, std::span(since).subspan(1), 7);
  const std::vector<std::byte> telling(second.begin(), second.end());
  EXPECT_TRUE(std::equal(silent.begin(), silent.end(), telling.begin())) << "all else is the same";
  const FrameMessage frame = read_frame(telling);
  const StepsMessage steps = read_steps(frame);
  EXPECT_EQ(steps.left_out, 7u);
  ASSERT_EQ(steps.list.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const StepCost &told = steps.list[i], &was = since[i + 1];
    EXPECT_EQ(told.step, i + 2);
    EXPECT_EQ(told.stages, was.stages);
    EXPECT_EQ(told.whole, was.whole);
    EXPECT_GT(told.whole, 0);
  }
  // The last of them is the frame's own.
  MessageReader stages(frame.sections.at(4)), scalars(frame.sections.at(5));
  for (const float stage : steps.list.back().stages) EXPECT_EQ(stage, stages.number<float>());
  EXPECT_EQ(steps.list.back().whole, scalars.number<float>());
}

TEST(WorldStream, ContactsGoFromFeatureToFeature) {
  const auto world = build_world(stream_scene());
  WorldStream stream;
  StepReport report;
  for (int i = 0; i < 40; ++i) report = world->step(frame_time);
  ASSERT_GT(world->contacts().size(), 0u);
  stream.update(*world);
  const FrameMessage frame = read_frame(stream.frame(*world, report));
  MessageReader from(frame.sections.at(3));
  const double cell = *std::max_element(frame.size.begin(), frame.size.end()) / 65535;
  std::size_t count = 0;
  for (const Contact& contact : world->contacts()) {
    if (contact.in_margin != 0) continue;
    ++count;
    const auto one = from.number<StreamContact>();
    EXPECT_EQ(one.kind, static_cast<std::uint8_t>(contact.kind()));
    const Vec3 along = frame.place(one.second) - frame.place(one.first);
    // Bodies are all but at rest, so the contacts of the step's start are still there.
    EXPECT_LT((along - contact.distance * contact.normal).norm(), 3 * cell + 1e-3);
    const Vec3 normal(one.normal[0], one.normal[1], one.normal[2]);
    EXPECT_LT((normal / 127 - contact.normal).norm(), 0.01);
  }
  EXPECT_EQ(from.left(), 0u);
  EXPECT_GT(count, 0u);
  // Not more than wanted.
  WorldStream few({.most_contacts = 2});
  few.update(*world);
  EXPECT_EQ(read_frame(few.frame(*world, report)).sections.at(3).size(), 2 * sizeof(StreamContact));
}

TEST(WorldStream, WhereABodyIsGoneContactsAreOfTheNextStep) {
  const auto world = build_world(stream_scene());
  WorldStream stream;
  StepReport report;
  for (int i = 0; i < 40; ++i) report = world->step(frame_time);
  world->remove(world->find("jelly"));
  stream.update(*world);
  const FrameMessage frame = read_frame(stream.frame(*world, report));
  EXPECT_EQ(frame.sections.at(3).size(), 0u);
}

TEST(WorldStream, AnEmptyWorldIsAFrame) {
  World world;
  WorldStream stream;
  EXPECT_TRUE(stream.update(world));
  EXPECT_FALSE(stream.update(world));
  EXPECT_TRUE(read_topology(stream.topology()).bodies.empty());
  EXPECT_EQ(read_frame(stream.frame(world, {})).sections.size(), 5u);
}

TEST(WorldStream, SaysWhatItIs) {
  const auto hello = nlohmann::json::parse(stream_hello(stream_scene(), "every\"thing\xff"));
  EXPECT_EQ(hello["protocol"], 1);
  EXPECT_EQ(hello["title"], "Everything");
  EXPECT_EQ(hello["scalars"].size(), frame_scalars().size());
  EXPECT_EQ(hello["strings"][0]["closed"], false);
}

}  // namespace
}  // namespace palpate::testing
