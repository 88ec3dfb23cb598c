#include <palpate/respond/touching_view.h>

#include <palpate/respond/impulses.h>

namespace palpate {

double TouchingView::thickness_of(const Touch& touch) const {
  const double d = detector->contact_distance(participants[touch.first_surface].surface,
                                              participants[touch.second_surface].surface);
  return layers.thickness(touch.first_surface, touch.second_surface, d);
}

std::pair<double, double> TouchingView::friction_of(const Touch& touch) const {
  const ContactMaterial both =
      between(participants[touch.first_surface].material, participants[touch.second_surface].material);
  return {both.static_friction, both.friction};
}

Vec3 TouchingView::vertex_end(std::uint32_t slot, std::uint32_t own) const {
  const Participant& p = participants[slot];
  if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried)
    return rigid->state(p.body).pose.apply(p.local[own]);
  if (p.kind == Participant::Kind::soft) {
    const std::span<const Vec3> x = p.soft->unknowns();
    if (p.embedding == nullptr) return x[p.nodes[own]];
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      sum += p.embedding->weights()[own][k] * x[p.embedding->corners()[own][k]];
    return sum;
  }
  const Surfaces& surfaces = detector->surfaces();
  return surfaces.positions()[surfaces[slot].first_vertex + own];
}

Vec3 TouchingView::vertex_velocity(std::uint32_t slot, std::uint32_t own) const {
  const Participant& p = participants[slot];
  const std::span<const Vec3> v = p.soft->velocities();
  if (p.embedding == nullptr) return v[p.nodes[own]];
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k)
    sum += p.embedding->weights()[own][k] * v[p.embedding->corners()[own][k]];
  return sum;
}

}  // namespace palpate
