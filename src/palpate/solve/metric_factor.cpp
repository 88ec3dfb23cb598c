#include <palpate/solve/metric_factor.h>

#include <algorithm>

#include <Eigen/Cholesky>

namespace palpate {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

// Zeros may fill up a supernode as long as they are fewer than one in so many numbers.
constexpr std::size_t numbers_a_zero = 6;

// Which columns go together, and the rows below them.
std::vector<Supernode> find_supernodes(const Sparse& lower, const std::vector<int>& parent) {
  const std::size_t n = parent.size();
  std::vector<std::vector<std::uint32_t>> below(n);  // of columns whose parent has not been reached yet
  std::vector<std::vector<std::uint32_t>> children(n);
  for (std::uint32_t c = 0; c < n; ++c)
    if (parent[c] >= 0) children[static_cast<std::size_t>(parent[c])].push_back(c);
  std::vector<std::uint32_t> seen(n, 0xffffffff);
  std::vector<Supernode> result;
  std::size_t entries = 0;  // of the last one that are not zero
  for (std::uint32_t c = 0; c < n; ++c) {
    std::vector<std::uint32_t> rows;
    const auto add = [&](std::uint32_t row) {
      if (row <= c || seen[row] == c) return;
      seen[row] = c;
      rows.push_back(row);
    };
    for (Sparse::InnerIterator at(lower, static_cast<Eigen::Index>(c)); at; ++at)
      add(static_cast<std::uint32_t>(at.row()));
    for (const std::uint32_t child : children[c])
      for (const std::uint32_t row : below[child]) add(row);
    std::sort(rows.begin(), rows.end());
    const bool follows = c > 0 && parent[c - 1] == static_cast<int>(c);
    bool joins = false;
    if (follows) {
      const std::size_t width = result.back().width + 1,
                        filled = width * rows.size() + width * (width - 1) / 2;
      joins = numbers_a_zero * (filled - std::min(filled, entries + rows.size())) <= filled;
    }
    for (const std::uint32_t child : children[c]) std::vector<std::uint32_t>().swap(below[child]);
    if (joins) {
      ++result.back().width;
      entries += rows.size();
    } else {
      result.push_back({c, 1, {}, {}});
      entries = rows.size();
    }
    result.back().rows = rows;
    below[c] = std::move(rows);
  }
  return result;
}

}  // namespace

bool factor_by_fronts(const Sparse& lower, const std::vector<int>& parent,
                      std::vector<Supernode>& supernodes) {
  supernodes = find_supernodes(lower, parent);
  std::vector<std::uint32_t> supernode_of(parent.size());
  for (std::uint32_t s = 0; s < supernodes.size(); ++s)
    std::fill_n(supernode_of.begin() + supernodes[s].first, supernodes[s].width, s);
  std::vector<std::vector<std::uint32_t>> children(supernodes.size());
  std::vector<Eigen::MatrixXd> left(supernodes.size());  // for the next ones
  std::vector<Eigen::Index> place(parent.size());        // of rows in the front
  Eigen::MatrixXd front;
  for (std::uint32_t s = 0; s < supernodes.size(); ++s) {
    Supernode& node = supernodes[s];
    const auto width = static_cast<Eigen::Index>(node.width);
    const auto rows = static_cast<Eigen::Index>(node.rows.size());
    for (Eigen::Index k = 0; k < width; ++k) place[node.first + static_cast<std::size_t>(k)] = k;
    for (Eigen::Index k = 0; k < rows; ++k) place[node.rows[static_cast<std::size_t>(k)]] = width + k;
    front.setZero(width + rows, width + rows);
    for (Eigen::Index k = 0; k < width; ++k)
      for (Sparse::InnerIterator at(lower, static_cast<Eigen::Index>(node.first) + k); at; ++at)
        front(place[static_cast<std::size_t>(at.row())], k) += at.value();
    for (const std::uint32_t child : children[s]) {
      const std::vector<std::uint32_t>& from = supernodes[child].rows;
      for (std::size_t b = 0; b < from.size(); ++b)
        for (std::size_t a = b; a < from.size(); ++a)
          front(place[from[a]], place[from[b]]) +=
              left[child](static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      left[child].resize(0, 0);
    }
    auto own = front.topLeftCorner(width, width);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factored(own);
    if (factored.info() != Eigen::Success) return false;
    auto below = front.bottomLeftCorner(rows, width);
    own.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    if (rows > 0) {
      left[s] = front.bottomRightCorner(rows, rows);
      left[s].selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
      children[supernode_of[node.rows.front()]].push_back(s);
    }
    node.values = front.leftCols(width);
  }
  return true;
}

}  // namespace palpate
