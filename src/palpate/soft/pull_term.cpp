#include <palpate/soft/pull_term.h>

#include <algorithm>

namespace palpate {

Vec3 PullTerm::Pull::at(std::span<const Vec3> x) const {
  Vec3 sum = Vec3::Zero();
  for (const Share& share : point) sum += share.weight * x[share.node];
  return sum;
}

double PullTerm::value(std::span<const Vec3> x) {
  double sum = 0;
  for (const Pull& pull : pulls) sum += 0.5 * pull.stiffness * (pull.at(x) - pull.target).squaredNorm();
  return sum;
}

double PullTerm::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  double sum = 0;
  for (const Pull& pull : pulls) {
    const Vec3 off = pull.at(x) - pull.target;
    sum += 0.5 * pull.stiffness * off.squaredNorm();
    for (const Share& share : pull.point) gradient[share.node] += pull.stiffness * share.weight * off;
  }
  return sum;
}

void PullTerm::add_product(std::span<const Vec3> /*x*/, std::span<const Vec3> d, std::span<Vec3> out) {
  for (const Pull& pull : pulls) {
    const Vec3 along = pull.stiffness * pull.at(d);
    for (const Share& share : pull.point) out[share.node] += share.weight * along;
  }
}

void PullTerm::add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) {
  for (const Pull& pull : pulls)
    for (const Share& share : pull.point) {
      if (share.node != node) continue;
      gradient += pull.stiffness * share.weight * (pull.at(x) - pull.target);
      stiffness.diagonal().array() += pull.stiffness * share.weight * share.weight;
    }
}

void PullTerm::add_metric(std::vector<MetricEntry>& entries) const {
  for (const Pull& pull : pulls)
    for (const Share& a : pull.point)
      for (const Share& b : pull.point)
        if (a.node >= b.node) entries.push_back({a.node, b.node, pull.stiffness * a.weight * b.weight});
}

}  // namespace palpate
