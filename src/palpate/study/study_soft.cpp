#include <palpate/study/study_soft.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace palpate {

namespace {

constexpr double young = 1e6;  // of the steps that solvers are compared on [Pa]

// Work in order, with how much of the whole each piece is.
class Jobs {
 public:
  void add(double cost, std::string what, std::function<void()> work) {
    whole_ += cost;
    jobs_.push_back({cost, std::move(what), std::move(work)});
  }
  // False: stopped on the way.
  bool run(const SoftStudyOptions& options) const {
    double done = 0;
    for (const Job& job : jobs_) {
      if (options.progress && !options.progress(done / whole_, job.what)) return false;
      job.work();
      done += job.cost;
    }
    return !options.progress || options.progress(1, "done");
  }

 private:
  struct Job {
    double cost;
    std::string what;
    std::function<void()> work;
  };
  double whole_ = 0;
  std::vector<Job> jobs_;
};

Material material_of(const SoftShape& shape, Model model) {
  return {.density = shape.density, .young = young, .poisson = 0.4, .damping = 0, .model = model};
}

int iterations_for(const SoftShape& shape, bool quick) {
  if (quick) return 60;
  return shape.tets < 5000 ? 300 : shape.tets < 20000 ? 200 : 100;
}

void add_convergence(Jobs& jobs, SoftStudy& study, const SoftShape& shape) {
  const auto cost = static_cast<double>(shape.tets) * iterations_for(shape, study.quick);
  const auto add = [&](Model model, const char* start, const std::function<SoftDeformation()>& deformation) {
    jobs.add(cost, fmt::format("{}, {}, {} start", shape.name, words_of(model), start), [=, &study] {
      study.convergence.push_back(converge_soft(shape, model, start, deformation(), study.quick));
    });
  };
  const auto violent = [] { return SoftDeformation{}; };
  const auto slight = [] { return SoftDeformation{.stretch = 1.001, .twist = 0, .shake = 0}; };
  if (!study.quick) {
    jobs.add(0.1 * cost, fmt::format("{}, the largest stretch", shape.name),
             [=, &study] { study.stretches.emplace_back(shape.name, largest_stretch(shape)); });
    add(Model::stvk, "gentle", [=, &study] {
      return SoftDeformation{.stretch = study.stretches.back().second, .twist = 0, .shake = 0};
    });
    add(Model::neo_hookean, "violent", violent);
  }
  add(Model::stvk, "violent", violent);
  add(Model::stvk, "slight", slight);
}

void add_materials(Jobs& jobs, SoftStudy& study, const std::vector<SoftShape>& shapes) {
  for (const SoftShape& shape : shapes)
    for (int power = 3; power <= 9; power += study.quick ? 3 : 1)
      jobs.add(static_cast<double>(shape.tets) * (study.quick ? 50 : 100),
               fmt::format("{}, sag for E = 1e{} Pa", shape.name, power), [=, &study] {
                 study.sags.push_back(find_sag(shape, std::pow(10.0, power), study.quick ? 40 : 100));
               });
  for (const Model model : {Model::stvk, Model::neo_hookean})
    for (const double strain : {1e-3, 0.3})
      for (const double poisson : {0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49})
        if (!study.quick || strain < 0.01)
          jobs.add(1e4, "lateral contraction",
                   [=, &study] { study.contractions.push_back(find_contraction(model, poisson, strain)); });
  for (const Model model : {Model::stvk, Model::neo_hookean})
    for (const char* solver : {"quasi_newton", "xpbd_coloured", "vertex"})
      jobs.add(1e4, "inverted tetrahedra",
               [=, &study] { study.inversions.push_back(find_inversion(model, solver)); });
}

}  // namespace

SoftConvergence converge_soft(const SoftShape& shape, Model model, const std::string& start,
                              const SoftDeformation& deformation, bool quick) {
  SoftStep step(shape.make(), material_of(shape, model), deformation);
  SoftConvergence result;
  result.shape = shape.name;
  result.start = start;
  result.deformation = deformation;
  result.model = model;
  result.nodes = step.mesh.positions.size();
  result.tets = step.mesh.tets.size();
  result.inverted = inverted_tets(step.mesh, step.start);
  result.first = step.first;
  result.least = step.least;
  for (const SoftMethod& method : soft_methods(quick))
    result.curves.push_back(run_soft_method(step, method, iterations_for(shape, quick)));
  find_energy_errors(result);
  return result;
}

double largest_stretch(const SoftShape& shape) {
  for (const double stretch : {1.1, 1.05, 1.02, 1.01, 1.005, 1.002, 1.001, 1.0005, 1.0002, 1.0001}) {
    SoftStep step(shape.make(), material_of(shape, Model::stvk), {.stretch = stretch, .twist = 0, .shake = 0},
                  1);
    const SoftCurve curve = run_soft_method(step, {soft_method::plain, "xpbd"}, 40);
    double most = 0;
    for (const SoftIteration& point : curve.points) most = std::max(most, point.published_residual);
    const double first = curve.points[0].published_residual;
    if (!curve.failed && curve.inverted == 0 && most < 3 * first &&
        curve.points.back().published_residual < first)
      return stretch;
  }
  return 1;
}

SoftStudy study_soft(const SoftStudyOptions& options) {
  SoftStudy study;
  study.quick = options.quick;
  std::vector<SoftShape> shapes = soft_beams();
  if (options.quick) {
    shapes.resize(1);
  } else {
    for (SoftShape& animal : soft_animals()) shapes.push_back(std::move(animal));
    for (const char* name : {"hippo", "armadillo"})
      if (std::none_of(shapes.begin(), shapes.end(), [&](const SoftShape& one) { return one.name == name; }))
        study.missing.push_back(fmt::format("{} (looked for {})", name, soft_animal_file(name)));
  }
  Jobs jobs;
  for (const SoftShape& shape : shapes) {
    add_convergence(jobs, study, shape);
    const int rounds = options.quick ? 10 : 60;
    jobs.add(static_cast<double>(shape.tets) * rounds, fmt::format("{}, cost by stage", shape.name),
             [=, &study] {
               for (SoftStage& stage : time_soft_stages(shape, rounds))
                 study.stages.push_back(std::move(stage));
             });
  }
  add_materials(jobs, study, shapes);
  study.interrupted = !jobs.run(options);
  study.claims = judge_soft_claims(study.convergence, study.stages, study.inversions);
  return study;
}

}  // namespace palpate
