#include <palpate/mesh/quality.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include <palpate/geometry/predicates.h>
#include <palpate/mesh/require.h>

namespace palpate {

namespace {

// The corners relative to the first, brought near 1 by a power of two, so that products of lengths neither
// under- nor overflow. true lengths = lengths here * 2^power.
template <std::size_t n>
struct Scaled {
  std::array<Vec3, n> corners;
  int power = 0;
};

Vec3 times_two_to(const Vec3& v, int power) {
  return {std::scalbn(v.x(), power), std::scalbn(v.y(), power), std::scalbn(v.z(), power)};
}

template <std::size_t n>
Scaled<n> scaled_corners(const std::array<Vec3, n>& corners) {
  Scaled<n> result;
  double coordinate = 0;
  for (const Vec3& p : corners) coordinate = std::max(coordinate, p.lpNorm<Eigen::Infinity>());
  const int safe = coordinate > 1e300 ? -4 : 0;  // differences of the largest doubles would overflow
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    result.corners[i] = times_two_to(corners[i], safe) - times_two_to(corners[0], safe);
    size = std::max(size, result.corners[i].template lpNorm<Eigen::Infinity>());
  }
  if (!(size > 0)) return result;
  const int shift = -std::ilogb(size);
  for (Vec3& p : result.corners) p = times_two_to(p, shift);
  result.power = -shift - safe;
  return result;
}

// Sorts by coordinates; the sign of the permutation.
template <std::size_t n>
int sort_corners(std::array<Vec3, n>& corners) {
  int sign = 1;
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = i; j > 0 && before(corners[j], corners[j - 1]); --j) {
      std::swap(corners[j], corners[j - 1]);
      sign = -sign;
    }
  return sign;
}

// A tetrahedron in order, scaled, with what all measures need.
struct OrderedTet {
  Scaled<4> at;
  double determinant = 0;  // six volumes, of the scaled corners, with the sign of the given order

  explicit OrderedTet(Tetrahedron t) {
    const int sign = sort_corners(t);
    at = scaled_corners(t);
    const auto& [a, b, c, d] = at.corners;
    double plain = (b - a).cross(c - a).dot(d - a);
    // Near zero rounding would eat the digits, and it is there that they matter.
    if (std::abs(plain) < 1e-4) plain = careful(t, plain);
    determinant = sign * plain;
  }

 private:
  double careful(const Tetrahedron& t, double plain) const {
    const int side = orient3d(t[0], t[1], t[2], t[3]);
    if (side == 0) return 0;
    std::array<Vec3, 4> p, rounded;
    for (std::size_t i = 0; i < 4; ++i) {
      p[i] = times_two_to(t[i], -at.power);
      rounded[i] = p[i].unaryExpr([](double x) { return std::abs(x) < 0x1p-200 ? 0 : x; });
    }
    // The exact value is had where exponents are not too far apart. What is tiny beside the tetrahedron moves
    // it by less than 2^-190, which counts only where nothing else is left; then the sign is enough.
    constexpr double nothing = 0x1p-180;
    const double exact = orient3d_value(rounded[0], rounded[1], rounded[2], rounded[3]);
    if (exact * side > (rounded == p ? 0 : nothing)) return exact;
    return side * std::clamp(std::abs(plain), std::numeric_limits<double>::denorm_min(), nothing);
  }
};

double doubled_area(const Vec3& a, const Vec3& b, const Vec3& c) { return (b - a).cross(c - a).norm(); }

// Twice the area of the scaled triangle, from its two shorter edges: they have the fewest digits to lose.
double doubled_area(const std::array<Vec3, 3>& p) {
  const double ab = (p[1] - p[0]).squaredNorm(), bc = (p[2] - p[1]).squaredNorm(),
               ca = (p[0] - p[2]).squaredNorm();
  if (ab >= bc && ab >= ca) return doubled_area(p[2], p[0], p[1]);
  if (bc >= ca) return doubled_area(p[0], p[1], p[2]);
  return doubled_area(p[1], p[2], p[0]);
}

