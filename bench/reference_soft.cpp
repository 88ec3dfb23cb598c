#include "reference_soft.h"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <palpate/soft/elements.h>

namespace palpate::bench {

PlainSweep::PlainSweep(const TetMesh& rest, const Material& material, std::span<const double> masses,
                       double step)
    : material_(material), step_(step) {
  for (const std::uint32_t e : near_each_other(rest.positions, rest.tets)) {
    const TetShape shape(tet_at(rest.positions, rest.tets[e]));
    elements_.push_back({rest.tets[e], shape.inverse, std::sqrt(shape.volume)});
  }
  for (const double mass : masses) inverse_masses_.push_back(1 / mass);
}

// `values` gives the numbers of an element and their gradients by F, both without the root of the volume.
template <int rows, class Values>
void PlainSweep::project(const Element& e, Eigen::Matrix<double, rows, 1>& multipliers,
                         const Eigen::Matrix<double, rows, rows>& compliance, std::vector<Vec3>& x,
                         const Values& values) {
  const Vec3& origin = x[e.corners[0]];
  Mat3 edges;
  edges << x[e.corners[1]] - origin, x[e.corners[2]] - origin, x[e.corners[3]] - origin;
  Eigen::Matrix<double, rows, 1> value;
  std::array<Mat3, rows> slope;
  values(Mat3(edges * e.inverse), value, slope);
  value *= e.root_volume;
  Eigen::Matrix<double, rows, 12> gradient;
  for (int r = 0; r < rows; ++r) {
    const Mat3 pull = e.root_volume * slope[static_cast<std::size_t>(r)] * e.inverse.transpose();
    gradient.template block<1, 3>(r, 0) = -pull.rowwise().sum().transpose();
    for (int k = 0; k < 3; ++k) gradient.template block<1, 3>(r, 3 + 3 * k) = pull.col(k).transpose();
  }
  Eigen::Matrix<double, rows, rows> matrix = compliance;
  for (int k = 0; k < 4; ++k) {
    const auto block = gradient.template middleCols<3>(3 * k);
    matrix += inverse_masses_[e.corners[static_cast<std::size_t>(k)]] * block * block.transpose();
  }
  const Eigen::Matrix<double, rows, 1> change = matrix.llt().solve(-value - compliance * multipliers);
  multipliers += change;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t v = e.corners[static_cast<std::size_t>(k)];
    x[v] += inverse_masses_[v] * gradient.template middleCols<3>(3 * k).transpose() * change;
  }
}

void PlainSweep::run(std::vector<Vec3>& x) {
  if (material_.model == Model::stvk)
    sweep_green(x);
  else
    sweep_neo_hookean(x);
}

void PlainSweep::sweep_green(std::vector<Vec3>& x) {
  const double scale = 1 / (step_ * step_ * material_.young);
  Eigen::Matrix<double, 6, 6> compliance = Eigen::Matrix<double, 6, 6>::Zero();
  compliance.topLeftCorner<3, 3>().setConstant(-material_.poisson * scale);
  for (int k = 0; k < 3; ++k) {
    compliance(k, k) = scale;
    compliance(3 + k, 3 + k) = 2 * (1 + material_.poisson) * scale;
  }
  six_.assign(elements_.size(), Eigen::Matrix<double, 6, 1>::Zero());
  for (std::size_t i = 0; i < elements_.size(); ++i)
    project<6>(elements_[i], six_[i], compliance, x,
               [](const Mat3& f, Eigen::Matrix<double, 6, 1>& value, std::array<Mat3, 6>& slope) {
                 const Mat3 strain = 0.5 * (f.transpose() * f - Mat3::Identity());
                 value << strain(0, 0), strain(1, 1), strain(2, 2), 2 * strain(1, 2), 2 * strain(0, 2),
                     2 * strain(0, 1);
                 constexpr std::array<std::array<int, 2>, 6> places = {
                     {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}};
                 for (std::size_t r = 0; r < 6; ++r) {
                   const auto [a, b] = places[r];
                   slope[r].setZero();
                   slope[r].col(a) = f.col(b);
                   if (a != b) slope[r].col(b) = f.col(a);
                 }
               });
}

void PlainSweep::sweep_neo_hookean(std::vector<Vec3>& x) {
  const Elasticity elasticity(material_);
  Eigen::Matrix2d compliance = Eigen::Matrix2d::Zero();
  compliance(0, 0) = 1 / (step_ * step_ * NeoHookean(elasticity).mu);
  compliance(1, 1) = 1 / (step_ * step_ * elasticity.lambda);
  two_.assign(elements_.size(), Eigen::Vector2d::Zero());
  for (std::size_t i = 0; i < elements_.size(); ++i)
    project<2>(elements_[i], two_[i], compliance, x,
               [](const Mat3& f, Eigen::Vector2d& value, std::array<Mat3, 2>& slope) {
                 const double grown = f.determinant() - 1, squares = f.squaredNorm();
                 slope[1] = cofactors(f);
                 const double energy = 0.5 * (squares - 3 - std::log((squares + 1) / 4)) - 0.75 * grown +
                                       0.3125 * grown * grown;
                 value << std::sqrt(2 * std::max(0.0, energy)), grown;
                 slope[0] =
                     value[0] > 0
                         ? Mat3(((1 - 1 / (squares + 1)) * f + (0.625 * grown - 0.75) * slope[1]) / value[0])
                         : Mat3(Mat3::Zero());
               });
}

}  // namespace palpate::bench
