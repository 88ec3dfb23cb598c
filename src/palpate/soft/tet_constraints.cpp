#include <palpate/soft/tet_constraints.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/LU>

#include <palpate/base/parallel.h>
#include <palpate/soft/elements.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 16;  // packs
constexpr TetElement nothing = {{}, 0, {}, {1, 0, 1}, {}};

// The values of a constraint, with 1 for the root of the volume, and their gradients by F.
struct Values {
  std::vector<double> value;
  std::vector<Mat3> slope;
};
Values values_of(const Elasticity& e, const Mat3& f) {
  Values result;
  if (e.model == Model::stvk) {
    constexpr std::array<std::array<int, 2>, 6> places = {{{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}};
    for (const auto& [i, j] : places) {
      const double strain = 0.5 * (f.col(i).dot(f.col(j)) - (i == j ? 1 : 0));
      Mat3 slope = Mat3::Zero();
      slope.col(i) += 0.5 * f.col(j);
      slope.col(j) += 0.5 * f.col(i);
      const double shears = i == j ? 1 : 2;
      result.value.push_back(shears * strain);
      result.slope.push_back(shears * slope);
    }
    return result;
  }
  const double grown = f.determinant() - 1;
  if (e.model == Model::neo_hookean) {
    const double squares = f.squaredNorm();
    const double energy =
        0.5 * (squares - 3 - std::log((squares + 1) / 4)) - 0.75 * grown + 0.3125 * grown * grown;
    const double value = std::sqrt(2 * std::max(0.0, energy));
    result.value = {value, grown};
    result.slope = {value > 0
                        ? Mat3(((1 - 1 / (squares + 1)) * f + (0.625 * grown - 0.75) * cofactors(f)) / value)
                        : Mat3(Mat3::Zero())};
  } else {
    const Mat3 stretch = f - rotation_of(f);
    result.value = {stretch.norm(), grown};
    result.slope = {stretch.norm() > 0 ? Mat3(stretch / stretch.norm()) : Mat3(Mat3::Zero())};
  }
  result.slope.push_back(cofactors(f));
  return result;
}

// Compliances: of StVK three, of the others two stiffnesses (the second may be 0).
std::array<double, 3> compliances_of(const Elasticity& e) {
  const double young = e.mu * (3 * e.lambda + 2 * e.mu) / (e.lambda + e.mu);
  return {1 / young, -e.lambda / (2 * (e.lambda + e.mu)) / young, 1 / e.mu};
}
std::array<double, 2> stiffnesses_of(const Elasticity& e) {
  return {e.model == Model::corotated ? 2 * e.mu : NeoHookean(e).mu, e.lambda};
}

}  // namespace

TetConstraints::TetConstraints(const TetMesh& rest, std::span<const Material> materials, Model model)
    : model_(model) {
  const std::vector<TetShape> shapes = shapes_of(rest);
  const std::vector<Elasticity> elasticities = elasticities_of(rest, materials);
  for (const std::uint32_t e : near_each_other(rest.positions, rest.tets)) {
    if (elasticities[e].model != model) continue;
    on_curve_.push_back(static_cast<std::uint32_t>(corners_.size()));
    corners_.push_back(rest.tets[e]);
    rest_.push_back({shapes[e], elasticities[e]});
    numbers_.push_back(nothing);
    numbers_.back().root_volume = std::sqrt(shapes[e].volume);
  }
  elements_used_ = corners_.size();
}

void TetConstraints::arrange(Arrangement arrangement, std::size_t nodes) {
  if (arrangement == arrangement_) return;
  arrangement_ = arrangement;
  colour_begin_.clear();
  packs_.clear();
  // Along the curve, without what filled up packs.
  std::vector<std::uint32_t> which(elements_used_);
  for (std::uint32_t i = 0; i < size(); ++i)
    if (!unused(i)) which[on_curve_[i]] = i;
  const std::vector<TetCorners> corners = std::exchange(corners_, {});
  const std::vector<Rest> rest = std::exchange(rest_, {});
  const std::vector<TetElement> numbers = std::exchange(numbers_, {});
  const std::vector<std::uint32_t> on_curve = std::exchange(on_curve_, {});
  const auto add = [&](std::uint32_t i) {
    on_curve_.push_back(on_curve[i]);
    corners_.push_back(corners[i]);
    rest_.push_back(rest[i]);
    numbers_.push_back(numbers[i]);
  };
  if (arrangement == Arrangement::one_by_one) {
    for (const std::uint32_t i : which) add(i);
    return;
  }
  const std::vector<std::uint32_t> colours = colours_of(
      nodes, which.size(), [&](std::size_t i) { return std::span<const std::uint32_t>(corners[which[i]]); });
  const std::uint32_t count = colours.empty() ? 0 : 1 + *std::max_element(colours.begin(), colours.end());
  std::vector<std::vector<std::uint32_t>> by_colour(count);
  for (std::size_t i = 0; i < which.size(); ++i) by_colour[colours[i]].push_back(which[i]);
  colour_begin_.push_back(0);
  for (const auto& list : by_colour) {
    for (const std::uint32_t i : list) add(i);
    // Places left over take the nodes of the first of their pack, and leave them where they are.
    while (corners_.size() % tet_pack_size != 0) {
      const std::size_t first = corners_.size() / tet_pack_size * tet_pack_size;
      on_curve_.push_back(no_index);
      corners_.push_back(corners_[first]);
      rest_.push_back(rest_[first]);
      numbers_.push_back(nothing);
    }
    colour_begin_.push_back(static_cast<std::uint32_t>(corners_.size() / tet_pack_size));
  }
  packs_.resize(corners_.size() / tet_pack_size);
}

