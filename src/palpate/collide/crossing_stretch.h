// Proofs about two features that move, over a stretch of time: see crossing.h. For two kinds of numbers,
// double and Wide.
//
// What rounding does. All is seen from one of the four points; that the others are rounded then, and rounded
// again at the ends of a stretch, moves each by less than 8 roundings of the size of everything. So the
// features have to be farther apart by that than is asked for. Products of lengths err by less than 16
// roundings of the lengths times the size. Both are covered by 32.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <palpate/collide/contact.h>
#include <palpate/geometry/wide.h>

namespace palpate::detail {

template <class T>
struct Numbers;
template <>
struct Numbers<double> {
  static constexpr double rounding = 0x1p-48, shortest = 0x1p-43, shorter = 0.25;
  static constexpr int most_stretches = 64;
};
template <>
struct Numbers<Wide> {
  static constexpr double rounding = 0x1p-93, shortest = 0x1p-64, shorter = 0x1p-4;
  static constexpr int most_stretches = 200;
};
constexpr double nothing = 1e-290;  // what may be lost where numbers end

template <class T>
struct Point {
  T x, y, z;
};
template <class T>
Point<T> operator+(const Point<T>& a, const Point<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
Point<T> operator-(const Point<T>& a, const Point<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
Point<T> operator*(const T& s, const Point<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
T dot(const Point<T>& a, const Point<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Point<T> cross(const Point<T>& a, const Point<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Lengths are only used in bounds: never too short, also where squares vanish.
template <class T>
double length_of_squared(const T& squared) {
  return std::sqrt(static_cast<double>(squared)) * (1 + 0x1p-40) + 1e-160;
}
template <class T>
double length(const Point<T>& a) {
  return length_of_squared(dot(a, a));
}
// Times a power of two, exactly, as long as the result is a number.
inline double scaled(double a, double power) { return a * power; }
inline Wide scaled(const Wide& a, double power) {
  Wide result;
  result.high = a.high * power;
  result.low = a.low * power;
  return result;
}
template <class T>
T least(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
T most(const T& a, const T& b) {
  return a < b ? b : a;
}

// Something that moves in a straight line: at the two ends of the stretch.
template <class T>
struct Ends {
  Point<T> begin, end;
};
template <class T>
Ends<T> operator-(const Ends<T>& a, const Ends<T>& b) {
  return {a.begin - b.begin, a.end - b.end};
}
template <class T>
double longest(const Ends<T>& e) {
  return length_of_squared(most(dot(e.begin, e.begin), dot(e.end, e.end)));
}

// The product of two such: Bernstein coefficients.
template <class T>
struct Turning {
  Point<T> begin, middle, end;
};
template <class T>
Turning<T> cross(const Ends<T>& u, const Ends<T>& v) {
  return {cross(u.begin, v.begin), T(0.5) * (cross(u.begin, v.end) + cross(u.end, v.begin)),
          cross(u.end, v.end)};
}

// Between what a quadratic stays.
template <class T>
struct Range {
  T low, high;
  Range(const Point<T>& along, const Turning<T>& q) {
    const T a = dot(along, q.begin), b = dot(along, q.middle), c = dot(along, q.end);
    low = least(a, least(b, c));
    high = most(a, most(b, c));
  }
  bool above(double bound) const { return low > T(bound); }
  bool below(double bound) const { return high < T(-bound); }
};

// The volume that the features span, a cubic, and what it has to be beyond for them to be apart.
template <class T>
struct Volume {
  T value[4];
  double bound;
  Volume(const Turning<T>& normal, const Ends<T>& a, double lengths, double gap, double size)
      : value{dot(normal.begin, a.begin),
              (dot(normal.begin, a.end) + T(2) * dot(normal.middle, a.begin)) / T(3),
              (dot(normal.end, a.begin) + T(2) * dot(normal.middle, a.end)) / T(3), dot(normal.end, a.end)} {
    const double area =
        length_of_squared(most(dot(normal.begin, normal.begin),
                               most(dot(normal.middle, normal.middle), dot(normal.end, normal.end))));
    bound = area * gap + lengths * (Numbers<T>::rounding * size) + nothing;
  }
  bool keeps_its_sign() const {
    return least(least(value[0], value[1]), least(value[2], value[3])) > T(bound) ||
           most(most(value[0], value[1]), most(value[2], value[3])) < T(-bound);
  }
  bool changes_its_sign() const {
    return (value[0] > T(bound) && value[3] < T(-bound)) || (value[0] < T(-bound) && value[3] > T(bound));
  }
  // Where it does, about, as part of the stretch: by secants that end in the middle if they stay on one side
  // (Illinois).
  double root() const {
    double v[4];
    for (std::size_t k = 0; k < 4; ++k) v[k] = static_cast<double>(value[k]);
    double low = 0, high = 1, at_low = v[0], at_high = v[3];
    int last = 0;
    for (int i = 0; i < 30 && high - low > 1e-13; ++i) {
      double t = (low * at_high - high * at_low) / (at_high - at_low);
      if (!(t > low && t < high)) t = 0.5 * (low + high);
      const double s = 1 - t;
      const double y = s * s * (s * v[0] + 3 * t * v[1]) + t * t * (3 * s * v[2] + t * v[3]);
      if (std::abs(y) <= bound) return t;
      if ((y > 0) == (v[0] > 0)) {
        low = t;
        at_low = y;
        if (last < 0) at_high *= 0.5;
        last = -1;
      } else {
        high = t;
        at_high = y;
        if (last > 0) at_low *= 0.5;
        last = 1;
      }
    }
    return low;
  }
};

enum class Seen { apart, crossed, unknown };
struct Judgement {
  Seen seen;
  double root = 0;  // part of the stretch before they meet, about
};

// Three points as seen from the fourth. From the vertex: the corners of the triangle. From one end of the
// second edge: the ends of the first, and its own other end.
template <class T>
struct Stretch {
  Ends<T> a, b, c;
};

// --- a vertex and a triangle ----------------------------------------------------------------------

// From the vertex to the nearest point of the triangle's sides.
template <class T>
Point<T> to_sides(const Point<T>& a, const Point<T>& b, const Point<T>& c) {
  const auto on = [](const Point<T>& from, const Point<T>& edge) {
    const T squared = dot(edge, edge), along = -dot(from, edge);
    if (!(squared > T(0)) || along <= T(0)) return from;
    return from + (along >= squared ? T(1) : along / squared) * edge;
  };
  Point<T> best = on(a, b - a);
  T distance = dot(best, best);
  for (const Point<T>& other : {on(a, c - a), on(b, c - b)}) {
    const T squared = dot(other, other);
    if (!(squared < distance)) continue;
    best = other;
    distance = squared;
  }
  return best;
}

// From the vertex to the nearest point of the triangle, about: any direction will do for a proof.
template <class T>
Point<T> to_triangle(const Point<T>& a, const Point<T>& b, const Point<T>& c) {
  const Point<T> ab = b - a, ac = c - a, best = to_sides(a, b, c);
  const Point<T> normal = cross(ab, ac);
  const T squared = dot(normal, normal);
  // Of triangles that are all but lines, rounding decides which way the normal points, and what is inside:
  // how far it is to their sides is as good, and true.
  if (squared > T(1e-14) * dot(ab, ab) * dot(ac, ac) && dot(normal, cross(a, b)) >= T(0) &&
      dot(normal, cross(b, c)) >= T(0) && dot(normal, cross(c, a)) >= T(0)) {
    const Point<T> foot = (dot(normal, a) / squared) * normal;
    if (dot(foot, foot) < dot(best, best)) return foot;
  }
  return best;
}

// From the vertex to a point that the triangle has for sure, about the nearest: how far it is to there is
// never less than how far it is. (A foot on the plane of a triangle that is nearly a line may be beside it.)
template <class T>
Point<T> to_point_of_triangle(const Point<T>& a, const Point<T>& b, const Point<T>& c) {
  const Point<T> ab = b - a, ac = c - a, normal = cross(ab, ac), side = to_sides(a, b, c);
  const T squared = dot(normal, normal);
  if (!(squared > T(0))) return side;
  const T of_b = dot(normal, cross(c, a)) / squared, of_c = dot(normal, cross(a, b)) / squared;
  if (!(of_b >= T(0)) || !(of_c >= T(0)) || !(of_b + of_c <= T(1))) return side;
  const Point<T> inside = a + (of_b * ab + of_c * ac);
  return dot(inside, inside) < dot(side, side) ? inside : side;
}

template <class T>
Judgement judge_triangle(const Stretch<T>& s, double gap, double size) {
  const Ends<T> ab = s.b - s.a, ac = s.c - s.a;
  const double length_ab = longest(ab), length_ac = longest(ac);
  const Turning<T> normal = cross(ab, ac);
  const Volume<T> volume(normal, s.a, length_ab * length_ac, gap, size);
  if (volume.keeps_its_sign()) return {Seen::apart};
  // Seen along the normal: inside, the vertex would be on the same side of all three edges.
  const Ends<T> bc = s.c - s.b;
  const Point<T>& m = normal.middle;
  const double per = length(m) * gap;
  const Range<T> side_ab(m, cross(s.a, ab)), side_bc(m, cross(s.b, bc)), side_ca(m, cross(ac, s.c));
  const double bound_ab = per * length_ab + nothing, bound_bc = per * longest(bc) + nothing,
               bound_ca = per * length_ac + nothing;
  const bool above_ab = side_ab.above(bound_ab), above_bc = side_bc.above(bound_bc),
             above_ca = side_ca.above(bound_ca), below_ab = side_ab.below(bound_ab),
             below_bc = side_bc.below(bound_bc), below_ca = side_ca.below(bound_ca);
  if ((above_ab || above_bc || above_ca) && (below_ab || below_bc || below_ca)) return {Seen::apart};
  if (((above_ab && above_bc && above_ca) || (below_ab && below_bc && below_ca)) && volume.changes_its_sign())
    return {Seen::crossed, volume.root()};
  return {Seen::unknown};
}

// --- two edges: from a to b, and from the origin to c ----------------------------------------------

// From the second to the first, about.
template <class T>
Point<T> to_edge(const Point<T>& a, const Point<T>& b, const Point<T>& c) {
  const Point<T> u = b - a;
  const T uu = dot(u, u), cc = dot(c, c), uc = dot(u, c), au = dot(a, u), ac = dot(a, c);
  const auto part = [](const T& over, const T& under) {
    return !(under > T(0)) || over <= T(0) ? T(0) : over >= under ? T(1) : over / under;
  };
  const T det = uu * cc - uc * uc;
  T s = det > T(1e-14) * (uu * cc) ? part(uc * ac - cc * au, det) : T(0.5);
  const T t = part(ac + s * uc, cc);
  s = part(t * uc - au, uu);
  return (a + s * u) - t * c;
}

template <class T>
Judgement judge_edges(const Stretch<T>& s, double gap, double size) {
  const Ends<T> u = s.b - s.a;
  const double length_u = longest(u), length_c = longest(s.c);
  const Turning<T> normal = cross(u, s.c);
  const Volume<T> volume(normal, s.a, length_u * length_c, gap, size);
  if (volume.keeps_its_sign()) return {Seen::apart};
  // Seen along what is across both: each one's ends would be on both sides of the other.
  const Point<T>& m = normal.middle;
  const double per = length(m) * gap, bound_c = per * length_c + nothing, bound_u = per * length_u + nothing;
  const Range<T> of_a(m, cross(s.c, s.a)), of_b(m, cross(s.c, s.b));
  if ((of_a.above(bound_c) && of_b.above(bound_c)) || (of_a.below(bound_c) && of_b.below(bound_c)))
    return {Seen::apart};
  const Range<T> of_origin(m, cross(s.a, u)), of_c(m, cross(u, s.c - s.a));
  if ((of_origin.above(bound_u) && of_c.above(bound_u)) || (of_origin.below(bound_u) && of_c.below(bound_u)))
    return {Seen::apart};
  const bool both_sides =
      (of_a.above(bound_c) && of_b.below(bound_c)) || (of_a.below(bound_c) && of_b.above(bound_c));
  const bool both_sides_too =
      (of_origin.above(bound_u) && of_c.below(bound_u)) || (of_origin.below(bound_u) && of_c.above(bound_u));
  if (both_sides && both_sides_too && volume.changes_its_sign()) return {Seen::crossed, volume.root()};
  return {Seen::unknown};
}

}  // namespace palpate::detail
