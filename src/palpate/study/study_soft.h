// The published experiments on accelerated soft bodies (Boukadida 2020), re-run: theirs beside ours.
//
// The study gives numbers; study_soft_page.cpp shows them. Results are the same for any number of threads,
// times are not.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <palpate/study/soft_claims.h>
#include <palpate/study/soft_convergence.h>
#include <palpate/study/soft_sag.h>
#include <palpate/study/soft_stages.h>

namespace palpate {

struct SoftStudyOptions {
  bool quick = false;  // one beam of each kind of question, few iterations
  // How far it is, 0 to 1, and what it is at; false: end with what there is.
  std::function<bool(double fraction, std::string_view what)> progress = {};
};

struct SoftStudy {
  bool quick = false, interrupted = false;
  std::vector<std::pair<std::string, double>> stretches;  // of each shape, the largest that plain XPBD bears
  std::vector<SoftConvergence> convergence;
  std::vector<SoftStage> stages;
  std::vector<SoftSag> sags;
  std::vector<SoftContraction> contractions;
  std::vector<SoftInversion> inversions;
  std::vector<SoftClaim> claims;
  std::vector<std::string> missing;  // shapes that were left out, with where their files should be
};

SoftStudy study_soft(const SoftStudyOptions& options = {});

// All methods from one start.
SoftConvergence converge_soft(const SoftShape& shape, Model model, const std::string& start,
                              const SoftDeformation& deformation, bool quick);

// Of stretches from 1.1 down to 1.0001, the largest from which plain XPBD comes down; 1 if none does.
double largest_stretch(const SoftShape& shape);

// --- how it is shown, see also study_soft_tables.h
// --------------------------------------------------------------
std::string soft_page(const SoftStudy& study);
std::string soft_json(const SoftStudy& study);
// Plots for documents, by name; SVG.
std::vector<std::pair<std::string, std::string>> soft_plots(const SoftStudy& study);

}  // namespace palpate
