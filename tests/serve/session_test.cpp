// A world on its own thread, and those who play with it.
#include <palpate/serve/session.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <report/stream_samples.h>
#include <serve/played.h>
#include <nlohmann/json.hpp>

#include <palpate/report/recording.h>
#include <palpate/report/run_again.h>
#include <palpate/report/world_stream.h>

namespace palpate::testing {
namespace {

const json jelly = {{"body", "jelly"}, {"vertices", {0, 1, 2}}, {"weights", {0.5, 0.25, 0.25}}};
json with(json command) {
  command.update(jelly);
  return command;
}

TEST_F(Played, PlaysPausesAndSteps) {
  begin(true);
  while (step() < 3) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(ask({{"do", "pause"}}).at("ok"));
  EXPECT_FALSE(session->status().playing);
  const std::uint64_t at = step();
  const std::string then = hash();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(step(), at);
  EXPECT_EQ(hash(), then);
  EXPECT_EQ(frame_of(at).step, at) << "what it stops at is shown";
  ask({{"do", "step"}});
  EXPECT_EQ(frame_of(at + 1).step, at + 1);
  EXPECT_EQ(step(), at + 1);
  ask({{"do", "step"}, {"steps", 5}});
  EXPECT_EQ(frame_of(at + 6).step, at + 6);
  EXPECT_EQ(step(), at + 6) << "exactly";
}

TEST_F(Played, KeepsItsPace) {
  begin(false);
  ask({{"do", "speed"}, {"value", 0.5}});
  const auto begun = std::chrono::steady_clock::now();
  ask({{"do", "play"}});
  while (step() < 12) std::this_thread::sleep_for(1ms);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  EXPECT_GT(took, 11 * 2 / 60.0 - 0.02) << "half as fast as time";
  for (const double bad : {-1.0, 1e9}) EXPECT_FALSE(ask({{"do", "speed"}, {"value", bad}}).at("ok"));
  EXPECT_EQ(session->status().speed, 0.5);
}

TEST_F(Played, ResetIsTheBeginning) {
  begin(false);
  const std::string first = hash();
  ask({{"do", "step"}, {"steps", 4}});
  frame_of(4);
  EXPECT_NE(hash(), first);
  ask({{"do", "reset"}});
  EXPECT_EQ(hash(), first);
  EXPECT_EQ(frame_of(0).step, 0u);
}

TEST_F(Played, WhatIsSetActsAndIsTold) {
  begin(false);
  const std::string first = hash();
  EXPECT_EQ(parameter("contact.distance").at("value"), 0.01);
  EXPECT_EQ(parameter("contact.distance").at("unit"), "m");
  EXPECT_EQ(parameter("contact.distance").at("least"), 0);
  EXPECT_TRUE(parameter("contact.distance").at("above"));
  EXPECT_TRUE(ask({{"do", "set"}, {"key", "contact.distance"}, {"value", 0.005}}).at("ok"));
  EXPECT_EQ(parameter("contact.distance").at("value"), 0.005);
  EXPECT_EQ(parameter("contact.distance").at("initial"), 0.01);
  EXPECT_TRUE(ask({{"do", "set"}, {"key", "body.jelly.material.young"}, {"value", 2e5}}).at("ok"));
  EXPECT_EQ(parameter("body.jelly.material.young").at("value"), 2e5);
  EXPECT_TRUE(ask({{"do", "set"}, {"key", "contact.finder"}, {"value", "grid"}}).at("ok"));
  EXPECT_TRUE(ask({{"do", "set"}, {"key", "run.threads"}, {"value", 1}}).at("ok"));
  const json refused = ask({{"do", "set"}, {"key", "contact.distance"}, {"value", -1}});
  EXPECT_FALSE(refused.at("ok"));
  EXPECT_NE(refused.at("error").get<std::string>().find("above 0"), std::string::npos);
  EXPECT_EQ(parameter("contact.distance").at("value"), 0.005) << "as it was";
  EXPECT_EQ(step(), 0u);
  ask({{"do", "step"}});
  EXPECT_EQ(frame_of(1).step, 1u);
}

// Every parameter can be set to what it is; to something else: parameters_test.cpp.
TEST_F(Played, EveryParameterOfThePanelCanBeSet) {
  begin(false);
  const json all = parameters();
  EXPECT_GE(all.at("parameters").size(), 25u);
  for (const json& one : all.at("parameters")) {
    EXPECT_FALSE(one.at("doc").get<std::string>().empty());
    const json answer = ask({{"do", "set"}, {"key", one.at("key")}, {"value", one.at("value")}});
    EXPECT_TRUE(answer.at("ok")) << one.at("key") << ": " << answer;
    EXPECT_EQ(parameter(one.at("key")).at("value"), one.at("value")) << one.at("key");
  }
}

TEST_F(Played, BadCommandsAreAnsweredAndChangeNothing) {
  begin(false);
  const std::string first = hash();
  for (const char* bad : {"",
                          "{",
                          "[]",
                          "null",
                          "7",
                          "\"play\"",
                          "{}",
                          R"({"do":7})",
                          R"({"do":"fly"})",
                          R"({"do":"step","steps":0})",
                          R"({"do":"step","steps":"all"})",
                          R"({"do":"speed"})",
                          R"({"do":"want","nodes":3})",
                          R"({"do":"want","boxes":-1})",
                          R"({"do":"stop"})",
                          R"({"do":"move","hand":1,"to":[0,0,0]})",
                          R"({"do":"grab","hand":1,"body":"nobody","vertices":[0,1,2],"weights":[1,0,0]})",
                          R"({"do":"set","key":"contact.distance","value":"far"})",
                          R"({"do":"set","key":"run.nothing","value":1})",
                          R"({"do":"set","key":"body.jelly.surface.file","value":"${HOME}"})",
                          R"({"do":"set","key":"body.jelly.mesh.cells-x","value":4000000})",
                          "{\"do\":\"\xff\xfe\"}"}) {
    const json answer = ask_text(bad);
    EXPECT_FALSE(answer.at("ok")) << bad;
    EXPECT_FALSE(answer.at("problem").get<std::string>().empty()) << bad;
    EXPECT_FALSE(answer.at("remedy").get<std::string>().empty()) << bad;
  }
  EXPECT_EQ(ask_text(R"({"id":42,"do":"fly"})").at("id"), 42);
  EXPECT_EQ(ask_text(R"({"id":43,"do":"state"})").at("id"), 43);
  EXPECT_EQ(hash(), first);
}

TEST(Commands, DoNotGoDeep) {
  const std::string deep = std::string(40, '[') + std::string(40, ']');
  for (const std::string& flat :
       {std::string(R"({"do":"x","a":[[1]]})"), "{\"a\":\"" + deep + "\"}", std::string()})
    EXPECT_TRUE(is_flat(flat)) << flat;
  // Brackets in texts close nothing.
  std::string hidden = "{\"a\":\"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\\\"]\",\"b\":" + deep + "}", woven;
  for (int i = 0; i < 40; ++i) woven += "[\"]\",";
  for (const std::string& bad : {deep, hidden, woven}) EXPECT_FALSE(is_flat(bad)) << bad;
}

TEST_F(Played, HandsOfViewersAreTheirOwn) {
  begin(false);
  session->viewer_came();  // a second one
  EXPECT_TRUE(ask(with({{"do", "grab"}, {"hand", 1}}), 1).at("ok"));
  EXPECT_TRUE(ask(with({{"do", "grab"}, {"hand", 1}}), 2).at("ok"));
  EXPECT_FALSE(ask(with({{"do", "grab"}, {"hand", 1}}), 1).at("ok")) << "it holds something already";
  EXPECT_TRUE(ask({{"do", "move"}, {"hand", 1}, {"to", {0, 0, 1}}}, 2).at("ok"));
  ask({{"do", "step"}});
  EXPECT_EQ(frame_of(1).sections.at(6).size(), 2 * 36u);
  session->viewer_left(2);
  ask({{"do", "step"}});
  EXPECT_EQ(frame_of(2).sections.at(6).size(), 36u) << "who leaves lets go";
  EXPECT_FALSE(ask({{"do", "release"}, {"hand", 1}}, 2).at("ok"));
  EXPECT_TRUE(ask({{"do", "release"}, {"hand", 1}}, 1).at("ok"));
  ask({{"do", "step"}});
  EXPECT_FALSE(frame_of(3).sections.contains(6));
}

TEST_F(Played, PinsAreTold) {
  begin(false);
  const json stone = {{"body", "stone"}, {"vertices", {0, 1, 2}}, {"weights", {1, 0, 0}}};
  json pin = {{"do", "pin"}}, unpin = {{"do", "unpin"}};
  pin.update(stone);
  unpin.update(stone);
  EXPECT_TRUE(ask(pin).at("ok"));
  ASSERT_EQ(session->status().pins.size(), 1u);
  EXPECT_EQ(session->status().pins[0].body, "stone");
  EXPECT_TRUE(ask(unpin).at("ok"));
  EXPECT_TRUE(session->status().pins.empty());
  ask(pin);
  ask({{"do", "reset"}});
  EXPECT_TRUE(session->status().pins.empty());
}

TEST_F(Played, FramesHaveWhatSomebodyWants) {
  begin(false);
  session->viewer_came();  // a second one
  ask({{"do", "step"}});
  EXPECT_FALSE(frame_of(1).sections.contains(7));
  ask({{"do", "want"}, {"nodes", true}, {"boxes", 1}}, 1);
  ask({{"do", "want"}, {"strain", true}}, 2);
  ask({{"do", "step"}});
  FrameMessage frame = frame_of(2);
  for (const std::uint32_t tag : {7u, 8u, 9u}) EXPECT_TRUE(frame.sections.contains(tag)) << tag;
  session->viewer_left(1);
  ask({{"do", "step"}}, 2);
  frame = frame_of(3);
  EXPECT_FALSE(frame.sections.contains(7));
  EXPECT_TRUE(frame.sections.contains(8));
}

// Every frame that is published, as a viewer that misses none has it.
class Watched : public Played {
 protected:
  ~Watched() override {  // before what it calls goes
    watched = nullptr;
    session.reset();
  }
  void begin(double most_frames) {
    SessionOptions options;
    options.playing = false;
    options.most_frames = most_frames;
    session = std::make_unique<Session>(std::make_unique<LiveWorld>(stream_scene(), "everything.toml"),
                                        "everything", options, [this] { look(); });
    watched = session.get();
    session->viewer_came();
    frame_of(0);
  }
  void look() {
    const Session* of = watched;
    if (of == nullptr) return;
    const std::scoped_lock lock(mutex);
    if (Message frame = of->latest().frame; frame && (frames.empty() || frame != frames.back()))
      frames.push_back(std::move(frame));
  }
  std::size_t shown_frames() {
    const std::scoped_lock lock(mutex);
    return frames.size();
  }
  // All steps that were told, in the order of the frames.
  StepsMessage told() {
    const std::scoped_lock lock(mutex);
    StepsMessage all;
    for (const Message& message : frames) {
      const StepsMessage some = read_steps(read_frame(*message));
      all.left_out += some.left_out;
      all.list.insert(all.list.end(), some.list.begin(), some.list.end());
    }
    return all;
  }

