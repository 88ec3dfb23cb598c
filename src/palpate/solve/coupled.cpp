#include <palpate/solve/coupled.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/solve/vectors.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;

}  // namespace

void Coupled::clear(double step) {
  step_ = step;
  size_ = 0;
  parts_.clear();
  pairs_.clear();
  pair_of_.clear();
  x_.clear();
}

std::uint32_t Coupled::add(Equations& equations, QuasiNewton& solver, std::span<Vec3> x) {
  const std::size_t first = size_;
  parts_.push_back({&equations, &solver, x, first});
  x_.insert(x_.end(), x.begin(), x.end());
  size_ += x.size();
  pair_of_.resize(size_, no_pair);
  return static_cast<std::uint32_t>(first);
}

std::uint32_t Coupled::add_pair(double mass, const Vec3& first, const Vec3& second) {
  const auto place = static_cast<std::uint32_t>(size_);
  size_ += 2;
  pair_of_.resize(size_, static_cast<std::uint32_t>(pairs_.size()));
  pairs_.push_back({place, mass, {first, second}});
  x_.push_back(first);
  x_.push_back(second);
  return place;
}

void Coupled::make_room(const Couplings& couplings) {
  const std::size_t vectors = couplings.size();
  sixes_.resize(pairs_.size());
  pair_factor_.begin(pairs_.size());
  for (std::size_t c = 0; c < vectors && !pairs_.empty(); ++c) {
    std::uint32_t last = no_pair;
    couplings.each(c, [&](std::uint32_t node, const Mat3&) {
      const std::uint32_t pair = pair_of_[node];
      if (pair != no_pair && last != no_pair) pair_factor_.link(last, pair);
      if (pair != no_pair) last = pair;
    });
  }
  pair_factor_.order();
  for (auto* list : {&result_, &residual_, &scaled_, &direction_, &product_, &own_product_, &gradient_})
    list->resize(size_);
  vectors_.resize(vectors);
  pulls_.resize(vectors);
  stiffness_.resize(vectors);
  values_.resize(parts_.size());
  descent_.make_room(size_);
}

