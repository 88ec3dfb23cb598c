// Polygons of files become triangles.
//
// A polygon is looked at along the axis nearest its normal, so that its coordinates stay as they are and
// orientation signs are exact. One that is seen whole from its first corner (as every convex one is) becomes
// a fan from there; any other is cut by its ears. The triangles keep the polygon's sense, and a quadrilateral
// is split along the diagonal that leaves both halves the right way round. A polygon that is not simple gives
// triangles too, whose signed areas still add up to its own. Very long polygons (over 1,000 corners), where
// ears would take too long, become fans; `fanned` counts them for a warning.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate::detail {

class PolygonCutter {
 public:
  // Appends corners.size() - 2 triangles. Indices have been checked; fewer than 3 corners give nothing.
  void cut(std::span<const Vec3> positions, std::span<const std::uint32_t> corners,
           std::vector<TriangleCorners>& triangles);
  std::size_t fanned() const { return fanned_; }

 private:
  // The next and the previous corner that is still there, and what it is now.
  struct Corner {
    std::uint32_t next, before;
    int turn;  // orient2d at this corner
    bool ear;
  };

  bool flatten(std::span<const Vec3> positions, std::span<const std::uint32_t> corners);
  bool seen_whole_from_first() const;
  void cut_ears(std::span<const std::uint32_t> corners, std::vector<TriangleCorners>& triangles);
  std::uint32_t corner_to_cut(std::uint32_t from, std::size_t left, int& searches);
  void look_at(std::uint32_t corner);
  bool is_ear(std::uint32_t corner) const;
  bool blocks(std::uint32_t corner, std::uint32_t other) const;

  std::vector<Vec2> flat_;
  std::vector<Corner> ring_;
  std::size_t fanned_ = 0;
};

// Faces in the order of a file that may have its vertices after them: what cannot be cut yet waits for the
// positions.
class FaceList {
 public:
  std::vector<TriangleCorners> triangles;

  // `known`: the positions so far. At least 3 corners, which finish() must find in range.
  void add(std::span<const Vec3> known, std::span<const std::uint32_t> corners);
  // Cuts what waited, and warns of fans.
  void finish(std::span<const Vec3> positions, std::vector<std::string>& warnings);

 private:
  PolygonCutter cutter_;
  std::vector<std::uint32_t> waiting_;  // a count and as many corners, again and again
};

}  // namespace palpate::detail
