// Random cases that can be repeated.
//
//   each_case(20'000, [](Random& random) { ... EXPECT_... });
//
// Every case has a seed of its own, printed when an expectation in it fails; PALPATE_SEED=<that number> runs
// this case alone. Under PALPATE_LONG=1 (label "long") 10 times as many cases run, under
// PALPATE_FEWER_CASES=5 a fifth of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace palpate::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool chance(double p) { return uniform(0, 1) < p; }
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  // Spread evenly over orders of magnitude, of either sign.
  double magnitude(double lo, double hi) {
    const double size = std::exp(uniform(std::log(lo), std::log(hi)));
    return chance(0.5) ? size : -size;
  }

 private:
  std::mt19937_64 engine_;
};

inline bool long_run() {
  const char* value = std::getenv("PALPATE_LONG");
  return value != nullptr && std::string(value) != "0";
}

// In builds that are slow: see above.
inline bool fewer_cases() { return std::getenv("PALPATE_FEWER_CASES") != nullptr; }

// Returns how many cases ran, for tests that ask how often something came up; 0 for one case alone.
template <class Body>
std::size_t each_case(std::size_t count, Body&& body) {
  if (const char* seed = std::getenv("PALPATE_SEED")) {
    Random random(std::strtoull(seed, nullptr, 0));
    body(random);
    return 0;
  }
  if (long_run()) count *= 10;
  if (const char* part = std::getenv("PALPATE_FEWER_CASES"))
    count = std::max<std::size_t>(1, count / std::max(1ul, std::strtoul(part, nullptr, 10)));
  std::mt19937_64 seeds(20211);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t seed = seeds();
    SCOPED_TRACE("repeat this case alone with PALPATE_SEED=" + std::to_string(seed));
    Random random(seed);
    body(random);
    if (::testing::Test::HasFailure()) return i + 1;  // one failing case is enough to read
  }
  return count;
}

}  // namespace palpate::testing
