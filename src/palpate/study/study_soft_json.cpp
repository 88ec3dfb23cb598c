// The study for programs. What is not a number is null.
#include <palpate/study/study_soft.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/base/parallel.h>

namespace palpate {

namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json json_of(const SoftCurve& curve) {
  ordered_json ms, energy, residual, published;
  for (const SoftIteration& point : curve.points) {
    ms.push_back(number(point.ms));
    energy.push_back(number(point.energy_error));
    residual.push_back(number(point.residual));
    published.push_back(number(point.published_residual));
  }
  return {{"method", curve.method},
          {"failed", curve.failed},
          {"refused", curve.refused},
          {"inverted", curve.inverted},
          {"ms", ms},
          {"energy_error", energy},
          {"residual", residual},
          {"published_residual", published}};
}

ordered_json json_of(const SoftConvergence& one) {
  ordered_json curves = ordered_json::array();
  for (const SoftCurve& curve : one.curves) curves.push_back(json_of(curve));
  return {{"shape", one.shape},
          {"model", words_of(one.model)},
          {"start", one.start},
          {"stretch", one.deformation.stretch},
          {"twist", one.deformation.twist},
          {"shake", one.deformation.shake},
          {"nodes", one.nodes},
          {"tetrahedra", one.tets},
          {"inverted_at_start", one.inverted},
          {"first_potential", number(one.first)},
          {"least_potential", number(one.least)},
          {"curves", curves}};
}

template <class List, class Make>
ordered_json array_of(const List& list, Make&& make) {
  ordered_json array = ordered_json::array();
  for (const auto& one : list) array.push_back(make(one));
  return array;
}

ordered_json json_of(const SoftClaim& claim) {
  return {{"claim", claim.claim},
          {"rule", claim.rule},
          {"norm", claim.norm},
          {"measured", array_of(claim.measured, number)},
          {"cases_that_hold", claim.held},
          {"verdict", name_of(claim.verdict)}};
}

}  // namespace

std::string soft_json(const SoftStudy& study) {
  const BuildFacts facts = build_facts();
  ordered_json all = {{"study", "soft"},
                      {"version", facts.version},
                      {"machine",
                       {{"build_type", facts.build_type},
                        {"compiler", facts.compiler},
                        {"built_for", facts.built_for},
                        {"kernels", facts.kernels},
                        {"threads", available_threads()}}},
                      {"quick", study.quick},
                      {"interrupted", study.interrupted},
                      {"missing", study.missing}};
  all["claims"] = array_of(study.claims, [](const SoftClaim& one) { return json_of(one); });
  all["stretches"] = array_of(study.stretches, [](const auto& one) -> ordered_json {
    return {{"shape", one.first}, {"largest_stretch", one.second}};
  });
  all["convergence"] = array_of(study.convergence, [](const SoftConvergence& one) { return json_of(one); });
  all["stages"] = array_of(study.stages, [](const SoftStage& one) -> ordered_json {
    return {
        {"shape", one.shape}, {"stage", one.stage}, {"ms", one.ms}, {"ns_per_tetrahedron", one.ns_per_tet}};
  });
  all["sags"] = array_of(study.sags, [](const SoftSag& one) -> ordered_json {
    return {{"shape", one.shape},       {"young", one.young},
            {"sag", number(one.sag)},   {"closed_form", number(one.closed_form)},
            {"inverted", one.inverted}, {"settled", one.settled}};
  });
  all["contractions"] = array_of(study.contractions, [](const SoftContraction& one) -> ordered_json {
    return {{"model", words_of(one.model)},
            {"poisson", one.poisson},
            {"strain", number(one.strain)},
            {"contraction", number(one.contraction)},
            {"closed_form", number(one.closed_form)}};
  });
  all["inversions"] = array_of(study.inversions, [](const SoftInversion& one) -> ordered_json {
    return {
        {"model", words_of(one.model)}, {"solver", one.solver}, {"before", one.before}, {"after", one.after}};
  });
  return all.dump(1) + "\n";
}

}  // namespace palpate
