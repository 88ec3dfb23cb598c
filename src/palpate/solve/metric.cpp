#include <palpate/solve/metric.h>

#include <algorithm>
#include <numeric>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/solve/metric_factor.h>

namespace palpate {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
constexpr int none = -1;
constexpr std::size_t grain = 2048;                              // columns
constexpr std::size_t most_branches = 12, least_branch = 5'000;  // numbers of the factor
constexpr std::size_t worth_a_task = 40'000;  // of them: what takes longer than to hand it on

Sparse lower_half(std::size_t nodes, std::span<const MetricEntry> entries,
                  std::span<const std::uint8_t> held) {
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
  return matrix;
}

// The same matrix with [place]: node.
Sparse permuted(const Sparse& lower, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    place[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(static_cast<std::size_t>(lower.nonZeros()));
  for (int c = 0; c < lower.outerSize(); ++c)
    for (Sparse::InnerIterator at(lower, c); at; ++at) {
      const int a = place[static_cast<std::size_t>(at.row())], b = place[static_cast<std::size_t>(c)];
      triplets.emplace_back(std::max(a, b), std::min(a, b), at.value());
    }
  Sparse result(lower.rows(), lower.cols());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

// Of each column, the next one that depends on it (Liu 1990).
std::vector<int> elimination_tree(const Sparse& lower) {
  const auto n = static_cast<std::size_t>(lower.cols());
  const Sparse upper = lower.transpose();  // its columns: what each depends on
  std::vector<int> parent(n, none), ancestor(n, none);
  for (int c = 0; c < upper.outerSize(); ++c)
    for (Sparse::InnerIterator at(upper, c); at; ++at)
      for (int i = static_cast<int>(at.row()); i != none && i < c;) {
        const int next = ancestor[static_cast<std::size_t>(i)];
        ancestor[static_cast<std::size_t>(i)] = c;
        if (next == none) parent[static_cast<std::size_t>(i)] = c;
        i = next;
      }
  return parent;
}

// Each column right after those that it alone waits for: then columns with the same rows are neighbours.
std::vector<int> children_first(const std::vector<int>& parent) {
  std::vector<int> child(parent.size(), none), sibling(parent.size(), none), order, path;
  for (std::size_t i = parent.size(); i-- > 0;)
    if (parent[i] != none) {
      sibling[i] = child[static_cast<std::size_t>(parent[i])];
      child[static_cast<std::size_t>(parent[i])] = static_cast<int>(i);
    }
  order.reserve(parent.size());
  for (std::size_t root = 0; root < parent.size(); ++root) {
    if (parent[root] != none) continue;
    path.push_back(static_cast<int>(root));
    while (!path.empty()) {
      const auto i = static_cast<std::size_t>(path.back());
      if (child[i] == none) {
        order.push_back(path.back());
        path.pop_back();
      } else {
        path.push_back(child[i]);
        child[i] = sibling[static_cast<std::size_t>(child[i])];
      }
    }
  }
  return order;
}

std::vector<int> order_of(const Sparse& lower) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> amd;
  Sparse all = lower.selfadjointView<Eigen::Lower>();
  Eigen::AMDOrdering<int>()(all, amd);
  std::vector<int> order(amd.indices().data(), amd.indices().data() + amd.indices().size());
  const std::vector<int> tree = children_first(elimination_tree(permuted(lower, order)));
  std::vector<int> result(order.size());
  for (std::size_t p = 0; p < tree.size(); ++p) result[p] = order[static_cast<std::size_t>(tree[p])];
  return result;
}

}  // namespace

void Metric::factor(std::size_t nodes, std::span<const MetricEntry> entries,
                    std::span<const std::uint8_t> held) {
  const Sparse matrix = lower_half(nodes, entries, held);
  const std::vector<int> order = order_of(matrix);
  const Sparse ordered = permuted(matrix, order);
  std::vector<Supernode> supernodes;
  if (!factor_by_fronts(ordered, elimination_tree(ordered), supernodes))
    throw Error(Place::named("metric", "of the nodes"), "it is not positive definite",
                "Does every node have a mass? Are all stiffnesses positive?");
  order_.assign(order.begin(), order.end());
  inverse_.resize(nodes);
  panels_.clear();
  rows_.clear();
  values_.clear();
  for (const Supernode& node : supernodes) add_panels(node);
  find_branches();
  work_.resize(nodes + (branch_begin_.size() - 1) * top_.size());
}

// Of a supernode, eight columns at a time, each divided by its diagonal: L D L^T with ones in L.
void Metric::add_panels(const Supernode& node) {
  for (std::uint32_t from = 0; from < node.width; from += panel_width) {
    const std::uint32_t width = std::min<std::uint32_t>(panel_width, node.width - from);
    const std::size_t first_row = rows_.size();
    for (std::uint32_t c = from + width; c < node.width; ++c) rows_.push_back(node.first + c);
    rows_.insert(rows_.end(), node.rows.begin(), node.rows.end());
    panels_.push_back({node.first + from, width, static_cast<std::uint32_t>(first_row),
                       static_cast<std::uint32_t>(rows_.size()), values_.size()});
    for (std::uint32_t k = 0; k < width; ++k) {
      const double diagonal = node.values(from + k, from + k);
      inverse_[node.first + from + k] = 1 / (diagonal * diagonal);
    }
    for (Eigen::Index line = from; line < node.values.rows(); ++line)
      for (Eigen::Index k = from; k < from + width; ++k)
        values_.push_back(line < k ? 0 : node.values(line, k) / node.values(k, k));
  }
}

// Branches of about equal cost. A panel's branch is what lies right before it and leads to it.
void Metric::find_branches() {
  const auto count = static_cast<std::uint32_t>(panels_.size());
  std::vector<std::uint32_t> panel_of(order_.size()), first(count), above(count, count);
  for (std::uint32_t p = 0; p < count; ++p)
    std::fill_n(panel_of.begin() + panels_[p].first, panels_[p].width, p);
  std::vector<std::size_t> cost(count);  // of the whole branch
  std::iota(first.begin(), first.end(), 0u);
  std::size_t total = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    const Panel& panel = panels_[p];
    const std::size_t own = panel.width * (panel.width + (panel.last_row - panel.first_row));
    cost[p] += own;
    total += own;
    if (panel.first_row == panel.last_row) continue;
    above[p] = panel_of[rows_[panel.first_row]];
    cost[above[p]] += cost[p];
    first[above[p]] = std::min(first[above[p]], first[p]);
  }
  const std::size_t most = std::max(least_branch, total / most_branches);
  // From the end: a panel whose branch is small enough, under one that is not, is the root of a branch.
  std::vector<std::uint32_t> branch(count, count), begins = {0};
  std::vector<Panel> sorted;
  std::size_t sum = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    if (cost[p] > most || (above[p] != count && cost[above[p]] <= most)) continue;
    if (sum > 0 && sum + cost[p] > most) {
      begins.push_back(static_cast<std::uint32_t>(sorted.size()));
      sum = 0;
    }
    for (std::uint32_t q = first[p]; q <= p; ++q) {
      branch[q] = static_cast<std::uint32_t>(begins.size()) - 1;
      sorted.push_back(panels_[q]);
    }
    sum += cost[p];
  }
  if (!sorted.empty()) begins.push_back(static_cast<std::uint32_t>(sorted.size()));
  top_.clear();
  std::vector<std::uint32_t> place(order_.size(), 0);
  for (std::uint32_t p = 0; p < count; ++p) {
    if (branch[p] != count) continue;
    sorted.push_back(panels_[p]);
    for (std::uint32_t c = panels_[p].first; c < panels_[p].first + panels_[p].width; ++c) {
      place[c] = static_cast<std::uint32_t>(top_.size());
      top_.push_back(c);
    }
  }
  // Rows in the top are those of the branch's own copy of it.
  for (std::uint32_t p = 0; p < count; ++p) {
    if (branch[p] == count) continue;
    for (std::uint32_t i = panels_[p].first_row; i < panels_[p].last_row; ++i)
      if (branch[panel_of[rows_[i]]] == count)
        rows_[i] = static_cast<std::uint32_t>(order_.size() + branch[p] * top_.size() + place[rows_[i]]);
  }
  panels_ = std::move(sorted);
  branch_begin_ = std::move(begins);
}

