// Triangles into grey samples, without perspective: one band of rows at a time.
//
// A row of a triangle is a span between two of its sides, and the part of it that is not near a side is a
// span too. So the inner loop compares depths and nothing else, and the compiler makes vectors of it. A band
// has memory of its own, small enough for a cache; bands know nothing of each other and can be drawn in
// parallel.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

// Rows [top, top + height) of a canvas. Sample (x, y) stands at exactly these coordinates.
class RasterBand {
 public:
  RasterBand(std::size_t width, std::size_t top, std::size_t height);
  // Where it is nearer than what is there already; z points towards the eye. Samples nearer than `line` to
  // one of its sides get a darker grey. A triangle that is seen from its edge leaves nothing.
  void paint(const std::array<Vec3, 3>& corners, float grey, double line);
  // 1 where nothing was painted.
  std::span<const float> row(std::size_t y) const { return {grey_.data() + (y - top_) * width_, width_}; }

 private:
  struct Run;
  void fill(const Run& run, std::size_t begin, std::size_t end, float grey);

  std::size_t width_, top_, height_;
  std::vector<float> depth_, grey_;
};

}  // namespace palpate
