#include <palpate/collide/surfaces.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/kernel.h>
#include <palpate/collide/points.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 4096;
constexpr TriangleCorners hole = {no_index, no_index, no_index};
constexpr std::uint64_t most_numbers = 0x7fffffff;

// The smallest of 4, 5, 6, 7, 8, 10, 12, 14, 16, 20 ... that is enough.
std::uint64_t room_for(std::uint64_t count) {
  if (count <= 4) return 4;
  const std::uint64_t step = std::bit_floor(count - 1) / 4;
  return step == 0 ? count : (count + step - 1) / step * step;
}
// What was removed leaves its room to those that come after.
std::uint64_t wanted_room(std::uint64_t count, std::uint64_t room) {
  return std::max(room_for(count), count == 0 ? room : 0);
}

void check_positions(const Surface& surface, std::span<const Vec3> positions, std::size_t first = 0) {
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (const double x = positions[i][k]; !(std::abs(x) < 1e75))
        throw Error(Place::named("surface", surface.name).element("vertex", first + i),
                    fmt::format("its {} is {}", "xyz"[k], x),
                    "Positions are finite numbers of metres, below 1e75: find out which step made this one.");
}

void check_count(const Surface& surface, std::size_t given, std::size_t wanted, std::string_view what) {
  if (given != wanted)
    throw Error(Place::named("surface", surface.name),
                fmt::format("{} {} were given for {} vertices", given, what, wanted),
                "Give one for every vertex, in the order of the mesh.");
}

}  // namespace

const Surface& Surfaces::at(SurfaceId id) const {
  if (!ids_.alive(id))
    throw Error(Place::named("surface", fmt::format("{}:{}", id.index, id.generation)), "there is none",
                "Was it removed? Keep the id that add() returned.");
  return surfaces_[id.index];
}
Surface& Surfaces::edit(SurfaceId id) { return const_cast<Surface&>(at(id)); }  // NOLINT: ours, and not const

// Gives every surface a range with room for what it has, and moves what lies elsewhere. Surfaces that were
// removed keep their range until another takes the slot: the numbers of the others stay.
// Then those before it stay where they are, and thousands can be added one by one.
bool Surfaces::only_last_is_new() const {
  std::uint64_t vertices = 0, triangles = 0;
  for (const Surface& s : surfaces_) {
    if (&s == &surfaces_.back()) return s.vertex_room == 0 && s.triangle_room == 0;
    if (s.first_vertex != vertices || s.first_triangle != triangles ||
        s.vertex_room != wanted_room(s.vertices, s.vertex_room) ||
        s.triangle_room != wanted_room(s.triangles, s.triangle_room))
      return false;
    vertices += s.vertex_room;
    triangles += s.triangle_room;
  }
  return false;
}

void Surfaces::make_room() {
  std::uint64_t vertices = 0, triangles = 0;
  bool same = true;
  for (const Surface& s : surfaces_) {
    same = same && s.first_vertex == vertices && s.first_triangle == triangles &&
           s.vertex_room >= s.vertices && s.triangle_room >= s.triangles;
    vertices += wanted_room(s.vertices, s.vertex_room);
    triangles += wanted_room(s.triangles, s.triangle_room);
    same = same && s.first_vertex + std::uint64_t{s.vertex_room} == vertices &&
           s.first_triangle + std::uint64_t{s.triangle_room} == triangles;
  }
  if (vertices > most_numbers || 3 * triangles > most_numbers)
    throw Error(
        Place::named("surface", surfaces_.back().name), "with it there are too many vertices or triangles",
        "A detector holds up to 2 billion vertices and 700 million triangles, room to grow included.");
  if (same && positions_.size() == vertices + 1) return;
  if (only_last_is_new()) {
    Surface& s = surfaces_.back();
    s.first_vertex = static_cast<std::uint32_t>(vertices - room_for(s.vertices));
    s.first_triangle = static_cast<std::uint32_t>(triangles - room_for(s.triangles));
    s.vertex_room = static_cast<std::uint32_t>(room_for(s.vertices));
    s.triangle_room = static_cast<std::uint32_t>(room_for(s.triangles));
    positions_.resize(vertices + 1, Vec3::Zero());
    triangles_.resize(triangles, hole);
    owned_.resize(triangles, 0);
    surface_of_vertex_.resize(vertices, static_cast<std::uint32_t>(surfaces_.size() - 1));
    for (std::uint32_t t = 0; t < s.triangles; ++t) copy_triangle(s, t);
    ++layout_;
    return;
  }
  std::vector<Vec3> positions(vertices + 1, Vec3::Zero());
  std::vector<TriangleCorners> all(triangles, hole);
  std::vector<std::uint8_t> owned(triangles, 0);
  surface_of_vertex_.assign(vertices, no_index);
  std::uint32_t vertex = 0, triangle = 0;
  for (std::uint32_t slot = 0; slot < surfaces_.size(); ++slot) {
    Surface& s = surfaces_[slot];
    const auto copy = [](auto& from, std::uint32_t first, std::uint32_t count, auto& to,
                         std::uint32_t begin) {
      if (first + std::size_t{count} <= from.size())
        std::copy_n(from.begin() + first, count, to.begin() + begin);
    };
    copy(positions_, s.first_vertex, std::min(s.vertices, s.vertex_room), positions, vertex);
    copy(owned_, s.first_triangle, std::min(s.triangles, s.triangle_room), owned, triangle);
    s.first_vertex = vertex;
    s.first_triangle = triangle;
    if (s.vertices > 0 || s.vertex_room == 0)
      s.vertex_room = static_cast<std::uint32_t>(room_for(s.vertices));
    if (s.triangles > 0 || s.triangle_room == 0)
      s.triangle_room = static_cast<std::uint32_t>(room_for(s.triangles));
    std::fill_n(surface_of_vertex_.begin() + vertex, s.vertex_room, slot);
    vertex += s.vertex_room;
    triangle += s.triangle_room;
  }
  positions_ = std::move(positions);
  triangles_ = std::move(all);
  owned_ = std::move(owned);
  for (const Surface& s : surfaces_)
    for (std::uint32_t t = 0; t < s.triangles; ++t) copy_triangle(s, t);
  ++layout_;
}

