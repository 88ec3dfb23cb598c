#include <palpate/soft/damping_term.h>

#include <algorithm>
#include <array>

namespace palpate {

DampingTerm::DampingTerm(const TetMesh& rest, std::span<const Material> materials)
    : empty_(rest.tets.empty() || std::none_of(materials.begin(), materials.end(),
                                               [](const Material& m) { return m.damping > 0; })) {
  if (empty_) return;
  elasticities_of(rest, materials);  // and whatever is wrong is said
  shapes_of(rest);
  tets_.resize(rest.tets.size(), hole);
  shapes_.resize(rest.tets.size());
  viscous_.resize(rest.tets.size());
  for (std::size_t e = 0; e < tets_.size(); ++e) set(rest, materials, e);
  blocks_ = TetBlocks(rest.positions, tets_, shapes_, [&](std::uint32_t e) { return law(e); });
  connect(rest.positions.size());
}

void DampingTerm::update(const TetMesh& rest, std::span<const Material> materials,
                         std::span<const std::uint32_t> changed) {
  if (empty_) return;
  tets_.resize(rest.tets.size(), hole);
  shapes_.resize(rest.tets.size());
  viscous_.resize(rest.tets.size());
  for (const std::uint32_t e : changed) set(rest, materials, e);
  blocks_.update(
      rest.positions.size(), tets_, shapes_, [&](std::uint32_t e) { return law(e); }, changed);
  connect(rest.positions.size());
}

void DampingTerm::set(const TetMesh& rest, std::span<const Material> materials, std::size_t element) {
  const double eta = materials[materials.size() == 1 ? 0 : element].damping;
  const Elasticity elasticity = elasticity_of(materials, element);
  viscous_[element] = {eta * std::max(0.0, elasticity.lambda), eta * elasticity.mu};
  const bool is_there = viscous_[element].mu > 0;
  tets_[element] = is_there ? rest.tets[element] : hole;
  shapes_[element] = is_there ? shape_of(rest, element) : TetShape();
}

void DampingTerm::connect(std::size_t nodes) {
  node_corners_ = NodeCorners(nodes, tets_);
  stiffness_ = 0;
  for (std::size_t e = 0; e < tets_.size(); ++e)
    stiffness_ += shapes_[e].volume * (viscous_[e].lambda + viscous_[e].mu);
}

void DampingTerm::begin_step(std::span<const Vec3> x, double step) {
  if (empty_) return;
  step_ = step;
  blocks_.begin_step(x, step);
}

double DampingTerm::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  return empty_ ? 0 : blocks_.add_gradient(x, gradient);
}

Mat3 DampingTerm::stress(std::size_t element, const Mat3& change) const {
  const auto [lambda, mu] = viscous_[element];
  return (2 * mu * change + lambda * change.trace() * Mat3::Identity()) / step_;
}

// Without what the stress does to an element that turns: that part may be negative.
void DampingTerm::add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  for (std::size_t e = 0; e < tets_.size(); ++e) {
    if (is_hole(tets_[e])) continue;
    const Mat3 f = shapes_[e].gradient(tet_at(x, tets_[e])), df = shapes_[e].gradient(tet_at(d, tets_[e]));
    const std::array<Vec3, 4> pull =
        shapes_[e].pull(f * stress(e, 0.5 * (df.transpose() * f + f.transpose() * df)));
    for (std::size_t k = 0; k < 4; ++k) out[tets_[e][k]] += pull[k];
  }
}

// Six numbers for what is symmetric: solvers that go from node to node spend their time here.
void DampingTerm::add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) {
  if (empty_) return;
  for (const std::uint32_t at : node_corners_.of(node)) {
    const std::uint32_t e = at / 4;
    const auto [lambda, mu] = viscous_[e];
    const double scale = shapes_[e].volume / step_;
    const Mat3 f = shapes_[e].gradient(tet_at(x, tets_[e]));
    const Vec3 slope = shapes_[e].slope(at % 4), along = f * slope;
    const std::array<double, 6> before = blocks_.strain_before(e);
    const auto strain = [&](int i, int j) { return 0.5 * (f.col(i).dot(f.col(j)) - (i == j ? 1 : 0)); };
    const double xx = strain(0, 0) - before[0], yy = strain(1, 1) - before[1], zz = strain(2, 2) - before[2],
                 xy = strain(0, 1) - before[3], xz = strain(0, 2) - before[4], yz = strain(1, 2) - before[5];
    const double spread = lambda * (xx + yy + zz), m = 2 * mu;
    const Vec3 pull((m * xx + spread) * slope.x() + m * (xy * slope.y() + xz * slope.z()),
                    (m * yy + spread) * slope.y() + m * (xy * slope.x() + yz * slope.z()),
                    (m * zz + spread) * slope.z() + m * (xz * slope.x() + yz * slope.y()));
    gradient += scale * (f * pull);
    const double all = scale * mu * slope.squaredNorm(), one = scale * (mu + lambda);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        const double entry = all * f.row(i).dot(f.row(j)) + one * along[i] * along[j];
        stiffness(i, j) += entry;
        if (i != j) stiffness(j, i) += entry;
      }
  }
}

void DampingTerm::add_metric(std::vector<MetricEntry>& entries) const {
  for (std::size_t e = 0; e < tets_.size(); ++e)
    if (!is_hole(tets_[e]))
      add_laplacian(tets_[e], shapes_[e], 0.5 * (viscous_[e].lambda + 3 * viscous_[e].mu) / step_, entries);
}

}  // namespace palpate
