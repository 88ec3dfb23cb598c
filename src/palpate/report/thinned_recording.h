// A run small enough to be sent: as many of its frames as a report has room for, however long it is.
//
// Frames are kept at even distances; when there are too many, every second one is left out, and from then on
// half as many come. What comes of it is a recording (docs/protocol.md) to be watched alone: without hashes,
// snapshot and index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/report/world_stream.h>

namespace palpate {

class ThinnedRecording {
 public:
  // `most`: bytes of what packed() returns. `hello`: JSON.
  ThinnedRecording(std::string_view hello, std::size_t most);

  // After every step that may be kept; the first and the last are always.
  void add(World& world, const StepReport& report);
  // The recording, compressed by gzip. Empty when not even two frames have room.
  std::string packed() const;

  std::size_t frames() const { return frames_.size(); }

 private:
  struct Frame {
    std::size_t topology;  // its number in `topologies_`
    std::vector<std::byte> bytes;
  };
  void leave_out();

  std::size_t most_;
  std::vector<std::byte> hello_;
  WorldStream stream_;
  std::vector<std::vector<std::byte>> topologies_;
  std::vector<Frame> frames_;
  Frame last_;  // of those that were passed over
  std::size_t held_ = 0, stride_ = 1, seen_ = 0;
};

}  // namespace palpate
