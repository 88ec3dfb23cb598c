#include <palpate/base/build_facts.h>

#include <hwy/targets.h>

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
  // Highway numbers its targets so that a better one has a lower bit.
  const auto targets = hwy::SupportedTargets();
  facts.kernels = hwy::TargetName(targets & -targets);
  return facts;
}

}  // namespace palpate
