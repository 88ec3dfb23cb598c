#include <palpate/solve/acceleration.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Eigenvalues>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>

namespace palpate {

namespace {

using Kind = Acceleration::Kind;
constexpr std::array kinds = {Kind::none,         Kind::sor_positions,        Kind::sor_multipliers,
                              Kind::chebyshev,    Kind::anderson_multipliers, Kind::anderson_positions,
                              Kind::anderson_both};

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, kinds.size()> names = {
      "none",         "sor_positions",        "sor_multipliers",
      "chebyshev",    "anderson_multipliers", "anderson_positions",
      "anderson_both"};
  return names[static_cast<std::size_t>(kind)];
}

std::span<const Kind> all_accelerations() { return kinds; }

Kind acceleration_kind(std::string_view name) {
  for (const Kind kind : kinds)
    if (name_of(kind) == name) return kind;
  std::vector<std::string> names;
  for (const Kind kind : kinds) names.emplace_back(name_of(kind));
  throw Error(Place::named("acceleration", name), "there is none of this name", did_you_mean(name, names));
}

void require(const Acceleration& a) {
  const auto refuse = [&](std::string_view what, double value, std::string_view should) {
    throw Error(Place::named("acceleration", name_of(a.kind)), fmt::format("{} is {}", what, value),
                std::string(should));
  };
  if (!(a.omega > 0 && a.omega <= 100)) refuse("omega", a.omega, "It must be above 0 and at most 100.");
  if (a.kind == Kind::chebyshev && a.omega != 1)
    refuse("omega", a.omega,
           "It has a factor of its own for each sweep: leave omega at 1, or take another kind.");
  if (!(a.radius > 0 && a.radius < 1)) refuse("radius", a.radius, "It must lie between 0 and 1.");
  if (a.window < 2 || a.window > Anderson::most)
    refuse("window", static_cast<double>(a.window), "It must lie between 2 and 16.");
  if (!(a.condition_limit > 1)) refuse("condition_limit", a.condition_limit, "It must be above 1.");
}

void Anderson::begin(std::size_t numbers, std::size_t window, double condition_limit) {
  window_ = window;
  limit_ = condition_limit;
  count_ = next_ = 0;
  has_last_ = false;
  last_to_.resize(numbers);
  last_change_.resize(numbers);
  for (std::size_t k = 0; k < window_; ++k) {
    of_to_[k].resize(numbers);
    of_change_[k].resize(numbers);
  }
}

bool Anderson::mix(std::span<const double> from, std::span<const double> to, std::span<const double> weights,
                   std::span<double> out) {
  const std::size_t n = to.size();
  std::copy(to.begin(), to.end(), out.begin());
  if (!has_last_) {
    for (std::size_t i = 0; i < n; ++i) {
      last_to_[i] = to[i];
      last_change_[i] = weights[i] * (to[i] - from[i]);
    }
    has_last_ = true;
    return false;
  }
  const std::size_t slot = next_;
  for (std::size_t i = 0; i < n; ++i) {
    const double change = weights[i] * (to[i] - from[i]);
    of_to_[slot][i] = to[i] - last_to_[i];
    of_change_[slot][i] = change - last_change_[i];
    last_to_[i] = to[i];
    last_change_[i] = change;
  }
  next_ = (next_ + 1) % window_;
  count_ = std::min(count_ + 1, window_);
  for (std::size_t k = 0; k < count_; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += of_change_[slot][i] * of_change_[k][i];
    products_[slot][k] = products_[k][slot] = sum;
  }
  if (count_ < window_) return false;

  // Newest first; the oldest are left out while what is left tells them apart badly. Places beyond the
  // columns in use have the mean of the eigenvalues on the diagonal: they change neither the least nor the
  // greatest.
  using Matrix = Eigen::Matrix<double, most, most>;
  using Vector = Eigen::Matrix<double, most, 1>;
  const auto place = [&](Eigen::Index k) { return (slot + window_ - static_cast<std::size_t>(k)) % window_; };
  Vector right = Vector::Zero();
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(window_); ++k)
    for (std::size_t i = 0; i < n; ++i) right[k] += of_change_[place(k)][i] * last_change_[i];
  for (auto columns = static_cast<Eigen::Index>(window_);; --columns) {
    Matrix matrix = Matrix::Zero();
    for (Eigen::Index a = 0; a < columns; ++a)
      for (Eigen::Index b = 0; b < columns; ++b) matrix(a, b) = products_[place(a)][place(b)];
    const double mean = matrix.trace() / static_cast<double>(columns);
    if (!(mean > 0) || !std::isfinite(mean)) return false;
    for (Eigen::Index k = columns; k < matrix.rows(); ++k) {
      matrix(k, k) = mean;
      right[k] = 0;
    }
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(matrix);
    const double least = eigen.eigenvalues().minCoeff(), greatest = eigen.eigenvalues().maxCoeff();
    if (!(least * limit_ > greatest) && columns > 2) continue;
    // What cannot be told apart gets no share.
    Vector theta = eigen.eigenvectors().transpose() * right;
    for (Eigen::Index k = 0; k < theta.size(); ++k)
      theta[k] = eigen.eigenvalues()[k] > 1e-14 * greatest ? theta[k] / eigen.eigenvalues()[k] : 0;
    theta = (eigen.eigenvectors() * theta).eval();
    for (Eigen::Index k = 0; k < columns; ++k) {
      const std::vector<double>& column = of_to_[place(k)];
      for (std::size_t i = 0; i < n; ++i) out[i] -= theta[k] * column[i];
    }
    return true;
  }
}

}  // namespace palpate
