#include <palpate/serve/show.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>
#include <palpate/report/world_stream.h>
#include <palpate/scene/read_scene.h>

namespace palpate {

namespace {

using nlohmann::json;

constexpr std::string_view pictures = "/pictures/", png = ".png";

Message text(MessageKind kind, const json& value) {
  return std::make_shared<const std::vector<std::byte>>(
      text_message(kind, value.dump(-1, ' ', false, json::error_handler_t::replace)));
}

}  // namespace

Show::Show(ShowOptions options) : options_(std::move(options)) {
  json scenes = json::array();
  for (const GalleryScene& one : options_.gallery)
    scenes.push_back(
        {{"name", one.name},
         {"title", one.title},
         {"description", one.description},
         {"picture", one.picture.empty() ? json() : json(fmt::format("{}{}{}", pictures, one.name, png))}});
  if (!options_.gallery.empty()) gallery_ = text(MessageKind::gallery, {{"scenes", std::move(scenes)}});
  if (options_.recording.empty()) return;
  mode_ = Mode::recording;
  name_ = std::filesystem::path(options_.recording).filename().string();
}

Show::~Show() {
  if (worker_.joinable()) worker_.join();
  // Before all else: it calls back until it has ended.
  std::shared_ptr<Session> last;
  {
    const std::scoped_lock lock(mutex_);
    last.swap(session_);
  }
}

void Show::on_change(std::function<void()> changed) {
  const std::scoped_lock lock(mutex_);
  changed_ = std::move(changed);
}

void Show::notify() const {
  std::function<void()> changed;
  {
    const std::scoped_lock lock(mutex_);
    changed = changed_;
  }
  if (changed) changed();
}

void Show::play(std::unique_ptr<LiveWorld> live, const std::string& name) {
  replace(std::make_shared<Session>(std::move(live), name, options_.session, [this] { notify(); }),
          Mode::live, name, {});
}

std::shared_ptr<Session> Show::session() const {
  const std::scoped_lock lock(mutex_);
  return session_;
}

// Returns the last one: it ends when nobody holds it any more, and that may take a step.
std::shared_ptr<Session> Show::replace(std::shared_ptr<Session> next, Mode mode, std::string name,
                                       std::string error) {
  {
    const std::scoped_lock lock(mutex_);
    if (next)
      for (std::size_t i = 0; i < viewers_.size(); ++i) next->viewer_came();
    session_.swap(next);
    mode_ = mode;
    name_ = std::move(name);
    error_ = std::move(error);
  }
  notify();
  return next;
}

void Show::viewer_came(ViewerId viewer) {
  const std::scoped_lock lock(mutex_);
  viewers_.insert(viewer);
  if (session_) session_->viewer_came();
}

void Show::viewer_left(ViewerId viewer) {
  const std::scoped_lock lock(mutex_);
  if (viewers_.erase(viewer) > 0 && session_) session_->viewer_left(viewer);
}

void Show::submit(ViewerId viewer, std::string command, Answer answer) {
  const json parsed = is_flat(command) ? json::parse(command, nullptr, false) : json();
  const auto field = [&](const char* key) { return parsed.is_object() ? parsed.value(key, json()) : json(); };
  const json id = field("id").is_number() ? field("id") : json();
  try {
    if (field("do") == "open")
      open(field("scene").is_string() ? field("scene").get<std::string>() : "");
    else if (field("do") == "close")
      close();
    else if (const std::shared_ptr<Session> now = session())
      return now->submit(viewer, std::move(command), std::move(answer));
    else
      throw Error(Place::named("command", "of the page"), "no scene is running", "Open one first.");
    answer(json({{"id", id}, {"ok", true}}).dump());
  } catch (const Error& error) {
    answer(error_answer(id.dump(), error));
  } catch (const std::exception& error) {  // the system's: no more threads, perhaps
    answer(error_answer(id.dump(), Error({}, error.what(), "Try again later.")));
  }
}

// What would be lost, or is not yet there.
void Show::require_free() const {
  const std::scoped_lock lock(mutex_);
  if (mode_ == Mode::opening)
    throw Error(Place::named("scene", name_), "it is just being opened", "Wait for it.");
  if (session_ && session_->status().recording)
    throw Error(Place::named("scene", name_), "it is being recorded", "Stop the recording first.");
}

// Meshes may take seconds to make: meanwhile viewers see that it is opened.
void Show::open(const std::string& name) {
  std::vector<std::string> names;
  for (const GalleryScene& one : options_.gallery) names.push_back(one.name);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw Error(Place::named("scene", name), "it is not in the gallery",
                names.empty() ? "There is none: begin with `palpate view`." : did_you_mean(name, names));
  require_free();
  behind_the_scenes([this, last = replace({}, Mode::opening, name, {}),
                     scene = options_.gallery[static_cast<std::size_t>(at - names.begin())]]() mutable {
    last.reset();
    try {
      play(std::make_unique<LiveWorld>(read_scene(scene.file, options_.overrides), scene.file), scene.name);
    } catch (const std::exception& error) {
      replace({}, Mode::gallery, scene.name, error.what());
    }
  });
}

void Show::close() {
  if (options_.gallery.empty())
    throw Error(Place::named("command", "close"), "there is no gallery to go back to",
                "Begin with `palpate view`, without a scene.");
  require_free();
  behind_the_scenes([last = replace({}, Mode::gallery, {}, {})]() mutable { last.reset(); });
}

// To make a world and to end one takes time; others go on meanwhile. One thing after the other: whoever asks
// does not wait for what was asked for before, the next thread does.
void Show::behind_the_scenes(std::function<void()> work) {
  worker_ = std::jthread([before = std::move(worker_), work = std::move(work)]() mutable {
    if (before.joinable()) before.join();
    work();
  });
}

Picture Show::latest() const {
  const std::scoped_lock lock(mutex_);
  Picture picture;
  if (session_) picture = session_->latest();
  if (mode_ == Mode::gallery) picture.gallery = gallery_;
  update_status();
  picture.status = status_;
  return picture;
}

// Under the lock.
void Show::update_status() const {
  constexpr const char* modes[] = {"gallery", "opening", "live", "recording"};
  const SessionStatus session = session_ ? session_->status() : SessionStatus{};
  const std::string& error = session_ ? session.error : error_;
  json pins = json::array();
  for (const LiveWorld::Pin& pin : session.pins)
    pins.push_back({{"body", pin.body}, {"at", {pin.at.x(), pin.at.y(), pin.at.z()}}});
  const json status = {{"mode", modes[static_cast<std::size_t>(mode_)]},
                       {"scene", name_},
                       {"playing", session.playing},
                       {"speed", session.speed},
                       {"viewers", viewers_.size()},
                       {"gallery", !options_.gallery.empty()},
                       {"recording", session.recording},
                       {"pins", std::move(pins)},
                       {"error", error.empty() ? json() : json(error)}};
  std::string as_text = status.dump(-1, ' ', false, json::error_handler_t::replace);
  if (as_text == status_text_) return;  // the same message, which is not sent again
  status_text_ = std::move(as_text);
  status_ = std::make_shared<const std::vector<std::byte>>(text_message(MessageKind::status, status_text_));
}

std::optional<Show::File> Show::file(std::string_view path) const {
  if (path == "/recording" && !options_.recording.empty())
    return File{options_.recording, "application/octet-stream", true};
  if (path == recorded_path) {
    const std::shared_ptr<Session> now = session();
    const std::string recorded = now ? now->recorded_file() : std::string();
    if (recorded.empty()) return std::nullopt;
    return File{recorded, "application/octet-stream", true};
  }
  // By the names of the gallery alone: whatever else a path has in it leads nowhere.
  for (const GalleryScene& one : options_.gallery)
    if (!one.picture.empty() && path == fmt::format("{}{}{}", pictures, one.name, png))
      return File{one.picture, "image/png", false};
  return std::nullopt;
}

}  // namespace palpate
