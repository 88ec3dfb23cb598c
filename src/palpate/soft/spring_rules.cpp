#include <palpate/soft/spring_rules.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace palpate {

namespace {

// Below these parts of what they are at rest, areas and lengths are taken as no smaller: slopes stay finite.
constexpr double least_area = 1e-4, least_length = 1e-4;

struct Hinge {
  Vec3 edge, first, second;  // the edge; the normals, as long as twice the areas
  double length;
  std::array<double, 4> along;  // (c-a), (c-b), (d-a), (d-b), each along the edge [m]

  explicit Hinge(const std::array<Vec3, 4>& x)
      : edge(x[1] - x[0]),
        first(edge.cross(x[2] - x[0])),
        second((x[3] - x[0]).cross(edge)),
        length(edge.norm()) {
    const Vec3 unit = length > 0 ? Vec3(edge / length) : Vec3(Vec3::Zero());
    along = {(x[2] - x[0]).dot(unit), (x[2] - x[1]).dot(unit), (x[3] - x[0]).dot(unit),
             (x[3] - x[1]).dot(unit)};
  }
  double angle() const {
    const double sine = length > 0 ? first.cross(second).dot(edge) / length : 0;
    return std::atan2(sine, first.dot(second));
  }
  // Of the angle, by the nodes, along the two normals that are divided by their squared lengths.
  std::array<std::array<double, 2>, 4> slopes() const {
    return {{{along[1], along[3]}, {-along[0], -along[2]}, {length, 0}, {0, length}}};
  }
};

}  // namespace

// --- springs --------------------------------------------------------------------------------------

CompliantValue<1, 2> SpringRule::at(const std::array<Vec3, nodes>& x) const {
  const Vec3 across = x[1] - x[0];
  const double now = across.norm();
  const Vec3 unit = now > 0 ? Vec3(across / now) : Vec3(Vec3::Zero());
  CompliantValue<rows, nodes> result;
  result.value << now - length;
  result.gradient << -unit.transpose(), unit.transpose();
  return result;
}

void SpringRule::add_curvature(const std::array<Vec3, nodes>& x, const CompliantValue<rows, nodes>& value,
                               Eigen::Matrix<double, 6, 6>& matrix) const {
  const double now = (x[1] - x[0]).norm();
  if (!(now > length)) return;  // pushed together it gives way: that would be negative
  const Vec3 unit = value.gradient.tail<3>().transpose();
  const Mat3 side = (1 - length / now) * (Mat3::Identity() - unit * unit.transpose());
  matrix.topLeftCorner<3, 3>() += side;
  matrix.bottomRightCorner<3, 3>() += side;
  matrix.topRightCorner<3, 3>() -= side;
  matrix.bottomLeftCorner<3, 3>() -= side;
}

// --- hinges ---------------------------------------------------------------------------------------

HingeRule::HingeRule(const std::array<Vec3, nodes>& rest) {
  const Hinge hinge(rest);
  angle_ = hinge.angle();
  least_ = least_area * std::max(hinge.first.squaredNorm(), hinge.second.squaredNorm());
  const double first = 1 / std::sqrt(std::max(least_, hinge.first.squaredNorm()));
  const double second = 1 / std::sqrt(std::max(least_, hinge.second.squaredNorm()));
  const auto slopes = hinge.slopes();
  for (std::size_t k = 0; k < nodes; ++k) weights_[k] = slopes[k][0] * first + slopes[k][1] * second;
}

void HingeRule::rest_at(const std::array<Vec3, nodes>& x) { angle_ = Hinge(x).angle(); }

CompliantValue<1, 4> HingeRule::at(const std::array<Vec3, nodes>& x) const {
  const Hinge hinge(x);
  constexpr double turn = 6.283185307179586;
  double off = hinge.angle() - angle_;
  if (off > turn / 2) off -= turn;
  if (off < -turn / 2) off += turn;
  const Vec3 first = hinge.first / std::max(least_, hinge.first.squaredNorm());
  const Vec3 second = hinge.second / std::max(least_, hinge.second.squaredNorm());
  CompliantValue<rows, nodes> result;
  result.value << off;
  const auto slopes = hinge.slopes();
  for (std::size_t k = 0; k < nodes; ++k)
    result.gradient.middleCols<3>(3 * static_cast<Eigen::Index>(k)) =
        -(slopes[k][0] * first + slopes[k][1] * second).transpose();
  return result;
}

// --- turns ----------------------------------------------------------------------------------------

namespace {

struct Turn {
  std::array<Vec3, 2> unit;
  std::array<double, 2> length;
  double size;   // of the change of direction
  Vec3 towards;  // its direction

  Turn(const std::array<Vec3, 3>& x, double least) {
    for (std::size_t k = 0; k < 2; ++k) {
      const Vec3 edge = x[k + 1] - x[k];
      length[k] = std::max(least, edge.norm());
      unit[k] = edge / length[k];
    }
    const Vec3 change = unit[1] - unit[0];
    size = change.norm();
    towards = size > 0 ? Vec3(change / size) : Vec3(Vec3::Zero());
  }
  // Of the change, by the nodes.
  Eigen::Matrix<double, 3, 9> slope() const {
    std::array<Mat3, 2> by;
    for (std::size_t k = 0; k < 2; ++k)
      by[k] = (Mat3::Identity() - unit[k] * unit[k].transpose()) / length[k];
    Eigen::Matrix<double, 3, 9> result;
    result << by[0], -by[0] - by[1], by[1];
    return result;
  }
};

}  // namespace

TurnRule::TurnRule(const std::array<Vec3, nodes>& rest) {
  least_ = least_length * std::max((rest[1] - rest[0]).norm(), (rest[2] - rest[1]).norm());
  const Turn turn(rest, least_);
  turn_ = turn.size < 1e-9 ? 0 : turn.size;  // straight, but for rounding
  const double a = 1 / turn.length[0], b = 1 / turn.length[1];
  weights_ = {a, -a - b, b};
}

void TurnRule::rest_at(const std::array<Vec3, nodes>& x) { turn_ = Turn(x, least_).size; }

CompliantValue<1, 3> TurnRule::at(const std::array<Vec3, nodes>& x) const {
  const Turn turn(x, least_);
  CompliantValue<rows, nodes> result;
  result.value << turn.size - turn_;
  result.gradient = turn.towards.transpose() * turn.slope();
  return result;
}

void TurnRule::add_curvature(const std::array<Vec3, nodes>& x, const CompliantValue<rows, nodes>& value,
                             Eigen::Matrix<double, 9, 9>& matrix) const {
  if (value.value[0] < 0) return;
  const Turn turn(x, least_);
  const Eigen::Matrix<double, 3, 9> slope = turn.slope();
  const double part = turn_ > 0 ? 1 - turn_ / turn.size : 1;
  matrix += part * slope.transpose() * (Mat3::Identity() - turn.towards * turn.towards.transpose()) * slope;
}

}  // namespace palpate
