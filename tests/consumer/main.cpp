#include <cstdio>
#include <vector>

#include <palpate/base/build_facts.h>
#include <palpate/base/parallel.h>
#include <palpate/base/radix_sort.h>
#include <palpate/geometry/nearest.h>
#include <palpate/geometry/obb.h>
#include <palpate/mesh/check.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>

// How far is a point from a triangle? Uses each of the library's dependencies once; leaves with 0 if all is
// well.
int main() {
  using namespace palpate;
  const Triangle triangle{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  const NearestOnTriangle nearest = nearest_point_triangle(Vec3(0.25, 0.25, 2), triangle);
  std::printf("palpate %s: nearest point %g %g %g, squared distance %g\n", build_facts().version.c_str(),
              nearest.point.x(), nearest.point.y(), nearest.point.z(), nearest.squared_distance);

  std::vector<std::uint32_t> keys{3, 1, 2};
  radix_sort(std::span(keys));
  std::vector<int> marks(1000, 0);
  Threads(2).run([&] { parallel_for(marks.size(), 10, [&](std::size_t i) { marks[i] = 1; }); });
  for (const int mark : marks)
    if (mark != 1) return 1;
  const bool apart = !overlap(Obb::around(triangle), Obb::of(Box{Vec3(2, 2, 2), Vec3(3, 3, 3)}));
  // A mesh through memory and back, in formats that need every library behind them.
  const TriangleMesh torus = make(with_triangles(TorusShape{}, 1600));
  const MeshFile again = parse_mesh(MeshFormat::vtu, format_mesh(MeshFormat::vtu, torus), "torus.vtu");
  if (again.triangles != torus.triangles || !check(torus).findings.empty()) return 1;
  if (format_mesh(MeshFormat::gltf, torus).empty() || format_mesh(MeshFormat::obj, torus).empty()) return 1;
  return nearest.squared_distance == 4 && keys[0] == 1 && keys[2] == 3 && apart ? 0 : 1;
}
