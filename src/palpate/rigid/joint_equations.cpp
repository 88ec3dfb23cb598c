#include <palpate/rigid/joint_equations.h>

#include <algorithm>

namespace palpate {

namespace {

constexpr double all_give_way = 1e-10;
constexpr double good_enough = 1e-14;  // residual, of the first one
constexpr int most_refinements = 5;

const JointGradients nothing = {Block::Zero(), Block::Zero()};

}  // namespace

void JointEquations::prepare(std::size_t bodies, std::span<const BlockLink> links) {
  links_.assign(links.begin(), links.end());
  factor_.prepare(bodies, links);
  weights_.resize(bodies);
  pushes_.assign(bodies, BlockVector::Zero());
  speeds_ = pushes_;
  residual_.assign(links.size(), BlockVector::Zero());
  change_ = gives_ = residual_;
}

void JointEquations::set_body(std::size_t i, double inverse_mass, const Vec3& inverse_moments,
                              const Quat& turn) {
  const Mat3 axes = turn.toRotationMatrix();
  Weight& weight = weights_[i];
  weight.inverse_mass = inverse_mass;
  weight.inverse_inertia = axes * inverse_moments.asDiagonal() * axes.transpose();
  weight.most_inverse_moment = inverse_moments.maxCoeff();
  weight.mass.setZero();
  weight.mass.diagonal().head<3>().setConstant(1 / inverse_mass);
  weight.mass.bottomRightCorner<3, 3>() =
      axes * inverse_moments.cwiseInverse().asDiagonal() * axes.transpose();
}

// How much each number gives way: a tiny part of what its bodies do, at most.
BlockVector JointEquations::give(const JointGradients& p, const BlockLink& link) const {
  BlockVector sum = BlockVector::Zero();
  for (std::size_t k = 0; k < 2; ++k) {
    if (link[k] == no_block) continue;
    const Weight& weight = weights_[link[k]];
    sum += weight.inverse_mass * p[k].leftCols<3>().rowwise().squaredNorm() +
           weight.most_inverse_moment * p[k].rightCols<3>().rowwise().squaredNorm();
  }
  return (sum.array() > 0).select(all_give_way * sum, 1.0);
}

void JointEquations::factor(std::span<const JointGradients> g, std::span<const JointGradients> p,
                            std::span<const double> compliances) {
  factor_.clear();
  for (std::size_t i = 0; i < weights_.size(); ++i) factor_.set_thing(i, weights_[i].mass);
  for (std::size_t j = 0; j < links_.size(); ++j) {
    const bool left_out = compliances[j] < 0;
    const JointGradients &at = left_out ? nothing : g[j], &along = left_out ? nothing : p[j];
    gives_[j] = give(along, links_[j]);
    factor_.set_rule(j, at, along, gives_[j].array() + std::max(compliances[j], 0.0));
  }
  factor_.factor();
}

void JointEquations::solve(std::span<const BlockVector> right, std::span<BlockVector> y) {
  std::fill(speeds_.begin(), speeds_.end(), BlockVector::Zero());
  for (std::size_t j = 0; j < links_.size(); ++j) y[j] = -right[j];
  factor_.solve(speeds_, y);
}

std::span<const BlockVector> JointEquations::pushes(std::span<const JointGradients> p,
                                                    std::span<const BlockVector> y) {
  std::fill(pushes_.begin(), pushes_.end(), BlockVector::Zero());
  for (std::size_t j = 0; j < links_.size(); ++j)
    for (std::size_t k = 0; k < 2; ++k)
      if (links_[j][k] != no_block) pushes_[links_[j][k]] += p[j][k].transpose().lazyProduct(y[j]);
  return pushes_;
}

void JointEquations::find_residual(std::span<const JointGradients> p, std::span<const double> compliances,
                                   std::span<const BlockVector> right, std::span<const BlockVector> y) {
  pushes(p, y);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    speeds_[i].head<3>() = weights_[i].inverse_mass * pushes_[i].head<3>();
    speeds_[i].tail<3>() = weights_[i].inverse_inertia * pushes_[i].tail<3>();
  }
  for (std::size_t j = 0; j < links_.size(); ++j) {
    residual_[j].setZero();
    if (compliances[j] < 0) continue;
    residual_[j] = right[j] - compliances[j] * y[j];
    for (std::size_t k = 0; k < 2; ++k)
      if (links_[j][k] != no_block) residual_[j] -= p[j][k].lazyProduct(speeds_[links_[j][k]]);
  }
}

double JointEquations::size_of_residual() const {
  double sum = 0;
  for (std::size_t j = 0; j < residual_.size(); ++j)
    for (int r = 0; r < 6; ++r) sum += residual_[j][r] * residual_[j][r] / gives_[j][r];
  return sum;
}

void JointEquations::solve_well(std::span<const JointGradients> p, std::span<const double> compliances,
                                std::span<const BlockVector> right, std::span<BlockVector> y) {
  std::fill(y.begin(), y.end(), BlockVector::Zero());
  find_residual(p, compliances, right, y);
  const double enough = good_enough * good_enough * size_of_residual();
  double last = HUGE_VAL;
  for (int i = 0; i < most_refinements; ++i) {
    const double size = size_of_residual();
    if (!(size > enough) || !(size < 0.25 * last)) return;
    last = size;
    solve(residual_, change_);
    for (std::size_t j = 0; j < links_.size(); ++j) y[j] += change_[j];
    find_residual(p, compliances, right, y);
  }
}

}  // namespace palpate