void Surfaces::copy_triangle(const Surface& surface, std::uint32_t t) {
  TriangleCorners corners = surface.topology.triangles()[t];
  if (corners != hole)
    for (std::uint32_t& c : corners) c += surface.first_vertex;
  triangles_[surface.first_triangle + t] = corners;
}

void Surfaces::find_owners(const Surface& surface, std::span<const std::uint32_t> touched) {
  for (const std::uint32_t v : touched)
    for (const std::uint32_t corner : surface.topology.corners_at(v))
      owned_[surface.first_triangle + triangle_of(corner)] =
          static_cast<std::uint8_t>(surface.topology.owned_by(triangle_of(corner)));
}

SurfaceId Surfaces::add(Surface surface, std::span<const Vec3> positions,
                        std::span<const TriangleCorners> triangles) {
  if (surface.name.empty()) surface.name = std::to_string(ids_.slots());
  check_positions(surface, positions);
  if (!surface.has_rest) surface.rest.assign(positions.begin(), positions.end());
  check_count(surface, surface.rest.size(), positions.size(), "rest positions");
  check_positions(surface, surface.rest);
  surface.topology = Topology(positions.size(), triangles);
  surface.vertices = surface.loaded_vertices = static_cast<std::uint32_t>(positions.size());
  surface.triangles = static_cast<std::uint32_t>(triangles.size());
  surface.loaded_triangles.assign(triangles.size(), 1);
  surface.id = ids_.create();
  if (surface.id.index == surfaces_.size()) surfaces_.emplace_back();
  Surface& place = surfaces_[surface.id.index];
  surface.first_vertex = place.first_vertex;
  surface.first_triangle = place.first_triangle;
  surface.vertex_room = place.vertex_room;
  surface.triangle_room = place.triangle_room;
  surface.moves = place.moves + 1;
  surface.place = ++places_;
  surface.changes = place.changes + 1;
  place = std::move(surface);
  const std::uint64_t before = layout_;
  make_room();
  if (layout_ == before)
    for (std::uint32_t t = 0; t < place.triangle_room; ++t) {
      if (t < place.triangles) {
        copy_triangle(place, t);
      } else {
        triangles_[place.first_triangle + t] = hole;
      }
    }
  std::copy(positions.begin(), positions.end(), positions_.begin() + place.first_vertex);
  place.box = bounds(positions);
  for (std::uint32_t t = 0; t < place.triangles; ++t)
    owned_[place.first_triangle + t] = static_cast<std::uint8_t>(place.topology.owned_by(t));
  ++layout_;
  return place.id;
}

