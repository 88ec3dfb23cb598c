// A session that is told what to do, and waited for.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <report/stream_samples.h>
#include <nlohmann/json.hpp>

#include <palpate/serve/session.h>

namespace palpate::testing {

using nlohmann::json;
using namespace std::chrono_literals;

class Played : public ::testing::Test {
 protected:
  void begin(bool playing, Scene scene = stream_scene()) {
    SessionOptions options;
    options.playing = playing;
    session = std::make_unique<Session>(std::make_unique<LiveWorld>(std::move(scene), "everything.toml"),
                                        "everything", options, [this] { ++changes; });
    session->viewer_came();
    hash();  // it has begun when it answers
  }
  json ask(const json& command, ViewerId viewer = 1) { return ask_text(command.dump(), viewer); }
  json ask_text(const std::string& text, ViewerId viewer = 1) {
    auto answered = std::make_shared<std::promise<std::string>>();
    auto answer = answered->get_future();
    session->submit(viewer, text, [answered](std::string with) { answered->set_value(std::move(with)); });
    if (answer.wait_for(20s) != std::future_status::ready) throw std::runtime_error("no answer");
    return json::parse(answer.get());
  }
  std::string hash() { return ask({{"do", "state"}}).at("hash"); }
  std::uint64_t step() { return ask({{"do", "state"}}).at("step"); }
  // Of the frame that viewers see, when it is that of this step.
  FrameMessage frame_of(std::uint64_t wanted) {
    for (int i = 0; i < 2000; ++i) {
      shown = session->latest();
      if (shown.frame && read_frame(*shown.frame).step == wanted) return read_frame(*shown.frame);
      std::this_thread::sleep_for(5ms);
    }
    throw std::runtime_error("that step is not shown");
  }
  // What can be set, and the scene with what was set.
  json parameters() const {
    const Message message = session->latest().parameters;
    return json::parse(reinterpret_cast<const char*>(message->data()) + 1,
                       reinterpret_cast<const char*>(message->data()) + message->size());
  }
  json parameter(const std::string& key) const {
    const json all = parameters();
    for (const json& one : all.at("parameters"))
      if (one.at("key") == key) return one;
    throw std::runtime_error("no parameter " + key);
  }

  std::atomic<int> changes = 0;
  Picture shown;
  std::unique_ptr<Session> session;
};

}  // namespace palpate::testing
