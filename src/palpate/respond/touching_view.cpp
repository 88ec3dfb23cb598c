#include <palpate/respond/touching_view.h>

#include <algorithm>

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

void TouchingView::sum_up_paces() {
  paces.clear();
  for (const RememberedContact& one : memory.all()) {
    const double push = one.push;
    paces.push_back({one.surfaces(), one.slides() ? push : 0, one.slides() ? 0 : push});
  }
  std::sort(paces.begin(), paces.end(), [](const Pace& a, const Pace& b) { return a.surfaces < b.surfaces; });
  std::size_t count = 0;
  for (const Pace& one : paces) {
    if (count > 0 && paces[count - 1].surfaces == one.surfaces) {
      paces[count - 1].sliding += one.sliding;
      paces[count - 1].sticking += one.sticking;
    } else {
      paces[count++] = one;
    }
  }
  paces.resize(count);
}

std::optional<bool> TouchingView::slid_before(const Touch& touch) const {
  const std::uint64_t surfaces = RememberedContact::between(touch.first_surface, touch.second_surface);
  const auto at = std::lower_bound(paces.begin(), paces.end(), surfaces,
                                   [](const Pace& p, std::uint64_t key) { return p.surfaces < key; });
  if (at == paces.end() || at->surfaces != surfaces) return {};
  return at->sliding > at->sticking;
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
