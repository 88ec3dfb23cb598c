#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/quality.h>
#include <palpate/mesh/repair.h>
#include <palpate/mesh/tet_editor.h>

namespace palpate {

namespace {

double measure(const std::array<Vec3, 4>& corners) { return radius_ratio(corners); }

struct Tally {
  std::size_t edges = 0, faces = 0, moves = 0, merges = 0, inserts = 0, peels = 0;
  std::size_t sum() const { return edges + faces + moves + merges + inserts + peels; }
};

// One improvement of a tetrahedron: swaps first, as they leave the nodes where they are.
bool improve(detail::TetEditor& editor, const TetMesh& mesh, std::uint32_t tet, double most, Tally& tally) {
  const TetCorners corners = mesh.tets[tet];
  if (editor.peel(tet, most)) return ++tally.peels, true;
  for (const auto& [i, j] : tet_edges)
    if (editor.remove_edge(corners[i], corners[j])) return ++tally.edges, true;
  for (unsigned face = 0; face < 4; ++face)
    if (editor.swap_face(tet, face)) return ++tally.faces, true;
  bool moved = false;
  for (const std::uint32_t node : corners)
    if (editor.move_node(node)) ++tally.moves, moved = true;
  if (moved) return true;
  for (const auto& [i, j] : tet_edges)
    if (editor.merge_node(corners[i], corners[j], most) || editor.merge_node(corners[j], corners[i], most))
      return ++tally.merges, true;
  return editor.insert_node(tet) && ++tally.inserts;
}

std::vector<std::uint32_t> bad_tets(const detail::TetEditor& editor, double wanted) {
  std::vector<std::pair<double, std::uint32_t>> bad;
  for (std::uint32_t t = 0; t < editor.size(); ++t)
    if (editor.alive(t))
      if (const double q = editor.quality(t); q < wanted) bad.emplace_back(q, t);
  std::sort(bad.begin(), bad.end());
  std::vector<std::uint32_t> tets;
  for (const auto& [q, t] : bad) tets.push_back(t);
  return tets;
}

}  // namespace

Repair improve_slivers(TetMesh& mesh, const SliverOptions& options) {
  if (!(options.wanted_quality > 0 && options.wanted_quality < 1))
    throw Error(Place::named("parameter", "wanted quality"),
                fmt::format("{} is not between 0 and 1", options.wanted_quality),
                "0.05 is usual; 1 is the regular tetrahedron.");
  if (const BoundarySurface boundary = boundary_surface(mesh); !boundary.crowded_tets.empty())
    throw Error(Place().element("tetrahedron", boundary.crowded_tets[0]),
                "three or more tetrahedra share one of its faces",
                "This is no mesh of a solid: drop duplicates first, or mesh it again.");
  detail::TetEditor editor(mesh, measure);
  const std::vector<std::uint32_t> before = bad_tets(editor, options.wanted_quality);
  if (before.empty()) return {};
  const double worst_before = editor.quality(before[0]);
  Tally tally;
  std::vector<std::uint32_t> bad = before;
  std::map<TetCorners, std::size_t> in_vain;
  for (std::size_t round = 0; round < options.most_rounds && !bad.empty(); ++round) {
    const std::size_t sum = tally.sum();
    for (const std::uint32_t tet : bad) {
      // It may have gone, or been mended with a neighbour.
      if (!editor.alive(tet) || editor.quality(tet) >= options.wanted_quality) continue;
      // What did not help twice is not tried again: the rest of the time goes to others.
      std::size_t& failures = in_vain[mesh.tets[tet]];
      if (failures < 2 && !improve(editor, mesh, tet, options.surface_tolerance, tally)) ++failures;
    }
    bad = bad_tets(editor, options.wanted_quality);
    if (tally.sum() == sum) break;
  }
  const double worst_after = bad.empty() ? options.wanted_quality : editor.quality(bad[0]);
  editor.finish();
  if (tally.merges + tally.peels > 0) drop_unused_vertices(mesh);
  return {
      tally.sum(),
      fmt::format(
          "of {} tetrahedra of quality below {:g} (worst {:.2g}), {} are left (worst {}{:.2g}): {} edges and "
          "{} faces swapped, {} inner nodes moved, {} merged, {} added, "
          "{} flat ones peeled off the surface",
          before.size(), options.wanted_quality, worst_before, bad.size(), bad.empty() ? "above " : "",
          worst_after, tally.edges, tally.faces, tally.moves, tally.merges, tally.inserts, tally.peels)};
}

}  // namespace palpate
