// Runs in files: whole, cut off, damaged.
#include <palpate/report/recording.h>

#include <fstream>

#include <report/stream_samples.h>
#include <support/cases.h>

#include <palpate/report/run_again.h>
#include <palpate/scene/live_world.h>

#include "run_samples.h"

namespace palpate::testing {
namespace {

using Recordings = RunFiles;
constexpr double frame_time = 1.0 / 60;

// Six steps with a frame after every second one, and two commands.
void record(const std::string& path) {
  const Scene scene = stream_scene();
  const auto world = build_world(scene);
  RecordingWriter writer(path, stream_hello(scene, "everything"), scene.text, world->snapshot());
  writer.add_frame(*world, {});
  for (std::uint64_t i = 1; i <= 6; ++i) {
    if (i == 3 || i == 5) {
      writer.add_command(i, i == 3 ? R"({"do":"pin"})" : "");
      world->soft(world->find("jelly")).fix(std::array<std::uint32_t, 1>{static_cast<std::uint32_t>(i)});
    }
    const StepReport& report = world->step(frame_time);
    writer.add_state(i, world->hash());
    if (i % 2 == 0) writer.add_frame(*world, report);
  }
  writer.close();
  EXPECT_FALSE(writer.failure());
  EXPECT_EQ(writer.frames(), 4u);
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Whatever it gives is what the whole one has.
void expect_beginning(const Recording& part, const Recording& all) {
  EXPECT_EQ(part.scene(), all.scene());
  EXPECT_EQ(part.snapshot().bytes, all.snapshot().bytes);
  ASSERT_LE(part.frames(), all.frames());
  for (std::size_t i = 0; i < part.frames(); ++i) {
    EXPECT_EQ(part.frame_step(i), all.frame_step(i));
    EXPECT_EQ(part.frame(i), all.frame(i));
    EXPECT_EQ(part.topology(i), all.topology(i));
  }
  ASSERT_LE(part.states().size(), all.states().size());
  for (std::size_t i = 0; i < part.states().size(); ++i)
    EXPECT_EQ(part.states()[i].hash, all.states()[i].hash);
  ASSERT_LE(part.commands(), all.commands());
  for (std::size_t i = 0; i < part.commands(); ++i) EXPECT_EQ(part.command(i), all.command(i));
}

TEST_F(Recordings, HaveAllThatWasWritten) {
  record(path("all.palpate"));
  const Recording recording(path("all.palpate"));
  EXPECT_TRUE(recording.ended());
  EXPECT_NE(recording.hello().find("\"protocol\":1"), std::string::npos);
  ASSERT_EQ(recording.frames(), 4u);
  EXPECT_EQ(recording.frame_step(0), 0u);
  EXPECT_EQ(recording.frame_step(3), 6u);
  for (std::size_t i = 0; i < 4; ++i) {
    const FrameMessage frame = read_frame(recording.frame(i));
    EXPECT_EQ(frame.step, recording.frame_step(i));
    EXPECT_EQ(read_topology(recording.topology(i)).number, frame.topology);
  }
  EXPECT_EQ(read_topology(recording.topology(0)).bodies[2].fixed.size(), 0u);
  EXPECT_EQ(read_topology(recording.topology(3)).bodies[2].fixed.size(), 2u);
  ASSERT_EQ(recording.commands(), 2u);
  EXPECT_EQ(recording.command(0), R"({"do":"pin"})");
  EXPECT_EQ(recording.command(1), "");
  EXPECT_EQ(recording.command_step(1), 5u);
  // Run again, until something was done to it, the hashes are the same.
  const Scene scene = parse_scene(recording.scene(), "recording");
  const auto world = build_world(scene);
  world->restore(recording.snapshot());
  ASSERT_EQ(recording.states().size(), 6u);
  for (std::size_t i = 0; i < 2; ++i) {
    world->step(scene.run.step);
    EXPECT_EQ(recording.states()[i].hash, world->hash());
  }
}

// Bodies that are told by their nodes alone: those must be where they are, and not where they were at rest.
TEST_F(Recordings, HaveWhatIsInsideOfBodiesInEveryFrame) {
  const Scene scene = stream_scene();
  const auto world = build_world(scene);
  std::vector<Vec3> jelly, thread;
  double most = 0;
  {
    RecordingWriter writer(path("inside.palpate"), stream_hello(scene, "everything"), scene.text,
                           world->snapshot());
    writer.add_frame(*world, {});
    for (int i = 0; i < 9; ++i) world->step(frame_time);
    world->soft(world->find("thread")).fix(std::array<std::uint32_t, 1>{0});
    writer.add_frame(*world, world->step(frame_time));
    for (const Vec3& p : world->soft(world->find("jelly")).positions()) jelly.push_back(p);
    for (const Vec3& p : world->soft(world->find("thread")).positions()) thread.push_back(p);
    for (const double density : world->energy_densities(world->find("jelly"))) most = std::max(most, density);
  }
  const Recording recording(path("inside.palpate"));
  ASSERT_EQ(recording.frames(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const FrameMessage frame = read_frame(recording.frame(i));
    EXPECT_TRUE(frame.sections.contains(7) && frame.sections.contains(8)) << i;
    EXPECT_FALSE(frame.sections.contains(9)) << "boxes are for who asks";
  }
  const TopologyMessage topology = read_topology(recording.topology(1));
  const std::vector<std::byte> bytes = recording.frame(1);  // sections are parts of it
  const FrameMessage frame = read_frame(bytes);
  MessageReader nodes(frame.sections.at(7));
  const double slack = 1e-4 * Vec3(frame.size[0], frame.size[1], frame.size[2]).norm();
  for (const std::vector<Vec3>* body : {&jelly, &thread}) {
    for (const Vec3& p : *body)
      EXPECT_LT((frame.place(nodes.number<std::array<std::uint16_t, 3>>()) - p).norm(), slack);
    nodes.pad();
  }
  EXPECT_EQ(nodes.left(), 0u);
  ASSERT_EQ(topology.bodies[3].fixed, std::vector<std::uint32_t>{0});
  const Three& rest = topology.bodies[3].nodes[0];
  EXPECT_LT(thread[0].z(), rest[2] - 100 * slack) << "it was fixed on its way down";
  MessageReader strain(frame.sections.at(8));
  EXPECT_GT(most, 0);
  EXPECT_EQ(strain.number<float>(), static_cast<float>(most));
}

// With what was done to it, from a moment in the middle; `wrong`: a step whose hash is not what it was.
void record_played(const std::string& path, std::uint64_t wrong = 0) {
  LiveWorld live(stream_scene());
  for (int i = 0; i < 3; ++i) live.step();
  RecordingWriter writer(path, "{}", live.scene().text, live.world().snapshot());
  const std::string point = R"("vertices":[0,1,2],"weights":[0.5,0.25,0.25])";
  const auto perform = [&](const std::string& command) {
    writer.add_command(live.world().steps() + 1, command);
    live.perform(parse_command(command));
  };
  for (int i = 0; i < 20; ++i) {
    if (i == 0) perform(R"({"do":"grab","hand":1,"body":"jelly",)" + point + "}");
    if (i == 4) perform(R"({"do":"move","hand":1,"to":[0.2,0,0.5]})");
    if (i == 4) perform(R"({"do":"poke","body":"stone","push":[0,0,1],)" + point + "}");
    if (i == 9) perform(R"({"do":"set","key":"contact.friction","value":0.9})");
    if (i == 15) perform(R"({"do":"release","hand":1})");
    live.step();
    const std::uint64_t step = live.world().steps();
    writer.add_state(step, live.world().hash() + (step == wrong ? 1 : 0));
  }
  writer.close();
}

TEST_F(Recordings, AreRunAgainWithAllThatWasDone) {
  record_played(path("played.palpate"));
  std::size_t seen = 0;
  const RunAgain same = run_again(Recording(path("played.palpate")), path("played.palpate"),
                                  [&](const StepReport&, const World&) { ++seen; });
  EXPECT_FALSE(same.difference);
  EXPECT_EQ(same.same, 20u);
  EXPECT_EQ(seen, 20u);
  record_played(path("wrong.palpate"), 11);
  const RunAgain other = run_again(Recording(path("wrong.palpate")), path("wrong.palpate"),
                                   [](const StepReport&, const World&) {});
  ASSERT_TRUE(other.difference);
  EXPECT_EQ(other.difference->step, 11u);
  EXPECT_EQ(other.difference->recorded, other.difference->now + 1);
  EXPECT_EQ(other.same, 7u);
}

TEST_F(Recordings, ThatWereCutOffHaveWhatIsWhole) {
  record(path("all.palpate"));
  const Recording all(path("all.palpate"));
  const std::string bytes = bytes_of(path("all.palpate"));
  std::size_t opened = 0, last = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    write(path("cut.palpate"), bytes.substr(0, size));
    try {
      const Recording cut(path("cut.palpate"));
      EXPECT_FALSE(cut.ended());
      expect_beginning(cut, all);
      EXPECT_GE(cut.states().size(), last);
      last = cut.states().size();
      ++opened;
    } catch (const Error& error) {
      EXPECT_EQ(opened, 0u) << error.what();  // only before the first step
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_GT(opened, 20u);
}

TEST_F(Recordings, ThatAreDamagedAreRefusedOrRight) {
  record(path("all.palpate"));
  const Recording all(path("all.palpate"));
  const std::string bytes = bytes_of(path("all.palpate"));
  each_case(300, [&](Random& random) {
    std::string damaged = bytes;
    for (std::size_t k = 1 + random.below(3); k > 0; --k)
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    write(path("damaged.palpate"), damaged);
    try {
      expect_beginning(Recording(path("damaged.palpate")), all);
    } catch (const Error& error) {
      EXPECT_FALSE(error.problem().empty());
    }
  });
}

TEST_F(Recordings, OfOtherVersionsAndOtherFilesAreRefused) {
  record(path("all.palpate"));
  std::string bytes = bytes_of(path("all.palpate"));
  bytes[8] = 77;
  write(path("later.palpate"), bytes);
  write(path("text.palpate"), "a text\n");
  write(path("empty.palpate"), "");
  const auto problem = [&](const std::string& name) {
    try {
      const Recording recording(path(name));
    } catch (const Error& error) {
      return error.problem();
    }
    return std::string();
  };
  EXPECT_NE(problem("later.palpate").find("version 77"), std::string::npos);
  EXPECT_EQ(problem("text.palpate"), "this is no recording");
  EXPECT_EQ(problem("empty.palpate"), "this is no recording");
  EXPECT_NE(problem("nothing.palpate").find("cannot read it"), std::string::npos);
  EXPECT_FALSE(problem("").empty());  // a folder
  const auto world = build_world(stream_scene());
  EXPECT_THROW(RecordingWriter(path("no/such/folder.palpate"), "{}", "", world->snapshot()), Error);
}

TEST_F(Recordings, AFullDiskEndsThem) {
  const auto world = build_world(stream_scene());
  try {
    RecordingWriter writer("/dev/full", "{}", "", world->snapshot());
    FAIL() << "it was written to";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("cannot write it"), std::string::npos);
  }
}

}  // namespace
}  // namespace palpate::testing