void Surfaces::remove(SurfaceId id) {
  Surface& surface = edit(id);
  for (std::uint32_t t = 0; t < surface.triangles; ++t) {
    triangles_[surface.first_triangle + t] = hole;
    owned_[surface.first_triangle + t] = 0;
  }
  Surface empty;
  empty.first_vertex = surface.first_vertex;
  empty.first_triangle = surface.first_triangle;
  empty.vertex_room = surface.vertex_room;
  empty.triangle_room = surface.triangle_room;
  empty.moves = surface.moves + 1;
  empty.changes = surface.changes + 1;
  surface = std::move(empty);
  ids_.release(id);
  ++layout_;
}

namespace {

bool are_same(std::span<const Vec3> a, std::span<const Vec3> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}
bool are_same(const Pose& a, const Pose& b) {
  return a.rotation.coeffs() == b.rotation.coeffs() && a.position == b.position;
}

void forget_end(Surface& surface) {
  surface.end.clear();
  surface.bow = 0;
}

}  // namespace

void Surfaces::set_positions(SurfaceId id, std::span<const Vec3> positions) {
  Surface& surface = edit(id);
  check_count(surface, positions.size(), surface.vertices, "positions");
  bool finite = true;
  const Box box = checked_box(positions, finite);
  if (!finite) check_positions(surface, positions);  // says which
  std::copy(positions.begin(), positions.end(), positions_.begin() + surface.first_vertex);
  surface.box = box;
  // Steps begin where others ended.
  surface.place = are_same(surface.end, positions) ? surface.end_place : ++places_;
  forget_end(surface);
  ++surface.moves;
}

namespace {

// As it is, but for a quaternion that is a little off.
Pose checked_pose(const Surface& surface, const Pose& pose) {
  const double squared = pose.rotation.squaredNorm();
  if (!(std::abs(squared - 1) < 1e-3) || !(pose.position.array().abs() < 1e75).all())
    throw Error(Place::named("surface", surface.name), "its pose is not a turn and a finite move",
                "Normalise the quaternion, and find out which step made it.");
  Quat turn = pose.rotation;
  if (std::abs(squared - 1) > 1e-14) turn.normalize();
  return {turn, pose.position};
}

// The vertices of a rigid surface in a pose; their box.
Box place(const Surface& surface, const Pose& pose, Vec3* out) {
  const Mat3 turn = pose.rotation.toRotationMatrix();
  parallel_for(surface.vertices, grain, [&](std::size_t i) {
    const Vec3& p = surface.rest[i];
    for (int k = 0; k < 3; ++k)
      out[i][k] = ((turn(k, 0) * p.x() + turn(k, 1) * p.y()) + turn(k, 2) * p.z()) + pose.position[k];
  });
  bool finite = true;
  return checked_box(std::span<const Vec3>(out, surface.vertices), finite);
}

// Axis times angle of the shorter way from one to the other.
Vec3 spin_between(const Quat& from, const Quat& to) {
  Quat turn = (to * from.conjugate()).normalized();
  if (turn.w() < 0) turn.coeffs() *= -1;
  const double sine = turn.vec().norm();
  return sine > 0 ? Vec3(2 * std::atan2(sine, turn.w()) / sine * turn.vec()) : Vec3(Vec3::Zero());
}

}  // namespace

void Surfaces::set_pose(SurfaceId id, const Pose& pose) {
  Surface& surface = edit(id);
  surface.pose = checked_pose(surface, pose);
  surface.box = place(surface, surface.pose, positions_.data() + surface.first_vertex);
  const bool at_end = !surface.end.empty() && are_same(surface.pose, surface.end_pose);
  surface.place = at_end ? surface.end_place : ++places_;
  forget_end(surface);
  ++surface.moves;
}

void Surfaces::set_end_positions(SurfaceId id, std::span<const Vec3> positions) {
  Surface& surface = edit(id);
  check_count(surface, positions.size(), surface.vertices, "positions");
  bool finite = true;
  const Box box = checked_box(positions, finite);
  if (!finite) check_positions(surface, positions);  // says which
  if (are_same(surface.end, positions)) return;
  surface.end.assign(positions.begin(), positions.end());
  surface.end_box = box;
  surface.end_place = ++places_;
}

void Surfaces::set_end_pose(SurfaceId id, const Pose& pose) {
  Surface& surface = edit(id);
  const Pose end_pose = checked_pose(surface, pose);
  if (surface.end.empty() || !are_same(surface.end_pose, end_pose)) surface.end_place = ++places_;
  surface.end_pose = end_pose;
  surface.end.resize(surface.vertices);
  surface.end_box = place(surface, surface.end_pose, surface.end.data());
  surface.spin = spin_between(surface.pose.rotation, surface.end_pose.rotation);
  double squared = 0;
  for (const Vec3& p : surface.rest) squared = std::max(squared, p.squaredNorm());
  const double lever = std::sqrt(squared);
  // A point that turns is pulled inwards by spin^2 times its radius; a chord is off by an eighth of that.
  surface.bow = surface.spin.squaredNorm() / 8 * lever * (1 + 1e-9);
  surface.slack = 1e-14 * (lever + surface.pose.position.cwiseAbs().maxCoeff() +
                           surface.end_pose.position.cwiseAbs().maxCoeff());
  surface.bow = surface.spin.isZero(0) ? 0 : surface.bow + surface.slack;
}

