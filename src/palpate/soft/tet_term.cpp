#include <palpate/soft/tet_term.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/soft/elements.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 512;

}  // namespace

TetTerm::TetTerm(const TetMesh& rest, std::span<const Material> materials)
    : tets_(rest.tets), shapes_(shapes_of(rest)), elasticities_(elasticities_of(rest, materials)) {
  packs_ = TetPacks(rest.positions, tets_, shapes_, elasticities_);
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
  packs_.update(rest.positions.size(), tets_, shapes_, elasticities_, changed);
  make_room(rest.positions.size());
}

void TetTerm::make_room(std::size_t nodes) {
  rounding_ = 0;
  for (std::size_t e = 0; e < tets_.size(); ++e)
    // Energies near rest are small differences of numbers of this size.
    rounding_ += 1e-15 * shapes_[e].volume * (std::abs(elasticities_[e].lambda) + elasticities_[e].mu);
  pulls_.resize(4 * packs_.slots.size());
  node_corners_ = NodeCorners(nodes, tets_);
}

double TetTerm::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  const double total = energy(x, true);
  parallel_for(gradient.size(), 4 * grain, [&](std::size_t v) {
    Vec3 sum = Vec3::Zero();
    for (std::uint32_t i = packs_.begin[v]; i < packs_.begin[v + 1]; ++i)
      sum += Eigen::Map<const Vec3>(pulls_.data() + 4 * std::size_t{packs_.slots_of_node[i]});
    gradient[v] += sum;
  });
  return total;
}

double TetTerm::value(std::span<const Vec3> x) { return energy(x, false); }

// The energy; with `pulling`, what each block pulls at its nodes with as well.
double TetTerm::energy(std::span<const Vec3> x, bool pulling) {
  return parallel_reduce(
      packs_.blocks.size(), 1, 0.0, partial_,
      [&](Chunk chunk) {
        const TetBlock& block = packs_.blocks[chunk.index];
        alignas(32) std::array<double, 4 * 4 * block_size> points;
        for (std::size_t i = 0; i < block.nodes; ++i) {
          const Vec3& at = x[packs_.slots[block.first_slot + i]];
          for (std::size_t k = 0; k < 3; ++k) points[4 * i + k] = at[static_cast<int>(k)];
          points[4 * i + 3] = 0;
        }
        if (!pulling) return block_energy(packs_, block, points.data(), nullptr);
        alignas(32) std::array<double, 4 * 4 * block_size> pulls;
        std::fill_n(pulls.begin(), 4 * std::size_t{block.nodes}, 0.0);
        const double sum = block_energy(packs_, block, points.data(), pulls.data());
        std::copy_n(pulls.begin(), 4 * std::size_t{block.nodes},
                    pulls_.begin() + static_cast<std::ptrdiff_t>(4 * std::size_t{block.first_slot}));
        return sum;
      },
      [](double a, double b) { return a + b; });
}

bool TetTerm::mark_tangled(std::span<const Vec3> x, std::span<std::uint8_t> nodes) {
  const std::uint8_t any = parallel_reduce(
      tets_.size(), 4 * grain, std::uint8_t{0}, any_inverted_,
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
