// The benchmarks, a file each. To add one: write bench_NAME.cpp beside the others, declare its function here
// and add it to the list in main.cpp.
#pragma once

#include "harness.h"

namespace palpate::bench {

Benchmark base();
Benchmark geometry();
Benchmark mesh();
Benchmark contacts();
Benchmark continuous();
Benchmark soft();
Benchmark world();
Benchmark view();

}  // namespace palpate::bench
