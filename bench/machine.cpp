#include "machine.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <thread>

#include <palpate/base/build_facts.h>
#include <palpate/base/timing.h>

#include "harness.h"

namespace palpate::bench {

namespace {

// A chain of multiplications: its time depends on the clock rate alone, not on memory.
void fixed_work() {
  std::uint64_t x = 1;
  for (int i = 0; i < 1'000'000; ++i) x = x * 6364136223846793005 + 1442695040888963407;
  keep(x);
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "unknown";
}

}  // namespace

double calibrate() {
  const auto start = Clock::now();
  fixed_work();
  return milliseconds_since(start);
}

double parallel_slowdown() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<double> ratios;
  for (int round = 0; round < 9; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < 10; ++i) fixed_work();
    const double alone = milliseconds_since(start);
    const auto start_all = Clock::now();
    {
      std::vector<std::jthread> others;
      for (unsigned i = 0; i < cores; ++i)
        others.emplace_back([] {
          for (int k = 0; k < 10; ++k) fixed_work();
        });
    }
    ratios.push_back(milliseconds_since(start_all) / alone);
  }
  return median(std::move(ratios));
}

Machine look_at_machine() {
  const BuildFacts facts = build_facts();
  return {cpu_name(),
          static_cast<int>(std::thread::hardware_concurrency()),
          facts.version,
          facts.build_type,
          facts.compiler,
          facts.built_for,
          facts.kernels,
          parallel_slowdown(),
          0};
}

}  // namespace palpate::bench
