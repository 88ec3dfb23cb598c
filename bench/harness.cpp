#include "harness.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <memory>
#include <random>
#include <thread>

#include <fmt/core.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/base/timing.h>

#include "machine.h"

namespace palpate::bench {

namespace {

std::atomic<bool> interrupted = false;

// A method at one thread count, and what it took in each round.
struct Entry {
  const Method* method;
  std::shared_ptr<Threads> threads;
  std::size_t repeats = 1;  // runs a sample, so that a sample is long enough for the clock
  std::vector<double> milliseconds = {};
};

double time_once(const Entry& entry) {
  double total = 0;
  entry.threads->run([&] {
    if (entry.method->prepare) {
      for (std::size_t i = 0; i < entry.repeats; ++i) {
        entry.method->prepare();
        const auto start = Clock::now();
        entry.method->run();
        total += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      }
    } else {
      const auto start = Clock::now();
      for (std::size_t i = 0; i < entry.repeats; ++i) entry.method->run();
      total = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    }
  });
  return total / static_cast<double>(entry.repeats);
}

bool chosen(const std::string& name, const std::vector<std::string>& parts) {
  return parts.empty() || std::any_of(parts.begin(), parts.end(),
                                      [&](const auto& part) { return name.find(part) != std::string::npos; });
}

std::vector<Entry> entries_of(const std::vector<Method>& methods, const Settings& settings,
                              const std::vector<std::shared_ptr<Threads>>& pools) {
  std::vector<Entry> entries;
  const auto serial = std::make_shared<Threads>(1);
  for (const Method& method : methods) {
    if (!chosen(method.name, settings.methods)) continue;
    // What is serial runs once, whatever thread counts were asked for: the others are compared with it.
    if (!method.parallel) entries.push_back({&method, serial});
    for (const auto& pool : pools)
      if (method.parallel) entries.push_back({&method, pool});
  }
  return entries;
}

// The first run warms up, is compared with the others' results, and tells how often to repeat, unless runs
// are counted one by one.
void warm_up(const std::string& case_name, std::vector<Entry>& entries, double sample_ms, bool one_by_one) {
  const Method* first = nullptr;
  std::uint64_t expected = 0;
  for (Entry& entry : entries) {
    if (interrupted) return;
    time_once(entry);
    if (entry.method->result) {
      const std::uint64_t result = entry.method->result();
      if (first == nullptr) {
        first = entry.method;
        expected = result;
      } else if (result != expected) {
        throw Error(
            Place::named("case", case_name),
            fmt::format("methods '{}' and '{}' computed different results", first->name, entry.method->name),
            "A benchmark compares equal work only: this is a bug in one of them.");
      }
    }
    // The whole time counts here, preparation included, or a sample of something quick could take minutes.
    const auto start = Clock::now();
    time_once(entry);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (!one_by_one)
      entry.repeats = static_cast<std::size_t>(std::clamp(sample_ms / std::max(ms, 1e-5), 1.0, 1e6));
  }
}

// Median over rounds of other / mine, both from the same round.
double paired_ratio(const Entry& other, const Entry& mine) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < mine.milliseconds.size(); ++i)
    ratios.push_back(other.milliseconds[i] / mine.milliseconds[i]);
  return median(std::move(ratios));
}

// The best of the entries with this role that had no more threads than mine.
std::optional<double> best_ratio(const std::vector<Entry>& entries, Role role, const Entry& mine) {
  std::optional<double> best;
  for (const Entry& other : entries) {
    if (other.method->role != role || other.threads->count() > mine.threads->count()) continue;
    const double ratio = paired_ratio(other, mine);
    if (!best || ratio < *best) best = ratio;
  }
  return best;
}

Row row_of(const Case& of, const std::vector<Entry>& entries, const Entry& entry) {
  Row row{of.name,
          entry.method->name,
          entry.method->role,
          entry.threads->count(),
          of.items,
          entry.milliseconds.size(),
          median(entry.milliseconds),
          spread(entry.milliseconds),
          {},
          {},
          {}};
  row.ratio_reference = best_ratio(entries, Role::reference, entry);
  row.ratio_peer = best_ratio(entries, Role::peer, entry);
  if (const auto floor = best_ratio(entries, Role::floor, entry)) row.ratio_floor = 1 / *floor;
  if (entry.method->facts) entry.threads->run([&] { row.facts = entry.method->facts(); });
  row.flags = entry.method->flags;
  return row;
}

// `rounds`: just so many, if it is not 0.
void run_rounds(std::vector<Entry>& entries, std::size_t rounds, const Settings& settings,
                std::vector<double>& calibration) {
  const double budget_ms = rounds > 0 ? HUGE_VAL : settings.quick ? 1500 : 8000;
  const std::size_t fewest = settings.quick ? 5 : 11, most = rounds > 0 ? rounds : settings.quick ? 15 : 61;
  std::mt19937 order(1);
  std::vector<std::size_t> turn(entries.size());
  for (std::size_t i = 0; i < turn.size(); ++i) turn[i] = i;
  const auto start = Clock::now();
  for (std::size_t round = 0; round < most && !interrupted; ++round) {
    // Where one round takes longer than all should, the fewest that have a median do.
    const double gone = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (gone > budget_ms && (round >= fewest || gone > 3 * budget_ms) && round >= 3) break;
    calibration.push_back(calibrate());
    std::shuffle(turn.begin(), turn.end(), order);
    std::vector<double> times(entries.size());
    for (const std::size_t i : turn) {
      if (interrupted) return;  // an incomplete round does not count
      times[i] = time_once(entries[i]);
    }
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].milliseconds.push_back(times[i]);
  }
}

std::vector<std::shared_ptr<Threads>> thread_pools(const Settings& settings) {
  std::vector<int> counts = settings.threads;
  if (counts.empty()) {
    counts = {1};
    const int all = static_cast<int>(std::thread::hardware_concurrency());
    if (all > 1) counts.push_back(all);
  }
  std::vector<std::shared_ptr<Threads>> pools;
  for (const int count : counts) pools.push_back(std::make_shared<Threads>(count));
  return pools;
}

}  // namespace

void stop_on_interrupt() {
  std::signal(SIGINT, [](int) {
    if (interrupted.exchange(true)) std::_Exit(130);  // a second Ctrl-C means now
  });
}

Report run(const Benchmark& benchmark, const Settings& settings) {
  Report report;
  const auto pools = thread_pools(settings);
  bool any = false;
  for (const Case& one : benchmark.cases(settings.quick)) {
    if (!chosen(one.name, settings.cases)) continue;
    fmt::print(stderr, "{} ...\n", one.name);
    const std::vector<Method> methods = one.make();
    std::vector<Entry> entries = entries_of(methods, settings, pools);
    any = any || !entries.empty();
    warm_up(one.name, entries, settings.quick ? 2 : 5, one.rounds > 0);
    run_rounds(entries, one.rounds, settings, report.calibration_ms);
    for (const Entry& entry : entries)
      if (!entry.milliseconds.empty()) report.rows.push_back(row_of(one, entries, entry));
    if (interrupted) break;
  }
  if (!any)
    throw Error(Place::named("benchmark", benchmark.name), "nothing matches --case, --method and --threads",
                "--list shows what there is.");
  report.interrupted = interrupted;
  if (benchmark.conclude) report.conclusions = benchmark.conclude(report.rows);
  return report;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double spread(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double quarter = values[values.size() / 4], three_quarters = values[values.size() * 3 / 4];
  return (three_quarters - quarter) / median(values);
}

}  // namespace palpate::bench
