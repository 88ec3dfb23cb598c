// Motions of four points that are hard for continuous collision detection.
//
// Most are made around a contact that is exact in double arithmetic: places, velocities, weights and the time
// of contact are small multiples of powers of two, so that neither the place of the last point, which makes
// them touch, nor start and end of the motion are rounded. What is done to a case afterwards may undo that by
// a unit in the last place, which is as hard. Who needs the truth asks exact_crossing().
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <support/cases.h>

#include <palpate/collide/contact.h>
#include <palpate/geometry/vec.h>

namespace palpate::testing {

struct CrossingCase {
  ContactKind kind = ContactKind::vertex_triangle;
  std::array<Vec3, 4> start, end;
  std::string what;
};

// What random_crossing() below is made of.
namespace crossing_cases {

using Points = std::array<Vec3, 4>;

inline double pick(Random& random, std::initializer_list<double> numbers) {
  return numbers.begin()[random.below(numbers.size())];
}
// A multiple of 1/4.
inline double quarters(Random& random, double size = 8) {
  return std::floor(random.uniform(-4 * size, 4 * size + 1)) / 4;
}
inline Vec3 grid_point(Random& random) { return {quarters(random), quarters(random), quarters(random)}; }
inline Points grid_points(Random& random) {
  return {grid_point(random), grid_point(random), grid_point(random), grid_point(random)};
}
inline Vec3 small_integers(Random& random, std::size_t below) {
  const auto number = [&] { return static_cast<double>(random.below(below)); };
  return {number(), number(), number()};
}
inline Vec3 any_point(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Where on the shapes they meet: the weights of the corners, or those of the ends of the first edge and the
// length of the second in units of how far from point 2 it is there.
struct Place {
  ContactKind kind;
  std::array<double, 3> weights;

  // Moves one point so that the place on the first shape minus the place on the second is `apart`.
  void meet(Points& p, const Vec3& apart = Vec3::Zero()) const {
    const auto& w = weights;
    if (kind == ContactKind::vertex_triangle)
      p[0] = w[0] * p[1] + w[1] * p[2] + w[2] * p[3] + apart;
    else
      p[3] = p[2] + w[2] * (w[0] * p[0] + w[1] * p[1] - apart - p[2]);
  }
};

// Often on a border, at times just beside it.
inline Place any_place(Random& random, ContactKind kind) {
  double a = static_cast<double>(random.below(9)) / 8, b = (1 - a) * pick(random, {0, 0.25, 0.5, 0.75, 1});
  if (random.chance(0.2)) a = 0;
  if (random.chance(0.1)) a = pick(random, {-0x1p-20, 1 + 0x1p-20});
  if (kind == ContactKind::vertex_triangle) return {kind, {1 - a - b, a, b}};
  return {kind, {1 - a, a, pick(random, {1, 2, 2, 4, 1 - 0x1p-20})}};
}

// Two directions in the plane in which they meet.
inline std::array<Vec3, 2> tangents(ContactKind kind, const Points& p) {
  if (kind == ContactKind::vertex_triangle) return {p[2] - p[1], p[3] - p[1]};
  return {p[1] - p[0], p[3] - p[2]};
}
inline Vec3 any_tangent(Random& random, ContactKind kind, const Points& p) {
  const auto [u, v] = tangents(kind, p);
  const double a = pick(random, {-1, -0.5, 0, 0.25, 1}), b = pick(random, {-1, -0.25, 0.5, 1});
  return a * u + b * v;
}

inline double eighths(Random& random) { return static_cast<double>(random.below(9)) / 8; }

inline CrossingCase through(ContactKind kind, const Points& at, const Points& velocity, double when,
                            std::string what) {
  CrossingCase c{kind, {}, {}, std::move(what)};
  for (std::size_t i = 0; i < 4; ++i) {
    c.start[i] = at[i] - when * velocity[i];
    c.end[i] = at[i] + (1 - when) * velocity[i];
  }
  return c;
}

inline CrossingCase generic(Random& random, ContactKind kind) {
  CrossingCase c{kind, {}, {}, "generic"};
  const double size = random.uniform(0.1, 3);
  for (Vec3& p : c.start) p = any_point(random, 1);
  for (std::size_t i = 0; i < 4; ++i) c.end[i] = c.start[i] + any_point(random, size);
  return c;
}

// Both shapes turn and move as rigid bodies do, as far as straight lines can.
inline CrossingCase rigid(Random& random, ContactKind kind) {
  CrossingCase c = generic(random, kind);
  c.what = "rigid bodies";
  const std::size_t split = kind == ContactKind::vertex_triangle ? 1 : 2;
  for (const auto& [from, to] : {std::pair{std::size_t{0}, split}, std::pair{split, std::size_t{4}}}) {
    const double angle = random.uniform(-1, 1);
    const Vec3 axis = any_point(random, 1).normalized(), by = any_point(random, 1);
    const Eigen::AngleAxisd turn(angle, axis);
    for (std::size_t i = from; i < to; ++i) c.end[i] = turn * c.start[i] + by;
  }
  return c;
}

inline CrossingCase crossing_at(Random& random, ContactKind kind, double when, std::string what) {
  Points at = grid_points(random), velocity = grid_points(random);
  const Place place = any_place(random, kind);
  place.meet(at);
  place.meet(velocity, grid_point(random));
  return through(kind, at, velocity, when, std::move(what));
}

inline CrossingCase near_miss(Random& random, ContactKind kind) {
  CrossingCase c = crossing_at(random, kind, eighths(random), "near miss");
  const double size = random.magnitude(1e-15, 1);
  const Vec3 by = size * any_point(random, 1);
  for (Points* points : {&c.start, &c.end})
    for (std::size_t i = 0; i < (kind == ContactKind::vertex_triangle ? 1 : 2); ++i) (*points)[i] += by;
  return c;
}

// Where they meet, the relative velocity is in the plane: the volume has a double root.
inline CrossingCase grazing(Random& random, ContactKind kind) {
  Points at = grid_points(random), velocity = grid_points(random);
  const Place place = any_place(random, kind);
  place.meet(at);
  place.meet(velocity, any_tangent(random, kind, at));
  return through(kind, at, velocity, eighths(random), "grazing");
}

// The relative velocity is along one tangent, which itself turns towards the other: a triple root.
inline CrossingCase grazing_twice(Random& random, ContactKind kind) {
  Points at = grid_points(random), velocity = grid_points(random);
  const Place place = any_place(random, kind);
  place.meet(at);
  const auto [u, v] = tangents(kind, at);
  const Vec3 turn = pick(random, {-1, 0.5, 1}) * v;
  if (kind == ContactKind::vertex_triangle)
    velocity[2] = velocity[1] + turn;
  else
    velocity[1] = velocity[0] + turn;
  place.meet(velocity, pick(random, {-1, -0.5, 1}) * u);
  return through(kind, at, velocity, eighths(random), "grazing twice");
}

// Rigid shapes that touch at the start and part, or lie on each other and slide.
inline CrossingCase from_rest(Random& random, ContactKind kind, bool slides) {
  Points at = grid_points(random), velocity;
  any_place(random, kind).meet(at);
  const auto [u, v] = tangents(kind, at);
  const Vec3 common = random.chance(0.5) ? Vec3(Vec3::Zero()) : grid_point(random);
  const Vec3 away = pick(random, {-0.25, 0.25}) * u.cross(v);
  Vec3 relative = any_tangent(random, kind, at);
  if (!slides) relative += away;
  velocity.fill(common);
  for (std::size_t i = 0; i < (kind == ContactKind::vertex_triangle ? 1 : 2); ++i) velocity[i] += relative;
  return through(kind, at, velocity, slides ? eighths(random) : 0, slides ? "sliding" : "separating");
}

// All the time in one plane, which may itself move, and on one line always or when they meet.
inline CrossingCase flat(Random& random, ContactKind kind, bool on_a_line) {
  Points at = grid_points(random), velocity = grid_points(random);
  const Place place = any_place(random, kind);
  const bool meets = random.chance(0.5);
  const bool always = random.chance(0.6);
  const double slope = pick(random, {0, 0, 0.5, -1}), other = pick(random, {0, 0, 1, -0.25});
  for (Points* points : {&at, &velocity}) {
    for (Vec3& p : *points) {
      if (on_a_line && (always || points == &at)) p.y() = slope * p.x();
      p.z() = slope * p.x() + other * p.y();
    }
    if (meets) place.meet(*points, points == &at ? Vec3(Vec3::Zero()) : Vec3((*points)[1] - (*points)[2]));
  }
  const bool moves = random.chance(0.3);
  if (moves) {
    const Vec3 common = grid_point(random);
    for (Vec3& v : velocity) v += common;
  }
  std::string what = on_a_line ? "collinear" : "coplanar";
  return through(kind, at, velocity, eighths(random), what + (moves ? ", moving" : ""));
}

// The lines through points 0, 1 and 2, 3 are parallel always or when they meet.
inline CrossingCase parallel(Random& random, ContactKind kind) {
  Points at = grid_points(random), velocity = grid_points(random);
  const double factor = pick(random, {-2, -1, -0.25, 0.5, 1, 4});
  const bool always = random.chance(0.5), meets = random.chance(0.7);
  const auto align = [&](Points& p) {
    const double along = pick(random, {-1, -0.25, 0, 0.5, 1, 1.5});
    if (meets && &p == &at) p[2] = p[0] + along * (p[1] - p[0]);
    p[3] = p[2] + factor * (p[1] - p[0]);
  };
  align(at);
  if (always) align(velocity);
  return through(kind, at, velocity, eighths(random), always ? "parallel" : "parallel once");
}

// Shapes that are less than their name says, always or when they meet.
inline CrossingCase collapsed(Random& random, ContactKind kind) {
  Points at = grid_points(random), velocity = grid_points(random);
  const bool always = random.chance(0.5), meets = random.chance(0.8);
  const double factor = pick(random, {-0.5, 0, 0.25, 1, 2});
  const std::size_t sort = random.below(3);
  const Place place = any_place(random, kind);
  for (Points* points : {&at, &velocity}) {
    Points& p = *points;
    const bool collapses = always || points == &at;
    if (collapses && kind == ContactKind::vertex_triangle) {
      if (sort == 0) p[2] = p[1];
      p[3] = p[1] + factor * (p[2] - p[1]);
    } else if (collapses) {
      p[1] = p[0];
    }
    const Vec3 apart = points == &at ? Vec3(Vec3::Zero()) : grid_point(random);
    if (meets) place.meet(p, apart);
    if (collapses && kind == ContactKind::edge_edge && sort == 0)
      p[2] = p[3] = meets ? Vec3(p[0] + apart) : p[2];
  }
  const std::string what = kind == ContactKind::vertex_triangle ? "no area" : "no length";
  return through(kind, at, velocity, eighths(random), what + (always ? "" : " once"));
}

inline CrossingCase motionless(Random& random, ContactKind kind) {
  CrossingCase c = crossing_at(random, kind, 0, "motionless");
  if (random.chance(0.3)) c.start[3] += grid_point(random);
  c.end = c.start;
  return c;
}

inline CrossingCase on_small_grid(Random& random, ContactKind kind) {
  CrossingCase c{kind, {}, {}, "small grid"};
  const std::size_t below = 2 + random.below(3);
  for (Points* points : {&c.start, &c.end})
    for (Vec3& p : *points) p = small_integers(random, below);
  return c;
}

// A motion of about a thousand or a million edge lengths.
inline CrossingCase fast(Random& random, ContactKind kind) {
  Points at = grid_points(random), velocity = grid_points(random);
  const bool faster = random.chance(0.5);
  const Place place = any_place(random, kind);
  place.meet(at);
  place.meet(velocity);
  const Vec3 direction = random.chance(0.3) ? any_tangent(random, kind, at) : grid_point(random);
  for (std::size_t i = 0; i < (kind == ContactKind::vertex_triangle ? 1 : 2); ++i)
    velocity[i] += (faster ? 0x1p20 : 0x1p10) * direction;
  return through(kind, at, velocity, eighths(random), faster ? "motion of 1e6 edges" : "motion of 1e3 edges");
}

// A triangle of next to no height, or edges of next to one direction.
inline CrossingCase sliver(Random& random, ContactKind kind) {
  Points at = grid_points(random), velocity = grid_points(random);
  const double thin = pick(random, {0x1p-12, 0x1p-20, 0x1p-28});
  const double along = pick(random, {-0.5, 0.25, 0.5, 1});
  const Place place = any_place(random, kind);
  if (kind == ContactKind::vertex_triangle) {
    at[3] = at[1] + along * (at[2] - at[1]) + thin * at[3];
  } else {
    const Vec3 meeting = place.weights[0] * at[0] + place.weights[1] * at[1];
    at[2] = meeting + along * (at[1] - at[0]) + thin * at[2];
  }
  place.meet(at);
  place.meet(velocity, random.chance(0.5) ? grid_point(random) : any_tangent(random, kind, at));
  return through(kind, at, velocity, eighths(random), "sliver");
}

inline double nudged(double x, int units) {
  for (; units != 0; units += units < 0 ? 1 : -1)
    x = std::nextafter(x, (units < 0 ? -1 : 1) * std::numeric_limits<double>::infinity());
  return x;
}

// Moves some numbers by 1 to 4 units in the last place. Zeros mostly stay: next to them is 5e-324.
inline void nudge(Random& random, CrossingCase& c) {
  for (std::size_t count = 1 + random.below(2); count > 0; --count) {
    double& x = (random.chance(0.5) ? c.start : c.end)[random.below(4)][static_cast<int>(random.below(3))];
    const int units = 1 + static_cast<int>(random.below(4));
    if (x != 0 || random.chance(0.05)) x = nudged(x, random.chance(0.5) ? units : -units);
  }
  c.what += ", nudged";
}

// The same shapes with their points in another order, seen along other axes.
inline void permute(Random& random, CrossingCase& c) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  if (c.kind == ContactKind::vertex_triangle) {
    for (std::size_t i = 3; i > 1; --i) std::swap(order[i], order[1 + random.below(i)]);
  } else {
    if (random.chance(0.5)) order = {2, 3, 0, 1};
    if (random.chance(0.5)) std::swap(order[0], order[1]);
    if (random.chance(0.5)) std::swap(order[2], order[3]);
  }
  const int first = static_cast<int>(random.below(3)), step = 1 + static_cast<int>(random.below(2));
  for (Points* points : {&c.start, &c.end}) {
    const Points old = *points;
    for (std::size_t i = 0; i < 4; ++i)
      for (int axis = 0; axis < 3; ++axis) (*points)[i][axis] = old[order[i]][(first + step * axis) % 3];
  }
}

// Elsewhere, or of another size.
inline void carry_away(Random& random, CrossingCase& c) {
  if (random.chance(0.15)) {
    Vec3 by;
    for (double& x : by) x = pick(random, {0, 1e3, -1e6, 1e9, 1e12, -1e12});
    for (Points* points : {&c.start, &c.end})
      for (Vec3& p : *points) p += by;
    c.what += ", far away";
  }
  if (random.chance(0.15)) {
    const double size =
        pick(random, {1e150, 0x1p498, 1e12, 1e-9, 1e-150, 0x1p-498, 1e-300, 0x1p-1000, 0x1p-1060});
    for (Points* points : {&c.start, &c.end})
      for (Vec3& p : *points) p *= size;
    c.what += ", times 2^" + std::to_string(std::ilogb(size));
  }
}

constexpr std::size_t sorts = 20;

inline CrossingCase plain_crossing(Random& random, std::size_t sort) {
  const auto kind = static_cast<ContactKind>(random.below(2));
  switch (sort) {
    case 0:
      return generic(random, kind);
    case 1:
      return rigid(random, kind);
    case 2:
      return near_miss(random, kind);
    case 3:
      return crossing_at(random, kind, eighths(random), "crossing");
    case 4:
      return crossing_at(random, kind, 0, "contact at 0");
    case 5:
      return crossing_at(random, kind, 1, "contact at 1");
    case 6:
      return grazing(random, kind);
    case 7:
      return grazing_twice(random, kind);
    case 8:
      return from_rest(random, kind, false);
    case 9:
      return from_rest(random, kind, true);
    case 10:
      return flat(random, kind, false);
    case 11:
      return flat(random, kind, true);
    case 12:
      return parallel(random, kind);
    case 13:
      return collapsed(random, kind);
    case 14:
      return motionless(random, kind);
    case 15:
      return on_small_grid(random, kind);
    case 16:
      return fast(random, kind);
    case 17:
      return sliver(random, kind);
    default: {  // next to touching at one end of the motion, or next to grazing
      CrossingCase c = sort == 18 ? crossing_at(random, kind, random.chance(0.5) ? 0 : 1, "tiny gap")
                                  : grazing(random, kind);
      nudge(random, c);
      return c;
    }
  }
}

}  // namespace crossing_cases

// Of all sorts, a new variety at every call.
inline CrossingCase random_crossing(Random& random) {
  CrossingCase c = crossing_cases::plain_crossing(random, random.below(crossing_cases::sorts));
  if (random.chance(0.3)) {
    std::swap(c.start, c.end);
    c.what += ", backwards";
  }
  crossing_cases::permute(random, c);
  crossing_cases::carry_away(random, c);
  if (random.chance(0.1)) crossing_cases::nudge(random, c);
  return c;
}

}  // namespace palpate::testing
