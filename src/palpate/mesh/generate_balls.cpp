// The icosphere, the ball of icospheres, and the organ that is made of it.
//
// The ball is twenty tetrahedra, its centre and a face of the icosahedron each. A lattice cuts them into
// layers; layer k is the icosphere of frequency k, pushed to radius k / n. Vertices are numbered by what they
// lie on (corner, edge, face of the icosahedron), so that what two faces share has one number and nothing has
// to be compared or merged. Between layers the lattice has tetrahedra and octahedra; on the lattice's faces
// both look the same however an octahedron is cut, so neighbours match.
#include <array>
#include <cmath>

#include <fmt/core.h>

#include <palpate/mesh/generate_parts.h>

namespace palpate {

using detail::as_double;
using detail::as_index;
using detail::pi;
using detail::ShapeDoor;

namespace {

// A pole, two rings of five, a pole.
struct Icosahedron {
  std::array<Vec3, 12> corners;
  std::array<std::array<std::uint32_t, 3>, 20> faces;  // seen from outside
  std::array<std::array<std::uint32_t, 2>, 30> edges;  // lower corner first
  std::array<std::array<std::uint32_t, 12>, 12> edge_between{};

  Icosahedron() {
    corners[0] = {0, 0, 1};
    corners[11] = {0, 0, -1};
    const double height = 1 / std::sqrt(5.0), radius = 2 / std::sqrt(5.0);
    for (std::uint32_t i = 0; i < 5; ++i) {
      const double angle = 2 * pi * i / 5;
      corners[1 + i] = {radius * std::cos(angle), radius * std::sin(angle), height};
      corners[6 + i] = {radius * std::cos(angle + pi / 5), radius * std::sin(angle + pi / 5), -height};
      const std::uint32_t upper = 1 + i, upper_next = 1 + (i + 1) % 5, lower = 6 + i,
                          lower_next = 6 + (i + 1) % 5;
      faces[i] = {0, upper, upper_next};
      faces[5 + 2 * i] = {upper, lower, upper_next};
      faces[6 + 2 * i] = {lower, lower_next, upper_next};
      faces[15 + i] = {11, lower_next, lower};
    }
    std::uint32_t edge = 0;
    for (const auto& face : faces)
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = face[i], b = face[(i + 1) % 3];
        if (a > b) continue;  // seen from its other face
        edges[edge] = {a, b};
        edge_between[a][b] = edge_between[b][a] = edge++;
      }
  }
};

const Icosahedron& icosahedron() {
  static const Icosahedron made;
  return made;
}

using Weights = std::array<std::size_t, 3>;  // of a face's corners; their sum is the layer

// The number, in its layer, of the point with these weights on a face.
std::size_t number_in_layer(std::size_t face, const Weights& w) {
  const auto& corners = icosahedron().faces[face];
  const std::size_t k = w[0] + w[1] + w[2];
  const int zeros = (w[0] == 0) + (w[1] == 0) + (w[2] == 0);
  if (zeros == 2) return corners[w[0] ? 0 : w[1] ? 1 : 2];
  if (zeros == 1) {
    const std::size_t i = w[0] == 0 ? 1 : 0, j = w[2] == 0 ? 1 : 2;
    const std::size_t edge = icosahedron().edge_between[corners[i]][corners[j]];
    return 12 + edge * (k - 1) + (corners[i] > corners[j] ? w[i] : w[j]) - 1;
  }
  // Rows of one w[0] each: k - 2 points in the first, one less in the next.
  const std::size_t before = (w[0] - 1) * (k - 1) - w[0] * (w[0] - 1) / 2;
  return 12 + 30 * (k - 1) + face * (k - 1) * (k - 2) / 2 + before + w[1] - 1;
}

// Points in the layers 0 (the centre) to k - 1.
std::size_t points_below(std::size_t k) {
  return k == 0 ? 0 : 1 + 10 * ((k - 1) * k * (2 * k - 1) / 6) + 2 * (k - 1);
}

std::uint32_t point_in_ball(std::size_t face, const Weights& w) {
  const std::size_t k = w[0] + w[1] + w[2];
  return k == 0 ? 0 : as_index(points_below(k) + number_in_layer(face, w));
}

// The cells of the lattice that start at w: up to one tetrahedron, one octahedron, one tetrahedron upside
// down.
void add_cells(std::size_t face, const Weights& w, std::size_t layers, std::vector<TetCorners>& tets) {
  const auto at = [&](std::size_t a, std::size_t b, std::size_t c) {
    return point_in_ball(face, {w[0] + a, w[1] + b, w[2] + c});
  };
  const std::size_t room = layers - (w[0] + w[1] + w[2]);
  const auto a = at(1, 0, 0), b = at(0, 1, 0), c = at(0, 0, 1);
  tets.push_back({at(0, 0, 0), a, b, c});
  if (room < 2) return;
  const auto ab = at(1, 1, 0), bc = at(0, 1, 1), ca = at(1, 0, 1);
  const std::array<std::uint32_t, 4> belt = {b, ab, ca, c};  // around the diagonal from a to bc
  for (std::size_t i = 0; i < 4; ++i) tets.push_back({a, bc, belt[(i + 1) % 4], belt[i]});
  if (room < 3) return;
  tets.push_back({at(1, 1, 1), bc, ab, ca});
}

// The ball of radius 1.
TetMesh unit_ball(std::size_t layers) {
  TetMesh mesh;
  mesh.positions.reserve(points_below(layers + 1));
  mesh.tets.reserve(20 * layers * layers * layers);
  mesh.positions.emplace_back(0, 0, 0);
  detail::add_icosphere_layers(1, layers, mesh.positions);
  for (std::size_t face = 0; face < 20; ++face)
    for (std::size_t a = 0; a < layers; ++a)
      for (std::size_t b = 0; a + b < layers; ++b)
        for (std::size_t c = 0; a + b + c < layers; ++c) add_cells(face, {a, b, c}, layers, mesh.tets);
  return mesh;
}

MeshCounts ball_counts(const ShapeDoor& door, std::size_t layers) {
  door.count("layers", layers, 1);
  const double n = as_double(layers);
  return door.counts(1 + 10 * (n * (n + 1) * (2 * n + 1) / 6) + 2 * n, 20 * n * n * n);
}

// 1 at `centre`, falling smoothly to 1/4 at distance `width`. No libm: the same everywhere.
double bump(const Vec3& p, const Vec3& centre, double width) {
  const double x = 1 + (p - centre).squaredNorm() / (width * width);
  return 1 / (x * x);
}

// From the ball of radius 1 to an organ about 2 long in x. Each part is gentle enough for the whole to keep
// every tetrahedron of every ball positive; the tests look at all of them.
Vec3 organ(const Vec3& p, double lobe, double notch) {
  const Vec3 lobe_at(0.55, -0.8, 0.1), notch_at(-0.15, 0.95, -0.2);
  Vec3 q = p;
  q += 0.4 * lobe * bump(p, lobe_at, 0.5) * lobe_at;
  q -= 0.28 * notch * bump(p, notch_at, 0.55) * notch_at;
  const double taper = 1 - 0.3 * q.x();  // thick towards -x, thin towards +x
  const double x = q.x(), y = 0.7 * taper * q.y(), z = 0.5 * taper * q.z();
  return {x, y, z + 0.12 * (x * x - 0.4)};  // and hollow below
}

}  // namespace

