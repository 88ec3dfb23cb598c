#include <palpate/report/run_tables.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace palpate {

namespace {

// ",value", or "," where it is not known.
void add_cell(std::string& line, double value) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(line), ",{:.9g}", value);
  else
    line += ',';
}

// Quoted where a comma or a quote would end it too early.
std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

void begin_line(std::string& line, const StepRecord& step) {
  fmt::format_to(std::back_inserter(line), "{},{:.12g}", step.step, step.time);
}

void end_line(StreamFile& file) {
  file.buffer() += '\n';
  file.line_done();
}

}  // namespace

RunTables::RunTables(const std::string& folder, std::vector<std::string> stages)
    : stages_(std::move(stages)),
      timings_(folder + "/timings.csv"),
      contacts_(folder + "/contacts.csv"),
      energies_(folder + "/energies.csv") {
  contacts_.buffer() +=
      "step,time_s,contacts,vertex_triangle,edge_edge,nearest_m,pushing,guarded,parts,lost_s\n";
  energies_.buffer() +=
      "step,time_s,kinetic_J,elastic_J,potential_J,contact_J,total_J,residual_m,iterations,failures\n";
  if (!stages_.empty()) write_header();
  for (StreamFile* file : {&timings_, &contacts_, &energies_}) file->flush();
}

void RunTables::write_header() {
  std::string& line = timings_.buffer();
  line += "step,time_s";
  for (const std::string& stage : stages_) line += ',' + csv_text(stage + "_ms");
  line += ",total_ms\n";
  now_.resize(stages_.size());
  has_header_ = true;
}

void RunTables::add_timings(const StepRecord& step) {
  if (!has_header_) {
    for (const Stage& stage : step.stages) stages_.emplace_back(stage.name);
    write_header();
  }
  std::fill(now_.begin(), now_.end(), 0.0);
  for (std::size_t i = 0; i < step.stages.size(); ++i) {
    const std::string_view name = step.stages[i].name;
    const bool in_order = i < stages_.size() && stages_[i] == name;
    const std::size_t at =
        in_order
            ? i
            : static_cast<std::size_t>(std::find(stages_.begin(), stages_.end(), name) - stages_.begin());
    if (at < stages_.size())
      now_[at] += 1e-6 * static_cast<double>(step.stages[i].nanoseconds);
    else if (warning_.empty())
      warning_ = fmt::format("{}: there is no column for stage '{}', which came up in step {}.",
                             timings_.path(), name, step.step);
  }
  std::string& line = timings_.buffer();
  begin_line(line, step);
  for (const double ms : now_) fmt::format_to(std::back_inserter(line), ",{:.4f}", ms);
  fmt::format_to(std::back_inserter(line), ",{:.4f}", 1e-6 * static_cast<double>(step.nanoseconds));
  end_line(timings_);
}

void RunTables::add(const StepRecord& step) {
  add_timings(step);
  std::string& contacts = contacts_.buffer();
  begin_line(contacts, step);
  fmt::format_to(std::back_inserter(contacts), ",{},{},{}", step.contacts(), step.vertex_triangle,
                 step.edge_edge);
  add_cell(contacts, step.nearest);
  fmt::format_to(std::back_inserter(contacts), ",{},{},{},{}", step.pushing, step.guarded, step.parts,
                 step.lost);
  end_line(contacts_);
  std::string& energies = energies_.buffer();
  begin_line(energies, step);
  for (const double energy :
       {step.kinetic, step.elastic, step.potential, step.contact, step.total, step.residual})
    add_cell(energies, energy);
  fmt::format_to(std::back_inserter(energies), ",{},{}", step.iterations, step.failures);
  end_line(energies_);
}

void RunTables::close() {
  if (!has_header_) write_header();
  for (StreamFile* file : {&timings_, &contacts_, &energies_}) file->close();
}

std::vector<Error> RunTables::failures() const {
  std::vector<Error> all;
  for (const StreamFile* file : {&timings_, &contacts_, &energies_})
    if (file->failure()) all.push_back(*file->failure());
  return all;
}

}  // namespace palpate
