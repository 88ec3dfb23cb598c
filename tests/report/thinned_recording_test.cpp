// Runs for reports: as much as there is room for.
#include <palpate/report/thinned_recording.h>

#include <cstring>

#include <gtest/gtest.h>
#include <report/stream_samples.h>
#include <zlib.h>

namespace palpate::testing {
namespace {

std::string unpacked(const std::string& packed) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(1 << 26, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

// The steps of the frames, and the text that it begins with.
struct Read {
  std::vector<std::uint64_t> steps;
  std::string hello;
  std::size_t insides = 0;  // frames that have nodes and strain
};
Read read(const std::string& bytes) {
  Read result;
  std::uint32_t topology = 0;
  for (std::size_t at = 16; at < bytes.size();) {
    std::uint32_t size = 0, checksum = 0;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    std::memcpy(&checksum, bytes.data() + at + 4, sizeof checksum);
    const std::span message(reinterpret_cast<const std::byte*>(bytes.data()) + at + 8, size);
    EXPECT_EQ(checksum, crc32(0, reinterpret_cast<const Bytef*>(message.data()), size));
    const auto kind = static_cast<MessageKind>(message[0]);
    if (kind == MessageKind::hello) result.hello = bytes.substr(at + 9, size - 1);
    if (kind == MessageKind::topology) topology = read_topology(message).number;
    if (kind == MessageKind::frame) {
      const FrameMessage frame = read_frame(message);
      EXPECT_EQ(frame.topology, topology);
      EXPECT_TRUE(frame.sections.contains(2) && frame.sections.contains(5));
      EXPECT_EQ(frame.sections.contains(7), frame.sections.contains(8));
      result.insides += frame.sections.contains(7);
      result.steps.push_back(frame.step);
    }
    at += 8 + size;
  }
  return result;
}

TEST(ThinnedRecording, KeepsFirstAndLastAndAnEvenPartOfTheRest) {
  const Scene scene = stream_scene();
  for (const std::size_t most : {1'000'000, 40'000, 12'000}) {
    const auto world = build_world(scene);
    ThinnedRecording thinned(stream_hello(scene, "everything"), most);
    thinned.add(*world, {});
    for (int i = 0; i < 61; ++i) thinned.add(*world, world->step(1.0 / 60));
    const ShownRecording packed = thinned.packed();
    ASSERT_FALSE(packed.bytes.empty()) << most;
    EXPECT_LE(packed.bytes.size(), most);
    const auto [steps, hello, insides] = read(unpacked(packed.bytes));
    ASSERT_GE(steps.size(), 2u);
    EXPECT_EQ(packed.frames, steps.size());
    EXPECT_EQ(packed.of, 62u);
    EXPECT_EQ(insides, packed.has_inside ? steps.size() : 0) << most;
    EXPECT_EQ(steps.front(), 0u);
    EXPECT_EQ(steps.back(), 61u);
    if (most == 1'000'000) {
      EXPECT_EQ(steps.size(), 62u) << "all have room";
      EXPECT_TRUE(packed.has_inside);
    } else {
      EXPECT_LT(steps.size(), 62u);
    }
    if (most == 12'000) {
      EXPECT_FALSE(packed.has_inside) << "it went while frames came";
    }
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) EXPECT_EQ(steps[i], i * steps[1]) << most;
    EXPECT_NE(hello.find("everything"), std::string::npos);
  }
}

TEST(ThinnedRecording, IsEmptyWhereThereIsNoRoom) {
  const Scene scene = stream_scene();
  const auto world = build_world(scene);
  ThinnedRecording thinned(stream_hello(scene, "everything"), 100);
  for (int i = 0; i < 10; ++i) thinned.add(*world, world->step(1.0 / 60));
  const ShownRecording packed = thinned.packed();
  EXPECT_TRUE(packed.bytes.empty());
  EXPECT_EQ(packed.frames, 0u);
  EXPECT_EQ(packed.of, 10u);
}

TEST(ThinnedRecording, HasNoInsideToLoseWhereNothingBends) {
  Scene scene = stream_scene();
  std::erase_if(scene.bodies,
                [](const SceneBody& body) { return body.name == "jelly" || body.name == "thread"; });
  const auto record = [&](std::size_t most) {
    const auto world = build_world(scene);
    ThinnedRecording thinned(stream_hello(scene, "everything"), most);
    for (int i = 0; i < 60; ++i) thinned.add(*world, world->step(1.0 / 60));
    return thinned.packed();
  };
  const ShownRecording all = record(1'000'000);
  EXPECT_EQ(all.frames, 60u);
  const ShownRecording some = record(all.bytes.size() / 40 * 39);
  ASSERT_FALSE(some.bytes.empty());
  EXPECT_LT(some.frames, 60u);
  EXPECT_TRUE(some.has_inside);
}

TEST(ThinnedRecording, LeavesOutWhatIsInsideBeforeItJerks) {
  const Scene scene = stream_scene();
  const auto record = [&](std::size_t most) {
    const auto world = build_world(scene);
    ThinnedRecording thinned(stream_hello(scene, "everything"), most);
    for (int i = 0; i < 20; ++i) thinned.add(*world, world->step(1.0 / 60));
    return thinned.packed();
  };
  const ShownRecording all = record(1'000'000);
  EXPECT_TRUE(all.has_inside);
  EXPECT_EQ(all.frames, 20u);
  // Nearly enough room for all: what is inside is a twentieth here.
  const ShownRecording some = record(all.bytes.size() / 40 * 39);
  ASSERT_FALSE(some.bytes.empty());
  EXPECT_FALSE(some.has_inside);
  EXPECT_EQ(some.frames, 20u);
  const Read told = read(unpacked(some.bytes));
  EXPECT_EQ(told.insides, 0u);
  EXPECT_EQ(told.steps.size(), 20u);
}

}  // namespace
}  // namespace palpate::testing
