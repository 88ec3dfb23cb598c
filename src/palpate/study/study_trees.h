// The published experiment on trees and voxels for deformable bodies (Meseure, Hilde and Chaillou, about
// 1998), re-run: theirs beside ours.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <palpate/report/page.h>
#include <palpate/study/claim.h>
#include <palpate/study/trees_case.h>

namespace palpate {

// As published, for an R10000 of 195 MHz: steps a second, and the share of the step that detection took.
struct PublishedTrees {
  double brute_hertz = 0.1, voxels_hertz = 16.5, trees_hertz = 55, four_hertz = 30;
  double trees_share = 0.77;
};
inline constexpr PublishedTrees published_trees;

struct TreesStudyOptions {
  std::string scenes = "scenes";              // the folder that has laparoscopy.toml
  bool quick = false;                         // few steps
  std::function<bool(double)> progress = {};  // how far it is, 0 to 1; false: end with what there is
};

struct TreesStudy {
  bool quick = false, interrupted = false;
  std::vector<TreesCase> cases;  // those that are complete: one soft body, four
  std::vector<Claim> claims;
};

TreesStudy study_trees(const TreesStudyOptions& options = {});

// By rules that are told with each. The first case has one soft body, the second four.
std::vector<Claim> judge_trees_claims(std::span<const TreesCase> cases);

std::vector<Table> trees_tables(const TreesStudy& study);
std::vector<std::pair<std::string, Plot>> trees_plots(const TreesStudy& study);
std::string trees_page(const TreesStudy& study);
std::string trees_json(const TreesStudy& study);

}  // namespace palpate
