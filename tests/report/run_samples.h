// Runs without a world, folders that go away, and disks that are full, for the tests of what a run leaves.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/report/run_record.h>

namespace palpate::testing {

// A folder of its own, removed afterwards.
class RunFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::path(::testing::TempDir()) / "palpate runs XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The whole message of the Error that this throws.
template <class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_FALSE(error.where().empty());
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  ADD_FAILURE() << "no Error";
  return "";
}
inline void expect_in(const std::string& text, const std::string& piece) {
  EXPECT_NE(text.find(piece), std::string::npos) << "no '" << piece << "' in: " << text;
}

// From now on no file of this process may grow beyond `bytes`, as on a disk that is full. For children only.
inline void let_files_end_at(std::size_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(99);
}

// Step `i` of a run with two stages; the numbers depend on i alone.
struct SampleStep {
  std::array<Stage, 2> stages;
  StepRecord record;

  explicit SampleStep(std::uint64_t i) : stages{{{"detect"}, {"solve"}}} {
    stages[0].nanoseconds = 1'000'000 + static_cast<std::int64_t>(i % 7) * 100'000;
    stages[1].nanoseconds = 2'000'000 + static_cast<std::int64_t>(i * 37 % 101) * 10'000;
    record.step = i;
    record.time = 0.01 * static_cast<double>(i);
    record.nanoseconds = stages[0].nanoseconds + stages[1].nanoseconds + 5'000;
    record.stages = stages;
    record.vertex_triangle = i % 5;
    record.edge_edge = i % 3;
    if (record.contacts() > 0) record.nearest = 1e-3 / static_cast<double>(i + 1);
    record.pushing = i % 5 / 2;
    record.guarded = i % 7;
    record.parts = i % 4 == 0 ? 2 : 1;
    record.kinetic = 1 + 0.5 * static_cast<double>(i % 2);
    record.elastic = 0.25;
    record.potential = -0.125 * static_cast<double>(i);
    record.contact = 0.0625 * static_cast<double>(i % 3);
    record.total = record.kinetic + record.elastic + record.potential + record.contact;
    record.residual = 1e-7;
    record.iterations = 10 + i % 2;
    record.failures = i % 50 == 49 ? 1 : 0;
  }
  SampleStep(const SampleStep&) = delete;  // the record has a view of the stages
  SampleStep& operator=(const SampleStep&) = delete;
};

inline RunRecord sample_run(std::uint64_t steps) {
  RunRecord record;
  for (std::uint64_t i = 1; i <= steps; ++i) record.add(SampleStep(i).record);
  return record;
}

}  // namespace palpate::testing
