#include <palpate/report/run_folder.h>

#include <array>
#include <limits>
#include <sstream>

#include <support/allocation_counter.h>

#include "run_samples.h"

namespace palpate::testing {
namespace {

namespace fs = std::filesystem;
using RunFolders = RunFiles;

std::size_t count_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_F(RunFolders, RoomIsHeldUntilTheEnd) {
  const std::string held = path("a/.palpate-room");
  {
    RunFolder folder({.path = path("a")});
    EXPECT_EQ(fs::file_size(held), 1u << 19);
    folder.close();
    EXPECT_FALSE(fs::exists(held));
    EXPECT_TRUE(folder.write("summary.json", "{}"));
  }
  { const RunFolder folder({.path = path("b")}); }
  EXPECT_FALSE(fs::exists(path("b/.palpate-room"))) << "nor is it left by a run that fails";
  std::ofstream(held) << "of a run that was killed";
  RunFolder again({.path = path("a"), .overwrite = true});
  again.close();
  EXPECT_FALSE(fs::exists(held));
}

TEST_F(RunFolders, StreamTheirTables) {
  {
    RunFolder folder({.path = path("deep/out")});
    for (std::uint64_t i = 1; i <= 100; ++i) folder.add(SampleStep(i).record);
    folder.close();
    EXPECT_TRUE(folder.failures().empty());
    EXPECT_TRUE(folder.warnings().empty());
    EXPECT_EQ(folder.file("x.y"), path("deep/out") + "/x.y");
  }
  const auto timings = lines_of(path("deep/out/timings.csv")),
             contacts = lines_of(path("deep/out/contacts.csv")),
             energies = lines_of(path("deep/out/energies.csv"));
  ASSERT_EQ(timings.size(), 101u);
  EXPECT_EQ(timings[0], "step,time_s,detect_ms,solve_ms,total_ms");
  EXPECT_EQ(timings[1], "1,0.01,1.1000,2.3700,3.4750");
  ASSERT_EQ(contacts.size(), 101u);
  EXPECT_EQ(contacts[0],
            "step,time_s,contacts,vertex_triangle,edge_edge,nearest_m,pushing,guarded,parts,lost_s");
  EXPECT_EQ(contacts[4], "4,0.04,5,4,1,0.0002,2,4,2,0");
  EXPECT_EQ(contacts[15], "15,0.15,0,0,0,,0,1,1,0");  // no contact: no nearest
  ASSERT_EQ(energies.size(), 101u);
  EXPECT_EQ(energies[0],
            "step,time_s,kinetic_J,elastic_J,potential_J,contact_J,total_J,residual_m,iterations,failures");
  EXPECT_EQ(energies[1], "1,0.01,1.5,0.25,-0.125,0.0625,1.6875,1e-07,11,0");
  for (std::size_t i = 1; i < energies.size(); ++i) {
    std::array<double, 7> cell{};  // step, time, four parts, their sum
    std::istringstream line(energies[i]);
    for (double& number : cell) {
      std::string text;
      std::getline(line, text, ',');
      number = std::stod(text);
    }
    EXPECT_NEAR(cell[2] + cell[3] + cell[4] + cell[5], cell[6], 1e-12) << energies[i];
  }
}

TEST_F(RunFolders, HaveTablesWithoutAStep) {
  {
    RunFolder named({.path = path("a"), .stages = {"detect", "a \"b\", c"}});
    RunFolder unnamed({.path = path("b")});
  }
  EXPECT_EQ(text_of(path("a/timings.csv")), "step,time_s,detect_ms,\"a \"\"b\"\", c_ms\",total_ms\n");
  EXPECT_EQ(text_of(path("b/timings.csv")), "step,time_s,total_ms\n");
}

TEST_F(RunFolders, WarnOfAStageWithoutAColumn) {
  RunFolder folder({.path = path("a"), .stages = {"solve"}});
  folder.add(SampleStep(1).record);
  folder.add(SampleStep(2).record);
  folder.close();
  EXPECT_EQ(lines_of(path("a/timings.csv"))[1], "1,0.01,2.3700,3.4750");
  ASSERT_EQ(folder.warnings().size(), 1u);
  expect_in(folder.warnings()[0], "'detect', which came up in step 1");
}

TEST_F(RunFolders, AreNamedAfterTheSceneAndNumbered) {
  const RunFolderOptions options{.scene = "tori", .parent = path("results")};
  const RunFolder one(options), two(options);
  std::ofstream(path("results/tori-3")) << "a file";
  const RunFolder four(options), odd({.scene = "../a b", .parent = path("results")});
  EXPECT_EQ(one.path(), path("results/tori"));
  EXPECT_EQ(two.path(), path("results/tori-2"));
  EXPECT_EQ(four.path(), path("results/tori-4"));
  EXPECT_EQ(odd.path(), path("results/%2E.%2Fa%20b"));
}

TEST_F(RunFolders, RefuseAFolderThatHoldsSomething) {
  fs::create_directories(path("a"));
  { const RunFolder empty({.path = path("a")}); }  // an empty one is fine
  const std::string message = message_of([&] { RunFolder folder({.path = path("a")}); });
  expect_in(message, "there is something in this folder already");
  expect_in(message, "--overwrite");
}

TEST_F(RunFolders, OverwriteRemovesAnEarlierRunAndNothingElse) {
  {
    RunFolder folder({.path = path("a")});
    folder.add(SampleStep(1).record);
    folder.write("summary.json", "{}");
  }
  fs::create_directories(path("a/frames"));
  for (const char* name : {"a/notes.txt", "a/frames/liver-000012.vtu", "a/frames/mine.vtu", "a/frames.pvd"})
    std::ofstream(path(name)) << "x";
  { const RunFolder folder({.path = path("a"), .overwrite = true}); }
  EXPECT_FALSE(fs::exists(path("a/summary.json")));
  EXPECT_FALSE(fs::exists(path("a/frames.pvd")));
  EXPECT_FALSE(fs::exists(path("a/frames/liver-000012.vtu")));
  EXPECT_TRUE(fs::exists(path("a/frames/mine.vtu")));
  EXPECT_TRUE(fs::exists(path("a/notes.txt")));
  EXPECT_EQ(lines_of(path("a/timings.csv")).size(), 1u);
}

TEST_F(RunFolders, RefuseAPlaceThatCannotBe) {
  std::ofstream(path("file")) << "x";
  expect_in(message_of([&] { RunFolder folder({.path = path("file")}); }), "this is a file, not a folder");
  expect_in(message_of([&] { RunFolder folder({.path = path("file"), .overwrite = true}); }),
            "this is a file");
  expect_in(message_of([&] { RunFolder folder({.path = path("file/a")}); }), "cannot make this folder");
  expect_in(message_of([&] { RunFolder folder({.parent = path("file")}); }), "this is a file");
  if (fs::exists("/proc/self"))
    expect_in(message_of([&] { RunFolder folder({.path = "/proc/palpate-run"}); }),
              "cannot make this folder");
}

TEST_F(RunFolders, LookForRoomOnTheDisk) {
  constexpr std::uintmax_t all = std::numeric_limits<std::uintmax_t>::max() / 2;
  const std::string message = message_of([&] { RunFolder folder({.path = path("a"), .needed_bytes = all}); });
  expect_in(message, "the run needs");
  EXPECT_FALSE(fs::exists(path("a"))) << "nothing new is left behind";
  const RunFolder folder({.path = path("b"), .expected_bytes = all});
  ASSERT_EQ(folder.warnings().size(), 1u);
  expect_in(folder.warnings()[0], "the run may leave");
  EXPECT_FALSE(fs::exists(path("b/.palpate-probe")));
  EXPECT_EQ(count_in(path("b")), 4u) << "the tables, and what holds room";
}

TEST_F(RunFolders, TellWhatWholeFileCouldNotBeWritten) {
  RunFolder folder({.path = path("a")});
  EXPECT_TRUE(folder.write("good.json", "{}"));
  EXPECT_FALSE(folder.write("no such folder/x.json", "{}"));
  EXPECT_TRUE(folder.write("good too.json", "{}"));
  ASSERT_EQ(folder.failures().size(), 1u);
  expect_in(folder.warnings().at(0), "no such folder/x.json");
}

TEST_F(RunFolders, AStepAllocatesNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizers have a malloc of their own";
  RunFolder folder({.path = path("a"), .stages = {"detect", "solve"}});
  const auto steps = [&] {
    for (std::uint64_t i = 1; i <= 3000; ++i) folder.add(SampleStep(i).record);
  };
  EXPECT_EQ(allocations_in(steps), 0u);
}

using RunFoldersDeathTest = RunFiles;

TEST_F(RunFoldersDeathTest, ADiskThatFillsUpEndsOneFileOnly) {
  const auto fill = [&] {
    RunFolder folder({.path = path("a")});
    let_files_end_at(210'000);  // energies.csv reaches it; the others do not
    for (std::uint64_t i = 1; i <= 5'000; ++i) folder.add(SampleStep(i).record);
    folder.close();
    const bool told = folder.failures().size() == 1 && folder.warnings().size() == 1 &&
                      folder.warnings()[0].find("energies.csv") != std::string::npos;
    std::_Exit(told && folder.write("summary.json", "{}") ? 0 : 1);
  };
  EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(lines_of(path("a/timings.csv")).size(), 5'001u);
  EXPECT_EQ(lines_of(path("a/contacts.csv")).size(), 5'001u);
  const std::string energies = text_of(path("a/energies.csv"));
  EXPECT_GT(energies.size(), 200'000u);
  EXPECT_TRUE(energies.ends_with(",0\n") || energies.ends_with(",1\n"));
  EXPECT_EQ(text_of(path("a/summary.json")), "{}");
}

TEST_F(RunFoldersDeathTest, ADiskThatIsFullAtFirstIsFoundAtOnce) {
  const auto fill = [&] {
    let_files_end_at(1000);  // less than the probe takes
    try {
      RunFolder folder({.path = path("a")});
    } catch (const Error&) {
      std::_Exit(0);
    }
    std::_Exit(1);
  };
  EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "");
  EXPECT_FALSE(fs::exists(path("a")));
}

}  // namespace
}  // namespace palpate::testing
