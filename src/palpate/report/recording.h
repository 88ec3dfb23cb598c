// A run in a file: to be watched, and to be run again.
//
// It has the messages of world_stream.h one after the other, the scene and the state that it began with, the
// hash of the world after every step, and what was asked for on the way. docs/protocol.md has every byte.
// Messages are written as they come: of a run that was cut off, all that is whole can be read. A recording
// that was ended has an index, so that opening it takes no time however long it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/report/world_stream.h>
#include <palpate/world/snapshot.h>

namespace palpate {

namespace detail {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Where things are in a recording.
struct RecordingIndex {
  struct Frame {
    std::uint64_t step, at, topology;  // where in the file
  };
  struct State {
    std::uint64_t step, hash;
  };
  struct Command {
    std::uint64_t step, at;
  };
  std::vector<Frame> frames;
  std::vector<State> states;
  std::vector<Command> commands;
  std::uint64_t hello = 0, scene = 0, snapshot = 0;  // 0: there is none
};

}  // namespace detail

// How many steps go by from one frame that is kept to the next, where nobody says: 30 frames a second.
inline std::uint64_t steps_between_frames(double step) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(1e9, 1 / (30 * step))));
}

// A recording in memory begins with the first and goes on with messages.
std::vector<std::byte> recording_header();
void append_message(std::vector<std::byte>& to, std::span<const std::byte> message);

class RecordingWriter {
 public:
  // Throws Error if it cannot be written. `hello`: JSON; `scene`: TOML.
  RecordingWriter(const std::string& path, std::string_view hello, std::string_view scene,
                  const Snapshot& begin);
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // After a step: its hash; where everything is, if wanted.
  void add_state(std::uint64_t step, std::uint64_t hash);
  void add_frame(World& world, const StepReport& report);
  // JSON, before a step.
  void add_command(std::uint64_t step, std::string_view command);
  void close();  // ends it, with its index

  std::size_t frames() const { return index_.frames.size(); }
  // Why nothing is written any more; what was written until then is whole.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  std::uint64_t put(std::span<const std::byte> message);  // where it is
  void fail();

  std::string path_;
  detail::File file_;
  std::uint64_t end_ = 0;
  std::uint64_t topology_ = 0;  // where the last one is
  WorldStream stream_;
  detail::RecordingIndex index_;
  std::optional<Error> failure_;
};

class Recording {
 public:
  // Throws Error for what is no recording, of another version, or damaged.
  explicit Recording(const std::string& path);

  bool ended() const { return ended_; }  // false: it was cut off, and has what was whole until then
  std::string hello() const { return text(index_.hello); }
  std::string scene() const { return text(index_.scene); }
  Snapshot snapshot() const;
  std::uint64_t bytes() const { return size_; }

  std::size_t frames() const { return index_.frames.size(); }
  std::uint64_t frame_step(std::size_t i) const { return index_.frames[i].step; }
  std::vector<std::byte> frame(std::size_t i) const { return message(index_.frames[i].at); }
  std::vector<std::byte> topology(std::size_t i) const { return message(index_.frames[i].topology); }

  std::span<const detail::RecordingIndex::State> states() const { return index_.states; }
  std::size_t commands() const { return index_.commands.size(); }
  std::uint64_t command_step(std::size_t i) const { return index_.commands[i].step; }
  std::string command(std::size_t i) const;

 private:
  [[noreturn]] void fail(std::string problem, std::string remedy) const;
  bool read(std::uint64_t at, void* to, std::size_t size) const;
  // The message there, if it is whole.
  std::optional<std::vector<std::byte>> try_message(std::uint64_t at) const;
  std::vector<std::byte> message(std::uint64_t at) const;
  std::string text(std::uint64_t at) const;
  bool read_index();
  void scan();

  std::string path_;
  detail::File file_;
  std::uint64_t size_ = 0;
  bool ended_ = false;
  detail::RecordingIndex index_;
};

}  // namespace palpate
