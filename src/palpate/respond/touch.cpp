#include <palpate/respond/touch.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace palpate {

namespace {

constexpr double on_part = 1e-9;  // weights below this are none
constexpr double flat = 0.02;     // sine of angles that are none
constexpr double clear = 0.04;    // sine of angles that leave no doubt
constexpr double at_end = 0.05;   // of an edge: what is nearer to its end fades
constexpr double aside = 0.7;     // cosine beyond which what a vertex would hit lies beside its own surface
constexpr double beside = 0.1,
                 beside_fades = 0.05;  // the same, of edges and corners, and over which it fades
constexpr double backward = -0.3;      // cosine beyond which a vertex sees something through its own body
constexpr double no_distance = 1e-9;   // of the lengths around: there is no direction to speak of

double angle_at(const Vec3& corner, const Vec3& one, const Vec3& other) {
  const Vec3 a = one - corner, b = other - corner;
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

}  // namespace

const SurfaceSides& TouchFinder::sides(const Surfaces& surfaces, std::uint32_t slot) {
  if (sides_.size() <= slot) sides_.resize(slot + std::size_t{1});
  SurfaceSides& result = sides_[slot];
  const Surface& surface = surfaces[slot];
  // A slot may have been given to another surface since: that raises its changes, too.
  const std::uint64_t changes = surface.changes + (std::uint64_t{surface.id.generation} << 32);
  if (result.changes == changes) return result;
  result.changes = changes;
  const TopologyFacts facts = describe(surface.topology);
  result.closed = facts.triangles > 0 && facts.closed() && facts.oriented() && facts.nonmanifold_edges == 0;
  result.vertex_area.assign(surface.vertices, 0);
  for (const TriangleCorners& t : surface.topology.triangles()) {
    if (t[0] == no_index) continue;
    const Triangle at = triangle_at(surface.rest, t);
    const double third = (at[1] - at[0]).cross(at[2] - at[0]).norm() / 6;
    for (const std::uint32_t v : t) result.vertex_area[v] += third;
  }
  return result;
}

std::span<const Touch> TouchFinder::find(const Surfaces& surfaces, std::span<const Contact> contacts,
                                         std::span<const OverlappingPair> overlaps) {
  surfaces_ = &surfaces;
  overlaps_ = overlaps;
  touches_.clear();
  for (const Contact& c : contacts) {  // so that later lookups cannot move them
    sides(surfaces, c.first_surface);
    sides(surfaces, c.second_surface);
  }
  std::size_t i = 0;
  while (i < contacts.size() && contacts[i].kind() == ContactKind::vertex_triangle) {
    std::size_t end = i + 1;
    while (end < contacts.size() && contacts[end].kind() == ContactKind::vertex_triangle &&
           contacts[end].first() == contacts[i].first())
      ++end;
    find_vertex_group(contacts.subspan(i, end - i));
    i = end;
  }
  for (; i < contacts.size(); ++i) find_edges(contacts[i]);
  return touches_;
}

Touch TouchFinder::touch_of(const Surfaces& surfaces, const Contact& contact) {
  Touch touch;
  touch.key = contact.key;
  touch.first_surface = contact.first_surface;
  touch.second_surface = contact.second_surface;
  if (contact.kind() == ContactKind::edge_edge) {
    const double s = contact.at[0], t = contact.at[1];
    touch.vertices = {surfaces.side_begin(contact.first()), surfaces.side_end(contact.first()),
                      surfaces.side_begin(contact.second()), surfaces.side_end(contact.second())};
    touch.weights = {s - 1, -s, 1 - t, t};
  } else {
    const TriangleCorners& corners = surfaces.triangles()[contact.second()];
    const std::array<double, 3> w = contact.second_weights();
    touch.vertices = {contact.first(), corners[0], corners[1], corners[2]};
    touch.weights = {-1, w[0], w[1], w[2]};
  }
  touch.normal = contact.normal;
  touch.gap = contact.distance;
  touch.area = area_of(surfaces, contact.kind(), touch.vertices);
  return touch;
}

double TouchFinder::area_of(const Surfaces& surfaces, ContactKind kind,
                            const std::array<std::uint32_t, 4>& vertices) {
  const auto area = [&](std::uint32_t vertex) {
    const std::uint32_t slot = surfaces.surface_of_vertex(vertex);
    return sides(surfaces, slot).vertex_area[vertex - surfaces[slot].first_vertex];
  };
  if (kind == ContactKind::vertex_triangle) return 0.5 * area(vertices[0]);
  return 0.125 * (area(vertices[0]) + area(vertices[1]) + area(vertices[2]) + area(vertices[3]));
}

// --- normals --------------------------------------------------------------------------------------

Vec3 TouchFinder::triangle_normal(std::uint32_t t) const {
  const Triangle at = surfaces_->triangle(t);
  const Vec3 across = (at[1] - at[0]).cross(at[2] - at[0]);
  const double length = across.norm();
  return length > 0 ? Vec3(across / length) : Vec3(Vec3::Zero());
}

// Weighted by angles: what is nearest at a corner is outside just if it is on this normal's side (Baerentzen
// & Aanaes 2005).
Vec3 TouchFinder::vertex_normal(std::uint32_t vertex) const {
  const Surface& surface = (*surfaces_)[surfaces_->surface_of_vertex(vertex)];
  Vec3 sum = Vec3::Zero();
  for (const std::uint32_t corner : surface.topology.corners_at(vertex - surface.first_vertex)) {
    const std::uint32_t t = surface.first_triangle + triangle_of(corner);
    const Triangle at = surfaces_->triangle(t);
    const std::size_t k = corner % 3;
    sum += angle_at(at[k], at[(k + 1) % 3], at[(k + 2) % 3]) * triangle_normal(t);
  }
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : sum;
}

Vec3 TouchFinder::edge_normal(std::uint32_t side) const {
  const Surface& surface = (*surfaces_)[surfaces_->surface_of_triangle(side / 3)];
  const std::uint32_t first = 3 * surface.first_triangle, own = side - first;
  Vec3 sum = Vec3::Zero();
  std::uint32_t s = own;
  do {
    sum += triangle_normal((first + s) / 3);
    s = surface.topology.next_side(s);
  } while (s != own);
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : sum;
}

// How clearly faces at an edge lead away from a direction, from 0 to 1: one at least, and none the other way.
// An edge of a flat place has nothing to say that vertices do not. What comes and goes at once would shake
// what lies on it; so it fades.
double TouchFinder::leads_away(std::uint32_t side, const Vec3& along) const {
  const Surface& surface = (*surfaces_)[surfaces_->surface_of_triangle(side / 3)];
  const std::uint32_t first = 3 * surface.first_triangle, own = side - first;
  const auto positions = surfaces_->positions();
  const Vec3 &begin = positions[surfaces_->side_begin(side)], &end = positions[surfaces_->side_end(side)];
  const Vec3 edge = end - begin;
  const double squared = edge.squaredNorm();
  if (!(squared > 0)) return 0;
  std::uint32_t s = own;
  double least = 1, most = -1;
  do {
    const Vec3 to = positions[surfaces_->side_begin(previous_corner(first + s))] - begin;
    const Vec3 inward = to - (to.dot(edge) / squared) * edge;
    const double length = inward.norm(), ahead = length > 0 ? along.dot(inward) / length : 0;
    least = std::min(least, ahead);
    most = std::max(most, ahead);
    s = surface.topology.next_side(s);
  } while (s != own);
  return std::clamp((flat - most) / clear, 0.0, 1.0) * std::clamp((-flat - least) / clear, 0.0, 1.0);
}

// How far faces at a vertex lead towards a direction: the largest cosine of its edges.
double TouchFinder::leads_towards(std::uint32_t vertex, const Vec3& along) const {
  const Surface& surface = (*surfaces_)[surfaces_->surface_of_vertex(vertex)];
  const auto positions = surfaces_->positions();
  double most = -1;
  for (const std::uint32_t corner : surface.topology.corners_at(vertex - surface.first_vertex)) {
    const TriangleCorners& t = surfaces_->triangles()[surface.first_triangle + triangle_of(corner)];
    for (const std::uint32_t other : t) {
      if (other == vertex) continue;
      const Vec3 to = positions[other] - positions[vertex];
      const double length = to.norm();
      if (length > 0) most = std::max(most, along.dot(to) / length);
    }
  }
  return most;
}

// How clearly what a vertex sees along a direction, of an edge or a corner, is in front of it, not beside it,
// from 0 to 1. A vertex of a flat place, of a floor, does not push the rim of what is about to slide over it;
// one that stands out may be hit from all sides.
double TouchFinder::looks_out(std::uint32_t vertex, const Vec3& normal, const Vec3& along) const {
  const double stands_out = (-flat - leads_towards(vertex, normal)) / clear;
  return std::clamp(std::max(stands_out, (beside - leads_towards(vertex, along)) / beside_fades), 0.0, 1.0);
}

bool TouchFinder::vertex_pushes(const Surfaces& surfaces, std::uint32_t vertex, const Vec3& normal) {
  surfaces_ = &surfaces;
  return leads_towards(vertex, normal) < aside;
}

bool TouchFinder::edges_push(const Surfaces& surfaces, std::uint32_t a, std::uint32_t b, const Vec3& normal) {
  surfaces_ = &surfaces;
  return leads_away(a, normal) > 0 && leads_away(b, -normal) > 0;
}

// --- vertices and triangles -----------------------------------------------------------------------

TouchFinder::Near TouchFinder::nearest_part(const Contact& contact) {
  const std::array<double, 3> w = contact.second_weights();
  std::uint32_t none = 0, last_none = 0, last_some = 0;
  for (std::uint32_t k = 0; k < 3; ++k) {
    if (w[k] < on_part) {
      ++none;
      last_none = k;
    } else {
      last_some = k;
    }
  }
  if (none == 0) return {Part::inside, 0};
  // Side k runs from corner k to the next: it is opposite the corner before k.
  if (none == 1) return {Part::edge, (last_none + 1) % 3};
  return {Part::corner, last_some};
}

// Whether the other triangles at the edge or corner have their nearest point there, too, and this one is the
// first of them. Those that the detector left out are not asked.
bool TouchFinder::says_the_same(std::span<const Contact> group, const Contact& contact,
                                const Near& near) const {
  const std::uint32_t t = contact.second();
  const Surface& surface = (*surfaces_)[contact.second_surface];
  const auto found = [&](std::uint32_t triangle) -> const Contact* {
    const auto at =
        std::lower_bound(group.begin(), group.end(), triangle,
                         [](const Contact& c, std::uint32_t number) { return c.second() < number; });
    return at != group.end() && at->second() == triangle ? &*at : nullptr;
  };
  const auto agrees = [&](std::uint32_t triangle, const Near& wanted) {
    const Contact* const other = found(triangle);
    if (other == nullptr) return true;
    if (triangle < t) return false;
    const Near there = nearest_part(*other);
    return there.part == wanted.part && there.which == wanted.which;
  };
  const std::uint32_t first = 3 * surface.first_triangle;
  if (near.part == Part::edge) {
    const std::uint32_t own = 3 * t + near.which - first;
    for (std::uint32_t s = surface.topology.next_side(own); s != own; s = surface.topology.next_side(s))
      if (!agrees((first + s) / 3, {Part::edge, s % 3})) return false;
    return true;
  }
  const std::uint32_t corner = surfaces_->triangles()[t][near.which] - surface.first_vertex;
  const auto around = surface.topology.corners_at(corner);
  return std::all_of(around.begin(), around.end(), [&](std::uint32_t c) {
    return (first + c) / 3 == t || agrees((first + c) / 3, {Part::corner, c % 3});
  });
}

void TouchFinder::find_vertex_group(std::span<const Contact> group) {
  const std::uint32_t vertex = group[0].first();
  const Surface& own = (*surfaces_)[group[0].first_surface];
  const SurfaceSides& own_sides = sides_[group[0].first_surface];
  const Vec3 own_normal = vertex_normal(vertex);
  const std::size_t begin = touches_.size();
  for (const Contact& contact : group) {
    const Near near = nearest_part(contact);
    const std::uint32_t t = contact.second();
    if (near.part != Part::inside && !says_the_same(group, contact, near)) continue;
    const TriangleCorners& corners = surfaces_->triangles()[t];
    const Vec3 normal = near.part == Part::inside ? triangle_normal(t)
                        : near.part == Part::edge ? edge_normal(3 * t + near.which)
                                                  : vertex_normal(corners[near.which]);
    const std::array<double, 3> w = contact.second_weights();
    Touch touch;
    touch.vertices = {vertex, corners[0], corners[1], corners[2]};
    touch.weights = {-1, w[0], w[1], w[2]};
    const bool by_itself =
        near.part == Part::inside || overlap(contact.first_surface, contact.second_surface);
    const double clearly = by_itself ? 1 : looks_out(vertex, own_normal, contact.normal);
    if (!(clearly > 0)) continue;
    touch.area = clearly * 0.5 * own_sides.vertex_area[vertex - own.first_vertex];
    add(contact, own_normal, normal, touch);
  }
  // A vertex inside another body leaves it by the nearest way.
  const auto deeper = [](const Touch& a, const Touch& b) {
    return a.second_surface != b.second_surface ? a.second_surface < b.second_surface : a.gap > b.gap;
  };
  const bool any_inside = std::any_of(touches_.begin() + static_cast<std::ptrdiff_t>(begin), touches_.end(),
                                      [](const Touch& t) { return t.gap < 0; });
  if (!any_inside) return;
  const auto from = touches_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto kept = std::remove_if(from, touches_.end(), [&](const Touch& t) {
    return t.gap < 0 && std::any_of(from, touches_.end(), [&](const Touch& other) {
             return other.key != t.key && other.second_surface == t.second_surface &&
                    (deeper(other, t) || (other.gap == t.gap && other.key < t.key));
           });
  });
  touches_.erase(kept, touches_.end());
}

// --- edges ----------------------------------------------------------------------------------------

void TouchFinder::find_edges(const Contact& contact) {
  const double s = contact.at[0], t = contact.at[1];
  if (s < on_part || s > 1 - on_part || t < on_part || t > 1 - on_part) return;
  const std::uint32_t a = contact.first(), b = contact.second();
  const double inside = std::min({s, 1 - s, t, 1 - t}) / at_end;
  const double clearly =
      std::min(1.0, inside) * leads_away(a, contact.normal) * leads_away(b, -contact.normal);
  if (!(clearly > 0)) return;
  const auto area = [&](std::uint32_t slot, std::uint32_t side) {
    const Surface& surface = (*surfaces_)[slot];
    const auto& areas = sides_[slot].vertex_area;
    return 0.5 * (areas[surfaces_->side_begin(side) - surface.first_vertex] +
                  areas[surfaces_->side_end(side) - surface.first_vertex]);
  };
  Touch touch;
  touch.vertices = {surfaces_->side_begin(a), surfaces_->side_end(a), surfaces_->side_begin(b),
                    surfaces_->side_end(b)};
  touch.weights = {s - 1, -s, 1 - t, t};
  touch.area = clearly * 0.25 * (area(contact.first_surface, a) + area(contact.second_surface, b));
  add(contact, edge_normal(a), edge_normal(b), touch);
}

// --- sides ----------------------------------------------------------------------------------------

bool TouchFinder::overlap(std::uint32_t a, std::uint32_t b) const {
  return std::binary_search(overlaps_.begin(), overlaps_.end(),
                            OverlappingPair{std::min(a, b), std::max(a, b)});
}

bool TouchFinder::add(const Contact& contact, const Vec3& first_normal, const Vec3& second_normal,
                      Touch touch) {
  const bool first_closed = sides_[contact.first_surface].closed,
             second_closed = sides_[contact.second_surface].closed;
  touch.key = contact.key;
  touch.first_surface = contact.first_surface;
  touch.second_surface = contact.second_surface;
  touch.normal = contact.normal;
  touch.gap = contact.distance;
  const double scale = std::sqrt(touch.area);
  if (contact.distance <= no_distance * scale) {
    // In one place: outward of what has an outside.
    if (second_closed && second_normal.squaredNorm() > 0)
      touch.normal = -second_normal;
    else if (first_closed && first_normal.squaredNorm() > 0)
      touch.normal = first_normal;
  } else {
    const double ahead = first_closed ? contact.normal.dot(first_normal) : 1;
    const double facing = second_closed ? -contact.normal.dot(second_normal) : 1;
    const bool first_sees = ahead > (contact.kind() == ContactKind::vertex_triangle ? backward : 0.0);
    if (facing > 0 && first_sees) {
      // as it is
    } else if (facing <= 0 && (ahead <= 0 || !first_closed) && second_closed &&
               overlap(contact.first_surface, contact.second_surface)) {
      touch.normal = -contact.normal;
      touch.gap = -contact.distance;
    } else {
      return false;
    }
  }
  touches_.push_back(touch);
  return true;
}

}  // namespace palpate
