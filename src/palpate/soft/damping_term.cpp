#include <palpate/soft/damping_term.h>

#include <algorithm>
#include <cmath>

namespace palpate {

namespace {

Mat3 green_strain(const Mat3& f) { return 0.5 * (f.transpose() * f - Mat3::Identity()); }

}  // namespace

DampingTerm::DampingTerm(const TetMesh& rest, std::span<const Material> materials) {
  if (std::none_of(materials.begin(), materials.end(), [](const Material& m) { return m.damping > 0; }))
    return;
  elasticities_of(rest, materials);  // and whatever is wrong is said
  shapes_of(rest);
  elements_.resize(rest.tets.size());
  for (std::size_t e = 0; e < elements_.size(); ++e) set(rest, materials, e);
  node_corners_ = NodeCorners(rest.positions.size(), rest.tets);
}

void DampingTerm::update(const TetMesh& rest, std::span<const Material> materials,
                         std::span<const std::uint32_t> changed) {
  if (empty()) return;
  elements_.resize(rest.tets.size());
  for (const std::uint32_t e : changed) set(rest, materials, e);
  node_corners_ = NodeCorners(rest.positions.size(), rest.tets);
}

void DampingTerm::set(const TetMesh& rest, std::span<const Material> materials, std::size_t element) {
  const double eta = materials[materials.size() == 1 ? 0 : element].damping;
  const Elasticity elasticity = elasticity_of(materials, element);
  elements_[element] = {rest.tets[element], shape_of(rest, element), eta * std::max(0.0, elasticity.lambda),
                        eta * elasticity.mu, Mat3::Zero()};
}

// Those that are there and have damping.
template <class Do>
void DampingTerm::each(Do&& work) {
  for (Element& e : elements_)
    if (e.mu > 0 && !is_hole(e.corners)) work(e);
}

void DampingTerm::begin_step(std::span<const Vec3> x, double step) {
  step_ = step;
  rounding_ = 0;
  each([&](Element& e) {
    e.strain = green_strain(e.shape.gradient(tet_at(x, e.corners)));
    rounding_ += 1e-16 * e.shape.volume * (e.lambda + e.mu) / step;
  });
}

Mat3 DampingTerm::change(const Element& e, const Mat3& f) const { return green_strain(f) - e.strain; }

Mat3 DampingTerm::stress(const Element& e, const Mat3& change) const {
  return (2 * e.mu * change + e.lambda * change.trace() * Mat3::Identity()) / step_;
}

double DampingTerm::value(std::span<const Vec3> x) {
  double sum = 0;
  each([&](const Element& e) {
    const Mat3 by = change(e, e.shape.gradient(tet_at(x, e.corners)));
    sum += e.shape.volume * (e.mu * by.squaredNorm() + 0.5 * e.lambda * by.trace() * by.trace()) / step_;
  });
  return sum;
}

double DampingTerm::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  each([&](const Element& e) {
    const Mat3 f = e.shape.gradient(tet_at(x, e.corners));
    const std::array<Vec3, 4> pull = e.shape.pull(f * stress(e, change(e, f)));
    for (std::size_t k = 0; k < 4; ++k) gradient[e.corners[k]] += pull[k];
  });
  return value(x);
}

// Without what the stress does to an element that turns: that part may be negative.
void DampingTerm::add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  each([&](const Element& e) {
    const Mat3 f = e.shape.gradient(tet_at(x, e.corners)), df = e.shape.gradient(tet_at(d, e.corners));
    const std::array<Vec3, 4> pull =
        e.shape.pull(f * stress(e, 0.5 * (df.transpose() * f + f.transpose() * df)));
    for (std::size_t k = 0; k < 4; ++k) out[e.corners[k]] += pull[k];
  });
}

void DampingTerm::add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) {
  if (empty()) return;
  for (const std::uint32_t at : node_corners_.of(node)) {
    const Element& e = elements_[at / 4];
    if (!(e.mu > 0)) continue;
    const Mat3 f = e.shape.gradient(tet_at(x, e.corners));
    const Vec3 slope = e.shape.slope(at % 4), along = f * slope;
    gradient += e.shape.volume * (f * stress(e, change(e, f)) * slope);
    stiffness +=
        e.shape.volume / step_ *
        (e.mu * slope.squaredNorm() * f * f.transpose() + (e.mu + e.lambda) * along * along.transpose());
  }
}

void DampingTerm::add_metric(std::vector<MetricEntry>& entries) const {
  for (const Element& e : elements_)
    if (e.mu > 0 && !is_hole(e.corners))
      add_laplacian(e.corners, e.shape, 0.5 * (e.lambda + 3 * e.mu) / step_, entries);
}

}  // namespace palpate
