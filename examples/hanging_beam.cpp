// A beam of rubber, held at one end, sags under its weight: how far its tip is after each tenth of a second.
#include <cstdio>

#include <palpate/mesh/generate.h>
#include <palpate/soft/soft_body.h>

int main() {
  const palpate::TetMesh beam = palpate::make(palpate::BeamShape{.cell = 0.005, .along = 24, .across = 3});
  palpate::SoftBody body(beam, palpate::Material{.density = 1100, .young = 1e6, .poisson = 0.45});
  std::size_t tip = 0;
  for (std::uint32_t i = 0; i < beam.positions.size(); ++i) {
    if (beam.positions[i].x() < beam.positions[tip].x()) tip = i;
  }
  const double low = beam.positions[tip].x();
  for (std::uint32_t i = 0; i < beam.positions.size(); ++i) {
    if (beam.positions[i].x() == low) body.fix({&i, 1});
    if (beam.positions[i].x() > beam.positions[tip].x()) tip = i;
  }
  for (int frame = 1; frame <= 60; ++frame) {
    body.step(1.0 / 60);
    if (frame % 6 == 0)
      std::printf("%.1f s  %.1f mm\n", frame / 60.0,
                  1e3 * (body.positions()[tip].z() - beam.positions[tip].z()));
  }
}
