#include <palpate/serve/session.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/base/suggest.h>
#include <palpate/report/recording.h>
#include <palpate/report/world_stream.h>
#include <palpate/scene/live_parameters.h>

namespace palpate {

namespace {

using nlohmann::json;
using Seconds = std::chrono::duration<double>;

constexpr double most_speed = 1000;
constexpr std::uint64_t most_steps = 100'000;
constexpr double longest_wait = 3600;     // for a step [s]
constexpr double most_behind = 0.1;       // what is later than this is not caught up with [s]
constexpr std::uint32_t most_told = 600;  // steps with a frame

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

Message shared(std::vector<std::byte> bytes) {
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}
Message shared(std::span<const std::byte> bytes) {
  return shared(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

[[noreturn]] void refuse(std::string problem, std::string remedy) {
  throw Error(Place::named("command", "of the page"), std::move(problem), std::move(remedy));
}

// The number that a command has for its answer, as JSON; empty: none.
std::string id_of(const std::string& command) {
  const json parsed = is_flat(command) ? json::parse(command, nullptr, false) : json();
  if (!parsed.is_object() || !parsed.contains("id") || !parsed["id"].is_number()) return {};
  return parsed["id"].dump();
}

json as_json(const LiveParameter& one, const LiveParameter* initial) {
  const SceneKey& about = *one.about;
  const auto limit = [](double x) { return std::abs(x) < KeyRange::limit ? json(x) : json(); };
  const auto value = [&](const auto& of) {
    if (about.type == KeyType::whole) return json(static_cast<std::int64_t>(std::get<double>(of)));
    return std::visit([](const auto& x) { return json(x); }, of);
  };
  const char* type = about.type == KeyType::flag     ? "flag"
                     : about.type == KeyType::whole  ? "whole"
                     : about.type == KeyType::choice ? "choice"
                                                     : "number";
  return {{"key", one.key},
          {"group", one.group},
          {"name", about.name},
          {"unit", about.unit},
          {"doc", about.summary},
          {"type", type},
          {"least", limit(about.range.least)},
          {"most", limit(about.range.most)},
          {"above", about.range.without_least},
          {"below", about.range.without_most},
          {"choices", about.names},
          {"value", value(one.value)},
          {"initial", value(initial != nullptr ? initial->value : one.value)}};
}

std::string temporary_file() {
  std::string path = (std::filesystem::temp_directory_path() / "palpate-recording-XXXXXX").string();
  const int file = ::mkstemp(path.data());  // which only its owner may read
  if (file < 0)
    throw Error(Place::named("recording", path), "it cannot be written",
                "Set TMPDIR to a folder you may write to.");
  ::close(file);
  return path;
}

}  // namespace

struct Session::Inner {
  Inner(std::unique_ptr<LiveWorld> live, std::string name, const SessionOptions& options,
        std::function<void()> changed);
  ~Inner();
  Inner(const Inner&) = delete;
  Inner& operator=(const Inner&) = delete;

  struct Waiting {
    ViewerId viewer;
    std::string text;
    Answer answer;
  };
  using Clock = std::chrono::steady_clock;

  void run();
  bool wait_for_work();
  bool is_playing() const;
  Clock::time_point next_frame() const;
  void work();
  void take_commands();
  std::string answer_to(const Waiting& one);
  json perform(ViewerId viewer, const json& command);
  void perform_live(ViewerId viewer, json command);
  void require_parameter(const std::string& key) const;
  void let_go(ViewerId viewer);
  void want(ViewerId viewer, const json& command);
  void step();
  void note_cost();
  void judge(std::string problem);
  void reset();
  void begin_recording();
  json end_recording();
  void close_recording();
  void forget_recording();
  void publish();
  void publish_facts();
  void set_status(const std::function<void(SessionStatus&)>& change);

  const std::string name_;
  const SessionOptions options_;
  const std::function<void()> changed_;

  // Of the session's thread alone.
  std::unique_ptr<LiveWorld> live_;
  std::unique_ptr<Threads> threads_;
  int threads_wanted_ = 0;
  bool new_threads_ = false;
  bool is_touched_ = false;  // by commands, since their last round
  WorldStream stream_;
  std::vector<LiveParameter> initial_;
  StepReport report_;
  std::vector<StepCost> since_;  // what steps took that no frame has told yet
  std::map<ViewerId, StreamWants> wants_;
  std::map<std::pair<ViewerId, std::uint32_t>, std::uint32_t> hands_;  // numbers of viewers, and ours
  std::uint32_t next_hand_ = 1;
  std::uint32_t left_out_ = 0;  // steps before those in since_
  std::optional<ViewerId> prober_;
  std::unique_ptr<RecordingWriter> recording_;
  std::string recording_path_;
  std::uint64_t steps_wanted_ = 0, frame_every_ = 1;
  Clock::time_point due_, shown_;
  bool to_show_ = true;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> waiting_;
  std::deque<ViewerId> left_;
  bool someone_new_ = false;
  std::size_t viewers_ = 0;
  bool ending_ = false;
  Picture picture_;
  SessionStatus status_;
  std::string recorded_;

  std::thread thread_;  // last: it begins when all else is there
};

Session::Inner::Inner(std::unique_ptr<LiveWorld> live, std::string name, const SessionOptions& options,
                      std::function<void()> changed)
    : name_(std::move(name)), options_(options), changed_(std::move(changed)), live_(std::move(live)) {
  threads_wanted_ = static_cast<int>(live_->scene().run.threads);
  threads_ = std::make_unique<Threads>(threads_wanted_);
  initial_ = live_parameters(live_->scene());
  status_.playing = options_.playing;
  thread_ = std::thread([this] { run(); });
}

Session::Inner::~Inner() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
  forget_recording();
}

// --- from other threads ---

Session::Session(std::unique_ptr<LiveWorld> live, std::string name, const SessionOptions& options,
                 std::function<void()> changed)
    : inner_(std::make_unique<Inner>(std::move(live), std::move(name), options, std::move(changed))) {}

Session::~Session() = default;

void Session::submit(ViewerId viewer, std::string command, Answer answer) {
  {
    const std::scoped_lock lock(inner_->mutex_);
    // Who lets go is always heard.
    const bool lets_go =
        command.find("\"release\"") != std::string::npos || command.find("\"unprobe\"") != std::string::npos;
    if (inner_->waiting_.size() < inner_->options_.most_waiting * (lets_go ? 2 : 1)) {
      inner_->waiting_.push_back({viewer, std::move(command), std::move(answer)});
      inner_->wake_.notify_all();
      return;
    }
  }
  answer(error_answer(id_of(command), Error(Place::named("command", "of the page"), "too many are waiting",
                                            "Send fewer of them.")));
}

void Session::viewer_came() {
  const std::scoped_lock lock(inner_->mutex_);
  ++inner_->viewers_;
  inner_->someone_new_ = true;
  inner_->wake_.notify_all();
}

void Session::viewer_left(ViewerId viewer) {
  const std::scoped_lock lock(inner_->mutex_);
  inner_->viewers_ -= inner_->viewers_ > 0;
  inner_->left_.push_back(viewer);
  inner_->wake_.notify_all();
}

Picture Session::latest() const {
  const std::scoped_lock lock(inner_->mutex_);
  return inner_->picture_;
}

SessionStatus Session::status() const {
  const std::scoped_lock lock(inner_->mutex_);
  return inner_->status_;
}

std::string Session::recorded_file() const {
  const std::scoped_lock lock(inner_->mutex_);
  return inner_->recorded_;
}

// --- the session's thread ---

void Session::Inner::run() {
  due_ = Clock::now();
  bool begun = false;
  while (!begun || wait_for_work()) {
    try {
      if (!std::exchange(begun, true)) threads_->run([&] { publish_facts(); });
      work();
    } catch (const std::exception& error) {  // no memory for a frame, no more threads
      steps_wanted_ = 0;
      to_show_ = false;
      set_status([&](SessionStatus& s) {
        s.playing = false;
        s.error = error.what();
      });
    }
  }
  std::deque<Waiting> left;
  {
    const std::scoped_lock lock(mutex_);
    left.swap(waiting_);
  }
  for (const Waiting& one : left)
    one.answer(error_answer(id_of(one.text),
                            Error(Place::named("scene", name_), "it was closed", "Open it again.")));
}

void Session::Inner::work() {
  take_commands();
  if (steps_wanted_ > 0 || (is_playing() && Clock::now() >= due_)) {
    step();
    if (steps_wanted_ > 0) --steps_wanted_;
  }
  // While it plays, the eye needs no more than so many frames; what it stops at is always shown.
  const bool in_time = Clock::now() >= next_frame();
  if (to_show_ && (in_time || (!is_playing() && steps_wanted_ == 0))) publish();
}

bool Session::Inner::is_playing() const {
  const std::scoped_lock lock(mutex_);
  return status_.playing;
}

Session::Inner::Clock::time_point Session::Inner::next_frame() const {
  return shown_ + std::chrono::duration_cast<Clock::duration>(Seconds(0.9 / options_.most_frames));
}

// Until there is a command or a step to do; false: it is to end.
bool Session::Inner::wait_for_work() {
  std::unique_lock lock(mutex_);
  const auto called = [&] { return ending_ || !waiting_.empty() || !left_.empty() || someone_new_; };
  if (steps_wanted_ == 0) {
    if (!status_.playing)
      wake_.wait(lock, [&] { return called() || status_.playing; });
    else
      wake_.wait_until(lock, to_show_ ? std::min(due_, next_frame()) : due_, called);
  }
  to_show_ |= std::exchange(someone_new_, false);
  return !ending_;
}

void Session::Inner::take_commands() {
  std::deque<Waiting> commands;
  std::deque<ViewerId> left;
  {
    const std::scoped_lock lock(mutex_);
    commands.swap(waiting_);
    left.swap(left_);
  }
  for (const Waiting& one : commands) one.answer(answer_to(one));
  for (const ViewerId viewer : left) {
    wants_.erase(viewer);
    let_go(viewer);
  }
  if (!std::exchange(is_touched_, false) && left.empty()) return;
  StreamWants all;
  for (const auto& [viewer, one] : wants_) {
    all.nodes |= one.nodes;
    all.strain |= one.strain;
    if (one.boxes) all.boxes = std::max(all.boxes.value_or(0), *one.boxes);
  }
  stream_.want(all);
  to_show_ = true;
}

std::string Session::Inner::answer_to(const Waiting& one) {
  const std::string id = id_of(one.text);
  try {
    const json command = is_flat(one.text) ? json::parse(one.text, nullptr, false) : json();
    if (!command.is_object()) refuse("it is no JSON object", "See docs/protocol.md.");
    json result;
    threads_->run([&] { result = perform(one.viewer, command); });
    result["id"] = id.empty() ? json() : json::parse(id);
    result["ok"] = true;
    return text_of(result);
  } catch (const Error& error) {
    return error_answer(id, error);
  } catch (const std::exception& error) {  // of libraries; the world is as it was
    return error_answer(id, Error({}, error.what(), "Please report this."));
  }
}

json Session::Inner::perform(ViewerId viewer, const json& command) {
  const auto word = command.find("do");
  const std::string what = word != command.end() && word->is_string() ? word->get<std::string>() : "";
  const auto number = [&](const char* key, double least, double most) {
    const auto at = command.find(key);
    const double x = at != command.end() && at->is_number() ? at->get<double>() : std::nan("");
    if (!(x >= least && x <= most))
      refuse(fmt::format("'{}' is no number from {} to {}", key, least, most), "See docs/protocol.md.");
    return x;
  };
  json answer = json::object();
  // Pages that hear nothing ask now and then whether somebody is there: that is no reason for another frame.
  is_touched_ = is_touched_ || what != "state";
  if (what == "play") {
    due_ = Clock::now();
    set_status([](SessionStatus& s) { s.playing = true; });
  } else if (what == "pause") {
    steps_wanted_ = 0;
    set_status([](SessionStatus& s) { s.playing = false; });
  } else if (what == "step") {
    steps_wanted_ = command.contains("steps")
                        ? static_cast<std::uint64_t>(number("steps", 1, static_cast<double>(most_steps)))
                        : 1;
    set_status([](SessionStatus& s) { s.playing = false; });
  } else if (what == "speed") {
    const double speed = number("value", 0, most_speed);
    due_ = Clock::now();
    set_status([&](SessionStatus& s) { s.speed = speed; });
  } else if (what == "reset") {
    if (recording_) refuse("it is being recorded", "Stop the recording first.");
    reset();
  } else if (what == "state") {
    answer["step"] = live_->world().steps();
    answer["time"] = live_->world().time();
    answer["hash"] = fmt::format("{:016x}", live_->world().hash());
  } else if (what == "want") {
    want(viewer, command);
  } else if (what == "record") {
    begin_recording();
  } else if (what == "stop") {
    answer = end_recording();
  } else {
    perform_live(viewer, command);
  }
  return answer;
}

// What is done to the world itself. Viewers number their hands as they like; the world, and a recording, have
// numbers that are nobody else's.
void Session::Inner::perform_live(ViewerId viewer, json command) {
  std::optional<std::pair<ViewerId, std::uint32_t>> own;
  const LiveCommand asked = parse_command(text_of(command));
  using Kind = LiveCommand::Kind;
  if (asked.kind == Kind::grab || asked.kind == Kind::move || asked.kind == Kind::release) {
    own.emplace(viewer, asked.hand);
    const auto known = hands_.find(*own);
    if (asked.kind == Kind::grab ? known != hands_.end() : known == hands_.end())
      throw Error(Place::named("hand", fmt::format("{}", asked.hand)),
                  known == hands_.end() ? "it holds nothing" : "it holds something already",
                  known == hands_.end() ? "Grab first." : "Release it first.");
    command["hand"] = known != hands_.end() ? known->second : next_hand_;
  }
  if (asked.kind == Kind::set) require_parameter(command["key"]);
  command.erase("id");
  const std::string text = text_of(command);
  live_->perform(parse_command(text));
  if (asked.kind == Kind::grab) hands_[*own] = next_hand_++;
  if (asked.kind == Kind::release) hands_.erase(*own);
  if (asked.kind == Kind::probe) prober_ = viewer;
  if (asked.kind == Kind::unprobe) prober_.reset();
  if (recording_) recording_->add_command(live_->world().steps() + 1, text);
  // Pins are part of it, and what is set may have moved them.
  if (asked.kind == Kind::pin || asked.kind == Kind::unpin || asked.kind == Kind::set)
    set_status([](SessionStatus&) {});
  if (asked.kind != Kind::set) return;
  stream_.begin_anew();
  if (const auto count = static_cast<int>(live_->scene().run.threads); count != threads_wanted_) {
    threads_wanted_ = count;
    new_threads_ = true;
  }
  publish_facts();
}

// Not every key of a scene: files and sizes are not for whoever watches.
void Session::Inner::require_parameter(const std::string& key) const {
  std::vector<std::string> keys;
  for (const LiveParameter& one : live_parameters(live_->scene())) keys.push_back(one.key);
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    throw Error(Place::named("parameter", key), "it cannot be set while the scene runs",
                did_you_mean(key, keys));
}

void Session::Inner::let_go(ViewerId viewer) {
  const auto perform_quietly = [&](const json& command) {
    try {
      threads_->run([&] { perform_live(viewer, command); });
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what it held may be gone
    }
  };
  std::vector<std::uint32_t> held;
  for (const auto& [own, number] : hands_)
    if (own.first == viewer) held.push_back(own.second);
  for (const std::uint32_t hand : held) perform_quietly({{"do", "release"}, {"hand", hand}});
  if (prober_ == viewer) perform_quietly({{"do", "unprobe"}});
}

void Session::Inner::want(ViewerId viewer, const json& command) {
  StreamWants wants;
  for (const auto& [key, to] : {std::pair("nodes", &wants.nodes), std::pair("strain", &wants.strain)})
    if (const auto at = command.find(key); at != command.end()) {
      if (!at->is_boolean()) refuse(fmt::format("'{}' is neither true nor false", key), "Give one of them.");
      *to = at->get<bool>();
    }
  if (const auto at = command.find("boxes"); at != command.end() && !at->is_null()) {
    if (!at->is_number_unsigned() || at->get<std::uint64_t>() > 64)
      refuse("'boxes' is no depth", "Give a whole number from 0 to 64, or null.");
    wants.boxes = at->get<std::uint32_t>();
  }
  wants_[viewer] = wants;
}

void Session::Inner::step() {
  if (std::exchange(new_threads_, false)) threads_ = std::make_unique<Threads>(threads_wanted_);
  std::string problem;
  threads_->run([&] {
    try {
      report_ = live_->step();
      note_cost();
      if (recording_) {
        recording_->add_state(live_->world().steps(), live_->world().hash());
        if (live_->world().steps() % frame_every_ == 0) recording_->add_frame(live_->world(), report_);
      }
    } catch (const std::exception& error) {
      problem = error.what();
    }
  });
  double speed = 1;
  {
    const std::scoped_lock lock(mutex_);
    speed = status_.speed;
  }
  const auto now = Clock::now();
  if (speed > 0)
    due_ += std::chrono::duration_cast<Clock::duration>(
        Seconds(std::min(longest_wait, live_->scene().run.step / speed)));
  if (speed == 0 || now - due_ > Seconds(most_behind)) due_ = now;
  to_show_ = true;
  judge(std::move(problem));
}

// Of the steps between two frames there is nothing to see, but what they took counts. Where they are very
// many, the older half of them goes.
void Session::Inner::note_cost() {
  if (since_.size() == most_told) {
    since_.erase(since_.begin(), since_.begin() + most_told / 2);
    left_out_ += most_told / 2;
  }
  since_.push_back(cost_of(live_->world(), report_));
}

// What went wrong in a step is told. One that failed is no step: it pauses, and a recording cannot have what
// it left. Bodies that failed stay where they were, and the rest goes on.
void Session::Inner::judge(std::string problem) {
  const bool stops = !problem.empty();
  if (recording_ && (stops || recording_->failure())) {
    close_recording();  // which tells what failed
  } else if (!stops && report_.failures > 0) {
    const bool one = report_.failures == 1;
    problem =
        fmt::format("In step {}, {} could not be moved and stayed where {} been.", live_->world().steps(),
                    one ? "a body" : fmt::format("{} bodies", report_.failures), one ? "it had" : "they had");
  }
  if (problem.empty()) {
    const std::scoped_lock lock(mutex_);
    status_.step = live_->world().steps();
    return;
  }
  if (stops) steps_wanted_ = 0;
  set_status([&](SessionStatus& s) {
    s.playing = s.playing && !stops;
    s.error = problem;
  });
}

void Session::Inner::reset() {
  live_->reset();
  stream_.begin_anew();
  hands_.clear();
  prober_.reset();
  report_ = {};
  since_.clear();
  left_out_ = 0;
  steps_wanted_ = 0;
  due_ = Clock::now();
  set_status([](SessionStatus& s) { s.error.clear(); });
}

// From the beginning: what was held and pinned on the way is no part of a snapshot.
void Session::Inner::begin_recording() {
  if (recording_) refuse("it records already", "Stop it first.");
  std::string path = temporary_file();
  reset();
  forget_recording();
  recording_path_ = std::move(path);
  recording_ = std::make_unique<RecordingWriter>(recording_path_, stream_hello(live_->scene(), name_),
                                                 live_->scene().text, live_->world().snapshot());
  frame_every_ = steps_between_frames(live_->scene().run.step);
  recording_->add_frame(live_->world(), {});
  set_status([](SessionStatus& s) { s.recording = true; });
}

json Session::Inner::end_recording() {
  if (!recording_) {
    const std::scoped_lock lock(mutex_);
    if (recorded_.empty()) refuse("nothing is recorded", "Begin with 'record'.");
  } else {
    close_recording();
  }
  return {{"file", recorded_path}};
}

// What was written can be had, however it ended.
void Session::Inner::close_recording() {
  recording_->close();
  const std::optional<Error> failure = recording_->failure();
  recording_.reset();
  set_status([&](SessionStatus& s) {
    s.recording = false;
    if (failure) s.error = fmt::format("The recording is not whole: {}", failure->what());
  });
  const std::scoped_lock lock(mutex_);
  recorded_ = recording_path_;
}

void Session::Inner::forget_recording() {
  recording_.reset();
  std::error_code ignored;
  if (!recording_path_.empty()) std::filesystem::remove(recording_path_, ignored);
  recording_path_.clear();
  const std::scoped_lock lock(mutex_);
  recorded_.clear();
}

// What changes only when something is set.
void Session::Inner::publish_facts() {
  const Scene& scene = live_->scene();
  json list = json::array();
  for (const LiveParameter& one : live_parameters(scene)) {
    const auto initial = std::find_if(initial_.begin(), initial_.end(),
                                      [&](const LiveParameter& other) { return other.key == one.key; });
    list.push_back(as_json(one, initial != initial_.end() ? &*initial : nullptr));
  }
  Message hello = shared(text_message(MessageKind::hello, stream_hello(scene, name_)));
  Message parameters = shared(text_message(MessageKind::parameters,
                                           text_of({{"parameters", std::move(list)}, {"toml", scene.text}})));
  const std::scoped_lock lock(mutex_);
  picture_.hello = std::move(hello);
  picture_.parameters = std::move(parameters);
}

void Session::Inner::publish() {
  to_show_ = false;
  shown_ = Clock::now();
  bool is_watched = false;
  {
    const std::scoped_lock lock(mutex_);
    is_watched = viewers_ > 0;
  }
  const std::vector<StepCost> since = std::exchange(since_, {});
  if (!is_watched) {
    left_out_ += static_cast<std::uint32_t>(since.size());
    return;
  }
  const std::uint32_t left_out = std::exchange(left_out_, 0);
  Message topology, frame;
  threads_->run([&] {
    if (stream_.update(live_->world())) topology = shared(stream_.topology());
    frame = shared(stream_.frame(live_->world(), report_, since, left_out));
  });
  {
    const std::scoped_lock lock(mutex_);
    if (topology) picture_.topology = std::move(topology);
    picture_.frame = std::move(frame);
  }
  changed_();
}

void Session::Inner::set_status(const std::function<void(SessionStatus&)>& change) {
  {
    const std::scoped_lock lock(mutex_);
    change(status_);
    status_.step = live_->world().steps();
    status_.pins = live_->pins();
  }
  changed_();
}

bool is_flat(std::string_view text) {
  constexpr int most = 32;
  int depth = 0;
  bool in_text = false, escaped = false;
  for (const char c : text) {
    if (in_text) {  // brackets there are letters
      in_text = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return false;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return true;
}

std::string error_answer(const std::string& id, const Error& error) {
  return text_of({{"id", id.empty() ? json() : json::parse(id, nullptr, false)},
                  {"ok", false},
                  {"error", error.what()},
                  {"where", error.where()},
                  {"problem", error.problem()},
                  {"remedy", error.remedy()}});
}

}  // namespace palpate