double distance(const Vec3& a, const Vec3& b) {
  const Scaled<2> s = scaled_corners<2>({a, b});
  return std::scalbn(s.corners[1].norm(), s.power);
}

class SpreadSum {
 public:
  void add(double value, std::size_t element) {
    if (count_ == 0 || value < spread_.least) {
      spread_.least = value;
      spread_.least_at = static_cast<std::uint32_t>(element);
    }
    if (count_ == 0 || value > spread_.largest) {
      spread_.largest = value;
      spread_.largest_at = static_cast<std::uint32_t>(element);
    }
    // A running mean: a sum of large finite values may overflow. Infinite it stays as it is.
    ++count_;
    const double n = static_cast<double>(count_);
    if (std::isfinite(spread_.mean)) spread_.mean += value / n - spread_.mean / n;
  }
  template <class Values>
  void add_all(const Values& values, std::size_t element) {
    for (const double value : values) add(value, element);
  }
  const Spread& spread() const { return spread_; }

 private:
  Spread spread_;
  std::size_t count_ = 0;
};

std::size_t bin_of(double ratio) {
  return static_cast<std::size_t>(std::clamp(std::floor(ratio * 10), 0.0, 9.0));
}

}  // namespace

double signed_volume(const Tetrahedron& t) {
  const OrderedTet ordered(t);
  const double volume = std::scalbn(ordered.determinant / 6, 3 * ordered.at.power);
  if (volume != 0 || ordered.determinant == 0) return volume;
  return std::copysign(std::numeric_limits<double>::denorm_min(), ordered.determinant);  // too small to tell
}

std::array<double, 6> edge_lengths(const Tetrahedron& t) {
  std::array<double, 6> lengths;
  for (std::size_t i = 0; i < 6; ++i) lengths[i] = distance(t[tet_edges[i][0]], t[tet_edges[i][1]]);
  return lengths;
}

std::array<double, 6> dihedral_angles(const Tetrahedron& t) {
  const OrderedTet ordered(t);
  const auto [p, power] = scaled_corners(t);  // another first corner: perhaps another power
  const double size = std::scalbn(std::abs(ordered.determinant), 3 * (ordered.at.power - power));
  std::array<double, 6> angles;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto [a, b] = tet_edges[i];
    const auto [c, d] = tet_edges[5 - i];  // the opposite edge
    const Vec3 edge = p[b] - p[a];
    const Vec3 left = edge.cross(p[c] - p[a]), right = edge.cross(p[d] - p[a]);
    // |left x right| = |edge| * |determinant|: a small angle has all the digits of the volume.
    angles[i] = std::atan2(edge.norm() * size, left.dot(right));
    if (left.isZero(0) || right.isZero(0)) angles[i] = 0;
  }
  return angles;
}

double radius_ratio(const Tetrahedron& t) {
  const OrderedTet ordered(t);
  const double six_volumes = std::abs(ordered.determinant);
  if (!(six_volumes > 0)) return 0;
  const auto& [o, p, q, r] = ordered.at.corners;
  const Vec3 a = p - o, b = q - o, c = r - o;
  const double areas =
      (doubled_area(o, p, q) + doubled_area(o, q, r) + doubled_area(o, r, p) + doubled_area(p, q, r)) / 2;
  const double longest =
      std::sqrt(std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm(), (b - a).squaredNorm(),
                          (c - b).squaredNorm(), (a - c).squaredNorm()}));
  // 12 V R. In a sliver all its terms cancel; but R is at least half the longest edge.
  const double circumscribed =
      (a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) + c.squaredNorm() * a.cross(b)).norm();
  const double twelve_volumes_radius = std::max(circumscribed, six_volumes * longest);
  // 3 r / R = 3 (3 V / areas) (12 V / 12 V R); in steps that cannot underflow before the end.
  const double ratio = 3 * (six_volumes / areas) * (six_volumes / twelve_volumes_radius);
  return std::copysign(std::min(ratio, 1.0), ordered.determinant);
}

