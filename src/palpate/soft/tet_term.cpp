#include <palpate/soft/tet_term.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/soft/elements.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;

}  // namespace

TetTerm::TetTerm(const TetMesh& rest, std::span<const Material> materials)
    : tets_(rest.tets), shapes_(shapes_of(rest)), elasticities_(elasticities_of(rest, materials)) {
  blocks_ =
      TetBlocks(rest.positions, tets_, shapes_, [&](std::uint32_t e) { return law_of(elasticities_[e]); });
  make_room(rest.positions.size());
}

void TetTerm::update(const TetMesh& rest, std::span<const Material> materials,
                     std::span<const std::uint32_t> changed) {
  tets_.resize(rest.tets.size(), hole);
  shapes_.resize(rest.tets.size());
  elasticities_.resize(rest.tets.size(), elasticity_of(materials, 0));
  for (const std::uint32_t e : changed) {
    tets_[e] = rest.tets[e];
    shapes_[e] = shape_of(rest, e);
    elasticities_[e] = elasticity_of(materials, e);
  }
  blocks_.update(
      rest.positions.size(), tets_, shapes_, [&](std::uint32_t e) { return law_of(elasticities_[e]); },
      changed);
  make_room(rest.positions.size());
}

void TetTerm::make_room(std::size_t nodes) {
  rounding_ = 0;
  for (std::size_t e = 0; e < tets_.size(); ++e)
    // Energies near rest are small differences of numbers of this size.
    rounding_ += 1e-15 * shapes_[e].volume * (std::abs(elasticities_[e].lambda) + elasticities_[e].mu);
  node_corners_ = NodeCorners(nodes, tets_);
}

bool TetTerm::mark_tangled(std::span<const Vec3> x, std::span<std::uint8_t> nodes) {
  const std::uint8_t any = parallel_reduce(
      tets_.size(), grain, std::uint8_t{0}, any_inverted_,
      [&](Chunk chunk) {
        for (std::size_t e = chunk.begin; e < chunk.end; ++e)
          if (is_inverted(x, tets_[e])) return std::uint8_t{1};
        return std::uint8_t{0};
      },
      [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); });
  if (any == 0) return false;
  for (const TetCorners& t : tets_)
    if (is_inverted(x, t))
      for (const std::uint32_t v : t) nodes[v] = 1;
  return true;
}

void TetTerm::add_energies(std::span<const Vec3> x, std::span<double> energy,
                           std::span<double> volume) const {
  for (std::size_t e = 0; e < tets_.size(); ++e) {
    if (is_hole(tets_[e])) continue;
    const double quarter = shapes_[e].volume / 4;
    const double share = quarter * energy_density(elasticities_[e], shapes_[e].gradient(tet_at(x, tets_[e])));
    for (const std::uint32_t node : tets_[e]) {
      energy[node] += share;
      volume[node] += quarter;
    }
  }
}

void TetTerm::add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  for (std::size_t e = 0; e < tets_.size(); ++e) {
    if (is_hole(tets_[e])) continue;
    const TetCorners& corners = tets_[e];
    const Mat3 f = shapes_[e].gradient(tet_at(x, corners)), df = shapes_[e].gradient(tet_at(d, corners));
    using Nine = Eigen::Matrix<double, 9, 1>;
    const Nine change = definite_stiffness(elasticities_[e], f) * Eigen::Map<const Nine>(df.data());
    const std::array<Vec3, 4> pull = shapes_[e].pull(Eigen::Map<const Mat3>(change.data()));
    for (std::size_t k = 0; k < 4; ++k) out[corners[k]] += pull[k];
  }
}

void TetTerm::add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) {
  for (const std::uint32_t at : node_corners_.of(node)) {
    const std::uint32_t e = at / 4, corner = at % 4;
    const TetShape& shape = shapes_[e];
    const Mat3 f = shape.gradient(tet_at(x, tets_[e]));
    const Vec3 slope = shape.slope(corner);
    gradient += shape.volume * (stress(elasticities_[e], f) * slope);
    stiffness += shape.volume * corner_stiffness(elasticities_[e], f, slope);
  }
}

// At rest the stiffness along a strain lies between 2 mu and 3 lambda + 2 mu; the Laplacian of the mesh
// times the middle of that is a good measure in all directions.
void TetTerm::add_metric(std::vector<MetricEntry>& entries) const {
  for (std::size_t e = 0; e < tets_.size(); ++e)
    if (!is_hole(tets_[e]))
      add_laplacian(tets_[e], shapes_[e], 0.5 * (std::abs(elasticities_[e].lambda) + 3 * elasticities_[e].mu),
                    entries);
}

}  // namespace palpate