  std::atomic<const Session*> watched = nullptr;
  std::mutex mutex;
  std::vector<Message> frames;
};

TEST_F(Watched, EveryStepIsToldOnceHoweverFewAreShown) {
  begin(/*most_frames=*/20);
  ask({{"do", "speed"}, {"value", 0}});
  ask({{"do", "play"}});
  while (step() < 60 || shown_frames() < 5) std::this_thread::sleep_for(5ms);
  ask({{"do", "set"}, {"key", "contact.friction"}, {"value", 0.9}});
  ask({{"do", "pause"}});
  ask({{"do", "want"}, {"strain", true}});  // the same step is shown again, and not told again
  const std::uint64_t last = step();
  frame_of(last);
  const StepsMessage steps = told();
  EXPECT_EQ(steps.left_out, 0u);
  ASSERT_EQ(steps.list.size(), last);
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    const StepCost& one = steps.list[i];
    EXPECT_EQ(one.step, i + 1);
    float sum = 0;
    for (const float stage : one.stages) sum += stage;
    EXPECT_GT(one.whole, 0);
    EXPECT_LE(one.stages[1], one.whole) << "a stage is a part of it";
    EXPECT_GT(sum, 0);
  }
}

TEST_F(Watched, OfVeryManyStepsTheOldestAreCounted) {
  begin(/*most_frames=*/0.01);
  ask({{"do", "step"}, {"steps", 700}});
  while (step() < 700) std::this_thread::sleep_for(5ms);
  frame_of(700);
  hash();  // when it answers, that frame was kept
  const StepsMessage steps = told();
  EXPECT_LE(steps.list.size(), 600u);
  EXPECT_GE(steps.list.size(), 300u);
  EXPECT_EQ(steps.left_out + steps.list.size(), 700u);
  for (std::size_t i = 0; i < steps.list.size(); ++i) EXPECT_EQ(steps.list[i].step, steps.left_out + i + 1);
}

TEST_F(Watched, AfterAResetStepsBeforeItAreNotTold) {
  begin(/*most_frames=*/0.01);
  ask({{"do", "play"}});
  while (step() < 10) std::this_thread::sleep_for(5ms);
  ask({{"do", "reset"}});
  ask({{"do", "pause"}});
  const std::uint64_t last = step();
  frame_of(last);
  ask({{"do", "step"}, {"steps", 3}});
  frame_of(last + 3);
  hash();  // when it answers, that frame was kept
  // Of the run that is shown now.
  std::vector<std::uint64_t> numbers;
  for (const StepCost& one : told().list) numbers.push_back(one.step);
  ASSERT_GE(numbers.size(), 3u);
  EXPECT_EQ(numbers.size(), last + 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i + 1);
}

TEST_F(Played, WithoutViewersNothingIsPublished) {
  SessionOptions options;
  session = std::make_unique<Session>(std::make_unique<LiveWorld>(stream_scene(), "everything.toml"),
                                      "everything", options, [] {});
  while (step() < 5) std::this_thread::sleep_for(2ms);
  EXPECT_EQ(session->latest().frame, nullptr);
  session->viewer_came();
  for (int i = 0; i < 1000 && !session->latest().frame; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_NE(session->latest().frame, nullptr);
}

TEST_F(Played, ARecordingCanBeRunAgain) {
  begin(false);
  session->viewer_came();  // who leaves on the way
  ask({{"do", "step"}, {"steps", 3}});
  frame_of(3);
  ask({{"do", "set"}, {"key", "contact.friction"}, {"value", 0.9}});
  EXPECT_TRUE(ask({{"do", "record"}}).at("ok"));
  EXPECT_TRUE(session->status().recording);
  EXPECT_FALSE(ask({{"do", "record"}}).at("ok"));
  EXPECT_FALSE(ask({{"do", "reset"}}).at("ok")) << "it would be lost";
  EXPECT_EQ(step(), 0u) << "from the beginning";
  ask({{"do", "step"}, {"steps", 2}});
  frame_of(2);
  ask(with({{"do", "grab"}, {"hand", 9}}), 3);
  ask({{"do", "move"}, {"hand", 9}, {"to", {0, 0.2, 0.5}}}, 3);
  ask({{"do", "step"}, {"steps", 6}});
  frame_of(8);
  ask({{"do", "set"}, {"key", "body.jelly.material.young"}, {"value", 3e5}});
  session->viewer_left(3);
  ask({{"do", "step"}, {"steps", 4}});
  frame_of(12);
  const std::string last = hash();
  const json stopped = ask({{"do", "stop"}});
  EXPECT_TRUE(stopped.at("ok"));
  EXPECT_EQ(stopped.at("file"), recorded_path);
  const std::string file = session->recorded_file();
  const Recording recording(file);
  EXPECT_TRUE(recording.ended());
  EXPECT_EQ(recording.states().size(), 12u);
  const RunAgain again = run_again(recording, file, [](const StepReport&, const World&) {});
  EXPECT_FALSE(again.difference);
  EXPECT_EQ(again.same, 12u);
  EXPECT_EQ(fmt::format("{:016x}", recording.states().back().hash), last);
  session.reset();
  EXPECT_FALSE(std::ifstream(file).good()) << "it is gone with the session";
}

TEST_F(Played, TooManyCommandsAreRefusedAndTheRestAnswered) {
  SessionOptions options;
  options.playing = false;
  options.most_waiting = 10;
  session = std::make_unique<Session>(std::make_unique<LiveWorld>(stream_scene(), "everything.toml"),
                                      "everything", options, [] {});
  std::atomic<int> answered = 0, refused = 0;
  constexpr int all = 2000;
  for (int i = 0; i < all; ++i)
    session->submit(1, R"({"do":"state"})", [&](const std::string& answer) {
      refused += json::parse(answer).at("ok") ? 0 : 1;
      ++answered;
    });
  for (int i = 0; i < 2000 && answered < all; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(answered, all);
  EXPECT_GT(refused, 0);
  session.reset();
}

}  // namespace
}  // namespace palpate::testing
