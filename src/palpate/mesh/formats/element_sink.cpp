#include <palpate/mesh/formats/element_sink.h>

#include <array>

#include <fmt/format.h>

namespace palpate::detail {

void ElementSink::add(const ElementKind& kind, std::span<const std::uint32_t> nodes) {
  const std::size_t corners = kind.shape == Shape::triangle ? 3 : 4;
  const bool has_fixed_corners = kind.shape == Shape::triangle || kind.shape == Shape::quad ||
                                 kind.shape == Shape::pixel || kind.shape == Shape::tet;
  // Kinds without a fixed number of nodes may come with too few of them.
  if (kind.shape == Shape::skipped || nodes.size() < (has_fixed_corners ? corners : 3)) {
    skipped_.add(kind.shape == Shape::skipped ? kind.name
                                              : fmt::format("{} with too few corners", kind.name));
    return;
  }
  if (kind.higher_order) ++simplified_[kind.name];
  switch (kind.shape) {
    case Shape::triangle:
      mesh_.triangles.push_back({nodes[0], nodes[1], nodes[2]});
      break;
    case Shape::tet:
      mesh_.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]});
      break;
    case Shape::quad:
      add_polygon(nodes.first(4));
      break;
    case Shape::pixel:
      add_polygon(std::array{nodes[0], nodes[1], nodes[3], nodes[2]});
      break;
    case Shape::strip:
      // Every other triangle of a strip runs the other way round.
      for (std::size_t i = 2; i < nodes.size(); ++i)
        mesh_.triangles.push_back({nodes[i - 2], nodes[i - 1 + i % 2], nodes[i - i % 2]});
      break;
    default:
      add_polygon(nodes);
      break;
  }
}

void ElementSink::add_polygon(std::span<const std::uint32_t> corners) {
  cutter_.cut(mesh_.positions, corners, mesh_.triangles);
}

void ElementSink::finish() {
  for (const auto& [name, count] : simplified_)
    mesh_.warnings.push_back(fmt::format(
        "read {} {} by their corners only: nodes between corners stay as unused vertices", count, name));
  if (cutter_.fanned() > 0)
    mesh_.warnings.push_back(
        fmt::format("{} polygons of over 1,000 corners became fans of triangles", cutter_.fanned()));
  skipped_.append_to(mesh_.warnings);
}

}  // namespace palpate::detail
