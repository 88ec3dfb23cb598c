// A gallery, a scene, a recording: what there is to see.
#include <palpate/serve/show.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <report/stream_samples.h>
#include <nlohmann/json.hpp>

namespace palpate::testing {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Shows : public ::testing::Test {
 protected:
  Shows() {
    std::string name = (fs::path(::testing::TempDir()) / "palpate show XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    folder = name;
    std::ofstream(folder / "small.toml") << stream_scene().text;
    std::ofstream(folder / "broken.toml")
        << "[[body]]\nname = \"x\"\nkind = \"rigid\"\nmesh = { file = \"none.obj\" }\n";
    std::ofstream(folder / "small.png") << "png";
  }
  ~Shows() override { fs::remove_all(folder); }

  ShowOptions gallery() const {
    ShowOptions options;
    options.gallery = {
        {"small", "Small", "A small one.", (folder / "small.toml").string(), (folder / "small.png").string()},
        {"broken", "Broken", "", (folder / "broken.toml").string(), ""}};
    return options;
  }
  static json ask(Show& show, const json& command) {
    auto answered = std::make_shared<std::promise<std::string>>();
    auto answer = answered->get_future();
    show.submit(1, command.dump(), [answered](std::string with) { answered->set_value(std::move(with)); });
    if (answer.wait_for(20s) != std::future_status::ready) throw std::runtime_error("no answer");
    return json::parse(answer.get());
  }
  static json read(const Message& message) {
    return json::parse(reinterpret_cast<const char*>(message->data()) + 1,
                       reinterpret_cast<const char*>(message->data()) + message->size());
  }
  static json status(const Show& show) { return read(show.latest().status); }
  static json wait_for(const Show& show, const char* mode) {
    for (int i = 0; i < 2000 && status(show).at("mode") != mode; ++i) std::this_thread::sleep_for(5ms);
    return status(show);
  }
  fs::path folder;
};

TEST_F(Shows, AGallerySceneIsOpenedAndClosed) {
  Show show(gallery());
  show.viewer_came(1);
  EXPECT_EQ(status(show).at("mode"), "gallery");
  EXPECT_TRUE(status(show).at("gallery"));
  const json scenes = read(show.latest().gallery).at("scenes");
  ASSERT_EQ(scenes.size(), 2u);
  EXPECT_EQ(scenes[0].at("picture"), "/pictures/small.png");
  EXPECT_TRUE(scenes[1].at("picture").is_null());
  EXPECT_FALSE(ask(show, {{"do", "play"}}).at("ok")) << "nothing runs";
  const json wrong = ask(show, {{"do", "open"}, {"scene", "smal"}, {"id", 5}});
  EXPECT_FALSE(wrong.at("ok"));
  EXPECT_EQ(wrong.at("id"), 5);
  EXPECT_NE(wrong.at("remedy").get<std::string>().find("small"), std::string::npos);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(ask(show, {{"do", "open"}, {"scene", "small"}}).at("ok"));
    EXPECT_EQ(wait_for(show, "live").at("scene"), "small");
    EXPECT_FALSE(show.latest().gallery);
    EXPECT_TRUE(ask(show, {{"do", "state"}}).at("ok"));
    for (int i = 0; i < 2000 && !show.latest().frame; ++i) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(show.latest().frame) << "who is there already sees it";
    EXPECT_TRUE(ask(show, {{"do", "close"}}).at("ok"));
    EXPECT_EQ(wait_for(show, "gallery").at("mode"), "gallery");
    EXPECT_FALSE(show.latest().frame);
  }
}

// A step of this scene takes long; whoever closes it and opens another one does not wait for that.
TEST_F(Shows, OpensWhileTheLastOneStillEnds) {
  std::ofstream(folder / "slow.toml") << R"(
title = "Slow"
[run]
step = 10
[solver]
name = "xpbd"
substeps = 400
iterations = 20
[[body]]
name = "block"
kind = "soft"
mesh = { shape = "solid-box", size-x = 0.3, size-y = 0.3, size-z = 0.3, cells-x = 6, cells-y = 6, cells-z = 6 }
material = { density = 1000, young = 3e4, poisson = 0.4 }
)";
  ShowOptions options = gallery();
  options.gallery.push_back({"slow", "Slow", "", (folder / "slow.toml").string(), ""});
  Show show(options);
  show.viewer_came(1);
  ask(show, {{"do", "open"}, {"scene", "slow"}});
  wait_for(show, "live");
  std::this_thread::sleep_for(100ms);  // it is in its first step now
  auto ended = std::make_shared<std::promise<void>>();
  const auto end = ended->get_future();
  show.submit(1, R"({"do": "state"})", [ended](const std::string&) { ended->set_value(); });
  EXPECT_TRUE(ask(show, {{"do", "close"}}).at("ok"));
  EXPECT_TRUE(ask(show, {{"do", "open"}, {"scene", "small"}}).at("ok"));
  EXPECT_NE(end.wait_for(0s), std::future_status::ready) << "that waited for the step";
  EXPECT_EQ(wait_for(show, "live").at("scene"), "small");
  EXPECT_EQ(end.wait_for(0s), std::future_status::ready);
}

TEST_F(Shows, ASceneThatCannotBeOpenedSaysWhy) {
  Show show(gallery());
  EXPECT_TRUE(ask(show, {{"do", "open"}, {"scene", "broken"}}).at("ok"));
  for (int i = 0; i < 2000 && status(show).at("error").is_null(); ++i) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(status(show).at("mode"), "gallery");
  EXPECT_NE(status(show).at("error").get<std::string>().find("none.obj"), std::string::npos);
}

TEST_F(Shows, OneSceneHasNoGallery) {
  Show show({});
  show.play(std::make_unique<LiveWorld>(stream_scene(), "everything.toml"), "everything");
  EXPECT_EQ(status(show).at("mode"), "live");
  EXPECT_FALSE(status(show).at("gallery"));
  EXPECT_FALSE(ask(show, {{"do", "close"}}).at("ok"));
  EXPECT_FALSE(ask(show, {{"do", "open"}, {"scene", "small"}}).at("ok"));
}

TEST_F(Shows, StatusIsANewMessageOnlyWhenItIsNew) {
  Show show({});
  show.play(std::make_unique<LiveWorld>(stream_scene(), "everything.toml"), "everything");
  const Message before = show.latest().status;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(show.latest().status, before) << "steps alone are none";
  ask(show, {{"do", "pause"}});
  EXPECT_NE(show.latest().status, before);
}

TEST_F(Shows, OnlyNamedFilesCanBeHad) {
  Show show(gallery());
  ASSERT_TRUE(show.file("/pictures/small.png"));
  EXPECT_FALSE(show.file("/pictures/small.png")->secret);
  for (const char* none :
       {"", "/", "/pictures/", "/pictures/broken.png", "/pictures/../small.toml", "/small.toml",
        "/pictures/small.png/", "/recording", "/recorded.palpate", "pictures/small.png"})
    EXPECT_FALSE(show.file(none)) << none;
  ShowOptions options;
  options.recording = (folder / "small.png").string();
  const Show recorded(options);
  EXPECT_EQ(status(recorded).at("mode"), "recording");
  ASSERT_TRUE(recorded.file("/recording"));
  EXPECT_TRUE(recorded.file("/recording")->secret);
}

}  // namespace
}  // namespace palpate::testing