namespace detail {

void add_icosphere_layers(std::size_t least, std::size_t most, std::vector<Vec3>& positions) {
  const Icosahedron& ico = icosahedron();
  for (std::size_t k = least; k <= most; ++k) {
    const double radius = as_double(k) / as_double(most);
    const auto add = [&](const Vec3& direction) { positions.emplace_back(radius * direction.normalized()); };
    for (const Vec3& corner : ico.corners) add(corner);
    for (const auto& [a, b] : ico.edges)
      for (std::size_t i = 1; i < k; ++i)
        add(as_double(k - i) * ico.corners[a] + as_double(i) * ico.corners[b]);
    for (const auto& [a, b, c] : ico.faces)
      for (std::size_t i = 1; i + 1 < k; ++i)
        for (std::size_t j = 1; i + j < k; ++j)
          add(as_double(i) * ico.corners[a] + as_double(j) * ico.corners[b] +
              as_double(k - i - j) * ico.corners[c]);
  }
}

void refuse_bad_sizes(const IcosphereShape& shape) { ShapeDoor("icosphere").size("radius", shape.radius); }
void refuse_bad_sizes(const SolidSphereShape& shape) {
  ShapeDoor("solid-sphere").size("radius", shape.radius);
}
void refuse_bad_sizes(const BlobShape& shape) {
  const ShapeDoor door("blob");
  door.size("width", shape.width);
  door.between("lobe", shape.lobe, 0, 1);
  door.between("notch", shape.notch, 0, 1);
}

}  // namespace detail

MeshCounts counts_of(const IcosphereShape& shape) {
  const ShapeDoor door("icosphere");
  door.count("frequency", shape.frequency, 1);
  const double squared = as_double(shape.frequency) * as_double(shape.frequency);
  return door.counts(10 * squared + 2, 20 * squared);
}
MeshCounts counts_of(const SolidSphereShape& shape) {
  return ball_counts(ShapeDoor("solid-sphere"), shape.layers);
}
MeshCounts counts_of(const BlobShape& shape) { return ball_counts(ShapeDoor("blob"), shape.layers); }

TriangleMesh make(const IcosphereShape& shape) {
  detail::refuse_bad_sizes(shape);
  const MeshCounts counts = counts_of(shape);
  const std::size_t n = shape.frequency;
  TriangleMesh mesh;
  mesh.positions.reserve(counts.vertices);
  mesh.triangles.reserve(counts.elements);
  detail::add_icosphere_layers(n, n, mesh.positions);
  for (Vec3& p : mesh.positions) p *= shape.radius;
  for (std::size_t face = 0; face < 20; ++face) {
    const auto at = [&](std::size_t a, std::size_t b) {
      return as_index(number_in_layer(face, {n - a - b, a, b}));
    };
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; a + b < n; ++b) {
        mesh.triangles.push_back({at(a, b), at(a + 1, b), at(a, b + 1)});
        if (a + b + 1 < n) mesh.triangles.push_back({at(a + 1, b), at(a + 1, b + 1), at(a, b + 1)});
      }
  }
  ShapeDoor("icosphere").finished(mesh);
  return mesh;
}

TetMesh make(const SolidSphereShape& shape) {
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  TetMesh mesh = unit_ball(shape.layers);
  for (Vec3& p : mesh.positions) p *= shape.radius;
  ShapeDoor("solid-sphere").finished(mesh);
  return mesh;
}

TetMesh make(const BlobShape& shape) {
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  TetMesh mesh = unit_ball(shape.layers);
  for (Vec3& p : mesh.positions) p = shape.width / 2 * organ(p, shape.lobe, shape.notch);
  ShapeDoor("blob").finished(mesh);
  return mesh;
}

}  // namespace palpate
