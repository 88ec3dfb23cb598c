#include <palpate/study/study_trees.h>

#include <algorithm>

#include <fmt/format.h>

#include <palpate/scene/read_scene.h>

namespace palpate {

namespace {

void add(std::vector<double>& to, const std::optional<double>& value) {
  if (value) to.push_back(*value);
}

// How many times faster trees are than another method: by the whole step, and by detection alone.
void add_rates(std::vector<Claim>& claims, const TreesCase* one, const char* than, const std::string& what,
               const std::string& published, double least) {
  using namespace trees_method;
  const std::string rule = fmt::format("at least {:g} times, in the steps that both did", least);
  Claim whole{what, published, rule, {}, " x"};
  Claim alone{"... by detection alone", "not told", rule, {}, " x"};
  if (one != nullptr) {
    add(whole.measured, one->times(than, trees, &TreesStep::ms));
    add(alone.measured, one->times(than, trees, &TreesStep::detect_ms));
  }
  for (Claim* claim : {&whole, &alone}) {
    claim->judge([least](double times) { return times >= least; });
    claims.push_back(std::move(*claim));
  }
}

Claim share_claim(const TreesCase* one, const char* method, const std::string& what,
                  const std::string& published, double least) {
  Claim claim{what, published, fmt::format("at least {:.0f} % of the step", 100 * least), {}, " %"};
  const TreesRun* run = one != nullptr ? one->run(method) : nullptr;
  if (run != nullptr && !run->steps.empty()) {
    claim.measured.push_back(100 * run->search_share());
    claim.remark = fmt::format("of which {:.0f} % for contacts, the rest for what would cross",
                               100 * run->detect_share());
  }
  claim.judge([least](double percent) { return percent >= 100 * least; });
  return claim;
}

Claim four_claim(std::span<const TreesCase> cases) {
  Claim claim{"With trees, four times the deformable faces cost less than four times the step",
              "55 to 30 Hz: 1.8 x",
              "less than 4 times the mean step",
              {},
              " x"};
  if (cases.size() > 1) {
    const TreesRun *one = cases[0].run(trees_method::trees), *four = cases[1].run(trees_method::trees);
    if (one != nullptr && four != nullptr && one->mean_ms() > 0)
      claim.measured.push_back(four->mean_ms() / one->mean_ms());
  }
  claim.judge([](double times) { return times < 4; });
  return claim;
}

Claim size_claim(const TreesCase* one) {
  Claim claim{"Voxels need a size that was chosen well; trees have nothing to choose",
              "said, without figures",
              "detection with the worst size measured takes at least 1.5 times as long as with the best",
              {},
              " x"};
  double best = 0, worst = 0;
  for (const TreesRun& run : one != nullptr ? one->runs : std::vector<TreesRun>()) {
    if (run.finder != "classic_voxels" || !(run.detect_ms() > 0)) continue;
    best = best > 0 ? std::min(best, run.detect_ms()) : run.detect_ms();
    worst = std::max(worst, run.detect_ms());
  }
  if (best > 0) claim.measured.push_back(worst / best);
  claim.judge([](double times) { return times >= 1.5; });
  return claim;
}

}  // namespace

std::vector<Claim> judge_trees_claims(std::span<const TreesCase> cases) {
  using namespace trees_method;
  const TreesCase* one = cases.empty() ? nullptr : cases.data();
  std::vector<Claim> claims;
  add_rates(claims, one, voxels, "Trees give three times the rate of voxels", "55 against 16.5 Hz: 3.3 x", 3);
  add_rates(claims, one, brute, "Trees give 550 times the rate of brute force", "55 against 0.1 Hz: 550 x",
            550);
  claims.push_back(share_claim(one, brute, "With brute force, detection is practically all of the step",
                               "90 to almost 100 %", 0.9));
  claims.push_back(share_claim(one, trees, "With trees, it is still most of the step", "77 %", 0.5));
  claims.push_back(four_claim(cases));
  claims.push_back(size_claim(one));
  return claims;
}

TreesStudy study_trees(const TreesStudyOptions& options) {
  TreesStudy study;
  study.quick = options.quick;
  const Scene scene = read_scene(options.scenes + "/laparoscopy.toml");
  const std::size_t steps = options.quick ? 120 : scene.run.steps;
  for (const std::size_t bodies : {1, 4}) {
    TreesCaseOptions how{.steps = steps, .brute_every = 0};
    if (bodies == 1) how = {.steps = steps, .brute_every = steps / 6, .voxel_sizes = {0.5, 1, 4, 8, 16}};
    how.progress = [&](double part) {
      return !options.progress ||
             options.progress(0.7 * (bodies == 1 ? part : 1) + (bodies == 1 ? 0 : 0.3 * part));
    };
    TreesCase result =
        measure_trees(bodies == 1 ? "512 faces" : "4 x 512 faces", trees_scene(scene, bodies), how);
    if (!result.complete) {
      study.interrupted = true;
      break;
    }
    study.cases.push_back(std::move(result));
  }
  study.claims = judge_trees_claims(study.cases);
  return study;
}

}  // namespace palpate
