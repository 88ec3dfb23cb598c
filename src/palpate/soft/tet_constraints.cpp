#include <palpate/soft/tet_constraints.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/LU>

#include <palpate/base/parallel.h>
#include <palpate/geometry/turned.h>
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
    : model_(model), place_(rest.tets.size(), no_index), free_(1) {
  const std::vector<TetShape> shapes = shapes_of(rest);
  const std::vector<Elasticity> elasticities = elasticities_of(rest, materials);
  for (const std::uint32_t e : near_each_other(rest.positions, rest.tets)) {
    if (elasticities[e].model != model) continue;
    order_.push_back(e);
    add_place();
    put(e, corners_.size() - 1, rest.tets[e], {shapes[e], elasticities[e]});
  }
}

// --- places ---------------------------------------------------------------------------------------

void TetConstraints::add_place() {
  element_.push_back(no_index);
  corners_.push_back({});
  rest_.push_back({{}, {model_, {}}});
  numbers_.push_back(nothing);
  dirty_.push_back(1);
}

void TetConstraints::put(std::uint32_t element, std::size_t place, const TetCorners& corners,
                         const Rest& rest) {
  place_[element] = static_cast<std::uint32_t>(place);
  element_[place] = element;
  corners_[place] = corners;
  rest_[place] = rest;
  numbers_[place].root_volume = std::sqrt(rest.shape.volume);
  dirty_[place] = 1;
  ++elements_used_;
}

void TetConstraints::take_out(std::uint32_t element) {
  const std::uint32_t place = std::exchange(place_[element], no_index);
  element_[place] = no_index;
  corners_[place] = {};
  numbers_[place] = nothing;
  dirty_[place] = 1;
  --elements_used_;
  free_[colour_at(place)].insert(place);
}

std::size_t TetConstraints::colour_at(std::size_t place) const {
  if (one_after_the_other()) return 0;
  const auto after = std::upper_bound(colour_begin_.begin(), colour_begin_.end(), place / tet_pack_size);
  return static_cast<std::size_t>(after - colour_begin_.begin()) - 1;
}

// The lowest in the first colour that none of the elements around has; in a colour of its own at the end
// where there is none.
std::size_t TetConstraints::free_place(const TetCorners& corners, const NodeCorners& around) {
  std::vector<std::uint8_t> taken(free_.size(), 0);
  if (!one_after_the_other())
    for (const std::uint32_t v : corners)
      for (const std::uint32_t at : around.of(v))
        if (place_[at / 4] != no_index) taken[colour_at(place_[at / 4])] = 1;
  for (std::size_t c = 0; c < free_.size(); ++c)
    if (taken[c] == 0 && !free_[c].empty()) {
      const std::uint32_t place = *free_[c].begin();
      free_[c].erase(free_[c].begin());
      return place;
    }
  const std::size_t place = size();
  add_place();
  if (one_after_the_other()) return place;
  constexpr std::size_t room = 8;  // packs
  free_.emplace_back();
  for (std::size_t i = 1; i < room * tet_pack_size; ++i) {
    free_.back().insert(static_cast<std::uint32_t>(size()));
    add_place();
  }
  packs_.resize(size() / tet_pack_size);
  colour_begin_.push_back(static_cast<std::uint32_t>(packs_.size()));
  return place;
}

void TetConstraints::update(const TetMesh& rest, std::span<const Material> materials,
                            std::span<const std::uint32_t> changed) {
  place_.resize(rest.tets.size(), no_index);
  for (const std::uint32_t e : changed)
    if (place_[e] != no_index) take_out(e);
  const NodeCorners around(rest.positions.size(), rest.tets);
  for (const std::uint32_t e : changed) {
    const Elasticity elasticity = elasticity_of(materials, e);
    if (is_hole(rest.tets[e]) || elasticity.model != model_) continue;
    const TetShape shape = shape_of(rest, e);
    put(e, free_place(rest.tets[e], around), rest.tets[e], {shape, elasticity});
    order_.push_back(e);
  }
  if (order_.size() > 2 * place_.size()) tidy_order();
}

// Without what is gone. An element that was changed is there twice: the last time counts.
void TetConstraints::tidy_order() {
  std::vector<std::uint32_t> elements;
  std::vector<std::uint8_t> seen(place_.size(), 0);
  for (std::size_t i = order_.size(); i-- > 0;)
    if (place_[order_[i]] != no_index && std::exchange(seen[order_[i]], std::uint8_t{1}) == 0)
      elements.push_back(order_[i]);
  std::reverse(elements.begin(), elements.end());
  order_ = std::move(elements);
}

