#include <palpate/solve/coupled.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

}  // namespace

void Coupled::clear(double step) {
  step_ = step;
  size_ = 0;
  parts_.clear();
  nodes_.clear();
  x_.clear();
}

std::uint32_t Coupled::add(Equations& equations, QuasiNewton& solver, std::span<Vec3> x) {
  const std::size_t first = size_;
  parts_.push_back({&equations, &solver, x, first});
  x_.insert(x_.end(), x.begin(), x.end());
  size_ += x.size();
  return static_cast<std::uint32_t>(first);
}

std::uint32_t Coupled::add_node(double mass, const Vec3& target, const Vec3& start) {
  const auto place = static_cast<std::uint32_t>(size_++);
  nodes_.push_back({place, mass, target});
  x_.push_back(start);
  return place;
}

void Coupled::make_room(std::size_t vectors) {
  for (auto* list : {&result_, &residual_, &scaled_, &direction_, &product_, &own_product_, &gradient_})
    list->resize(size_);
  vectors_.resize(vectors);
  pulls_.resize(vectors);
  stiffness_.resize(vectors);
  values_.resize(parts_.size());
  descent_.make_room(size_);
}

void Coupled::store() {
  for (const Part& part : parts_)
    std::copy_n(x_.begin() + static_cast<std::ptrdiff_t>(part.first), part.x.size(), part.x.begin());
}

// All systems, lone nodes and the law between them.
class Coupled::All final : public Landscape {
 public:
  All(Coupled& of, const Couplings& couplings, CouplingLaw& law, const CoupledOptions& options)
      : of_(of), couplings_(couplings), law_(law), options_(options) {}

  double value(std::span<const Vec3> x, std::span<Vec3> gradient) override {
    const auto& parts = of_.parts_;
    parallel_for(parts.size(), 1, [&](std::size_t p) {
      const std::size_t n = parts[p].equations->size();
      of_.values_[p] = palpate::potential(*parts[p].equations, x.subspan(parts[p].first, n),
                                          gradient.subspan(parts[p].first, n));
    });
    double sum = 0;
    for (const double value : of_.values_) sum += value;
    const double scale = 1 / (of_.step_ * of_.step_);
    for (const Node& node : of_.nodes_) {
      const Vec3 off = x[node.place] - node.target;
      gradient[node.place] = scale * node.mass * off;
      sum += 0.5 * scale * node.mass * off.squaredNorm();
    }
    couplings_.at(x, of_.vectors_);
    sum += law_.value(of_.vectors_, of_.pulls_);
    couplings_.add_back(of_.pulls_, gradient);
    hold(gradient);
    return sum;
  }

  void to_step(std::span<const Vec3> x, std::span<Vec3> v) override {
    if (couplings_.empty()) return by_metrics(v);
    couplings_.at(x, of_.vectors_);
    law_.stiffness(of_.vectors_, of_.stiffness_);
    hold(v);
    by_gradients(v);
  }

  double residual(std::span<const Vec3> gradient) const override {
    double sum = 0, mass = 0;
    const auto add = [&](double m, const Vec3& g) {
      sum += g.squaredNorm() / m;
      mass += m;
    };
    for (const Part& part : of_.parts_)
      for (std::size_t i = 0; i < part.equations->size(); ++i)
        if (part.equations->held[i] == 0) add(part.equations->masses[i], gradient[part.first + i]);
    for (const Node& node : of_.nodes_) add(node.mass, gradient[node.place]);
    return mass > 0 ? of_.step_ * of_.step_ * std::sqrt(sum / mass) : 0;
  }

  double noise() const override {
    double sum = 0;
    for (const Part& part : of_.parts_)
      for (const Term* term : part.equations->terms) sum += term->rounding();
    return sum;
  }

 private:
  void hold(std::span<Vec3> v) const {
    for (const Part& part : of_.parts_)
      for (std::size_t i = 0; i < part.equations->size(); ++i)
        if (part.equations->held[i] != 0) v[part.first + i].setZero();
  }

  void by_metrics(std::span<Vec3> v) {
    const auto& parts = of_.parts_;
    parallel_for(parts.size(), 1, [&](std::size_t p) {
      parts[p].solver->solve_metric(v.subspan(parts[p].first, parts[p].equations->size()));
    });
    const double scale = of_.step_ * of_.step_;
    for (const Node& node : of_.nodes_) v[node.place] *= scale / node.mass;
  }

  // out += the law's second derivative times d.
  void add_law(std::span<const Vec3> d, std::span<Vec3> out) {
    couplings_.along(d, of_.vectors_);
    parallel_for(couplings_.size(), grain,
                 [&](std::size_t c) { of_.pulls_[c] = of_.stiffness_[c] * of_.vectors_[c]; });
    couplings_.add_back(of_.pulls_, out);
  }

  void by_gradients(std::span<Vec3> v) {
    auto &y = of_.result_, &r = of_.residual_, &z = of_.scaled_, &p = of_.direction_, &q = of_.product_,
         &ap = of_.own_product_;
    std::fill(y.begin(), y.end(), Vec3::Zero());
    std::copy(v.begin(), v.end(), r.begin());
    z = r;
    by_metrics(z);
    p = z;
    ap = r;
    double along = dot(r, z);
    const double enough = options_.gradients_until * options_.gradients_until * along;
    for (int k = 0; k < options_.most_gradients && along > enough; ++k) {
      ++of_.gradients_;
      q = ap;
      add_law(p, q);
      hold(q);
      const double curvature = dot(p, q);
      if (!(curvature > 0)) break;
      const double length = along / curvature;
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += length * p[i];
        r[i] -= length * q[i];
      }
      z = r;
      by_metrics(z);
      const double next = dot(r, z), turn = next / along;
      for (std::size_t i = 0; i < y.size(); ++i) {
        p[i] = z[i] + turn * p[i];
        ap[i] = r[i] + turn * ap[i];
      }
      along = next;
    }
    std::copy(y.begin(), y.end(), v.begin());
  }

  Coupled& of_;
  const Couplings& couplings_;
  CouplingLaw& law_;
  CoupledOptions options_;
};

SolveReport Coupled::solve(const Couplings& couplings, CouplingLaw& law, const SolveOptions& options,
                           const CoupledOptions& coupled) {
  make_room(couplings.size());
  gradients_ = 0;
  SolveReport report;
  All all(*this, couplings, law, coupled);
  descent_.run(all, positions(), options, Deadline(options.budget), report);
  store();
  return report;
}

double Coupled::potential(const Couplings& couplings, CouplingLaw& law) {
  make_room(couplings.size());
  All all(*this, couplings, law, {});
  return all.value(positions(), gradient_);
}

}  // namespace palpate
