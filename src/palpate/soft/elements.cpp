#include <palpate/soft/elements.h>

#include <cmath>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/radix_sort.h>

namespace palpate {

namespace {

void require_count(std::size_t materials, std::size_t elements) {
  if (materials != 1 && materials != elements)
    throw Error(Place::named("materials", "of a soft body"),
                fmt::format("there are {} for {} tetrahedra", materials, elements),
                "Give one for all, or one for each.");
}
const Material& material_of(std::span<const Material> materials, std::size_t element) {
  return materials[materials.size() == 1 ? 0 : element];
}

// Every third bit of the result: 20 bits of x.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

}  // namespace

std::vector<std::uint32_t> near_each_other(std::span<const Vec3> rest, std::span<const TetCorners> tets) {
  Vec3 low = Vec3::Constant(HUGE_VAL), high = Vec3::Constant(-HUGE_VAL);
  const auto centre = [&](const TetCorners& t) {
    return Vec3(0.25 * (rest[t[0]] + rest[t[1]] + rest[t[2]] + rest[t[3]]));
  };
  std::vector<std::uint32_t> order;
  order.reserve(tets.size());
  for (std::uint32_t e = 0; e < tets.size(); ++e) {
    if (is_hole(tets[e])) continue;
    order.push_back(e);
    low = low.cwiseMin(centre(tets[e]));
    high = high.cwiseMax(centre(tets[e]));
  }
  const double size = (high - low).maxCoeff(), scale = size > 0 ? 1048575 / size : 0;
  std::vector<std::uint64_t> keys;
  keys.reserve(order.size());
  for (const std::uint32_t e : order) {
    const Vec3 at = scale * (centre(tets[e]) - low);
    const auto axis = [&](int k) { return spread(static_cast<std::uint64_t>(at[k])); };
    keys.push_back(axis(0) << 2 | axis(1) << 1 | axis(2));
  }
  radix_sort(keys, order);
  return order;
}

std::vector<TetShape> shapes_of(const TetMesh& rest) {
  std::vector<TetShape> shapes;
  shapes.reserve(rest.tets.size());
  for (std::size_t e = 0; e < rest.tets.size(); ++e) {
    for (const std::uint32_t v : rest.tets[e])
      if (v >= rest.positions.size())
        throw Error(Place().element("tetrahedron", e), fmt::format("it has vertex {}, which is not there", v),
                    "Run `palpate mesh check` on the file.");
    shapes.push_back(shape_of(rest, e));
  }
  return shapes;
}

TetShape shape_of(const TetMesh& rest, std::size_t e) {
  if (is_hole(rest.tets[e])) return {};
  TetShape shape(tet_at(rest.positions, rest.tets[e]));
  if (!(shape.volume > 0))
    throw Error(Place().element("tetrahedron", e),
                shape.volume < 0 ? "it is inverted at rest" : "it has no volume at rest",
                "Run `palpate mesh repair` on the file: it turns inverted elements and drops flat ones.");
  return shape;
}

Elasticity elasticity_of(std::span<const Material> materials, std::size_t element) {
  return Elasticity(material_of(materials, element));
}

std::vector<Elasticity> elasticities_of(const TetMesh& rest, std::span<const Material> materials) {
  require_count(materials.size(), rest.tets.size());
  std::vector<Elasticity> elasticities;
  elasticities.reserve(rest.tets.size());
  for (std::size_t e = 0; e < rest.tets.size(); ++e) {
    if (materials.size() > 1 || e == 0) require(material_of(materials, e), std::to_string(e));
    elasticities.emplace_back(material_of(materials, e));
  }
  return elasticities;
}

NodeCorners::NodeCorners(std::size_t nodes, std::span<const TetCorners> tets) : begin(nodes + 1, 0) {
  for (const TetCorners& tet : tets)
    if (!is_hole(tet))
      for (const std::uint32_t v : tet) ++begin[v + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  corners.resize(begin.back());
  std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
  for (std::uint32_t e = 0; e < tets.size(); ++e)
    if (!is_hole(tets[e]))
      for (std::uint32_t k = 0; k < 4; ++k) corners[at[tets[e][k]]++] = 4 * e + k;
}

void add_laplacian(const TetCorners& corners, const TetShape& shape, double stiffness,
                   std::vector<MetricEntry>& entries) {
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      if (corners[i] >= corners[j])
        entries.push_back(
            {corners[i], corners[j], stiffness * shape.volume * shape.slope(i).dot(shape.slope(j))});
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
