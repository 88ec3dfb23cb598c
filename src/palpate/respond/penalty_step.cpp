#include <palpate/respond/penalty_step.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

namespace palpate {

namespace {

constexpr double stiffest = 0.25;  // of springs, in what would turn their mass around within a step

}  // namespace

void PenaltyStep::begin(const ResponseScene& scene, std::span<const Contact> contacts) {
  scene_ = scene;
  keep_nearest(contacts);
}

// Of each vertex and each edge the nearest contact, the first of several. Contacts come in ascending order of
// their first features; a contact of two edges is kept if it is the nearest of both.
void PenaltyStep::keep_nearest(std::span<const Contact> contacts) {
  kept_.clear();
  count_.assign(scene_.participants.size(), 0);
  std::size_t edges = 0;
  while (edges < contacts.size() && contacts[edges].kind() == ContactKind::vertex_triangle) {
    std::size_t best = edges, end = edges;
    for (; end < contacts.size() && contacts[end].kind() == ContactKind::vertex_triangle &&
           contacts[end].first() == contacts[edges].first();
         ++end)
      if (contacts[end].distance < contacts[best].distance) best = end;
    kept_.push_back(contacts[best]);
    edges = end;
  }
  nearest_.clear();
  for (std::size_t i = edges; i < contacts.size(); ++i)
    for (const std::uint32_t edge : {contacts[i].first(), contacts[i].second()})
      nearest_.emplace_back(edge, static_cast<std::uint32_t>(i));
  std::sort(nearest_.begin(), nearest_.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const double one = contacts[a.second].distance, other = contacts[b.second].distance;
    return one != other ? one < other : a.second < b.second;
  });
  const auto is_nearest = [&](std::uint32_t edge, std::uint32_t contact) {
    const auto at = std::lower_bound(nearest_.begin(), nearest_.end(), edge,
                                     [](const auto& a, std::uint32_t e) { return a.first < e; });
    return at->second == contact;
  };
  for (std::size_t i = edges; i < contacts.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    if (is_nearest(contacts[i].first(), number) && is_nearest(contacts[i].second(), number))
      kept_.push_back(contacts[i]);
  }
  for (const Contact& contact : kept_) {
    ++count_[contact.first_surface];
    ++count_[contact.second_surface];
  }
}

Vec3 PenaltyStep::velocity_of(const Participant& p, std::uint32_t own, const Vec3& at) const {
  if (p.kind == Participant::Kind::soft) {
    const std::span<const Vec3> v = p.soft->velocities();
    if (p.embedding == nullptr) return v[p.nodes[own]];
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      sum += p.embedding->weights()[own][k] * v[p.embedding->corners()[own][k]];
    return sum;
  }
  return scene_.rigid->view().velocity_at(p.body, at);
}

void PenaltyStep::push_vertex(const Participant& p, std::uint32_t own, const Vec3& force, const Vec3& at,
                              double seconds) {
  if (p.kind == Participant::Kind::rigid) {
    scene_.rigid->strike(p.body, seconds * force, at);
  } else if (p.kind == Participant::Kind::soft && p.embedding == nullptr) {
    p.soft->push(p.nodes[own], force);
  } else if (p.kind == Participant::Kind::soft) {
    for (std::size_t k = 0; k < 4; ++k)
      p.soft->push(p.embedding->corners()[own][k], p.embedding->weights()[own][k] * force);
  }
}

void PenaltyStep::push(const Contact& contact, double seconds) {
  const Surfaces& surfaces = scene_.detector->surfaces();
  const Participant &a = scene_.participants[contact.first_surface],
                    &b = scene_.participants[contact.second_surface];
  const double d = scene_.detector->contact_distance(a.surface, b.surface);
  if (!(contact.distance < d)) return;
  std::array<Corner, 4> corners;
  if (contact.kind() == ContactKind::vertex_triangle) {
    const std::array<double, 3> w = contact.second_weights();
    const TriangleCorners& t = surfaces.triangles()[contact.second()];
    corners = {{{contact.first(), -1}, {t[0], w[0]}, {t[1], w[1]}, {t[2], w[2]}}};
  } else {
    const double s = contact.at[0], t = contact.at[1];
    corners = {{{surfaces.side_begin(contact.first()), s - 1},
                {surfaces.side_end(contact.first()), -s},
                {surfaces.side_begin(contact.second()), 1 - t},
                {surfaces.side_end(contact.second()), t}}};
  }
  const auto place = [&](std::uint32_t vertex) {
    const std::uint32_t slot = surfaces.surface_of_vertex(vertex);
    return std::pair{&scene_.participants[slot], vertex - surfaces[slot].first_vertex};
  };
  // What a contact has to move: a rigid body's share of its mass, and of a soft one the mass of a contact's
  // part of the surface.
  double stiffness = HUGE_VAL, mass = HUGE_VAL;
  for (const auto& [p, slot] : {std::pair{&a, contact.first_surface}, {&b, contact.second_surface}}) {
    if (p->kind != Participant::Kind::rigid && p->kind != Participant::Kind::soft) continue;
    mass = std::min(mass, p->mass / std::max(8u, count_[slot]));
    if (p->kind != Participant::Kind::soft) continue;
    const double area = p->area / std::max(8u, surfaces[slot].vertices);
    stiffness = std::min(stiffness, options_.stiffness * p->young * area / d);
    mass = std::min(mass, p->mass * area / p->area);
  }
  if (mass == HUGE_VAL) return;  // nothing that moves
  const double k = std::min(stiffness, stiffest * mass / (seconds * seconds));
  const double c = std::min(options_.damping * seconds * k, stiffest * mass / seconds);
  const auto positions = surfaces.positions();
  double apart = 0;  // the speed at which they come apart
  for (const Corner& corner : corners) {
    if (corner.weight == 0) continue;
    const auto [p, own] = place(corner.vertex);
    apart += corner.weight * contact.normal.dot(velocity_of(*p, own, positions[corner.vertex]));
  }
  const double push = k * (d - contact.distance) - c * apart;
  if (!(push > 0)) return;
  const Vec3 force = push * contact.normal;
  Vec3 point = Vec3::Zero();
  for (const Corner& corner : corners) {
    if (corner.weight == 0) continue;
    const auto [p, own] = place(corner.vertex);
    push_vertex(*p, own, corner.weight * force, positions[corner.vertex], seconds);
    if (corner.weight < 0) point -= corner.weight * positions[corner.vertex];
  }
  forces_.push_back({contact.key, a.body, b.body, force, point, push});
}

TouchingReport PenaltyStep::step(double seconds) {
  TouchingReport report;
  forces_.clear();
  for (const Contact& contact : kept_) push(contact, seconds);
  report.touches = kept_.size();
  report.pushing = forces_.size();
  report.parts = 1;
  report.rigid = scene_.rigid->step(seconds);
  for (const Participant& p : scene_.participants) {
    if (p.kind != Participant::Kind::soft) continue;
    report.solve.add(p.soft->step(seconds));
  }
  return report;
}

}  // namespace palpate
