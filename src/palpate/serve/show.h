// What there is to see: a gallery of scenes, one of them running, or a recording.
//
// All viewers see the same. From the gallery a scene is opened, for all of them, and closed again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <palpate/serve/message.h>
#include <palpate/serve/session.h>

namespace palpate {

// A scene to choose.
struct GalleryScene {
  std::string name, title, description;
  std::string file;     // TOML
  std::string picture;  // PNG; empty: none
};

struct ShowOptions {
  std::vector<GalleryScene> gallery = {};   // may be empty
  std::vector<std::string> overrides = {};  // of scenes that are opened
  std::string recording = {};               // a file to watch; empty: none
  SessionOptions session = {};
};

class Show {
 public:
  explicit Show(ShowOptions options);
  ~Show();
  Show(const Show&) = delete;
  Show& operator=(const Show&) = delete;

  // Called from any thread when latest() is new; set before viewers come.
  void on_change(std::function<void()> changed);
  // Runs a scene from the beginning; `name` is what it is called.
  void play(std::unique_ptr<LiveWorld> live, const std::string& name);

  void viewer_came(ViewerId viewer);
  void viewer_left(ViewerId viewer);
  // Answered once, perhaps later and from another thread.
  void submit(ViewerId viewer, std::string command, Answer answer);
  Picture latest() const;

  // A file that a path stands for, with its type; none: there is no such.
  struct File {
    std::string path, type;
    bool secret;  // only for who has the token
  };
  std::optional<File> file(std::string_view path) const;

 private:
  enum class Mode : std::uint8_t { gallery, opening, live, recording };
  void open(const std::string& name);
  void close();
  void require_free() const;
  void behind_the_scenes(std::function<void()> work);
  std::shared_ptr<Session> session() const;
  std::shared_ptr<Session> replace(std::shared_ptr<Session> next, Mode mode, std::string name,
                                   std::string error);
  void notify() const;
  void update_status() const;

  const ShowOptions options_;
  std::function<void()> changed_;
  mutable std::mutex mutex_;
  Mode mode_ = Mode::gallery;
  std::string name_, error_;  // of the scene that is opened; why it could not be
  std::shared_ptr<Session> session_;
  std::set<ViewerId> viewers_;
  Message gallery_;
  mutable std::string status_text_;
  mutable Message status_;
  std::jthread worker_;
};

}  // namespace palpate
