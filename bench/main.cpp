#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <palpate/cli/exit_codes.h>

#include "benchmarks.h"
#include "output.h"

namespace {

using namespace palpate;
using namespace palpate::bench;

std::string list_of(const std::vector<Benchmark>& all) {
  std::string text = "Benchmarks:\n";
  for (const Benchmark& one : all) text += fmt::format("  {:<10} {}\n", one.name, one.summary);
  return text;
}

// Not their methods: to make those takes minutes where a converged step is needed first.
void list_cases(const Benchmark& benchmark, bool quick) {
  std::string last;
  for (const Case& one : benchmark.cases(quick))
    if (one.name != std::exchange(last, one.name)) fmt::print("{}\n", one.name);
}

int run_bench(int argc, char** argv) {
  const std::vector<Benchmark> all = {base(),       geometry(), mesh(),  contacts(),
                                      continuous(), soft(),     world(), view()};
  Settings settings;
  std::string name, json_file, plot_file;
  bool list = false;

  CLI::App app{"Measures Palpate beside references and installed peers: interleaved, in one run.",
               "palpate bench"};
  app.add_option("NAME", name, "Which benchmark")
      ->required()
      ->check(CLI::Validator(
          [&](const std::string& given) {
            const bool known =
                std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == given; });
            return known ? std::string()
                         : fmt::format("there is no benchmark '{}'.\n{}", given, list_of(all));
          },
          ""));
  app.add_option("--json", json_file, "Write the rows as JSON to this file (- for stdout)");
  app.add_option("--plot", plot_file, "Write a plot as SVG to this file");
  app.add_flag("--quick", settings.quick, "Fewer rounds: under a minute");
  app.add_option("--case", settings.cases, "Only cases whose name contains this");
  app.add_option("--method", settings.methods,
                 "Only methods whose name contains this (ratios need both sides)");
  app.add_option("--threads", settings.threads, "Thread counts, e.g. 1,2 (default: 1 and all)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_flag("--list", list, "List the cases, measure nothing");
  app.footer(list_of(all));
  if (const auto ended = cli::parse(app, argc, argv)) return *ended;

  const Benchmark& benchmark =
      *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  if (list) {
    list_cases(benchmark, settings.quick);
    return cli::done;
  }
  check_writable(json_file);
  check_writable(plot_file);
  stop_on_interrupt();
  Machine machine = look_at_machine();
  const Report report = run(benchmark, settings);
  machine.slowdown_after = parallel_slowdown();
  if (json_file != "-") fmt::print("{}", table(benchmark, machine, report));
  if (!json_file.empty()) write(json_file, json(benchmark, machine, report));
  if (!plot_file.empty()) write(plot_file, plot(benchmark, machine, report));
  return report.interrupted ? 130 : cli::done;
}

}  // namespace

int main(int argc, char** argv) {
  return palpate::cli::guarded("palpate bench", [&] { return run_bench(argc, argv); });
}
