// A flag of thin rubber on two pegs swings down, and a rope beside it: shells and strings.
#include <cstdio>

#include <palpate/soft/soft_body.h>

int main() {
  constexpr std::uint32_t n = 20;
  palpate::TriangleMesh sheet;
  for (std::uint32_t j = 0; j <= n; ++j)
    for (std::uint32_t i = 0; i <= n; ++i) sheet.positions.emplace_back(0.01 * i, 0.01 * j, 0);
  for (std::uint32_t j = 0; j < n; ++j)
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
      sheet.triangles.push_back({a, b, c});
      sheet.triangles.push_back({a, c, d});
    }
  const palpate::Material rubber{.density = 1100, .young = 1e6, .damping = 0.002};
  palpate::SoftBody flag = palpate::SoftBody::shell(sheet, 0.001, rubber);
  const std::uint32_t pegs[] = {0, n * (n + 1)};
  flag.fix(pegs);

  std::vector<palpate::Vec3> points;
  for (std::uint32_t i = 0; i <= n; ++i) points.emplace_back(0.01 * i, -0.05, 0);
  palpate::SoftBody rope = palpate::SoftBody::string(points, 0.002, rubber);
  const std::uint32_t end = 0;
  rope.fix({&end, 1});

  for (int frame = 1; frame <= 120; ++frame) {
    flag.step(1.0 / 60);
    rope.step(1.0 / 60);
    if (frame % 12 == 0)
      std::printf("%.1f s  corner of the flag %6.1f mm  end of the rope %6.1f mm\n", frame / 60.0,
                  1e3 * flag.positions()[n].z(), 1e3 * rope.positions()[n].z());
  }
}
