#include "output.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>

namespace palpate::bench {

namespace {

const char* name_of(Role role) {
  switch (role) {
    case Role::ours:
      return "ours";
    case Role::reference:
      return "reference";
    case Role::peer:
      return "peer";
    case Role::floor:
      return "floor";
  }
  return "";
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

nlohmann::json ratio_json(const std::optional<double>& ratio) {
  return ratio ? nlohmann::json(*ratio) : nlohmann::json(nullptr);
}

std::string machine_line(const Machine& m) {
  return fmt::format("palpate {} ({}, {}), built for {}, kernels {}; {}, {} cores", m.version, m.build_type,
                     m.compiler, m.built_for, m.kernels, m.cpu, m.cores);
}

// Reasons not to believe the figures.
std::string doubts(const Machine& machine, const Report& report) {
  std::string text;
  if (machine.build_type != "Release")
    text += fmt::format("! built as {}: these times mean nothing\n", machine.build_type);
  if (!machine.other_cores_free())
    text += fmt::format(
        "! the other cores were not free (slowdown {:.2f} before, {:.2f} after): do not trust rows with"
        " several threads\n",
        machine.slowdown_before, machine.slowdown_after);
  if (const double s = spread(report.calibration_ms); s > 0.1)
    text += fmt::format(
        "! the machine was unsteady (calibration loop spread {:.0f} %): trust ratios, not times\n", 100 * s);
  if (report.interrupted) text += "! interrupted: only what was complete is shown\n";
  return text;
}

}  // namespace

std::string table(const Benchmark& benchmark, const Machine& machine, const Report& report) {
  std::size_t case_width = 4, method_width = 6;
  for (const Row& row : report.rows) {
    case_width = std::max(case_width, row.case_name.size());
    method_width = std::max(method_width, row.method.size());
  }
  std::string text = fmt::format("{}: {}\n{}\n\n", benchmark.name, benchmark.summary, machine_line(machine));
  text += fmt::format("{:<{}}  {:<{}}  {:<9}  {:>7}  {:>10}  {:>10}  {:>6}  {:>11}  {:>6}  {:>7}\n", "case",
                      case_width, "method", method_width, "role", "threads", "median ms", "ns an item",
                      "spread", "x reference", "x peer", "/ floor");
  std::string previous;
  for (const Row& row : report.rows) {
    text +=
        fmt::format("{:<{}}  {:<{}}  {:<9}  {:>7}  {:>10.4f}  {:>10.2f}  {:>5.0f}%  {:>11}  {:>6}  {:>7}\n",
                    row.case_name == previous ? "" : row.case_name, case_width, row.method, method_width,
                    name_of(row.role), row.threads, row.median_ms,
                    row.median_ms * 1e6 / static_cast<double>(row.items), 100 * row.spread,
                    ratio_text(row.ratio_reference), ratio_text(row.ratio_peer), ratio_text(row.ratio_floor));
    previous = row.case_name;
  }
  text +=
      "\nx reference, x peer: how many times faster than the reference, than the best peer with as many "
      "threads;\n"
      "/ floor: how many times slower than the least conceivable work. All taken inside interleaved "
      "rounds.\n";
  for (const Conclusion& one : report.conclusions) text += one.text + "\n";
  return text + doubts(machine, report);
}

std::string json(const Benchmark& benchmark, const Machine& machine, const Report& report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& row : report.rows) {
    rows.push_back({{"case", row.case_name},
                    {"method", row.method},
                    {"role", name_of(row.role)},
                    {"threads", row.threads},
                    {"items", row.items},
                    {"rounds", row.rounds},
                    {"median_ms", row.median_ms},
                    {"spread", row.spread},
                    {"ratio_reference", ratio_json(row.ratio_reference)},
                    {"ratio_peer", ratio_json(row.ratio_peer)},
                    {"ratio_floor", ratio_json(row.ratio_floor)}});
    for (const std::string& flag : row.flags) rows.back()[flag] = true;
    for (const auto& [name, value] : row.facts) {
      const std::size_t dot = name.find('.');
      if (dot == std::string::npos) {
        rows.back()[name] = value;
      } else {
        rows.back()[name.substr(0, dot)][name.substr(dot + 1)] = value;
      }
    }
  }
  nlohmann::ordered_json conclusions = nlohmann::ordered_json::array();
  for (const Conclusion& one : report.conclusions)
    conclusions.push_back({{"name", one.name}, {"value", one.value}, {"bound", one.bound}});
  const nlohmann::ordered_json all = {{"benchmark", benchmark.name},
                                      {"version", machine.version},
                                      {"machine",
                                       {{"cpu", machine.cpu},
                                        {"cores", machine.cores},
                                        {"build_type", machine.build_type},
                                        {"compiler", machine.compiler},
                                        {"built_for", machine.built_for},
                                        {"kernels", machine.kernels},
                                        {"calibration_ms", median(report.calibration_ms)},
                                        {"calibration_spread", spread(report.calibration_ms)},
                                        {"slowdown_before", machine.slowdown_before},
                                        {"slowdown_after", machine.slowdown_after},
                                        {"other_cores_free", machine.other_cores_free()}}},
                                      {"interrupted", report.interrupted},
                                      {"rows", rows},
                                      {"conclusions", conclusions}};
  return all.dump(2) + "\n";
}

void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  // Opened for appending: an old file is not lost if the benchmark fails.
  if (std::ofstream(path, std::ios::app)) return;
  throw Error(Place::file(path), std::string("cannot be written (") + std::strerror(errno) + ")",
              "Choose a file in a folder that exists and that you may write to.");
}

void write(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(Place::file(path), "could not be written completely", "Is the disk full?");
}

}  // namespace palpate::bench