void Metric::solve(std::span<Vec3> x) {
  const std::size_t n = order_.size(), branches = branch_begin_.size() - 1;
  if (n == 0) return;
  const std::span<const Panel> panels(panels_), top = panels.subspan(branch_begin_.back());
  const auto copies = [&](std::size_t branch) { return work_.data() + n + branch * top_.size(); };
  const auto panels_of = [&](std::size_t branch) {
    return panels.subspan(branch_begin_[branch], branch_begin_[branch + 1] - branch_begin_[branch]);
  };
  const std::size_t at_once = 1 + worth_a_task * branches / (values_.size() + 1);
  parallel_for(n, grain, [&](std::size_t p) { work_[p] = PaddedPoint(x[order_[p]]); });
  parallel_for(branches, at_once, [&](std::size_t b) {
    std::fill_n(copies(b), top_.size(), PaddedPoint(Vec3::Zero()));
    solve_lower(panels_of(b), rows_.data(), values_.data(), work_.data());
  });
  for (std::size_t b = 0; b < branches; ++b)
    for (std::size_t i = 0; i < top_.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) work_[top_[i]].at[k] += copies(b)[i].at[k];
  solve_lower(top, rows_.data(), values_.data(), work_.data());
  solve_upper(top, rows_.data(), values_.data(), inverse_.data(), work_.data());
  parallel_for(branches, at_once, [&](std::size_t b) {
    for (std::size_t i = 0; i < top_.size(); ++i) copies(b)[i] = work_[top_[i]];
    solve_upper(panels_of(b), rows_.data(), values_.data(), inverse_.data(), work_.data());
  });
  parallel_for(n, grain, [&](std::size_t p) { x[order_[p]] = work_[p].point(); });
}

}  // namespace palpate
