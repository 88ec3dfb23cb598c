#include "peer_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace palpate::bench {

PairScene::PairScene(const ContactScene& scene, double about) : self(scene.self) {
  begins.push_back(0);
  std::uint32_t first = 0;
  for (const TriangleMesh& mesh : scene.surfaces) {
    for (const TriangleCorners& t : mesh.triangles)
      triangles.push_back({first + t[0], first + t[1], first + t[2]});
    first += static_cast<std::uint32_t>(mesh.positions.size());
    begins.push_back(static_cast<std::uint32_t>(triangles.size()));
  }
  double far = about;
  for (const auto& frame : scene.frames) {
    frames.emplace_back();
    for (const auto& positions : frame)
      frames.back().insert(frames.back().end(), positions.begin(), positions.end());
    for (const Vec3& p : frames.back()) far = std::max(far, p.cwiseAbs().maxCoeff() + about);
  }
  const double unit = std::ldexp(1.0, std::ilogb(far) + 1 - 23);
  const auto snapped = [unit](double x) { return std::round(x / unit) * unit; };
  distance = 2 * snapped(about / 2);
  for (auto& frame : frames)
    for (Vec3& p : frame) p = p.unaryExpr(snapped);
}

void grow_boxes(const PairScene& scene, const std::vector<Vec3>& positions, std::vector<GrownBox>& boxes) {
  const double half = scene.distance / 2;
  boxes.resize(scene.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t) {
    const TriangleCorners& c = scene.triangles[t];
    for (int k = 0; k < 3; ++k) {
      const double x = positions[c[0]][k], y = positions[c[1]][k], z = positions[c[2]][k];
      boxes[t].lo[k] = static_cast<float>(std::min(std::min(x, y), z) - half);
      boxes[t].hi[k] = static_cast<float>(std::max(std::max(x, y), z) + half);
    }
  }
}

const std::vector<PairOfSurfaces>& BodySweep::find(const PairScene& scene,
                                                   const std::vector<GrownBox>& boxes) {
  bodies_.resize(scene.surfaces());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    GrownBox all = boxes[scene.begins[i]];
    for (std::size_t t = scene.begins[i] + std::size_t{1}; t < scene.begins[i + 1]; ++t)
      for (int k = 0; k < 3; ++k) {
        all.lo[k] = std::min(all.lo[k], boxes[t].lo[k]);
        all.hi[k] = std::max(all.hi[k], boxes[t].hi[k]);
      }
    bodies_[i] = all;
  }
  order_.resize(bodies_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return bodies_[a].lo[0] < bodies_[b].lo[0]; });
  near_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (std::size_t j = i + 1; j < order_.size(); ++j) {
      const GrownBox &a = bodies_[order_[i]], &b = bodies_[order_[j]];
      if (b.lo[0] > a.hi[0]) break;
      if (a.overlaps(b)) near_.push_back({order_[i], order_[j]});
    }
  return near_;
}

}  // namespace palpate::bench
