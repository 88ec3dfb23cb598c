#include <palpate/soft/tet_term.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 512;

void require_count(std::size_t materials, std::size_t elements) {
  if (materials != 1 && materials != elements)
    throw Error(Place::named("materials", "of a soft body"),
                fmt::format("there are {} for {} tetrahedra", materials, elements),
                "Give one for all, or one for each.");
}
const Material& material_of(std::span<const Material> materials, std::size_t element) {
  return materials[materials.size() == 1 ? 0 : element];
}

}  // namespace

TetTerm::TetTerm(const TetMesh& rest, std::span<const Material> materials) {
  require_count(materials.size(), rest.tets.size());
  tets_ = rest.tets;
  for (std::size_t e = 0; e < tets_.size(); ++e) {
    for (const std::uint32_t v : tets_[e])
      if (v >= rest.positions.size())
        throw Error(Place().element("tetrahedron", e), fmt::format("it has vertex {}, which is not there", v),
                    "Run `palpate mesh check` on the file.");
    if (materials.size() > 1 || e == 0) require(material_of(materials, e), std::to_string(e));
    shapes_.emplace_back(tet_at(rest.positions, tets_[e]));
    if (!(shapes_[e].volume > 0))
      throw Error(Place().element("tetrahedron", e),
                  shapes_[e].volume < 0 ? "it is inverted at rest" : "it has no volume at rest",
                  "Run `palpate mesh repair` on the file: it turns inverted elements and drops flat ones.");
    elasticities_.emplace_back(material_of(materials, e));
    // Energies near rest are small differences of numbers of this size.
    rounding_ += 1e-15 * shapes_[e].volume * (std::abs(elasticities_[e].lambda) + elasticities_[e].mu);
  }
  packs_ = TetPacks(rest.positions, tets_, shapes_, elasticities_);
  pulls_.resize(4 * packs_.slots.size());
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

void TetTerm::add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  for (std::size_t e = 0; e < tets_.size(); ++e) {
    const TetCorners& corners = tets_[e];
    const Mat3 f = shapes_[e].gradient(tet_at(x, corners)), df = shapes_[e].gradient(tet_at(d, corners));
    using Nine = Eigen::Matrix<double, 9, 1>;
    const Nine change = definite_stiffness(elasticities_[e], f) * Eigen::Map<const Nine>(df.data());
    const std::array<Vec3, 4> pull = shapes_[e].pull(Eigen::Map<const Mat3>(change.data()));
    for (std::size_t k = 0; k < 4; ++k) out[corners[k]] += pull[k];
  }
}

// At rest the stiffness along a strain lies between 2 mu and 3 lambda + 2 mu; the Laplacian of the mesh
// times the middle of that is a good measure in all directions.
void TetTerm::add_metric(std::vector<MetricEntry>& entries) const {
  for (std::size_t e = 0; e < tets_.size(); ++e) {
    Eigen::Matrix<double, 3, 4> slopes;  // of the four linear functions that are 1 at one corner
    slopes.rightCols<3>() = shapes_[e].inverse.transpose();
    slopes.col(0) = -slopes.rightCols<3>().rowwise().sum();
    const double stiffness =
        0.5 * (std::abs(elasticities_[e].lambda) + 3 * elasticities_[e].mu) * shapes_[e].volume;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const std::uint32_t a = tets_[e][static_cast<std::size_t>(i)],
                            b = tets_[e][static_cast<std::size_t>(j)];
        if (a >= b) entries.push_back({a, b, stiffness * slopes.col(i).dot(slopes.col(j))});
      }
  }
}

std::vector<double> node_masses(const TetMesh& rest, std::span<const Material> materials) {
  require_count(materials.size(), rest.tets.size());
  std::vector<double> masses(rest.positions.size(), 0);
  for (std::size_t e = 0; e < rest.tets.size(); ++e) {
    const double mass =
        material_of(materials, e).density * TetShape(tet_at(rest.positions, rest.tets[e])).volume;
    for (const std::uint32_t v : rest.tets[e]) masses[v] += mass / 4;
  }
  return masses;
}

}  // namespace palpate
