// Exact decisions first (signs only), coordinates of the common point second.
#include <palpate/geometry/ray.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include <palpate/geometry/big_integer.h>
#include <palpate/geometry/expansion.h>
#include <palpate/geometry/intersect.h>
#include <palpate/geometry/nearest.h>
#include <palpate/geometry/predicates.h>
#include <palpate/geometry/scaling.h>

namespace palpate {

namespace {

using detail::BigInteger;
using detail::exact_difference;
using detail::Expansion;

constexpr double underflow_guard = 0x1p-1000;
constexpr double infinity = std::numeric_limits<double>::infinity();

// --- exact values -----------------------------------------------------------------------------------

// As in predicates_exact.cpp: products of three such terms neither under- nor overflow.
bool safe(double x) { return x == 0 || (std::abs(x) >= 0x1p-300 && std::abs(x) <= 0x1p300); }

struct ExactOffset {
  Expansion<2> x[3];
  bool all_safe = true;
  ExactOffset(const Vec3& a, const Vec3& origin) {
    for (int k = 0; k < 3; ++k) {
      x[k] = exact_difference(a[k], origin[k]);
      for (std::size_t i = 0; i < x[k].size; ++i) all_safe = all_safe && safe(x[k].term[i]);
    }
  }
};

template <std::size_t n>
double rounded(const Expansion<n>& e) {
  double sum = 0;  // smallest first: the nearest double, or its neighbour, and of the right sign
  for (std::size_t i = 0; i < e.size; ++i) sum += e.term[i];
  return sum;
}

// The plain value where only the sign is known.
double with_sign(double value, int sign) {
  if (sign == 0) return 0;
  return sign * std::max(std::abs(value), std::numeric_limits<double>::denorm_min());
}

Expansion<1> single(double x) {
  Expansion<1> result;
  result.push(x);
  return result;
}
BigInteger big_difference(double a, double b) { return BigInteger::from(a) - BigInteger::from(b); }

// (d x (a - o))[k], to full relative accuracy.
double cross_value(const Ray& ray, const Vec3& a, int k) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const Vec3 &d = ray.direction, &o = ray.origin;
  const auto u = exact_difference(a[i], o[i]), v = exact_difference(a[j], o[j]);
  bool all_safe = safe(d[i]) && safe(d[j]);
  for (const auto* e : {&u, &v})
    for (std::size_t n = 0; n < e->size; ++n) all_safe = all_safe && safe(e->term[n]);
  if (all_safe) return rounded(v * single(d[i]) - u * single(d[j]));
  const BigInteger exact = BigInteger::from(d[i]) * big_difference(a[j], o[j]) -
                           BigInteger::from(d[j]) * big_difference(a[i], o[i]);
  return with_sign(d[i] * (a[j] - o[j]) - d[j] * (a[i] - o[i]), exact.sign());
}

// d . (a - o) x (b - o), to full relative accuracy.
double side_value(const Ray& ray, const Vec3& a, const Vec3& b) {
  const Vec3 &d = ray.direction, &o = ray.origin;
  const ExactOffset u(a, o), v(b, o);
  if (u.all_safe && v.all_safe && safe(d.x()) && safe(d.y()) && safe(d.z())) {
    const auto part = [&](int i, int j, double along) {
      return (u.x[i] * v.x[j] - u.x[j] * v.x[i]) * single(along);
    };
    return rounded(part(1, 2, d.x()) + part(2, 0, d.y()) + part(0, 1, d.z()));
  }
  BigInteger exact;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    exact = exact + (big_difference(a[i], o[i]) * big_difference(b[j], o[j]) -
                     big_difference(a[j], o[j]) * big_difference(b[i], o[i])) *
                        BigInteger::from(d[k]);
  }
  return with_sign(d.dot((a - o).cross(b - o)), exact.sign());
}

int sign_of(double x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }

// --- where ------------------------------------------------------------------------------------------

struct Place {
  Vec3 weights = Vec3::UnitX();
  double at = 0;
  double gap = infinity;  // squared distance of the triangle's point to the ray, scaled
};

// The offsets of the corners from the origin, scaled so that their squares are safe.
struct Offsets {
  Triangle corner;
  int power;
  Offsets(const Ray& ray, const Triangle& t) {
    for (std::size_t k = 0; k < 3; ++k) corner[k] = t[k] - ray.origin;
    power = scale_for({corner[0], corner[1], corner[2]});
    if (power != 0)
      for (Vec3& c : corner) c = scaled(c, power);
  }
  double squared_size() const {
    return std::max({corner[0].squaredNorm(), corner[1].squaredNorm(), corner[2].squaredNorm()});
  }
};

