// Where readers put elements of all kinds: triangles and tetrahedra are kept, polygons cut, the rest counted.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include <palpate/mesh/files.h>
#include <palpate/mesh/formats/polygon.h>
#include <palpate/mesh/formats/skipped.h>

namespace palpate::detail {

// What becomes of an element. A pixel is a quadrilateral whose last two corners are the other way round.
enum class Shape : std::uint8_t { skipped, triangle, quad, polygon, pixel, strip, tet };

struct ElementKind {
  int number;             // in the file
  std::string_view name;  // in the plural, for warnings
  Shape shape;
  std::uint16_t nodes;        // how many it has; 0: any number
  bool higher_order = false;  // more nodes than corners; the corners come first
};

class ElementSink {
 public:
  explicit ElementSink(MeshFile& mesh) : mesh_(mesh) {}

  // All positions are known and the nodes checked against them; there are as many as the kind says.
  void add(const ElementKind& kind, std::span<const std::uint32_t> nodes);
  void skip(std::string_view what, std::size_t count = 1) { skipped_.add(what, count); }
  // Puts what was skipped or simplified into the mesh's warnings.
  void finish();

 private:
  void add_polygon(std::span<const std::uint32_t> corners);

  MeshFile& mesh_;
  PolygonCutter cutter_;
  Skipped skipped_;
  std::map<std::string_view, std::size_t> simplified_;
};

}  // namespace palpate::detail
