// The folder that a run leaves: made before the first step, filled while the run goes on.
//
// Whoever waits an hour for a run must not learn at its end that nothing could be written. So all that can be
// wrong with the folder is found at once: it holds something already, may not be written to, the disk is
// full. Tables with a line for each step are written as the run goes on: of an interrupted run all steps are
// there. A disk that fills up later ends the one file; the run and the other files go on, and warnings()
// tells. A small file holds room free until the end, so that the summary and the report are written even
// then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/report/run_record.h>
#include <palpate/report/run_tables.h>

namespace palpate {

struct RunFolderOptions {
  std::string path = {};  // empty: PARENT/SCENE, or the first of PARENT/SCENE-2, -3, ... that is not there
  std::string scene = "run";  // the scene's name
  std::string parent = "results";
  bool overwrite = false;  // what an earlier run left in the folder is removed; other files stay
  std::vector<std::string> stages = {};   // the columns of timings.csv; empty: the stages of the first step
  std::uintmax_t needed_bytes = 1 << 20;  // on the disk; with less free the run is refused
  std::uintmax_t expected_bytes = 0;      // an estimate; with less free there is a warning
};

class RunFolder {
 public:
  // Makes the folder and the tables in it. Refuses what cannot be done, and then leaves nothing new behind.
  explicit RunFolder(const RunFolderOptions& options);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }
  // PATH/NAME.
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

  // A line for timings.csv, contacts.csv and energies.csv. Never throws; the first call may allocate.
  void add(const StepRecord& step);
  // A whole file (summary.json, report.html). False where the disk refuses; failures() has the reason.
  bool write(std::string_view name, std::string_view bytes);
  // Writes what is left of the tables, and gives up the room that was held. Call it before the summary is
  // made, so that it can tell what failed.
  void close();

  // What could not be written, once for each file.
  std::vector<Error> failures() const;
  // The same as sentences, and what else is to be known (little room on the disk).
  std::vector<std::string> warnings() const;

 private:
  void hold_room() const;
  void free_room() const;

  std::string path_;
  std::unique_ptr<RunTables> tables_;  // always there
  std::vector<Error> failures_;        // of whole files
  std::vector<std::string> warnings_;
};

// About what the three tables of a run take on the disk [bytes].
std::uintmax_t expected_table_bytes(std::size_t steps, std::size_t stages);

}  // namespace palpate
