#include "contact_scenes.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>

namespace palpate::bench {

namespace {

double mean_edge(const std::vector<TriangleMesh>& meshes) {
  double sum = 0, count = 0;
  for (const TriangleMesh& mesh : meshes)
    for (const TriangleCorners& t : mesh.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        sum += (mesh.positions[t[k]] - mesh.positions[t[(k + 1) % 3]]).norm();
        ++count;
      }
  return sum / count;
}

std::vector<Vec3> moved(std::vector<Vec3> positions, const Vec3& by) {
  for (Vec3& p : positions) p += by;
  return positions;
}

std::string file_of(const std::string& name) {
  const char* folder = std::getenv("PALPATE_DATA");
  return std::string(folder != nullptr ? folder : "../shared/data") + "/surfaces/" + name + ".ply";
}

}  // namespace

std::size_t ContactScene::triangles() const {
  std::size_t sum = 0;
  for (const TriangleMesh& mesh : surfaces) sum += mesh.triangles.size();
  return sum;
}

ContactScene tori(std::size_t triangles) {
  const TorusShape shape;
  TriangleMesh lying = make(with_triangles(shape, triangles / 2)), upright = lying;
  for (Vec3& p : upright.positions) p = Vec3(p.x(), -p.z(), p.y());
  ContactScene scene;
  scene.surfaces = {upright, lying};
  scene.self = false;
  scene.edge = mean_edge(scene.surfaces);
  // The lying one has fallen over the upright one and rests on its shoulders, 0.3 edges above; then it slides
  // off along x, resting on one.
  const double out = shape.major + 2 * shape.minor + 0.3 * scene.edge;
  for (const double slide : {0.0, 0.01, 0.025, 0.04}) {
    const double in = shape.major - slide, height = std::sqrt(out * out - in * in);
    scene.frames.push_back({upright.positions, moved(lying.positions, Vec3(slide, 0, height))});
  }
  return scene;
}

ContactScene knot(std::size_t triangles) {
  const KnotShape shape = with_triangles(KnotShape{}, triangles);
  const TriangleMesh mesh = make(shape);
  ContactScene scene;
  scene.surfaces = {mesh};
  scene.edge = mean_edge(scene.surfaces);
  // The knot's line sinks to the ground, the tube stays round: where it crosses itself, it comes to lie on
  // itself.
  for (const double height : {0.56, 0.54, 0.52, 0.5}) {
    std::vector<Vec3> pressed = mesh.positions;
    for (std::size_t ring = 0; ring < shape.along; ++ring) {
      double middle = 0;
      for (std::size_t i = 0; i < shape.across; ++i) middle += mesh.positions[ring * shape.across + i].z();
      middle /= static_cast<double>(shape.across);
      for (std::size_t i = 0; i < shape.across; ++i)
        pressed[ring * shape.across + i].z() -= (1 - height) * middle;
    }
    scene.frames.push_back({pressed});
  }
  return scene;
}

ContactScene balls(std::size_t count) {
  IcosphereShape shape;
  shape.radius = 0.01;
  shape.frequency = 4;
  const TriangleMesh ball = make(shape);
  ContactScene scene;
  scene.self = false;
  scene.surfaces.assign(count, ball);
  scene.edge = mean_edge({ball});
  std::mt19937_64 random(3);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
  std::vector<Vec3> centres;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t x = i % side, y = i / side % side, z = i / side / side;
    centres.push_back(0.021 * Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)));
  }
  for (int frame = 0; frame < 4; ++frame) {
    scene.frames.emplace_back();
    for (Vec3& centre : centres) {
      centre += 0.001 * Vec3(uniform() - 0.5, uniform() - 0.5, uniform() - 0.5);
      scene.frames.back().push_back(moved(ball.positions, centre));
    }
  }
  return scene;
}

