// A metric that may lag behind the equations it is for.
//
// To factor the matrix of a large body takes ten times as long as a step. Solvers that only measure
// directions with it do not need it to be right: any positive definite one will do. So when nodes are added,
// terms change or nodes are held, the last factor goes on serving, and the next one is made in the
// background. It comes into use at a solve whose number follows from the size alone, never from how fast it
// was made: runs stay the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/background.h>
#include <palpate/base/bytes.h>
#include <palpate/solve/equations.h>
#include <palpate/solve/metric.h>

namespace palpate {

class LaggingMetric {
 public:
  LaggingMetric() = default;
  LaggingMetric(const LaggingMetric&) = delete;  // what goes on in the background knows where this is
  LaggingMetric& operator=(const LaggingMetric&) = delete;

  // How many solves the last factor serves on: about as many as one takes to make, at 60 a second.
  static int lag(std::size_t nodes) { return 2 + static_cast<int>(nodes / 1500); }

  // `entries`: of masses and terms, see matrix_of(). Factors now.
  void factor(const Equations& equations, std::span<const MetricEntry> entries);
  // The same, but in the background. While one is being made, the next waits for it.
  void refactor(const Equations& equations, std::vector<MetricEntry> entries);
  // To be called when a solve begins.
  void begin_solve(const Equations& equations);
  // In place: right side to solution, zero at nodes that are held.
  void solve(std::span<Vec3> x);
  std::size_t entries() const { return now_.metric.entries(); }
  // Changes with what solve() does. Never 0.
  std::uint64_t version() const { return version_; }
  // Of what the factors were made. Where the equations have not changed since, they tell all but what is
  // held.
  struct State {
    std::vector<std::uint8_t> now_held, next_held;
    std::vector<MetricEntry> now, next, waiting;
    std::int32_t left = 0;
    bool given = false;  // what is in use now
    bool busy = false, again = false;
    State(ByteReader& from, std::size_t nodes);
  };
  // `changed`: the equations are not those of the factors any more.
  void save(ByteWriter& to, bool changed) const;
  bool is(const State& state) const;  // and nothing goes on in the background
  // `entries`: of the equations as they are.
  void load(const Equations& equations, std::span<const MetricEntry> entries, State state);

  // Whether the factor in use is not of the equations as they are.
  bool lags() const { return background_.busy(); }

 private:
  // What a factor was made for.
  struct Factored {
    Metric metric;
    std::vector<std::uint8_t> held;
    std::vector<MetricEntry> entries;
  };
  void start(const Equations& equations, std::vector<MetricEntry> entries);
  void begin_next();
  void compare(const Equations& equations);

  Factored now_, next_;
  std::uint64_t version_ = 1;
  int left_ = 0;                      // solves until the next comes into use
  bool again_ = false;                // the equations have changed since the next was begun
  std::vector<MetricEntry> waiting_;  // of the equations as they are, if so
  std::vector<double> diagonal_;      // of the equations as they are
  struct Own {
    std::uint32_t node;
    double inverse;
  };
  std::vector<Own> own_;             // nodes that the factor does not know, each for itself
  std::vector<std::uint32_t> held_;  // nodes that it does not know to be held
  Background background_;            // last: it writes to `next_`
};

// Of masses over h^2 and of all terms.
std::vector<MetricEntry> matrix_of(const Equations& equations);

}  // namespace palpate
