#include <palpate/report/picture.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/geometry/box.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/report/raster.h>

namespace palpate {

namespace {

constexpr std::size_t fine = 3;  // samples of a pixel along each side: smooth outlines

// All meshes as one, in the samples' coordinates; z points towards the eye.
struct Scene {
  std::vector<Vec3> points;
  std::vector<TriangleCorners> triangles;
  std::size_t top_points = 0, top_triangles = 0;  // where those begin that are on top
};

Mat3 turned_to(const PictureView& view) {
  const double a = view.azimuth * std::numbers::pi / 180, e = view.elevation * std::numbers::pi / 180;
  Mat3 turn;  // rows: right, down, towards the eye
  turn.row(2) = Vec3(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e));
  turn.row(0) = Vec3(-std::sin(a), std::cos(a), 0);
  turn.row(1) = turn.row(0).cross(turn.row(2));
  return turn;
}

Scene seen(std::span<const TriangleMesh> meshes, const PictureView& view) {
  const Mat3 turn = turned_to(view);
  double unit = 1;  // huge and tiny meshes alike
  for (const TriangleMesh& mesh : meshes) unit = std::min(unit, unit_scale(mesh.positions));
  Scene scene;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const TriangleMesh& mesh = meshes[m];
    const std::size_t before = scene.points.size();
    if (m + view.on_top <= meshes.size()) {
      scene.top_points = before;
      scene.top_triangles = scene.triangles.size();
    }
    if (before + mesh.positions.size() > no_index)
      throw Error(Place::named("picture", "of all meshes"), "they have too many vertices together",
                  "Draw fewer of them at once.");
    for (const Vec3& p : mesh.positions) scene.points.emplace_back(turn * (unit * p));
    for (TriangleCorners t : mesh.triangles) {
      if (is_hole(t)) continue;
      for (std::uint32_t& corner : t) corner += static_cast<std::uint32_t>(before);
      scene.triangles.push_back(t);
    }
  }
  const Box box = bounds(scene.points);
  const auto width = static_cast<double>(fine * view.width), height = static_cast<double>(fine * view.height);
  const double scale =
      0.94 * std::min(width / std::max(box.size().x(), 1e-300), height / std::max(box.size().y(), 1e-300));
  const Vec3 middle(width / 2, height / 2, 0);
  for (Vec3& p : scene.points) p = scale * (p - box.center()) + middle;
  if (view.on_top == 0) {
    scene.top_points = scene.points.size();
    scene.top_triangles = scene.triangles.size();
  }
  for (std::size_t i = scene.top_points; i < scene.points.size(); ++i)
    scene.points[i].z() += 2 * scale * box.size().z() + 1;
  return scene;
}

float grey_of(const std::array<Vec3, 3>& p) {
  static const Vec3 light = Vec3(-0.35, -0.55, 0.75).normalized();
  const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
  const double facing = normal.z() < 0 ? -normal.dot(light) : normal.dot(light);  // both sides are lit
  return static_cast<float>(0.35 + 0.6 * std::max(0.0, facing));
}

// Which triangles a band of pixel rows has to do with, in their order: it decides between equal depths.
class Bins {
 public:
  Bins(const Scene& scene, std::size_t bands, std::size_t samples_each) : begins_(bands + 1, 0) {
    const auto each = [&](auto&& visit) {
      for (std::size_t t = 0; t < scene.triangles.size(); ++t) {
        const auto p = triangle_at(scene.points, scene.triangles[t]);
        const auto [low, high] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
        const auto band = [&](double y) {
          return static_cast<std::size_t>(
              std::clamp(y / static_cast<double>(samples_each), 0.0, static_cast<double>(bands - 1)));
        };
        for (std::size_t b = band(low); b <= band(high); ++b) visit(b, static_cast<std::uint32_t>(t));
      }
    };
    each([&](std::size_t band, std::uint32_t) { ++begins_[band + 1]; });
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    triangles_.resize(begins_.back());
    std::vector<std::size_t> next = begins_;
    each([&](std::size_t band, std::uint32_t t) { triangles_[next[band]++] = t; });
  }
  std::span<const std::uint32_t> of(std::size_t band) const {
    return std::span(triangles_).subspan(begins_[band], begins_[band + 1] - begins_[band]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> triangles_;
};

// A row of pixels: the means of their samples.
void average(const RasterBand& band, std::size_t y, std::span<std::uint8_t> pixels) {
  for (std::size_t x = 0; x < pixels.size(); ++x) {
    float sum = 0;
    for (std::size_t k = 0; k < fine * fine; ++k) sum += band.row(fine * y + k / fine)[fine * x + k % fine];
    pixels[x] = static_cast<std::uint8_t>(std::lround(255 * sum / (fine * fine)));
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

std::vector<std::uint8_t> draw_picture(std::span<const TriangleMesh> meshes, const PictureView& view) {
  const Scene scene = seen(meshes, view);
  // As many rows as a cache holds, but not so few that a large triangle is met in very many bands.
  const std::size_t rows = std::max<std::size_t>(4, (std::size_t{1} << 16) / (fine * fine * view.width));
  const std::size_t bands = chunk_count(view.height, rows);
  const Bins bins(scene, bands, fine * rows);
  const double line = view.edges ? 0.5 * static_cast<double>(fine) : 0;
  std::vector<std::uint8_t> pixels(view.width * view.height);
  parallel_chunks(view.height, rows, [&](Chunk chunk) {
    RasterBand band(fine * view.width, fine * chunk.begin, fine * (chunk.end - chunk.begin));
    for (const std::uint32_t t : bins.of(chunk.index)) {
      const auto p = triangle_at(scene.points, scene.triangles[t]);
      band.paint(p, t < scene.top_triangles ? grey_of(p) : 0.1f, line);
    }
    for (std::size_t y = chunk.begin; y < chunk.end; ++y)
      average(band, y, std::span(pixels).subspan(y * view.width, view.width));
  });
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
            static_cast<uLong>(rows.size()), 6);  // 9 takes four times as long for 6 % less
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

}  // namespace palpate
