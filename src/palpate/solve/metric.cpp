#include <palpate/solve/metric.h>

#include <Eigen/SparseCholesky>

#include <palpate/base/error.h>

namespace palpate {

void Metric::factor(std::size_t nodes, std::span<const MetricEntry> entries,
                    std::span<const std::uint8_t> held) {
  using Sparse = Eigen::SparseMatrix<double>;
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size() + nodes);
  const auto is_held = [&](std::size_t i) { return !held.empty() && held[i] != 0; };
  for (const MetricEntry& e : entries)
    if (!is_held(e.i) && !is_held(e.j))
      triplets.emplace_back(static_cast<int>(e.i), static_cast<int>(e.j), e.value);
  for (std::size_t i = 0; i < nodes; ++i)
    if (is_held(i)) triplets.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
  Sparse matrix(static_cast<Eigen::Index>(nodes), static_cast<Eigen::Index>(nodes));
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  const Eigen::SimplicialLDLT<Sparse, Eigen::Lower> factored(matrix);
  if (factored.info() != Eigen::Success || !(nodes == 0 || factored.vectorD().minCoeff() > 0))
    throw Error(Place::named("metric", "of the nodes"), "it is not positive definite",
                "Does every node have a mass? Are all stiffnesses positive?");
  const Sparse lower(factored.matrixL());
  order_.resize(nodes);
  inverse_.resize(nodes);
  work_.resize(nodes);
  begin_.assign(1, 0);
  rows_.clear();
  values_.clear();
  for (std::size_t p = 0; p < nodes; ++p) {
    const auto column = static_cast<Eigen::Index>(p);
    order_[static_cast<std::size_t>(factored.permutationP().indices()[column])] =
        static_cast<std::uint32_t>(p);
    inverse_[p] = 1 / factored.vectorD()[column];
    for (Sparse::InnerIterator at(lower, column); at; ++at)
      if (at.row() > column) {
        rows_.push_back(static_cast<std::uint32_t>(at.row()));
        values_.push_back(at.value());
      }
    begin_.push_back(static_cast<std::uint32_t>(rows_.size()));
  }
}

void Metric::solve(std::span<Vec3> x) {
  const std::size_t n = order_.size();
  for (std::size_t p = 0; p < n; ++p) work_[p] = x[order_[p]];
  for (std::size_t p = 0; p < n; ++p) {
    const Vec3 known = work_[p];
    for (std::uint32_t k = begin_[p]; k < begin_[p + 1]; ++k) work_[rows_[k]] -= values_[k] * known;
    work_[p] = inverse_[p] * known;
  }
  for (std::size_t p = n; p-- > 0;) {
    Vec3 sum = work_[p];
    for (std::uint32_t k = begin_[p]; k < begin_[p + 1]; ++k) sum -= values_[k] * work_[rows_[k]];
    work_[p] = sum;
  }
  for (std::size_t p = 0; p < n; ++p) x[order_[p]] = work_[p];
}

}  // namespace palpate
