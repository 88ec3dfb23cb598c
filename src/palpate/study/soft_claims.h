// What was claimed of accelerated soft bodies (Boukadida 2020), and whether our curves show it.
//
// No verdict is written down anywhere: each follows from the curves by a rule that is shown with it. Claims
// about speed are judged where the plain method works at all, case by case, and under more than one norm.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <palpate/study/claim.h>
#include <palpate/study/soft_convergence.h>
#include <palpate/study/soft_stages.h>

namespace palpate {

enum class SoftNorm : std::uint8_t { published_residual, residual, energy_error };
std::string_view name_of(SoftNorm norm);
double value_of(const SoftIteration& point, SoftNorm norm);

// The first iteration at which the norm is no more than `level`.
std::optional<int> iterations_to(const SoftCurve& curve, SoftNorm norm, double level);
// How many times fewer iterations `one` needs than `other`, to a level that both reach: nine tenths, on a
// logarithmic scale, of the way that the slower one comes. None where either does not bring the norm down by
// a tenth.
std::optional<double> times_fewer(const SoftCurve& one, const SoftCurve& other, SoftNorm norm);
// The same for milliseconds.
std::optional<double> times_faster(const SoftCurve& one, const SoftCurve& other, SoftNorm norm);
// It blew up, or its norm ends at more than ten times what it was at first.
bool diverges(const SoftCurve& curve, SoftNorm norm);
// The lower quartile: whatever else the machine does can only add.
double milliseconds_per_iteration(const SoftCurve& curve);

struct SoftClaim {
  std::string claim, rule, norm;
  std::vector<double> measured;  // of each case
  std::string unit;              // of what was measured: "x", or empty for yes or no
  std::size_t held = 0;          // cases
  Verdict verdict = Verdict::not_judged;

  std::string measured_text() const;
};

// A body with elements that are turned inside out, left alone for a second.
struct SoftInversion {
  Model model = Model::stvk;
  std::string solver;
  std::size_t before = 0, after = 0;  // inverted elements
};

std::vector<SoftClaim> judge_soft_claims(std::span<const SoftConvergence> all,
                                         std::span<const SoftStage> stages,
                                         std::span<const SoftInversion> inversions);
// Of each shape, the published iteration's stages together, as times its projection.
std::vector<double> stage_ratios(std::span<const SoftStage> stages);

}  // namespace palpate
