// A quick look at meshes without a viewer: shaded, seen from a corner, as a PNG.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

struct PictureView {
  std::size_t width = 800, height = 600;  // [pixels]
  double azimuth = 30, elevation = 25;    // where one stands [degrees]; z is up
  bool edges = true;                      // draw the triangles' sides
  std::size_t on_top = 0;  // of the meshes, so many of the last are drawn dark and over the others
};

// Grey values, row by row from the top. The meshes fill the picture together, without perspective.
std::vector<std::uint8_t> draw_picture(std::span<const TriangleMesh> meshes, const PictureView& view);

// The bytes of a PNG file.
std::string png(std::span<const std::uint8_t> grey, std::size_t width, std::size_t height);

}  // namespace palpate
