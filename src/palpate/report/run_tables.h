// The tables of a run with a line for each step, as CSV: timings, contacts, energies.
//
// Names of columns end in their unit, so that a file explains itself to whoever opens it alone. What is not
// known, and the nearest of no contacts, is an empty cell: spreadsheets and pandas read that as "none".
#pragma once

#include <string>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/report/run_record.h>
#include <palpate/report/stream_file.h>

namespace palpate {

class RunTables {
 public:
  // Makes the files in a folder that is there. `stages`: the columns of timings.csv; empty: those of the
  // first step.
  RunTables(const std::string& folder, std::vector<std::string> stages);
  ~RunTables() { close(); }
  RunTables(const RunTables&) = delete;
  RunTables& operator=(const RunTables&) = delete;

  void add(const StepRecord& step);
  void close();
  std::vector<Error> failures() const;
  // About a stage that came too late to get a column; empty if there is none.
  const std::string& warning() const { return warning_; }

 private:
  void write_header();
  void add_timings(const StepRecord& step);

  std::vector<std::string> stages_;
  std::vector<double> now_;  // of this step, by stage [ms]
  bool has_header_ = false;
  std::string warning_;
  StreamFile timings_, contacts_, energies_;
};

}  // namespace palpate