void Surfaces::begin_step() {
  ends_.resize(positions_.size());
  std::copy(positions_.begin(), positions_.end(), ends_.begin());
  for (const Surface& surface : surfaces_)
    std::copy(surface.end.begin(), surface.end.end(), ends_.begin() + surface.first_vertex);
}

Box Surfaces::box(std::uint32_t slot) const {
  const Surface& surface = surfaces_[slot];
  if (!moving() || surface.end.empty()) return surface.box;
  Box both = surface.box;
  both.add(surface.end_box);
  return grown(both, surface.bow);
}

Box Surfaces::triangle_box(std::uint32_t t) const {
  const TriangleCorners& c = triangles_[t];
  const auto around = [&](std::span<const Vec3> x) {
    return Box{x[c[0]].cwiseMin(x[c[1]]).cwiseMin(x[c[2]]), x[c[0]].cwiseMax(x[c[1]]).cwiseMax(x[c[2]])};
  };
  Box box = around(positions_);
  if (!moving()) return box;
  box.add(around(ends_));
  return grown(box, surfaces_[surface_of_triangle(t)].bow);
}

void Surfaces::remove_triangles(SurfaceId id, std::span<const std::uint32_t> triangles) {
  Surface& surface = edit(id);
  std::vector<std::uint32_t> touched;
  for (const std::uint32_t t : triangles)
    if (t < surface.triangles && !surface.topology.is_hole(t))
      for (const std::uint32_t v : surface.topology.triangles()[t]) touched.push_back(v);
  surface.topology.remove(triangles);
  for (const std::uint32_t t : triangles) {
    copy_triangle(surface, t);
    owned_[surface.first_triangle + t] = 0;
    surface.loaded_triangles[t] = 0;
  }
  find_owners(surface, touched);
  surface.touched.insert(surface.touched.end(), touched.begin(), touched.end());
  ++surface.changes;
}

std::uint32_t Surfaces::add_vertices(SurfaceId id, std::span<const Vec3> positions,
                                     std::span<const Vec3> rest) {
  Surface& surface = edit(id);
  const std::uint32_t first = surface.vertices;
  check_positions(surface, positions, first);
  check_count(surface, rest.size(), positions.size(), "rest positions");
  check_positions(surface, rest, first);
  surface.topology.add_vertices(positions.size());
  forget_end(surface);
  surface.rest.insert(surface.rest.end(), rest.begin(), rest.end());
  surface.vertices += static_cast<std::uint32_t>(positions.size());
  make_room();
  std::copy(positions.begin(), positions.end(), positions_.begin() + surface.first_vertex + first);
  for (const Vec3& p : positions) surface.box.add(p);
  ++surface.moves;
  ++surface.changes;
  surface.place = ++places_;
  return first;
}

void Surfaces::add_triangles(SurfaceId id, std::span<const TriangleCorners> triangles,
                             std::vector<std::uint32_t>& places) {
  Surface& surface = edit(id);
  const std::size_t before = places.size();
  surface.topology.add(triangles, places);
  surface.triangles = static_cast<std::uint32_t>(surface.topology.triangle_count());
  surface.loaded_triangles.resize(surface.triangles, 0);
  make_room();
  std::vector<std::uint32_t> touched;
  for (std::size_t i = before; i < places.size(); ++i) {
    copy_triangle(surface, places[i]);
    for (const std::uint32_t v : surface.topology.triangles()[places[i]]) touched.push_back(v);
  }
  find_owners(surface, touched);
  surface.touched.insert(surface.touched.end(), touched.begin(), touched.end());
  ++surface.changes;
}

