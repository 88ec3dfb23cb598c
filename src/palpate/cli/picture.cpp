#include <palpate/cli/picture.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Geometry>

#include <palpate/geometry/box.h>
#include <palpate/mesh/degenerate.h>

namespace palpate::cli {

namespace {

constexpr std::size_t fine = 3;  // samples of a pixel along each side: smooth outlines

struct Canvas {
  std::size_t width, height;
  std::vector<float> depth, grey;
};

// One triangle in canvas coordinates (z towards the eye): inside by barycentric coordinates, dark near its
// sides.
void paint(Canvas& canvas, const std::array<Vec3, 3>& p, float grey, double line) {
  const auto low = [](double x) { return static_cast<std::size_t>(std::max(0.0, std::ceil(x))); };
  const auto high = [](double x, std::size_t end) {
    return static_cast<std::size_t>(std::clamp(std::floor(x) + 1, 0.0, static_cast<double>(end)));
  };
  const auto cross = [](const Vec3& a, const Vec3& b, double x, double y) {
    return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x());
  };
  const double area = cross(p[0], p[1], p[2].x(), p[2].y());
  if (!(std::abs(area) > 0) || !std::isfinite(area)) return;
  const auto [x0, x1] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
  const auto [y0, y1] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
  for (std::size_t y = low(y0); y < high(y1, canvas.height); ++y)
    for (std::size_t x = low(x0); x < high(x1, canvas.width); ++x) {
      double z = 0, nearest = std::numeric_limits<double>::infinity();
      bool inside = true;
      for (std::size_t k = 0; k < 3 && inside; ++k) {
        const Vec3 &a = p[(k + 1) % 3], &b = p[(k + 2) % 3];
        const double twice = cross(a, b, static_cast<double>(x), static_cast<double>(y)), w = twice / area;
        inside = w >= 0;
        z += w * p[k].z();
        nearest = std::min(nearest, std::abs(twice) / std::hypot(b.x() - a.x(), b.y() - a.y()));
      }
      const std::size_t at = y * canvas.width + x;
      if (!inside || z <= static_cast<double>(canvas.depth[at])) continue;
      canvas.depth[at] = static_cast<float>(z);
      canvas.grey[at] = nearest < line ? 0.55f * grey : grey;
    }
}

void append_number(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
}

void append_block(std::string& out, const std::string& name, const std::string& content) {
  append_number(out, static_cast<std::uint32_t>(content.size()));
  const std::string all = name + content;
  out += all;
  append_number(out, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(all.data()),
                                                      static_cast<uInt>(all.size()))));
}

}  // namespace

std::vector<std::uint8_t> draw(std::span<const TriangleMesh> meshes, const View& view) {
  const double a = view.azimuth * std::numbers::pi / 180, e = view.elevation * std::numbers::pi / 180;
  Mat3 turn;  // rows: right, down, towards the eye
  turn.row(2) = Vec3(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e));
  turn.row(0) = Vec3(-std::sin(a), std::cos(a), 0);
  turn.row(1) = turn.row(0).cross(turn.row(2));
  double unit = 1;  // huge and tiny meshes alike
  for (const TriangleMesh& mesh : meshes) unit = std::min(unit, unit_scale(mesh.positions));
  Box box;
  for (const TriangleMesh& mesh : meshes)
    for (const Vec3& p : mesh.positions) box.add(turn * (unit * p));
  Canvas canvas{fine * view.width, fine * view.height, {}, {}};
  canvas.depth.assign(canvas.width * canvas.height, -std::numeric_limits<float>::infinity());
  canvas.grey.assign(canvas.width * canvas.height, 1);
  const Vec3 size = box.size();
  const double scale = 0.94 * std::min(static_cast<double>(canvas.width) / std::max(size.x(), 1e-300),
                                       static_cast<double>(canvas.height) / std::max(size.y(), 1e-300));
  const Vec3 middle(static_cast<double>(canvas.width) / 2, static_cast<double>(canvas.height) / 2, 0);
  const Vec3 light = Vec3(-0.35, -0.55, 0.75).normalized();
  for (const TriangleMesh& mesh : meshes)
    for (const TriangleCorners& t : mesh.triangles) {
      std::array<Vec3, 3> p = triangle_at(mesh.positions, t);
      for (Vec3& q : p) q = scale * (turn * (unit * q) - box.center()) + middle;
      const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
      const double facing = normal.z() < 0 ? -normal.dot(light) : normal.dot(light);  // both sides are lit
      const double grey = 0.35 + 0.6 * std::max(0.0, facing);
      paint(canvas, p, static_cast<float>(grey), view.edges ? 0.5 * static_cast<double>(fine) : 0);
    }
  std::vector<std::uint8_t> pixels(view.width * view.height);
  for (std::size_t y = 0; y < view.height; ++y)
    for (std::size_t x = 0; x < view.width; ++x) {
      float sum = 0;
      for (std::size_t k = 0; k < fine * fine; ++k)
        sum += canvas.grey[(fine * y + k / fine) * canvas.width + fine * x + k % fine];
      pixels[y * view.width + x] = static_cast<std::uint8_t>(std::lround(255 * sum / (fine * fine)));
    }
  return pixels;
}

std::string png(std::span<const std::uint8_t> grey, std::size_t width, std::size_t height) {
  std::string rows;
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(grey.data() + y * width), width);
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
            static_cast<uLong>(rows.size()), 9);
  packed.resize(size);
  std::string head;
  append_number(head, static_cast<std::uint32_t>(width));
  append_number(head, static_cast<std::uint32_t>(height));
  head += std::string("\x08\x00\x00\x00\x00", 5);  // 8 bits, grey
  std::string out = "\x89PNG\r\n\x1a\n";
  append_block(out, "IHDR", head);
  append_block(out, "IDAT", packed);
  append_block(out, "IEND", {});
  return out;
}

}  // namespace palpate::cli