// Of weights that are not negative and need not have the sum 1.
Place place(const Ray& ray, const Offsets& offsets, const Vec3& parts) {
  Place result;
  result.weights = parts / parts.sum();
  if (!result.weights.allFinite()) return {};
  const auto& [a, b, c] = offsets.corner;
  const Vec3 offset = (result.weights[0] * a + result.weights[1] * b) + result.weights[2] * c;
  const double along = std::max(0.0, offset.dot(ray.direction) / ray.direction.squaredNorm());
  result.gap = (offset - along * ray.direction).squaredNorm();
  result.at = std::scalbn(along, -offsets.power);
  return result;
}

// The point of an edge that is nearest to the ray: for triangles so thin that their area vanishes.
Place at_edge(const Ray& ray, const Offsets& offsets, int i) {
  const int j = (i + 1) % 3;
  const double end = 2 * std::sqrt(offsets.squared_size() / ray.direction.squaredNorm());
  const NearestOnSegments found = nearest_segment_segment(
      {Vec3::Zero(), end * ray.direction},
      {offsets.corner[static_cast<std::size_t>(i)], offsets.corner[static_cast<std::size_t>(j)]});
  Vec3 parts = Vec3::Zero();
  parts[i] = found.weights_b[0];
  parts[j] = found.weights_b[1];
  return place(ray, offsets, parts);
}

// Crossing the plane inside, steeply: by plain determinants. Where ray and plane are nearly parallel, points
// far from the crossing are near to both, so that a small gap proves nothing.
bool steep_crossing(const Ray& ray, const Triangle& t, const Offsets& offsets, double good_gap,
                    Place& found) {
  const Vec3 ab = scaled(t[1] - t[0], offsets.power), ac = scaled(t[2] - t[0], offsets.power);
  const Vec3 across = ray.direction.cross(ac), from_a = -offsets.corner[0];
  const double volume = ab.dot(across), scale = 1 / volume;
  constexpr double steep = 0.02;
  if (!(volume * volume > steep * steep * ab.squaredNorm() * ac.squaredNorm() * ray.direction.squaredNorm()))
    return false;
  const double b = std::clamp(from_a.dot(across) * scale, 0.0, 1.0);
  const double c = std::clamp(ray.direction.dot(from_a.cross(ab)) * scale, 0.0, 1.0);
  found = place(ray, offsets, {std::max(0.0, 1 - b - c), b, c});
  return found.gap <= good_gap;
}

// Exact determinants serve all crossings but for numbers near underflow, where a point of an edge is as good.
Place crossing(const Ray& ray, const Triangle& t) {
  const Offsets offsets(ray, t);
  constexpr double good = 4 * std::numeric_limits<double>::epsilon();
  const double good_gap = good * good * offsets.squared_size();
  Place best;
  if (steep_crossing(ray, t, offsets, good_gap, best)) return best;
  const Vec3 parts(std::abs(side_value(ray, t[1], t[2])), std::abs(side_value(ray, t[2], t[0])),
                   std::abs(side_value(ray, t[0], t[1])));
  best = place(ray, offsets, parts / parts.maxCoeff());
  for (int k = 0; k < 3 && best.gap > good_gap; ++k)
    if (const Place other = at_edge(ray, offsets, k); other.gap < best.gap) best = other;
  return best;
}

// --- in the plane -----------------------------------------------------------------------------------

bool in_front(const Ray& ray, const Vec3& on_line) {
  Eigen::Index k = 0;
  ray.direction.cwiseAbs().maxCoeff(&k);
  return ray.direction[k] > 0 ? on_line[k] >= ray.origin[k] : on_line[k] <= ray.origin[k];
}

void take_nearer(const Place& found, Place& best) {
  if (best.gap == infinity || found.at < best.at) best = found;
}

