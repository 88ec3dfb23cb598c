// A scene that runs on a thread of its own, is played with through commands, and is watched.
//
// The simulation waits for nobody: what viewers should see lies in a slot that holds the latest of it
// (latest()), and whoever is slow misses frames. Commands are texts (docs/protocol.md); they are performed
// between steps, in the order they came, and answered each. A command that cannot be done changes nothing.
// What goes wrong in a step is told until a reset; where it cannot be gone on with, the session pauses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/scene/live_world.h>
#include <palpate/serve/message.h>

namespace palpate {

using ViewerId = std::uint64_t;
using Answer = std::function<void(std::string json)>;
// What a command that cannot be done is answered with. `id`: JSON, of the command; empty: it has none.
std::string error_answer(const std::string& id, const Error& error);

// JSON that does not go deep: commands have two levels, and libraries descend as far as they are told.
bool is_flat(std::string_view json);

// Where the last recording can be got from, for who asks by HTTP.
inline constexpr std::string_view recorded_path = "/recorded.palpate";

struct SessionOptions {
  bool playing = true;
  std::size_t most_waiting = 1000;  // commands; more are refused
  double most_frames = 60;          // in a second
};

// How a session stands.
struct SessionStatus {
  bool playing = false;
  double speed = 1;  // simulated seconds in a second; 0: as fast as it can
  std::uint64_t step = 0;
  bool recording = false;
  std::vector<LiveWorld::Pin> pins = {};
  std::string error = {};  // what went wrong, since the last reset; empty: nothing
};

class Session {
 public:
  // `name`: of the scene, for people. `changed` is called from the session's thread whenever latest() or
  // status() are new; it must be quick.
  Session(std::unique_ptr<LiveWorld> live, std::string name, const SessionOptions& options,
          std::function<void()> changed);
  ~Session();  // ends the thread, after the step that it is in
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Answered once, from the session's thread, with JSON; at once where it cannot be queued.
  void submit(ViewerId viewer, std::string command, Answer answer);
  void viewer_came();
  void viewer_left(ViewerId viewer);  // lets go of what it held

  Picture latest() const;  // status and gallery are not its own
  SessionStatus status() const;
  // Of the last recording that was ended; empty: there is none.
  std::string recorded_file() const;

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace palpate
