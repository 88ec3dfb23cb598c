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
  elements_.reserve(rest.tets.size());
  begin_.assign(rest.positions.size() + 1, 0);
  for (std::size_t e = 0; e < rest.tets.size(); ++e) {
    const TetCorners& corners = rest.tets[e];
    for (const std::uint32_t v : corners)
      if (v >= rest.positions.size())
        throw Error(Place().element("tetrahedron", e), fmt::format("it has vertex {}, which is not there", v),
                    "Run `palpate mesh check` on the file.");
    if (materials.size() > 1 || e == 0) require(material_of(materials, e), std::to_string(e));
    const TetShape shape(tet_at(rest.positions, corners));
    if (!(shape.volume > 0))
      throw Error(Place().element("tetrahedron", e),
                  shape.volume < 0 ? "it is inverted at rest" : "it has no volume at rest",
                  "Run `palpate mesh repair` on the file: it turns inverted elements and drops flat ones.");
    elements_.push_back({corners, shape, Elasticity(material_of(materials, e))});
    // Energies near rest are small differences of numbers of this size.
    rounding_ +=
        1e-15 * shape.volume * (std::abs(elements_[e].elasticity.lambda) + elements_[e].elasticity.mu);
    for (const std::uint32_t v : corners) ++begin_[v + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  places_.resize(4 * elements_.size());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t e = 0; e < elements_.size(); ++e)
    for (std::uint32_t k = 0; k < 4; ++k) places_[at[elements_[e].corners[k]]++] = 4 * e + k;
  pulls_.resize(4 * elements_.size());
}

double TetTerm::value(std::span<const Vec3> x) {
  return parallel_reduce(
      elements_.size(), grain, 0.0, partial_,
      [&](Chunk chunk) {
        double sum = 0;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          const auto& [corners, shape, elasticity] = elements_[i];
          sum += shape.volume * energy_density(elasticity, shape.gradient(tet_at(x, corners)));
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
}

double TetTerm::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  const double sum = parallel_reduce(
      elements_.size(), grain, 0.0, partial_,
      [&](Chunk chunk) {
        double part = 0;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          const auto& [corners, shape, elasticity] = elements_[i];
          const Mat3 f = shape.gradient(tet_at(x, corners));
          part += shape.volume * energy_density(elasticity, f);
          const std::array<Vec3, 4> pull = shape.pull(stress(elasticity, f));
          std::copy(pull.begin(), pull.end(), pulls_.begin() + static_cast<std::ptrdiff_t>(4 * i));
        }
        return part;
      },
      [](double a, double b) { return a + b; });
  gather(gradient);
  return sum;
}

void TetTerm::add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  parallel_for(elements_.size(), grain, [&](std::size_t i) {
    const auto& [corners, shape, elasticity] = elements_[i];
    const Mat3 f = shape.gradient(tet_at(x, corners)), df = shape.gradient(tet_at(d, corners));
    using Nine = Eigen::Matrix<double, 9, 1>;
    const Nine change = definite_stiffness(elasticity, f) * Eigen::Map<const Nine>(df.data());
    const std::array<Vec3, 4> pull = shape.pull(Eigen::Map<const Mat3>(change.data()));
    std::copy(pull.begin(), pull.end(), pulls_.begin() + static_cast<std::ptrdiff_t>(4 * i));
  });
  gather(out);
}

void TetTerm::gather(std::span<Vec3> out) const {
  parallel_for(begin_.size() - 1, 4 * grain, [&](std::size_t v) {
    Vec3 sum = Vec3::Zero();
    for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) sum += pulls_[places_[i]];
    out[v] += sum;
  });
}

// At rest the stiffness along a strain lies between 2 mu and 3 lambda + 2 mu; the Laplacian of the mesh
// times the middle of that is a good measure in all directions.
void TetTerm::add_metric(std::vector<MetricEntry>& entries) const {
  for (const auto& [corners, shape, elasticity] : elements_) {
    Eigen::Matrix<double, 3, 4> slopes;  // of the four linear functions that are 1 at one corner
    slopes.rightCols<3>() = shape.inverse.transpose();
    slopes.col(0) = -slopes.rightCols<3>().rowwise().sum();
    const double stiffness = 0.5 * (std::abs(elasticity.lambda) + 3 * elasticity.mu) * shape.volume;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const std::uint32_t a = corners[static_cast<std::size_t>(i)],
                            b = corners[static_cast<std::size_t>(j)];
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