void TetConstraints::prepare(std::span<const double> inverse_masses, double step, Arrangement arrangement) {
  Constraints::prepare(inverse_masses, step, arrangement);
  arrange(arrangement, inverse_masses.size());
  const double per_square = 1 / (step * step);
  for (std::size_t i = 0; i < size(); ++i) {
    if (unused(i)) continue;
    TetElement& to = numbers_[i];
    const auto& [shape, elasticity] = rest_[i];
    Mat3 mass = Mat3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 slope = shape.slope(k);
      to.weight[k] = inverse_masses[corners_[i][k]];
      mass += shape.volume * to.weight[k] * slope * slope.transpose();
      if (k > 0)
        for (int c = 0; c < 3; ++c) to.slope[3 * (k - 1) + static_cast<std::size_t>(c)] = slope[c];
    }
    to.mass[0] = mass(0, 0);
    to.mass[1] = mass(1, 1);
    to.mass[2] = mass(2, 2);
    to.mass[3] = mass(1, 2);
    to.mass[4] = mass(0, 2);
    to.mass[5] = mass(0, 1);
    if (model_ == Model::stvk) {
      const std::array<double, 3> soft = compliances_of(elasticity);
      for (std::size_t k = 0; k < 3; ++k) to.soft[k] = per_square * soft[k];
    } else {
      const auto [shape_stiffness, volume_stiffness] = stiffnesses_of(elasticity);
      to.soft[0] = per_square / shape_stiffness;
      to.soft[1] = volume_stiffness / per_square;
    }
  }
  make_packs();
}

void TetConstraints::make_packs() {
  for (std::size_t p = 0; p < packs_.size(); ++p)
    for (std::size_t lane = 0; lane < tet_pack_size; ++lane) {
      const std::size_t i = p * tet_pack_size + lane;
      const double* from = numbers_[i].slope;  // the first of all numbers
      for (std::size_t k = 0; k < tet_numbers; ++k) packs_[p].numbers[k][lane] = static_cast<float>(from[k]);
      for (std::size_t k = 0; k < 4; ++k) packs_[p].corner[k][lane] = corners_[i][k];
    }
}

Constraints::Local TetConstraints::at(std::size_t i, std::span<const PaddedPoint> x) const {
  const auto count = static_cast<Eigen::Index>(rows());
  Local local;
  local.value.setZero(count);
  local.gradient.setZero(count, 12);
  local.compliance.setIdentity(count, count);
  if (unused(i)) return local;
  const auto& [shape, elasticity] = rest_[i];
  std::array<Vec3, 4> corners;
  for (std::size_t k = 0; k < 4; ++k) corners[k] = x[corners_[i][k]].point();
  const Values values = values_of(elasticity, shape.gradient(corners));
  const double root = std::sqrt(shape.volume);
  for (Eigen::Index r = 0; r < count; ++r) {
    local.value[r] = root * values.value[static_cast<std::size_t>(r)];
    for (std::size_t k = 0; k < 4; ++k)
      local.gradient.block<1, 3>(r, 3 * static_cast<Eigen::Index>(k)) =
          root * (values.slope[static_cast<std::size_t>(r)] * shape.slope(k)).transpose();
  }
  if (model_ == Model::stvk) {
    const auto [own, other, shear] = compliances_of(elasticity);
    local.compliance.topLeftCorner(3, 3).setConstant(other);
    for (Eigen::Index k = 0; k < 3; ++k) {
      local.compliance(k, k) = own;
      local.compliance(3 + k, 3 + k) = shear;
    }
  } else {
    const auto [first, second] = stiffnesses_of(elasticity);
    local.compliance(0, 0) = 1 / first;
    local.compliance(1, 1) = 1 / second;
  }
  return local;
}

void TetConstraints::project(std::span<PaddedPoint> x, std::span<double> multipliers) {
  if (packs_.empty()) {
    project_elements(model_, numbers_, corners_.data(), x.data(), multipliers.data());
    return;
  }
  for (std::size_t c = 0; c < colours(); ++c) {
    const std::size_t first = colour_begin_[c];
    parallel_chunks(colour_begin_[c + 1] - first, grain, [&](Chunk chunk) {
      project_packs(model_, std::span(packs_).subspan(first + chunk.begin, chunk.end - chunk.begin), x.data(),
                    multipliers.data() + (first + chunk.begin) * tet_pack_size * rows());
    });
  }
}

void TetConstraints::changes(std::span<const PaddedPoint> x, std::span<const double> multipliers,
                             std::span<double> out) const {
  parallel_chunks(size(), grain * tet_pack_size, [&](Chunk chunk) {
    const std::size_t first = chunk.begin * rows();
    changes_of_elements(model_, std::span(numbers_).subspan(chunk.begin, chunk.end - chunk.begin),
                        corners_.data() + chunk.begin, x.data(), multipliers.data() + first,
                        out.data() + first);
  });
}

void TetConstraints::apply(std::span<const PaddedPoint> x, std::span<const double> changes,
                           std::span<const double> share, std::span<PaddedPoint> to) const {
  apply_to_elements(model_, numbers_, corners_.data(), x.data(), changes.data(), share.data(), to.data());
}

double TetConstraints::squared_residual(std::span<const PaddedPoint> x,
                                        std::span<const double> multipliers) const {
  return squared_residual_of_elements(model_, numbers_, corners_.data(), x.data(), multipliers.data());
}

}  // namespace palpate
