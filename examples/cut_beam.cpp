// A beam hangs between two walls and is cut through in the middle while it moves: its nodes there get
// doubles, and the elements on the far side take those.
#include <cmath>
#include <cstdio>
#include <map>

#include <palpate/mesh/generate.h>
#include <palpate/soft/soft_body.h>

int main() {
  const palpate::TetMesh beam = palpate::make(palpate::BeamShape{.cell = 0.005, .along = 24, .across = 3});
  palpate::SoftBody body(beam, palpate::Material{.density = 1100, .young = 5e4, .poisson = 0.4});
  double low = 1, high = -1;
  for (const palpate::Vec3& p : beam.positions) {
    low = std::min(low, p.x());
    high = std::max(high, p.x());
  }
  const double middle = 0.5 * (low + high);
  std::uint32_t watched = 0;  // a node at the cut
  for (std::uint32_t i = 0; i < beam.positions.size(); ++i) {
    const double x = beam.positions[i].x();
    if (x == low || x == high) body.fix({&i, 1});
    if (std::abs(x - middle) < 1e-9) watched = i;
  }

  for (int frame = 1; frame <= 60; ++frame) {
    if (frame == 31) {
      palpate::SoftChange cut;
      std::map<std::uint32_t, std::uint32_t> twin;
      for (std::uint32_t e = 0; e < body.rest().tets.size(); ++e) {
        palpate::TetCorners corners = body.rest().tets[e];
        bool touches = false, far = true;
        for (const std::uint32_t v : corners) {
          touches = touches || std::abs(beam.positions[v].x() - middle) < 1e-9;
          far = far && beam.positions[v].x() > middle - 1e-9;
        }
        if (!touches || !far) continue;
        for (std::uint32_t& v : corners) {
          if (std::abs(beam.positions[v].x() - middle) > 1e-9) continue;
          const auto next = static_cast<std::uint32_t>(beam.positions.size() + twin.size());
          const auto [at, is_new] = twin.emplace(v, next);
          if (is_new) cut.nodes.push_back({beam.positions[v], body.positions()[v], body.velocities()[v]});
          v = at->second;
        }
        cut.removed.push_back(e);
        cut.added.push_back({corners, e});
      }
      body.change(cut);
      std::printf("cut: %zu nodes doubled, %zu elements changed\n", cut.nodes.size(), cut.added.size());
    }
    body.step(1.0 / 60);
    if (frame % 6 == 0)
      std::printf("%.1f s  %.1f mm\n", frame / 60.0,
                  1e3 * (body.positions()[watched].z() - beam.positions[watched].z()));
  }
}