ContactScene sheets(std::size_t triangles) {
  PlaneShape shape;
  shape.size_x = 0.5;
  shape.size_y = 1;
  shape.cells_x = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(triangles) / 8)));
  shape.cells_y = 2 * shape.cells_x;
  const TriangleMesh sheet = make(shape);
  ContactScene scene;
  scene.surfaces = {sheet, sheet};
  scene.self = false;
  scene.edge = mean_edge({sheet});
  for (const double slide : {0.2, 0.4}) {
    std::vector<Vec3> lower = sheet.positions;
    for (Vec3& p : lower) p.z() = 0.02 * std::sin(9 * p.x()) * std::sin(7 * p.y());
    scene.frames.push_back({lower, moved(lower, scene.edge * Vec3(slide, 0.3, 0.3))});
  }
  return scene;
}

ContactScene table(std::size_t triangles) {
  PlaneShape cloth_shape, table_shape;
  cloth_shape.cells_x = cloth_shape.cells_y =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(triangles) / 2)));
  table_shape.size_x = table_shape.size_y = 1.2;
  table_shape.cells_x = table_shape.cells_y = 1;
  const TriangleMesh cloth = make(cloth_shape), top = make(table_shape);
  ContactScene scene;
  scene.surfaces = {top, cloth};
  scene.self = false;
  scene.edge = mean_edge({cloth});
  for (const double phase : {0.0, 0.5, 1.0, 1.5}) {
    std::vector<Vec3> waves = cloth.positions;
    for (Vec3& p : waves)
      p.z() = scene.edge * (0.6 + 0.5 * std::sin(9 * p.x() + phase) * std::sin(7 * p.y()));
    scene.frames.push_back({top.positions, waves});
  }
  return scene;
}

bool has_data(const std::string& name) { return std::filesystem::exists(file_of(name)); }

ContactScene real(const std::string& first, const std::string& second) {
  ContactScene scene;
  scene.surfaces = {read_triangle_mesh(file_of(first))};
  scene.edge = mean_edge(scene.surfaces);
  scene.frames.push_back({scene.surfaces[0].positions});
  scene.frames.push_back({read_triangle_mesh(file_of(second)).positions});
  return scene;
}

ContactScene slowly(ContactScene scene, double edges) {
  const std::vector<std::vector<Vec3>> start = scene.frames.back();
  scene.frames.clear();
  for (int i = 0; i < 24; ++i) {
    const double step = i < 12 ? i : 24 - i;
    scene.frames.push_back(start);
    for (std::vector<Vec3>& positions : scene.frames.back())
      for (Vec3& p : positions) {
        const Vec3 wave = p / (4 * scene.edge);
        const Vec3 towards(std::sin(wave.y()), std::sin(wave.z()), std::sin(wave.x()));
        p += step * edges * scene.edge / std::sqrt(3) * towards;
      }
  }
  return scene;
}

std::vector<ListedScene> listed_scenes(bool quick) {
  std::vector<ListedScene> all;
  const auto add = [&](const std::string& name, double edges, std::size_t triangles,
                       std::function<ContactScene()> make_scene) {
    all.push_back({fmt::format("{}-d{:g}", name, edges), edges, triangles, std::move(make_scene)});
  };
  for (const std::size_t n : {3200u, 12800u, 51200u, 819200u})
    for (const double d : {0.5, 4.0})
      if (!quick || (n == 51200 && d == 0.5)) add(fmt::format("tori-{}", n), d, n, [n] { return tori(n); });
  for (const std::size_t n : {3960u, 63360u})
    if (!quick || n == 3960) add(fmt::format("knot-{}", n), 1, n, [n] { return knot(n); });
  if (!quick) {
    add("balls-1000", 0.5, 320'000, [] { return balls(1000); });
    add("table-20000", 1, 20'002, [] { return table(20'000); });
  }
  for (const auto& [name, first, second] : {std::tuple{"cloth-ball", "cloth-ball-92", "cloth-ball-93"},
                                            {"armadillo", "armadillo-rollers-326", "armadillo-rollers-327"},
                                            {"funnel", "cloth-funnel-227", "cloth-funnel-228"}}) {
    if (!has_data(first) || !has_data(second)) continue;
    const std::string one = first, two = second;
    const std::size_t triangles = real(one, two).triangles();
    for (const double d : {0.05, 0.2, 0.5})
      if (!quick || (d == 0.05 && std::string(name) == "cloth-ball"))
        add(name, d, triangles, [one, two] { return real(one, two); });
  }
  return all;
}

}  // namespace palpate::bench
