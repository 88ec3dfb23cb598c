// Constraints projected one after the other, by colours, or all at once with what they do averaged.
#include <palpate/solve/sweeps.h>

#include <algorithm>

#include <palpate/base/error.h>

namespace palpate {

namespace {

class SweepXpbd : public SolveSweep {
 public:
  SweepXpbd(Arrangement arrangement, bool averaged) : arrangement_(arrangement), averaged_(averaged) {}

  void prepare(const Equations& equations) override {
    if (equations.constraints.empty() && !equations.terms.empty())
      throw Error(Place::named("solver", "xpbd"), "the terms of this step are not given as constraints",
                  "Use the solver quasi_newton or vertex.");
    std::vector<double> inverse(equations.size());
    for (std::size_t i = 0; i < inverse.size(); ++i)
      inverse[i] = equations.held[i] != 0 ? 0 : 1 / equations.masses[i];
    constraints_ = equations.constraints;
    begin_.assign(1, 0);
    share_.assign(equations.size(), averaged_ ? 0 : 1);
    for (Constraints* constraints : constraints_) {
      constraints->prepare(inverse, equations.step, arrangement_);
      begin_.push_back(begin_.back() + constraints->multipliers());
      if (averaged_)
        for (std::size_t i = 0; i < constraints->size(); ++i)
          for (const std::uint32_t v : constraints->nodes(i)) ++share_[v];
    }
    if (averaged_) {
      for (double& share : share_) share = 1 / std::max(1.0, share);
      find_taken();
    }
    changes_.resize(averaged_ ? multipliers() : 0);
    before_.resize(averaged_ ? equations.size() : 0);
  }

  std::size_t multipliers() const override { return begin_.back(); }

  // Multipliers start at 0, and positions where they are without them.
  void begin(const Equations& equations, std::span<PaddedPoint> x) const override {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (equations.held[i] == 0) x[i] = PaddedPoint(equations.targets[i]);
  }

  void sweep(Equations& /*equations*/, std::span<PaddedPoint> x, std::span<double> multipliers) override {
    if (averaged_) {
      std::copy(x.begin(), x.end(), before_.begin());
      for (std::size_t k = 0; k < constraints_.size(); ++k)
        constraints_[k]->changes(before_, part(multipliers, k), part(std::span(changes_), k));
      for (std::size_t i = 0; i < multipliers.size(); ++i) multipliers[i] += taken_[i] * changes_[i];
      apply_shared(before_, changes_, share_, x);
    } else {
      for (std::size_t k = 0; k < constraints_.size(); ++k) constraints_[k]->project(x, part(multipliers, k));
    }
  }

  // The changes that a sweep leads to move the positions as far as the sweep does.
  void apply(std::span<const PaddedPoint> x, std::span<const double> changes,
             std::span<PaddedPoint> to) override {
    if (averaged_) {
      for (std::size_t i = 0; i < changes.size(); ++i)
        changes_[i] = taken_[i] > 0 ? changes[i] / taken_[i] : 0;
      changes = changes_;
    }
    apply_shared(x, changes, share_, to);
  }
  void weigh(std::span<double> out) const override {
    for (std::size_t k = 0; k < constraints_.size(); ++k) constraints_[k]->multiplier_weights(part(out, k));
  }

 private:
  template <class T>
  std::span<T> part(std::span<T> all, std::size_t k) const {
    return all.subspan(begin_[k], begin_[k + 1] - begin_[k]);
  }
  void apply_shared(std::span<const PaddedPoint> x, std::span<const double> changes,
                    std::span<const double> share, std::span<PaddedPoint> to) const {
    for (std::size_t k = 0; k < constraints_.size(); ++k)
      constraints_[k]->apply(x, part(changes, k), share, to);
  }

  // What is averaged at the nodes must not count whole for the multipliers, or the two would part for ever:
  // of a change they take the mean of the shares of its nodes.
  void find_taken() {
    taken_.assign(multipliers(), 0);
    for (std::size_t k = 0; k < constraints_.size(); ++k)
      for (std::size_t i = 0; i < constraints_[k]->size(); ++i) {
        const auto nodes = constraints_[k]->nodes(i);
        double mean = 0;
        for (const std::uint32_t v : nodes) mean += share_[v] / static_cast<double>(nodes.size());
        const auto [first, stride] = constraints_[k]->multipliers_of(i);
        for (std::size_t r = 0; r < constraints_[k]->rows(); ++r)
          taken_[begin_[k] + first + r * stride] = mean;
      }
  }

  Arrangement arrangement_;
  bool averaged_;
  std::vector<Constraints*> constraints_;
  std::vector<std::size_t> begin_ = {0};  // of the multipliers of each kind
  std::vector<double> share_;             // of each node
  std::vector<double> taken_;             // of each multiplier's change
  std::vector<double> changes_;
  std::vector<PaddedPoint> before_;
};

}  // namespace

std::unique_ptr<SolveSweep> make_sweep_xpbd(std::string_view name) {
  return std::make_unique<SweepXpbd>(
      name == "xpbd_coloured" ? Arrangement::by_colour : Arrangement::one_by_one, name == "xpbd_jacobi");
}

}  // namespace palpate
