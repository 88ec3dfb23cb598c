#include <palpate/base/build_facts.h>

#include <cstdint>

#include <hwy/highway.h>

namespace palpate {

BuildFacts build_facts() {
  BuildFacts facts;
  facts.version = PALPATE_VERSION;
#if defined(__clang__)
  facts.compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  facts.compiler = "GCC " __VERSION__;
#else
  facts.compiler = "unknown";
#endif
  facts.build_type = PALPATE_BUILD_TYPE;
  facts.built_for = PALPATE_ISA;
  // Those that the machine has and that were compiled; Highway numbers them so that a better one has a lower
  // bit.
  const auto targets = hwy::SupportedTargets() & static_cast<std::int64_t>(HWY_TARGETS);
  facts.kernels = hwy::TargetName(targets & -targets);
  return facts;
}

}  // namespace palpate