bool Coupled::reduce(const Couplings& couplings) {
  reduced_parts_.clear();
  for (const Part& part : parts_) reduced_parts_.push_back({part.solver, part.equations->held, part.first});
  pair_nodes_.clear();
  for (const Pair& pair : pairs_) pair_nodes_.insert(pair_nodes_.end(), {pair.first, pair.first + 1});
  return reduced_.prepare(reduced_parts_, pair_nodes_, couplings, size_);
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
    for (const Pair& pair : of_.pairs_)
      for (std::size_t k = 0; k < 2; ++k) {
        const Vec3 off = x[pair.first + k] - pair.targets[k];
        gradient[pair.first + k] = scale * pair.mass * off;
        sum += 0.5 * scale * pair.mass * off.squaredNorm();
      }
    couplings_.at(x, of_.vectors_);
    sum += law_.value(of_.vectors_, of_.pulls_);
    couplings_.add_back(of_.pulls_, gradient);
    hold(gradient);
    return sum;
  }

  void to_step(std::span<const Vec3> x, std::span<Vec3> v) override {
    if (couplings_.empty()) {
      factor_pairs();
      return by_metrics(v);
    }
    couplings_.at(x, of_.vectors_);
    law_.stiffness(of_.vectors_, of_.stiffness_);
    factor_pairs();
    hold(v);
    if (of_.reduces_)
      by_reduced_gradients(v);
    else
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
    for (const Pair& pair : of_.pairs_)
      for (std::size_t k = 0; k < 2; ++k) add(pair.mass, gradient[pair.first + k]);
    return mass > 0 ? of_.step_ * of_.step_ * std::sqrt(sum / mass) : 0;
  }

  bool is_exact() const override { return of_.parts_.empty(); }

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

  // Where the first node of a pair is: among all nodes, or among those of pairs alone.
  auto among_all() const {
    return [this](std::size_t pair) -> std::size_t { return of_.pairs_[pair].first; };
  }
  static std::size_t among_pairs(std::size_t pair) { return 2 * pair; }

  void by_metrics(std::span<Vec3> v) {
    const auto& parts = of_.parts_;
    parallel_for(parts.size(), 1, [&](std::size_t p) {
      parts[p].solver->solve_metric(v.subspan(parts[p].first, parts[p].equations->size()));
    });
    solve_pairs(v, among_all());
  }

  template <class Place>
  void solve_pairs(std::span<Vec3> v, Place&& place) {
    auto& sixes = of_.sixes_;
    for (std::size_t i = 0; i < sixes.size(); ++i) sixes[i] << v[place(i)], v[place(i) + 1];
    of_.pair_factor_.solve(sixes);
    for (std::size_t i = 0; i < sixes.size(); ++i) {
      v[place(i)] = sixes[i].head<3>();
      v[place(i) + 1] = sixes[i].tail<3>();
    }
  }

  // Masses, and what the law is between pairs.
  void factor_pairs() {
    PairFactor& factor = of_.pair_factor_;
    factor.clear();
    const double scale = 1 / (of_.step_ * of_.step_);
    for (std::uint32_t i = 0; i < of_.pairs_.size(); ++i)
      factor.add(i, i, scale * of_.pairs_[i].mass * PairFactor::Block::Identity());
    for (std::size_t c = 0; c < couplings_.size() && !of_.pairs_.empty(); ++c)
      between_pairs(c, [&](std::uint32_t a, std::uint32_t b, const PairFactor::Block& block) {
        factor.add(a, b, block);
      });
    factor.factor();
  }

  // The law's part of a vector for each two pairs it follows, the one with itself among them.
  template <class Do>
  void between_pairs(std::size_t c, Do&& work) {
    using Arm = Eigen::Matrix<double, 3, 6>;
    std::array<std::uint32_t, 2> pairs = {no_pair, no_pair};
    std::array<Arm, 2> arms = {Arm::Zero(), Arm::Zero()};
    couplings_.each(c, [&](std::uint32_t node, const Mat3& arm) {
      const std::uint32_t pair = of_.pair_of_[node];
      if (pair == no_pair) return;
      const std::size_t k = pairs[0] == no_pair || pairs[0] == pair ? 0 : 1;
      pairs[k] = pair;
      arms[k].middleCols<3>(node == of_.pairs_[pair].first ? 0 : 3) += arm;
    });
    const Mat3& s = of_.stiffness_[c];
    for (std::size_t a = 0; a < 2; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        if (pairs[a] != no_pair && pairs[b] != no_pair)
          work(pairs[a], pairs[b], PairFactor::Block(arms[a].transpose() * s * arms[b]));
  }

  // out -= what solve_pairs() knows of the law already.
  template <class Place>
  void take_pairs(std::span<const Vec3> d, std::span<Vec3> out, Place&& place) {
    if (of_.pairs_.empty()) return;
    const auto at = [&](std::uint32_t pair) {
      PairFactor::Six six;
      six << d[place(pair)], d[place(pair) + 1];
      return six;
    };
    const auto take = [&](std::uint32_t pair, const PairFactor::Six& six) {
      out[place(pair)] -= six.head<3>();
      out[place(pair) + 1] -= six.tail<3>();
    };
    for (std::size_t c = 0; c < couplings_.size(); ++c)
      between_pairs(c, [&](std::uint32_t a, std::uint32_t b, const PairFactor::Block& block) {
        take(a, block * at(b));
        if (a != b) take(b, block.transpose() * at(a));
      });
  }

  // out += the law's second derivative times d.
  void add_law(std::span<const Vec3> d, std::span<Vec3> out) {
    couplings_.along(d, of_.vectors_);
    parallel_for(couplings_.size(), grain,
                 [&](std::size_t c) { of_.pulls_[c] = of_.stiffness_[c] * of_.vectors_[c]; });
    couplings_.add_back(of_.pulls_, out);
  }

  void by_reduced_gradients(std::span<Vec3> v) {
    of_.gradients_ += of_.reduced_.solve(
        v, of_.stiffness_, options_.most_gradients, options_.gradients_until,
        {.solve = [&](std::span<Vec3> pairs) { solve_pairs(pairs, among_pairs); },
         .take = [&](std::span<const Vec3> d, std::span<Vec3> out) { take_pairs(d, out, among_pairs); }});
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
      take_pairs(p, q, among_all());
      hold(q);
      const double curvature = dot(p, q);
      if (!(curvature > 0)) break;
      const double length = along / curvature;
      const Share forth = {p.data(), length}, used = {q.data(), -length};
      add_up(1, y, {&forth, 1}, y);
      add_up(1, r, {&used, 1}, r);
      z = r;
      by_metrics(z);
      const double next = dot(r, z), turn = next / along;
      const Share last = {p.data(), turn}, last_product = {ap.data(), turn};
      add_up(1, z, {&last, 1}, p);
      add_up(1, r, {&last_product, 1}, ap);
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
  make_room(couplings);
  reduces_ = coupled.reduces && reduce(couplings);
  gradients_ = 0;
  SolveReport report;
  All all(*this, couplings, law, coupled);
  descent_.run(all, positions(), options, Deadline(options.budget), report);
  store();
  return report;
}

double Coupled::potential(const Couplings& couplings, CouplingLaw& law) {
  make_room(couplings);
  All all(*this, couplings, law, {});
  return all.value(positions(), gradient_);
}

}  // namespace palpate
