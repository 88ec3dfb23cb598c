#include <palpate/mesh/require.h>

#include <fmt/core.h>

#include <palpate/base/error.h>

namespace palpate::detail {

namespace {

template <class Elements>
void require(std::span<const Vec3> positions, const Elements& elements, const char* kind) {
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (!positions[i].allFinite())
      throw Error(Place().element("vertex", i), "a coordinate is not finite", "Remove or mend this vertex.");
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (const std::uint32_t v : elements[i])
      if (v >= positions.size())
        throw Error(Place().element(kind, i),
                    fmt::format("there is no vertex {}: the mesh has {}", v, positions.size()),
                    "Number vertices from 0 on.");
}

}  // namespace

void require_sound(const TriangleMesh& mesh) { require(mesh.positions, mesh.triangles, "triangle"); }
void require_sound(const TetMesh& mesh) { require(mesh.positions, mesh.tets, "tetrahedron"); }

}  // namespace palpate::detail