double volume_length_ratio(const Tetrahedron& t) {
  const OrderedTet ordered(t);
  double squares = 0;
  for (const auto& [a, b] : tet_edges)
    squares += (ordered.at.corners[a] - ordered.at.corners[b]).squaredNorm();
  if (!(squares > 0)) return 0;
  const double length = std::sqrt(squares / 6);
  return std::clamp(std::sqrt(2.0) * ordered.determinant / (length * length * length), -1.0, 1.0);
}

double area(const Triangle& given) {
  Triangle t = given;
  sort_corners(t);
  const Scaled<3> s = scaled_corners(t);
  return std::scalbn(doubled_area(s.corners) / 2, 2 * s.power);
}

std::array<double, 3> edge_lengths(const Triangle& t) {
  return {distance(t[0], t[1]), distance(t[1], t[2]), distance(t[2], t[0])};
}

std::array<double, 3> angles(const Triangle& t) {
  const std::array<Vec3, 3> p = scaled_corners(t).corners;
  const double size = doubled_area(p);
  std::array<double, 3> result;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 left = p[(i + 1) % 3] - p[i], right = p[(i + 2) % 3] - p[i];
    result[i] = left.isZero(0) || right.isZero(0) ? 0 : std::atan2(size, left.dot(right));
  }
  return result;
}

double radius_ratio(const Triangle& given) {
  Triangle t = given;
  sort_corners(t);
  const std::array<Vec3, 3> p = scaled_corners(t).corners;
  const double size = doubled_area(p);
  if (!(size > 0)) return 0;
  const double a = (p[1] - p[2]).norm(), b = (p[2] - p[0]).norm(), c = (p[0] - p[1]).norm();
  // 2 r / R = 16 area^2 / ((a + b + c) a b c), the shortest edge last: it may be tiny.
  const double shortest = std::min({a, b, c}), longest = std::max({a, b, c});
  const double middle = std::max(std::min(a, b), std::min(std::max(a, b), c));
  return std::min(1.0, 4 * (size / middle) / (a + b + c) * (size / shortest) / longest);
}

TriangleQuality quality_of(const TriangleMesh& mesh) {
  detail::require_sound(mesh);
  TriangleQuality result;
  result.triangles = mesh.triangles.size();
  SpreadSum areas, lengths, corner_angles, ratios;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle t = triangle_at(mesh.positions, mesh.triangles[i]);
    const double ratio = radius_ratio(t);
    result.degenerate += ratio == 0;
    ++result.histogram[bin_of(ratio)];
    areas.add(area(t), i);
    lengths.add_all(edge_lengths(t), i);
    corner_angles.add_all(angles(t), i);
    ratios.add(ratio, i);
  }
  result.area = areas.spread();
  result.edge_length = lengths.spread();
  result.angle = corner_angles.spread();
  result.radius_ratio = ratios.spread();
  return result;
}

TetQuality quality_of(const TetMesh& mesh) {
  detail::require_sound(mesh);
  TetQuality result;
  result.tets = mesh.tets.size();
  SpreadSum volumes, lengths, dihedrals, ratios, volume_lengths;
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const Tetrahedron t = tet_at(mesh.positions, mesh.tets[i]);
    const int side = orient3d(t[0], t[1], t[2], t[3]);
    const double ratio = radius_ratio(t);
    result.inverted += side < 0;
    result.flat += side == 0;
    ++result.histogram[bin_of(ratio)];
    volumes.add(signed_volume(t), i);
    lengths.add_all(edge_lengths(t), i);
    dihedrals.add_all(dihedral_angles(t), i);
    ratios.add(ratio, i);
    volume_lengths.add(volume_length_ratio(t), i);
  }
  result.volume = volumes.spread();
  result.edge_length = lengths.spread();
  result.dihedral_angle = dihedrals.spread();
  result.radius_ratio = ratios.spread();
  result.volume_length_ratio = volume_lengths.spread();
  return result;
}

}  // namespace palpate