// The edge from corner i on, in one plane with the ray. d x (a - o) and d x (b - o) are parallel there: any
// coordinate in which one of them is not zero tells on which sides of the ray the ends are.
void enter_by_edge(const Ray& ray, const Triangle& t, int i, Place& best) {
  const int j = (i + 1) % 3;
  const Vec3 &a = t[static_cast<std::size_t>(i)], &b = t[static_cast<std::size_t>(j)];
  const Vec3 past_a(cross_value(ray, a, 0), cross_value(ray, a, 1), cross_value(ray, a, 2));
  const Vec3 past_b(cross_value(ray, b, 0), cross_value(ray, b, 1), cross_value(ray, b, 2));
  const Offsets offsets(ray, t);
  const bool a_on = past_a == Vec3::Zero(), b_on = past_b == Vec3::Zero();
  if (a_on && in_front(ray, a)) take_nearer(place(ray, offsets, Vec3::Unit(i)), best);
  if (b_on && in_front(ray, b)) take_nearer(place(ray, offsets, Vec3::Unit(j)), best);
  if (a_on || b_on) return;
  Eigen::Index k = 0;
  past_a.cwiseAbs().maxCoeff(&k);
  if (sign_of(past_a[k]) * sign_of(past_b[k]) >= 0) return;
  const auto flat = [&](const Vec3& p) { return Vec2(p[(k + 1) % 3], p[(k + 2) % 3]); };
  if (orient2d(flat(ray.origin), flat(a), flat(b)) * sign_of(past_b[k]) < 0) return;  // behind the origin
  Vec3 parts = Vec3::Zero();
  const double most = std::max(std::abs(past_a[k]), std::abs(past_b[k]));
  parts[i] = std::abs(past_b[k]) / most;
  parts[j] = std::abs(past_a[k]) / most;
  take_nearer(place(ray, offsets, parts), best);
}

RayTriangle at_origin(const Ray& ray, const Triangle& t, int side) {
  const NearestOnTriangle here = nearest_point_triangle(ray.origin, t);
  return {0, here.weights, here.point, side};
}

std::optional<RayTriangle> enter(const Ray& ray, const Triangle& t) {
  if (intersects(Segment{ray.origin, ray.origin}, t)) return at_origin(ray, t, 0);
  Place best;
  for (int i = 0; i < 3; ++i) enter_by_edge(ray, t, i, best);
  if (best.gap == infinity) return std::nullopt;
  const Vec3& w = best.weights;
  return RayTriangle{best.at, w, (w[0] * t[0] + w[1] * t[1]) + w[2] * t[2], 0};
}

}  // namespace

int side_of_ray(const Ray& ray, const Vec3& a, const Vec3& b) {
  const Vec3& d = ray.direction;
  const Vec3 u = a - ray.origin, v = b - ray.origin;
  const double yz = u.y() * v.z(), zy = u.z() * v.y(), zx = u.z() * v.x(), xz = u.x() * v.z(),
               xy = u.x() * v.y(), yx = u.y() * v.x();
  const double det = d.x() * (yz - zy) + d.y() * (zx - xz) + d.z() * (xy - yx);
  const double magnitude = std::abs(d.x()) * (std::abs(yz) + std::abs(zy) + underflow_guard) +
                           std::abs(d.y()) * (std::abs(zx) + std::abs(xz) + underflow_guard) +
                           std::abs(d.z()) * (std::abs(xy) + std::abs(yx) + underflow_guard) +
                           underflow_guard;
  // The bound of orient3d, of which this is a part: one factor less is rounded.
  constexpr double bound = (7 + 56 * 0x1p-53) * 0x1p-53;
  if (std::abs(det) > bound * magnitude) [[likely]]
    return det > 0 ? 1 : -1;
  return sign_of(side_value(ray, a, b));
}

std::optional<RayTriangle> first_common_point(const Ray& ray, const Triangle& t) {
  const int ab = side_of_ray(ray, t[0], t[1]), bc = side_of_ray(ray, t[1], t[2]);
  if (ab * bc < 0) return std::nullopt;
  const int ca = side_of_ray(ray, t[2], t[0]);
  if (ab * ca < 0 || bc * ca < 0) return std::nullopt;
  // The sign of d . n, for the three add up to it.
  const int along = ab != 0 ? ab : (bc != 0 ? bc : ca);
  if (along == 0) return enter(ray, t);
  const int origin_side = orient3d(t[0], t[1], t[2], ray.origin);
  if (origin_side * along > 0) return std::nullopt;  // behind the origin
  if (origin_side == 0) return at_origin(ray, t, -along);
  const Place found = crossing(ray, t);
  const Vec3& w = found.weights;
  return RayTriangle{found.at, w, (w[0] * t[0] + w[1] * t[1]) + w[2] * t[2], -along};
}

}  // namespace palpate
