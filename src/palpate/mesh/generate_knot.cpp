// Torus knots: the curve by its length, frames along it, and how thick a tube around it may be.
//
// Points are spaced evenly along the curve, so that cells are equally long everywhere. Frames are carried
// along without turning about the curve (double reflection, Wang et al. 2008); what is missing when they come
// back to the start is spread evenly over the way. The thickness a tube may have is the reach of the curve:
// by a formula of Federer (1959) the least of |y - x|^2 / (2 * distance of y from the tangent at x) over all
// pairs of points, which sees tight bends and distant strands alike.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>
#include <Eigen/Geometry>

#include <palpate/mesh/generate_parts.h>

namespace palpate {

using detail::as_double;
using detail::Frame;
using detail::pi;
using detail::ShapeDoor;

namespace {

constexpr double winding = 0.5;         // minor radius of the torus wound around, in sizes
constexpr std::size_t most_turns = 32;  // p and q: the search for the reach is quadratic in them

struct KnotCurve {
  double p, q, size;

  Vec3 point(double angle) const {
    const double rho = size * (1 + winding * std::cos(q * angle));
    return {rho * std::cos(p * angle), rho * std::sin(p * angle), size * winding * std::sin(q * angle)};
  }
  double speed(double angle) const {
    return size * std::hypot(p * (1 + winding * std::cos(q * angle)), q * winding);
  }
  // Of unit length.
  Vec3 tangent(double angle) const {
    const double rho = size * (1 + winding * std::cos(q * angle));
    const double slope = -size * winding * q * std::sin(q * angle);
    const double c = std::cos(p * angle), s = std::sin(p * angle);
    const Vec3 along(slope * c - rho * p * s, slope * s + rho * p * c,
                     size * winding * q * std::cos(q * angle));
    return along.normalized();
  }
};

// Lengths from angle 0 on over one of the q equal parts of the curve, at even steps of the angle. The rule of
// trapezoids is all but exact for the whole, which is periodic.
std::vector<double> part_lengths(const KnotCurve& curve) {
  constexpr std::size_t steps = 1024;
  std::vector<double> lengths{0};
  const double step = 2 * pi / (curve.q * as_double(steps));
  for (std::size_t i = 0; i < steps; ++i)
    lengths.push_back(lengths.back() +
                      step / 2 * (curve.speed(step * as_double(i)) + curve.speed(step * as_double(i + 1))));
  return lengths;
}

// The angles of n points that are equally far apart along the curve.
std::vector<double> even_angles(const KnotCurve& curve, std::size_t n) {
  const std::vector<double> lengths = part_lengths(curve);
  std::vector<double> angles;
  for (std::size_t i = 0; i < n; ++i) {
    const double parts = curve.q * as_double(i) / as_double(n);
    const double length = (parts - std::floor(parts)) * lengths.back();
    const auto after = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, length);
    const double between = (length - after[-1]) / (after[0] - after[-1]);
    const double steps = static_cast<double>(after - lengths.begin() - 1) + between;
    angles.push_back(2 * pi / curve.q * (std::floor(parts) + steps / as_double(lengths.size() - 1)));
  }
  return angles;
}

Vec3 reflected(const Vec3& v, const Vec3& across) {
  const double squared = across.squaredNorm();
  return squared > 0 ? Vec3(v - 2 / squared * across.dot(v) * across) : v;
}

struct CurvePoint {
  Vec3 position, tangent;
};

// `first` at a, carried to b: two reflections, the second of which brings the tangent where it belongs.
Vec3 carried(const Vec3& first, const CurvePoint& a, const CurvePoint& b) {
  const Vec3 chord = b.position - a.position;
  const Vec3 moved = reflected(reflected(first, chord), b.tangent - reflected(a.tangent, chord));
  return (moved - moved.dot(b.tangent) * b.tangent).normalized();
}

void refuse_bad_knot(const ShapeDoor& door, const KnotShape& shape) {
  door.between("p", as_double(shape.p), 1, as_double(most_turns));
  door.between("q", as_double(shape.q), 1, as_double(most_turns));
  door.size("size", shape.size);
  door.size("tube", shape.tube);
  if (std::gcd(shape.p, shape.q) != 1)
    door.refuse(fmt::format("p is {} and q is {}: that is a link of several rings", shape.p, shape.q),
                "Give numbers without a common divisor, as 2 and 3.");
  const double largest = largest_knot_tube(shape.p, shape.q, shape.size);
  if (shape.tube >= largest)
    door.refuse(fmt::format("tube is {} m: it would touch itself", shape.tube),
                fmt::format("Make tube smaller than {:.4g} m, or size larger.", largest));
}

// Steps that are long for the bends make the discs of neighbours cut each other.
void refuse_crossing_discs(const ShapeDoor& door, const std::vector<Frame>& frames, double tube) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame &a = frames[i], &b = frames[(i + 1) % frames.size()];
    const Vec3 ta = a.first.cross(a.second), tb = b.first.cross(b.second), chord = b.centre - a.centre;
    const double room = std::min(chord.dot(ta), chord.dot(tb));
    if (!(room > tube * ta.cross(tb).norm()))
      door.refuse(fmt::format("at step {} of along, neighbouring sections of the tube cross", i),
                  "Make tube smaller or along larger.");
  }
}

