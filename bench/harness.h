// The benchmark harness: methods that do the same work, measured side by side.
//
// On a shared machine a lone time means nothing, so nothing here is measured alone. A case runs in rounds; in
// each round every method runs once, in an order that changes from round to round, and ratios are taken
// inside the round before the median is. A method whose result differs from the others' stops the benchmark:
// unequal work is no comparison. Between rounds a fixed calibration loop shows how steady the machine itself
// was (machine.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace palpate::bench {

enum class Role { ours, reference, peer, floor };

struct Method {
  std::string name;
  Role role = Role::ours;
  std::function<void()> run;           // timed
  std::function<void()> prepare = {};  // before each run, not timed: fresh input
  std::function<std::uint64_t()> result =
      {};                 // what it computed, as a number: the same for all methods of a case
  bool parallel = false;  // also measured with more than one thread
  // More to say of it after the last run, for the JSON: "stages.tests" becomes a member of "stages". Called
  // with as many threads as the runs were.
  std::function<std::vector<std::pair<std::string, double>>()> facts = {};
  std::vector<std::string> flags = {};  // what is true of it, for the JSON
};

// The methods are made when the case begins and destroyed when it ends, with whatever data they share.
struct Case {
  std::string name;
  std::size_t items;  // for nanoseconds an item
  std::function<std::vector<Method>()> make;
  std::size_t rounds = 0;  // just so many: of what goes on from run to run; 0: as many as there is time for
};

struct Row;

// What follows from all rows together: a figure that has a bound, or a fit.
struct Conclusion {
  std::string name;
  double value, bound;
  std::string text;  // a line for the table
};

struct Benchmark {
  std::string name, summary;
  std::function<std::vector<Case>(bool quick)> cases;
  std::function<std::vector<Conclusion>(const std::vector<Row>&)> conclude = {};
};

struct Settings {
  bool quick = false;
  std::vector<std::string> cases, methods;  // parts of names; empty: all
  std::vector<int> threads;                 // empty: 1 and all the machine has
};

struct Row {
  std::string case_name, method;
  Role role;
  int threads;
  std::size_t items;
  std::size_t rounds;
  double median_ms, spread;  // spread: interquartile range over median
  std::optional<double> ratio_reference, ratio_peer, ratio_floor;
  std::vector<std::pair<std::string, double>> facts = {};
  std::vector<std::string> flags = {};
};

// What its method said of it; 0 if nothing.
inline double fact(const Row& row, const std::string& name) {
  for (const auto& [key, value] : row.facts)
    if (key == name) return value;
  return 0;
}

struct Report {
  std::vector<Row> rows;
  std::vector<double> calibration_ms;
  bool interrupted = false;
  std::vector<Conclusion> conclusions = {};
};

// Runs the cases that the settings choose. Throws Error if methods disagree or nothing is chosen.
Report run(const Benchmark& benchmark, const Settings& settings);

// Makes Ctrl-C end the benchmark after the method that runs, keeping what is complete.
void stop_on_interrupt();

// Keeps the compiler from removing a computation whose value is not used.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

double median(std::vector<double> values);
double spread(std::vector<double> values);

}  // namespace palpate::bench
