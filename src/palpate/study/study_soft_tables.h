// The study of soft bodies as tables, for the page and for the terminal.
#pragma once

#include <string>

#include <palpate/report/page.h>
#include <palpate/study/study_soft.h>

namespace palpate {

// Three figures; a dash for what is not a number.
std::string number_text(double value);
// "hippo, StVK, violent start"
std::string title_of(const SoftConvergence& one);

Table claims_table(const SoftStudy& study);
// How many times fewer iterations than plain XPBD, case by case.
Table speeds_table(const SoftStudy& study);
// How the default solver does beside plain XPBD and the published method.
Table ours_table(const SoftStudy& study);
// All methods of one case.
Table convergence_table(const SoftConvergence& one);

}  // namespace palpate
