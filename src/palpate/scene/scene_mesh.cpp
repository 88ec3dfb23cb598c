#include <palpate/scene/scene_mesh.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <palpate/mesh/boundary.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>

namespace palpate {

namespace {

// Errors in the making of a mesh, told with the place in the scene.
template <class Make>
auto told_with(const SceneOrigin& origin, Make&& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(origin.place,
                error.where().empty() ? error.problem() : error.where() + ": " + error.problem(),
                error.remedy());
  }
}

template <class Mesh>
Mesh scaled(Mesh mesh, const MeshSource& source) {
  const Vec3 scale = source.unit * source.scale;
  if (scale != Vec3::Ones())
    for (Vec3& p : mesh.positions) p = p.cwiseProduct(scale);
  const auto bad = std::find_if(mesh.positions.begin(), mesh.positions.end(),
                                [](const Vec3& p) { return !(p.cwiseAbs().maxCoeff() <= 1e15); });
  if (bad != mesh.positions.end())
    throw Error(Place(),
                fmt::format("scaled, vertex {} of the mesh is too far away", bad - mesh.positions.begin()),
                "Check unit and scale, and the mesh (palpate mesh check).");
  return mesh;
}

std::variant<TriangleMesh, TetMesh> made(const MeshSource& source) {
  return generator(source.shape).make(source.values, source.elements);
}

double mean_edge(const TetMesh& mesh) {
  double sum = 0;
  for (const TetCorners& tet : mesh.tets)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < i; ++j) sum += (mesh.positions[tet[i]] - mesh.positions[tet[j]]).norm();
  return mesh.tets.empty() ? 0 : sum / (6 * static_cast<double>(mesh.tets.size()));
}

// Lengths of the polyline up to each point; of a ring also back to the first.
std::vector<double> lengths_to(std::span<const Vec3> points, bool closed) {
  std::vector<double> lengths = {0};
  for (std::size_t i = 1; i < points.size() + (closed ? 1 : 0); ++i)
    lengths.push_back(lengths.back() + (points[i % points.size()] - points[i - 1]).norm());
  return lengths;
}

}  // namespace

TriangleMesh triangle_mesh(const MeshSource& source) {
  return told_with(source.origin, [&] {
    if (source.shape.empty()) return scaled(read_triangle_mesh(source.file.string()), source);
    auto mesh = made(source);
    if (auto* surface = std::get_if<TriangleMesh>(&mesh)) return scaled(std::move(*surface), source);
    return scaled(boundary_surface(std::get<TetMesh>(mesh)).mesh, source);
  });
}

TetMesh tet_mesh(const MeshSource& source) {
  return told_with(source.origin, [&] {
    if (source.shape.empty()) return scaled(read_tet_mesh(source.file.string()), source);
    auto mesh = made(source);
    if (auto* solid = std::get_if<TetMesh>(&mesh)) return scaled(std::move(*solid), source);
    throw Error(Place::named("shape", source.shape), "it is a surface, and tetrahedra are needed",
                "Take a solid shape: solid-box, solid-sphere, beam, ...");
  });
}

std::vector<Vec3> string_points(const SceneBody& body) {
  if (body.segments == 0) return body.points;
  const std::vector<double> lengths = lengths_to(body.points, body.closed);
  std::vector<Vec3> points;
  std::size_t at = 0;  // the piece that the next point lies on
  for (std::size_t i = 0; i < body.segments + (body.closed ? 0 : 1); ++i) {
    const double along = lengths.back() * static_cast<double>(i) / static_cast<double>(body.segments);
    while (at + 2 < lengths.size() && lengths[at + 1] < along) ++at;
    const Vec3 &a = body.points[at], &b = body.points[(at + 1) % body.points.size()];
    const double piece = lengths[at + 1] - lengths[at];
    points.emplace_back(piece > 0 ? Vec3(a + (along - lengths[at]) / piece * (b - a)) : a);
  }
  return points;
}

std::vector<Vec3> deformed_positions(const SceneDeform& deform, const TetMesh& rest, std::uint64_t seed) {
  std::vector<Vec3> positions = rest.positions;
  if (positions.empty()) return positions;
  Vec3 low = positions[0], high = low;
  for (const Vec3& p : positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vec3 middle = 0.5 * (low + high), axis = Vec3::Unit(deform.axis);
  const double length = high[deform.axis] - low[deform.axis], reach = deform.shake * mean_edge(rest);
  std::mt19937_64 random(seed);
  for (Vec3& p : positions) {
    const Vec3 from = p - middle;
    const double along = from.dot(axis), angle = length > 0 ? along / length * deform.twist : 0;
    const Vec3 across = from - along * axis;
    p = middle + deform.stretch * along * axis + std::cos(angle) * across +
        std::sin(angle) * axis.cross(across);
    if (reach > 0)
      for (double& x : p) x += reach * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1);
  }
  return positions;
}

std::vector<std::uint32_t> fixed_nodes(const SceneFix& fix, std::span<const Vec3> positions) {
  using Kind = SceneFix::Kind;
  const auto held = [&](const Vec3& p) {
    if (fix.kind == Kind::box)
      return (p.array() >= fix.low.array()).all() && (p.array() <= fix.high.array()).all();
    if (fix.kind == Kind::plane) return (p - fix.point).dot(fix.normal) <= 0;
    if (fix.kind == Kind::sphere) return (p - fix.point).squaredNorm() <= fix.radius * fix.radius;
    return true;
  };
  std::vector<std::uint32_t> nodes = fix.vertices;
  for (std::uint32_t i = 0; i < positions.size() && fix.kind != Kind::vertices; ++i)
    if (held(positions[i])) nodes.push_back(i);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.empty())
    throw Error(fix.origin.place, "no node of the body is held by this",
                "Places are in the mesh's own coordinates [m], before the body is placed; or leave it out.");
  if (nodes.back() >= positions.size())
    throw Error(fix.origin.place, fmt::format("there is no vertex {}", nodes.back()),
                fmt::format("The mesh has {}, with numbers from 0.", positions.size()));
  return nodes;
}

}  // namespace palpate
