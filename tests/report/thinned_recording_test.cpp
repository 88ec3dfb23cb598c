// Runs for reports: as much as there is room for.
#include <palpate/report/thinned_recording.h>

#include <fstream>

#include <report/stream_samples.h>
#include <zlib.h>

#include <palpate/report/recording.h>

#include "run_samples.h"

namespace palpate::testing {
namespace {

using ThinnedRecordings = RunFiles;

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

TEST_F(ThinnedRecordings, KeepFirstAndLastAndAnEvenPartOfTheRest) {
  const Scene scene = stream_scene();
  for (const std::size_t most : {1'000'000, 40'000, 12'000, 6'000}) {
    const auto world = build_world(scene);
    ThinnedRecording thinned(stream_hello(scene, "everything"), most);
    thinned.add(*world, {});
    for (int i = 0; i < 61; ++i) thinned.add(*world, world->step(1.0 / 60));
    const std::string packed = thinned.packed();
    ASSERT_FALSE(packed.empty()) << most;
    EXPECT_LE(packed.size(), most);
    const std::string kept = path("thinned.palpate");
    std::ofstream(kept, std::ios::binary) << unpacked(packed);
    const Recording recording(kept);
    EXPECT_EQ(recording.frame_step(0), 0u);
    EXPECT_EQ(recording.frame_step(recording.frames() - 1), 61u);
    if (most == 1'000'000) {
      EXPECT_EQ(recording.frames(), 62u) << "all have room";
    } else {
      EXPECT_LT(recording.frames(), 62u);
    }
    const std::uint64_t stride = recording.frame_step(1);
    for (std::size_t i = 0; i + 1 < recording.frames(); ++i) EXPECT_EQ(recording.frame_step(i), i * stride);
    EXPECT_NE(recording.hello().find("everything"), std::string::npos);
  }
}

TEST_F(ThinnedRecordings, AreEmptyWhereThereIsNoRoom) {
  const Scene scene = stream_scene();
  const auto world = build_world(scene);
  ThinnedRecording thinned(stream_hello(scene, "everything"), 100);
  for (int i = 0; i < 10; ++i) thinned.add(*world, world->step(1.0 / 60));
  EXPECT_TRUE(thinned.packed().empty());
}

}  // namespace
}  // namespace palpate::testing