void refuse_few_steps(const ShapeDoor& door, std::size_t p, std::size_t q, std::size_t along) {
  door.between("p", as_double(p), 1, as_double(most_turns));
  door.between("q", as_double(q), 1, as_double(most_turns));
  door.count("along", along, detail::least_knot_steps(p, q));
}

KnotShape surface_of(const SolidKnotShape& shape) {
  return {shape.p, shape.q, shape.size, shape.tube, shape.along, 3};
}

}  // namespace

double largest_knot_tube(std::size_t p, std::size_t q, double size) {
  const KnotCurve curve{as_double(p), as_double(q), 1};
  // The q parts of the curve are turned copies of each other: x runs over one of them, y over all.
  const std::size_t part = 96 * (1 + p / q), all = part * q;
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < all; ++i) points.push_back(curve.point(2 * pi * as_double(i) / as_double(all)));
  double squared_inverse = 0;
  for (std::size_t i = 0; i < part; ++i) {
    const Vec3 tangent = curve.tangent(2 * pi * as_double(i) / as_double(all));
    for (std::size_t j = 0; j < all; ++j) {
      const Vec3 way = points[j] - points[i];
      const double squared = way.squaredNorm();
      if (i != j)
        squared_inverse =
            std::max(squared_inverse, 4 * way.cross(tangent).squaredNorm() / (squared * squared));
    }
  }
  return 0.99 * size / std::sqrt(squared_inverse);  // samples miss the narrowest place by less than that
}

namespace detail {

void refuse_bad_sizes(const KnotShape& shape) { refuse_bad_knot(ShapeDoor("knot"), shape); }
void refuse_bad_sizes(const SolidKnotShape& shape) {
  refuse_bad_knot(ShapeDoor("solid-knot"), surface_of(shape));
}

double knot_length(std::size_t p, std::size_t q, double size) {
  return as_double(q) * part_lengths({as_double(p), as_double(q), size}).back();
}

std::size_t least_knot_steps(std::size_t p, std::size_t q) { return 12 * std::max(p, q); }

std::vector<Frame> knot_frames(const KnotShape& shape) {
  const KnotCurve curve{as_double(shape.p), as_double(shape.q), shape.size};
  std::vector<CurvePoint> points;
  for (const double angle : even_angles(curve, shape.along))
    points.push_back({curve.point(angle), curve.tangent(angle)});
  std::vector<Frame> frames;
  Vec3 first = Vec3::UnitX();  // the curve starts upright to it
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) first = carried(first, points[i - 1], points[i]);
    frames.push_back({points[i].position, first, points[i].tangent.cross(first)});
  }
  const Vec3 back = carried(first, points.back(), points.front());
  const double twist = std::atan2(back.dot(frames[0].second), back.dot(frames[0].first));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const double angle = -twist * as_double(i) / as_double(frames.size());
    const Vec3 x = frames[i].first, y = frames[i].second;
    frames[i].first = std::cos(angle) * x + std::sin(angle) * y;
    frames[i].second = std::cos(angle) * y - std::sin(angle) * x;
  }
  return frames;
}

}  // namespace detail

MeshCounts counts_of(const KnotShape& shape) {
  const ShapeDoor door("knot");
  refuse_few_steps(door, shape.p, shape.q, shape.along);
  door.count("across", shape.across, 3);
  const double vertices = as_double(shape.along) * as_double(shape.across);
  return door.counts(vertices, 2 * vertices);
}
MeshCounts counts_of(const SolidKnotShape& shape) {
  const ShapeDoor door("solid-knot");
  refuse_few_steps(door, shape.p, shape.q, shape.along);
  door.count("rings", shape.rings, 1);
  const double along = as_double(shape.along), rings = as_double(shape.rings);
  return door.counts(along * (1 + 3 * rings * (rings + 1)), 18 * along * rings * rings);
}

TriangleMesh make(const KnotShape& shape) {
  const ShapeDoor door("knot");
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  const std::vector<Frame> frames = detail::knot_frames(shape);
  refuse_crossing_discs(door, frames, shape.tube);
  TriangleMesh mesh = detail::tube_surface(frames, shape.tube, shape.across);
  door.finished(mesh);
  return mesh;
}

TetMesh make(const SolidKnotShape& shape) {
  const ShapeDoor door("solid-knot");
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  const std::vector<Frame> frames = detail::knot_frames(surface_of(shape));
  refuse_crossing_discs(door, frames, shape.tube);
  TetMesh mesh = detail::tube_solid(frames, shape.tube, shape.rings);
  door.finished(mesh);
  return mesh;
}

}  // namespace palpate
