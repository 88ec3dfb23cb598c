#include <palpate/solve/constraints.h>

#include <algorithm>

#include <Eigen/Cholesky>

namespace palpate {

namespace {

using Rows = decltype(Constraints::Local::value);

Rows multipliers_at(const Constraints::Multipliers& where, std::size_t rows, std::span<const double> all) {
  Rows result(static_cast<Eigen::Index>(rows));
  for (std::size_t r = 0; r < rows; ++r)
    result[static_cast<Eigen::Index>(r)] = all[where.first + r * where.stride];
  return result;
}
void put_at(const Constraints::Multipliers& where, const Rows& what, std::span<double> all) {
  for (Eigen::Index r = 0; r < what.size(); ++r)
    all[where.first + static_cast<std::size_t>(r) * where.stride] = what[r];
}
// Adds weight * dC^T change to the nodes of a constraint.
template <class Weight>
void move(std::span<const std::uint32_t> nodes, const Constraints::Local& local, const Rows& change,
          Weight&& weight, std::span<PaddedPoint> x) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Vec3 by = weight(nodes[k]) *
                    (local.gradient.middleCols<3>(3 * static_cast<Eigen::Index>(k)).transpose() * change);
    for (int c = 0; c < 3; ++c) x[nodes[k]].at[c] += by[c];
  }
}

}  // namespace

void Constraints::prepare(std::span<const double> inverse_masses, double step, Arrangement /*arrangement*/) {
  inverse_masses_.assign(inverse_masses.begin(), inverse_masses.end());
  step_ = step;
}

// Calls take(local, change) for one constraint, projected alone.
template <class Take>
void Constraints::solve_one(std::size_t constraint, std::span<const PaddedPoint> x,
                            std::span<const double> multipliers, Take&& take) const {
  const Local local = at(constraint, x);
  const auto of = nodes(constraint);
  const auto compliance = (local.compliance / (step_ * step_)).eval();
  auto matrix = compliance;
  for (std::size_t k = 0; k < of.size(); ++k) {
    const auto block = local.gradient.middleCols<3>(3 * static_cast<Eigen::Index>(k));
    matrix += inverse_masses_[of[k]] * block * block.transpose();
  }
  const Rows now = multipliers_at(multipliers_of(constraint), rows(), multipliers);
  const Rows right = -local.value - compliance * now;
  take(local, Rows(matrix.ldlt().solve(right)));
}

void Constraints::project(std::span<PaddedPoint> x, std::span<double> multipliers) {
  for (std::size_t i = 0; i < size(); ++i)
    solve_one(i, x, multipliers, [&](const Local& local, const Rows& change) {
      const Multipliers where = multipliers_of(i);
      put_at(where, multipliers_at(where, rows(), multipliers) + change, multipliers);
      move(
          nodes(i), local, change, [&](std::uint32_t v) { return inverse_masses_[v]; }, x);
    });
}

void Constraints::changes(std::span<const PaddedPoint> x, std::span<const double> multipliers,
                          std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i)
    solve_one(i, x, multipliers,
              [&](const Local&, const Rows& change) { put_at(multipliers_of(i), change, out); });
}

void Constraints::apply(std::span<const PaddedPoint> x, std::span<const double> changes,
                        std::span<const double> share, std::span<PaddedPoint> to) const {
  for (std::size_t i = 0; i < size(); ++i)
    move(
        nodes(i), at(i, x), multipliers_at(multipliers_of(i), rows(), changes),
        [&](std::uint32_t v) { return share[v] * inverse_masses_[v]; }, to);
}

double Constraints::squared_residual(std::span<const PaddedPoint> x,
                                     std::span<const double> multipliers) const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const Local local = at(i, x);
    sum += (local.value +
            local.compliance / (step_ * step_) * multipliers_at(multipliers_of(i), rows(), multipliers))
               .squaredNorm();
  }
  return sum;
}

// The energy is 1/2 C^T a^-1 C, and C = -a/h^2 multipliers where all is solved.
void Constraints::multiplier_weights(std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  const std::vector<PaddedPoint> nowhere(inverse_masses_.size(), PaddedPoint(Vec3::Zero()));
  for (std::size_t i = 0; i < size(); ++i) {
    const Local local = at(i, nowhere);
    put_at(multipliers_of(i), Rows(local.compliance.diagonal().cwiseSqrt() / (step_ * step_)), out);
  }
}

std::vector<std::uint32_t> colours_of(std::size_t nodes, std::size_t constraints,
                                      const std::function<std::span<const std::uint32_t>(std::size_t)>& of) {
  std::vector<std::vector<std::uint64_t>> taken;  // [64 colours][node]: bits
  std::vector<std::uint32_t> colours(constraints);
  for (std::size_t i = 0; i < constraints; ++i) {
    std::uint64_t free = 0;
    std::size_t word = 0;
    for (;; ++word) {
      if (word == taken.size()) taken.emplace_back(nodes, 0);
      free = ~std::uint64_t{0};
      for (const std::uint32_t v : of(i)) free &= ~taken[word][v];
      if (free != 0) break;
    }
    const auto bit = static_cast<unsigned>(__builtin_ctzll(free));
    for (const std::uint32_t v : of(i)) taken[word][v] |= std::uint64_t{1} << bit;
    colours[i] = static_cast<std::uint32_t>(64 * word + bit);
  }
  return colours;
}

}  // namespace palpate
