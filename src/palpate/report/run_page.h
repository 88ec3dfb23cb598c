// report.html: a run on one page that needs nothing else, to look at, to keep and to send.
//
// First what one wants to know (how long, how many contacts, was it real time), then the plots, then what is
// needed to do it again: the scene's text, the version, the machine, the command line.
#pragma once

#include <string>

#include <palpate/report/run_summary.h>

namespace palpate {

// The text of report.html.
std::string run_page(const RunFacts& facts, const RunRecord& record);

// The plots alone: time per step, contacts, energies (where they are known).
std::vector<Plot> run_plots(const RunRecord& record);

}  // namespace palpate
