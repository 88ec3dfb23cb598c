// What a run comes to: for programs (summary.json) and for the screen.
//
// Both tell the same figures under the same names, so that whoever saw the one finds them in the other;
// docs/runs.md explains each field. What is not known is null in JSON and a dash on the screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <palpate/report/page.h>
#include <palpate/report/run_record.h>
#include <palpate/report/shown_recording.h>

namespace palpate {

struct BodyFacts {
  std::string name = {}, kind = {};  // "liver", "soft"
  std::string material = {};         // may be empty
  std::size_t vertices = 0, elements = 0;
  std::size_t triangles = 0;  // of the surface that touches
  double mass = not_known;    // [kg]
};

// What a run's steps do not tell.
struct RunFacts {
  std::string scene = {};       // its name
  std::string scene_text = {};  // the file as it was read, for the page
  std::string command_line = {};
  std::optional<std::uint64_t> state_hash = {};  // of the world after the last step
  double wall_seconds = 0;                       // from beginning to end, whatever was done
  int threads = 0;
  std::size_t frames = 0;    // that were exported
  bool interrupted = false;  // ended before its last step
  std::vector<BodyFacts> bodies = {};
  std::vector<std::string> warnings = {};  // a sentence each
  ShownRecording recording = {};           // to watch on the page (thinned_recording.h)
  std::string no_player = {};              // why there is nothing to watch: a sentence, in its place
};

// The text of summary.json.
std::string run_json(const RunFacts& facts, const RunRecord& record);

// Name and value of what matters, in a few lines.
Table run_table(const RunFacts& facts, const RunRecord& record);
// Mean, median, 99th percentile and worst of each stage and of whole steps [ms].
Table run_stages_table(const RunRecord& record);
Table run_bodies_table(const RunFacts& facts);

// Simulated and spent time in a sentence or two.
std::string run_sentences(const RunFacts& facts, const RunRecord& record);

}  // namespace palpate
