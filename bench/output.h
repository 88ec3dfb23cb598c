// The results of a benchmark: a table for people, JSON for programs, a plot for documents.
#pragma once

#include <string>

#include "harness.h"
#include "machine.h"

namespace palpate::bench {

std::string table(const Benchmark& benchmark, const Machine& machine, const Report& report);
std::string json(const Benchmark& benchmark, const Machine& machine, const Report& report);
// Bars of median times, a group for each case: SVG.
std::string plot(const Benchmark& benchmark, const Machine& machine, const Report& report);

// Fails at once, before anything is measured, if the file cannot be written. "-" is stdout.
void check_writable(const std::string& path);
void write(const std::string& path, const std::string& text);

}  // namespace palpate::bench
