// What the data of a PLY file gives, text or binary, as it is read.
#pragma once

#include <palpate/mesh/formats/ply_header.h>
#include <palpate/mesh/formats/polygon.h>
#include <palpate/mesh/formats/skipped.h>

namespace palpate::detail {

struct PlyContent {
  std::uint32_t vertices = 0;  // as many as the header has; indices are checked against it
  std::vector<Vec3> positions;
  FaceList faces;
  Skipped skipped;
  std::vector<std::string> warnings;

  void add_face(std::span<const std::uint32_t> corners) {
    if (corners.size() < 3) return skipped.add("faces with fewer than 3 corners");
    faces.add(positions, corners);
  }
  // no_index begins a new strip.
  void add_strips(std::span<const std::uint32_t> corners);
  void skip(const PlyElement& element) {
    if (element.count > 0) skipped.add(skipped_name(element), element.count);
  }

 private:
  static std::string skipped_name(const PlyElement& element);
};

void read_ply_text(const FileBytes& file, const PlyHeader& header, PlyContent& content);
void read_ply_binary(const FileBytes& file, const PlyHeader& header, PlyContent& content);

}  // namespace palpate::detail
