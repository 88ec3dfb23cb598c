// A run small enough to be sent: as many of its frames as a report has room for, however long it is.
//
// Frames are kept at even distances; when there are too many, every second one is left out, and from then on
// half as many come. What is inside of bodies (their nodes and strain) takes about as much as all else:
// before a film begins to jerk, it goes. What comes of it is a recording (docs/protocol.md) to be watched
// alone: without hashes, snapshot and index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/report/shown_recording.h>
#include <palpate/report/world_stream.h>

namespace palpate {

class ThinnedRecording {
 public:
  // `most`: bytes of what is packed. `hello`: JSON.
  ThinnedRecording(std::string_view hello, std::size_t most);

  // After every step that may be kept; the first and the last are always.
  void add(World& world, const StepReport& report);
  // Without bytes when not even two frames have room.
  ShownRecording packed() const;

  std::size_t frames() const { return frames_.size(); }

 private:
  struct Frame {
    std::size_t topology;  // its number in `topologies_`
    std::vector<std::byte> bytes;
  };
  void leave_out();
  void leave_inside_out();
  // With every so many of the frames.
  ShownRecording packed(std::size_t every, bool with_inside) const;

  std::size_t most_;
  std::vector<std::byte> hello_;
  WorldStream stream_;
  std::vector<std::vector<std::byte>> topologies_;
  std::vector<Frame> frames_;
  Frame last_;  // of those that were passed over
  std::size_t held_ = 0, stride_ = 1, seen_ = 0;
  bool has_inside_ = true, lost_inside_ = false;
};

}  // namespace palpate
