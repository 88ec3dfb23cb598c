// The published experiments on a grid for contacts (Leonard 2021), re-run: theirs beside ours.
//
// Scenes are simulated by our own worlds, with the contact distances of our scenes (the published ones are
// not told); the variants of the published grid are then measured on that motion (grid_case.h). What is
// found does not depend on threads or on the machine, times do.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <palpate/report/page.h>
#include <palpate/study/claim.h>
#include <palpate/study/grid_case.h>

namespace palpate {

struct GridStudyOptions {
  std::string scenes = "scenes";  // the folder that has tori-3200.toml, tori.toml, tori-51200.toml, knot.toml
  bool quick = false;             // the small ones, few frames
  int threads = 0;                // that all are; 0: as many as there are
  std::function<bool(double)> progress = {};  // how far it is, 0 to 1; false: end with what there is
};

struct GridStudy {
  bool quick = false, interrupted = false;
  int threads = 1;              // that all are
  std::vector<GridCase> cases;  // those that are complete
  std::vector<Claim> claims;
};

GridStudy study_grid(const GridStudyOptions& options = {});

// By rules that are told with each.
std::vector<Claim> judge_grid_claims(std::span<const GridCase> cases);
// How many times faster six threads would be, where `threads` are `speedup` times as fast as one (Amdahl).
double speedup_of_six(double speedup, int threads);

// 4.1 to 4.7, and what is lost, and what a whole step takes.
std::vector<Table> grid_tables(const GridStudy& study);
std::vector<std::pair<std::string, Plot>> grid_plots(const GridStudy& study);
std::string grid_page(const GridStudy& study);
std::string grid_json(const GridStudy& study);

}  // namespace palpate
