// What this build of Palpate is: for --version, reports and benchmarks.
#pragma once

#include <string>

namespace palpate {

struct BuildFacts {
  std::string version;     // 0.1.0
  std::string compiler;    // GCC 12.2.0
  std::string build_type;  // Release, Debug, ...
  std::string built_for;   // the instruction set that every line may use: x86-64-v2, native, ...
  std::string kernels;     // the instruction set that the wide kernels use on this machine: SSE4, AVX2, ...
};

BuildFacts build_facts();

}  // namespace palpate