void Surfaces::make_near(std::uint32_t slot, double reach) {
  Surface& surface = surfaces_[slot];
  if (surface.neighbour_distance() != reach || (surface.paths && !surface.touched.empty())) {
    forget_near(slot);
    if (EdgePaths::lists_are_long(surface.topology, surface.rest, reach)) {
      surface.paths = std::make_unique<EdgePaths>(surface.topology, surface.rest, reach);
    } else {
      surface.near = Neighbourhoods(surface.topology, surface.rest, reach, false);
    }
  } else if (!surface.touched.empty()) {
    std::sort(surface.touched.begin(), surface.touched.end());
    surface.touched.erase(std::unique(surface.touched.begin(), surface.touched.end()), surface.touched.end());
    surface.near.update(surface.topology, surface.rest, surface.touched);
  }
  surface.touched.clear();
}

std::size_t Surfaces::memory() const {
  std::size_t sum = (positions_.capacity() * sizeof(Vec3) + triangles_.capacity() * sizeof(TriangleCorners)) +
                    (owned_.capacity() + surface_of_vertex_.capacity() * sizeof(std::uint32_t));
  for (const Surface& s : surfaces_)
    sum += s.rest.capacity() * sizeof(Vec3) + s.near.memory() + (s.paths ? s.paths->memory() : 0);
  return sum;
}

void Surfaces::forget_near(std::uint32_t slot) {
  surfaces_[slot].near = {};
  surfaces_[slot].paths.reset();
  surfaces_[slot].touched.clear();
}

namespace {

struct Ends {
  std::array<std::uint32_t, 3> vertex;
  std::size_t count;

  // The same in the surface's own numbers.
  Ends from(std::uint32_t first_vertex) const {
    Ends own = *this;
    for (std::size_t i = 0; i < count; ++i) own.vertex[i] -= first_vertex;
    return own;
  }
  operator std::span<const std::uint32_t>() const { return {vertex.data(), count}; }
};
Ends ends_of_first(const Surfaces& all, ContactKind kind, std::uint32_t first) {
  if (kind == ContactKind::vertex_triangle) return {{first}, 1};
  return {{all.side_begin(first), all.side_end(first)}, 2};
}
Ends ends_of_second(const Surfaces& all, ContactKind kind, std::uint32_t second) {
  if (kind == ContactKind::vertex_triangle) return {all.triangles()[second], 3};
  return {{all.side_begin(second), all.side_end(second)}, 2};
}

// An edge counts as loaded while a triangle that was loaded has it.
bool is_loaded_edge(const Surface& surface, std::uint32_t side) {
  std::uint32_t at = side;
  do
    if (surface.loaded_triangles[triangle_of(at)] != 0) return true;
  while ((at = surface.topology.next_side(at)) != side);
  return false;
}

}  // namespace

bool are_neighbours(const Surfaces& all, ContactKind kind, std::uint32_t first, std::uint32_t second) {
  const Ends one = ends_of_first(all, kind, first), two = ends_of_second(all, kind, second);
  const Surface& surface = all[all.surface_of_vertex(one.vertex[0])];
  const Ends own_one = one.from(surface.first_vertex), own_two = two.from(surface.first_vertex);
  if (surface.paths) return surface.paths->are_near(surface.topology, surface.rest, own_one, own_two);
  for (std::size_t i = 0; i < one.count; ++i)
    for (std::size_t j = 0; j < two.count; ++j) {
      if (one.vertex[i] == two.vertex[j]) return true;
      if (surface.near.reach() > 0 && surface.near.are_near(own_one.vertex[i], own_two.vertex[j]))
        return true;
    }
  return false;
}

double threshold(const Surfaces& all, ContactKind kind, std::uint32_t first, std::uint32_t second,
                 double distance) {
  const Ends one = ends_of_first(all, kind, first);
  const Surface& s = all[all.surface_of_vertex(one.vertex[0])];
  if (!s.has_rest) return distance;
  const auto rest = [&](std::uint32_t vertex) { return s.rest[vertex - s.first_vertex]; };
  double squared = 0;
  if (kind == ContactKind::vertex_triangle) {
    if (first - s.first_vertex >= s.loaded_vertices || s.loaded_triangles[second - s.first_triangle] == 0)
      return distance;
    const TriangleCorners& t = all.triangles()[second];
    squared = vertex_triangle(rest(first), {rest(t[0]), rest(t[1]), rest(t[2])}).squared_distance;
  } else {
    if (!is_loaded_edge(s, first - 3 * s.first_triangle) || !is_loaded_edge(s, second - 3 * s.first_triangle))
      return distance;
    const auto edge = [&](std::uint32_t side) {
      return Segment{rest(all.side_begin(side)), rest(all.side_end(side))};
    };
    squared = edge_edge(edge(first), edge(second)).squared_distance;
  }
  return squared < distance * distance ? 0.5 * std::sqrt(squared) : distance;
}

}  // namespace palpate
