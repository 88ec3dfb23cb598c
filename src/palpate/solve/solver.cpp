#include <palpate/solve/solver.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>
#include <palpate/solve/quasi_newton.h>
#include <palpate/solve/sweep_solver.h>

namespace palpate {

namespace {

using Kind = Acceleration::Kind;
constexpr std::array<std::string_view, 5> names = {"quasi_newton", "xpbd", "xpbd_coloured", "xpbd_jacobi",
                                                   "vertex"};

}  // namespace

bool Solver::turn(const Equations& equations, std::span<Vec3> x) {
  pieces_.shift(equations, x);
  return pieces_.turn(equations, x);
}

std::span<const std::string_view> solver_names() { return names; }

std::unique_ptr<Solver> make_solver(std::string_view name, const Acceleration& acceleration) {
  const auto refuse = [&](std::string_view why) {
    throw Error(Place::named("solver", name),
                "it cannot have the acceleration " + std::string(name_of(acceleration.kind)),
                std::string(why));
  };
  if (name == "quasi_newton") {
    if (acceleration.kind != Kind::none) refuse("It has its own; leave the acceleration out.");
    return std::make_unique<QuasiNewton>();
  }
  if (name == "vertex") {
    if (acceleration.kind == Kind::sor_multipliers || acceleration.kind == Kind::anderson_multipliers ||
        acceleration.kind == Kind::anderson_both)
      refuse("It has no multipliers; use one that works on positions.");
    return std::make_unique<SweepSolver>(name, make_sweep_vertex(), acceleration);
  }
  if (name.starts_with("xpbd") && std::find(names.begin(), names.end(), name) != names.end())
    return std::make_unique<SweepSolver>(name, make_sweep_xpbd(name), acceleration);
  throw Error(Place::named("solver", name), "there is none of this name",
              did_you_mean(name, std::vector<std::string>(names.begin(), names.end())));
}

}  // namespace palpate
