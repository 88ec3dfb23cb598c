// The momentum of what is not held.
//
// Terms inside a body do not move its centre, so after a step the centre of a free body is where it would be
// without them. Solvers that are not run to convergence would leave it somewhere else: they are corrected by
// a shift of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/equations.h>

namespace palpate {

class FreeBodies {
 public:
  // `entries`: of the metric of all terms; what they connect hangs together.
  void prepare(const Equations& equations, std::span<const MetricEntry> entries);
  // To where they are without what pulls inside.
  void shift(const Equations& equations, std::span<Vec3> x);
  // Takes from a direction what would move them.
  void keep_centres(const Equations& equations, std::span<Vec3> direction);

 private:
  template <class Of>
  void add_means(const Equations& equations, std::span<Vec3> to, Of&& of);

  std::vector<std::uint32_t> body_;  // of each node; only of those with nothing held
  std::vector<Vec3> shift_;
  std::vector<double> mass_;
};

}  // namespace palpate
