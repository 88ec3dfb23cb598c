#include <palpate/report/picture.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <palpate/base/parallel.h>
#include <palpate/report/raster.h>

namespace palpate {
namespace {

constexpr std::size_t width = 96, height = 64;

// The oracle: every sample against every triangle by its barycentric coordinates.
struct PlainCanvas {
  std::vector<double> depth = std::vector<double>(width * height, -std::numeric_limits<double>::infinity());
  std::vector<float> grey = std::vector<float>(width * height, 1.0f);

  void paint(const std::array<Vec3, 3>& p, float value, double line) {
    const auto cross = [](const Vec3& a, const Vec3& b, double x, double y) {
      return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x());
    };
    const double area = cross(p[0], p[1], p[2].x(), p[2].y());
    if (area == 0) return;
    for (std::size_t i = 0; i < depth.size(); ++i) {
      const std::size_t row = i / width, column = i % width;
      const auto x = static_cast<double>(column), y = static_cast<double>(row);
      double z = 0, nearest = std::numeric_limits<double>::infinity(), least = nearest;
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 &a = p[(k + 1) % 3], &b = p[(k + 2) % 3];
        const double twice = cross(a, b, x, y);
        least = std::min(least, twice / area);
        z += twice / area * p[k].z();
        nearest = std::min(nearest, std::abs(twice) / std::hypot(b.x() - a.x(), b.y() - a.y()));
      }
      if (least < 0 || z <= depth[i]) continue;
      depth[i] = z;
      grey[i] = nearest < line ? 0.55f * value : value;
    }
  }
};

std::vector<std::array<Vec3, 3>> random_triangles(std::size_t count, bool whole) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> x(-30, 130), y(-20, 90), z(-50, 50);
  std::vector<std::array<Vec3, 3>> triangles(count);
  for (auto& triangle : triangles)
    for (Vec3& p : triangle) {
      p = Vec3(x(random), y(random), z(random));
      if (whole) p = Vec3(std::round(p.x()), std::round(p.y()), p.z());  // level sides, corners on samples
    }
  return triangles;
}

TEST(Raster, GivesWhatLookingAtEverySampleGives) {
  for (const bool whole : {false, true})
    for (const double line : {0.0, 1.5}) {
      RasterBand upper(width, 0, 20), lower(width, 20, height - 20);
      PlainCanvas plain;
      float grey = 0.2f;
      for (const auto& p : random_triangles(60, whole)) {
        grey = grey > 0.9f ? 0.2f : grey + 0.01f;
        upper.paint(p, grey, line);
        lower.paint(p, grey, line);
        plain.paint(p, grey, line);
      }
      std::size_t different = 0, painted = 0;
      for (std::size_t i = 0; i < width * height; ++i) {
        const float got = (i / width < 20 ? upper : lower).row(i / width)[i % width];
        different += got != plain.grey[i];
        painted += plain.grey[i] != 1;
      }
      EXPECT_GT(painted, width * height / 2);
      // Where a sample lies on a side to the last bit, rounding may decide otherwise.
      EXPECT_LE(different, whole ? width * height / 50 : 2) << "whole " << whole << ", line " << line;
    }
}

TEST(Raster, LeavesNoGapBetweenNeighbours) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> at(0, 1);
  for (int round = 0; round < 200; ++round) {
    // A fan that covers the whole band, around a point inside it.
    const Vec3 centre(at(random) * width, at(random) * height, 0);
    const std::array<Vec3, 5> ring = {Vec3(-1, -1, 0), Vec3(width + 1, -at(random), 0),
                                      Vec3(width + 1, height + 1, 0), Vec3(at(random) * width, height + 2, 0),
                                      Vec3(-1, height + 1, 0)};
    RasterBand band(width, 0, height);
    for (std::size_t k = 0; k < ring.size(); ++k) band.paint({ring[(k + 1) % 5], centre, ring[k]}, 0.5f, 0);
    for (std::size_t y = 0; y < height; ++y)
      ASSERT_EQ(std::count(band.row(y).begin(), band.row(y).end(), 0.5f), width) << "row " << y;
  }
}

TEST(Raster, TakesFlatThinAndFarTriangles) {
  RasterBand band(width, 0, height);
  const double huge = 1e300;
  band.paint({Vec3(1, 1, 0), Vec3(5, 5, 0), Vec3(9, 9, 0)}, 0.5f, 1);
  band.paint({Vec3(1, 1, 0), Vec3(1, 1, 0), Vec3(1, 1, 0)}, 0.5f, 1);
  for (std::size_t y = 0; y < height; ++y)
    EXPECT_EQ(std::count(band.row(y).begin(), band.row(y).end(), 1.0f), width);
  band.paint({Vec3(0, 0, huge), Vec3(90, 1e-12, -huge), Vec3(90, 0, huge)}, 0.5f, 1);
  band.paint({Vec3(-1e7, -1e7, 1), Vec3(1e7, -1e7, 1), Vec3(0, 1e7, 1)}, 0.25f, 1);
  EXPECT_EQ(band.row(height - 1)[width - 1], 0.25f);
}

TEST(Picture, DoesNotDependOnTheNumberOfThreads) {
  TriangleMesh mesh;
  for (const auto& triangle : random_triangles(200, false)) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), triangle.begin(), triangle.end());
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  const std::vector<TriangleMesh> meshes = {mesh};
  std::vector<std::uint8_t> one, four;
  Threads(1).run([&] { one = draw_picture(meshes, PictureView{}); });
  Threads(4).run([&] { four = draw_picture(meshes, PictureView{}); });
  EXPECT_EQ(one, four);
  EXPECT_LT(*std::min_element(one.begin(), one.end()), 200);
}

}  // namespace
}  // namespace palpate