void TetConstraints::arrange(Arrangement arrangement, std::size_t nodes) {
  if (arrangement == arrangement_) return;
  arrangement_ = arrangement;
  tidy_order();
  const std::vector<std::uint32_t>& elements = order_;
  const std::vector<TetCorners> corners = std::exchange(corners_, {});
  const std::vector<Rest> rest = std::exchange(rest_, {});
  const std::vector<std::uint32_t> place = place_;
  element_.clear();
  numbers_.clear();
  dirty_.clear();
  packs_.clear();
  colour_begin_.clear();
  elements_used_ = 0;
  const auto add = [&](std::uint32_t e) {
    add_place();
    put(e, size() - 1, corners[place[e]], rest[place[e]]);
  };
  free_.assign(1, {});
  if (arrangement == Arrangement::one_by_one) {
    for (const std::uint32_t e : elements) add(e);
    return;
  }
  const std::vector<std::uint32_t> colours = colours_of(nodes, elements.size(), [&](std::size_t i) {
    return std::span<const std::uint32_t>(corners[place[elements[i]]]);
  });
  const std::uint32_t count = colours.empty() ? 0 : 1 + *std::max_element(colours.begin(), colours.end());
  std::vector<std::vector<std::uint32_t>> by_colour(count);
  for (std::size_t i = 0; i < elements.size(); ++i) by_colour[colours[i]].push_back(elements[i]);
  free_.assign(count, {});
  colour_begin_.push_back(0);
  for (std::size_t c = 0; c < count; ++c) {
    for (const std::uint32_t e : by_colour[c]) add(e);
    while (size() % tet_pack_size != 0) {
      free_[c].insert(static_cast<std::uint32_t>(size()));
      add_place();
    }
    colour_begin_.push_back(static_cast<std::uint32_t>(size() / tet_pack_size));
  }
  packs_.resize(size() / tet_pack_size);
}

// --- numbers --------------------------------------------------------------------------------------

void TetConstraints::prepare(std::span<const double> inverse_masses, double step, Arrangement arrangement) {
  arrange(arrangement, inverse_masses.size());
  // Only what depends on something that is not as it was before.
  const bool all = step != step_;
  std::vector<std::uint8_t> moved(inverse_masses.size(), all ? 1 : 0);
  for (std::size_t v = 0; v < moved.size() && !all; ++v)
    moved[v] = v < inverse_masses_.size() && inverse_masses_[v] == inverse_masses[v] ? 0 : 1;
  Constraints::prepare(inverse_masses, step, arrangement);
  parallel_for(chunk_count(size(), tet_pack_size), 64, [&](std::size_t pack) {
    bool remake = false;
    for (std::size_t i = pack * tet_pack_size; i < std::min(size(), (pack + 1) * tet_pack_size); ++i) {
      const bool now = dirty_[i] != 0 || std::any_of(corners_[i].begin(), corners_[i].end(),
                                                     [&](std::uint32_t v) { return moved[v] != 0; });
      if (now && !unused(i)) find_numbers(i);
      dirty_[i] = 0;
      remake = remake || now;
    }
    if (remake && !one_after_the_other()) make_pack(pack);
  });
}

void TetConstraints::find_numbers(std::size_t place) {
  const double per_square = 1 / (step_ * step_);
  TetElement& to = numbers_[place];
  const auto& [shape, elasticity] = rest_[place];
  Mat3 mass = Mat3::Zero();
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3 slope = shape.slope(k);
    to.weight[k] = inverse_masses_[corners_[place][k]];
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

// Places that are not used take the nodes of one beside them that is, and leave them where they are: so no
// other thread has these nodes.
void TetConstraints::make_pack(std::size_t pack) {
  const std::size_t first = pack * tet_pack_size;
  std::size_t other = no_index;
  for (std::size_t i = first; i < first + tet_pack_size && other == no_index; ++i)
    if (!unused(i)) other = i;
  for (std::size_t lane = 0; lane < tet_pack_size; ++lane) {
    const std::size_t i = first + lane;
    const double* from = numbers_[i].slope;  // the first of all numbers
    for (std::size_t k = 0; k < tet_numbers; ++k) packs_[pack].numbers[k][lane] = static_cast<float>(from[k]);
    for (std::size_t k = 0; k < 4; ++k)
      packs_[pack].corner[k][lane] = other == no_index ? no_index : corners_[unused(i) ? other : i][k];
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
  if (one_after_the_other()) {
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
