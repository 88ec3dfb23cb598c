// Every pair of features, one by one. No cleverness at all: the oracle of all others.
//
// It shares nothing with them but the kernel for one pair and the definition's filter and threshold: pairs
// are tested here, alone, and only those that are near are brought.
#include <palpate/collide/finder_list.h>

namespace palpate {

namespace {

struct Features {
  std::vector<std::uint32_t> vertices, edges, triangles;
};

Features features_of(const Surface& surface) {
  Features features;
  for (std::uint32_t v = 0; v < surface.vertices; ++v)
    if (!surface.topology.corners_at(v).empty()) features.vertices.push_back(surface.first_vertex + v);
  for (std::uint32_t t = 0; t < surface.triangles; ++t) {
    if (surface.topology.is_hole(t)) continue;
    features.triangles.push_back(surface.first_triangle + t);
    for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side)
      if (surface.topology.edge_of(side) == side) features.edges.push_back(3 * surface.first_triangle + side);
  }
  return features;
}

class FinderBrute : public Finder {
 public:
  void find(const Search& search, Collector& out) override {
    const Surfaces& all = search.surfaces;
    const double limit = search.reach * search.reach;
    Batch batch(out);
    const auto vertices_near_triangles = [&](const Features& one, const Features& two) {
      for (const std::uint32_t v : one.vertices)
        for (const std::uint32_t t : two.triangles)
          if (vertex_triangle(all.positions()[v], all.triangle(t)).squared_distance < limit)
            batch.vertex_triangle(v, t);
    };
    if (all.moving()) {
      bring_all(search, batch);
      return;
    }
    for (const SurfacePair& pair : search.pairs) {
      const Features one = features_of(all[pair.first]), two = features_of(all[pair.second]);
      vertices_near_triangles(one, two);
      if (pair.first != pair.second) vertices_near_triangles(two, one);
      for (const std::uint32_t e : one.edges)
        for (const std::uint32_t f : two.edges)
          if ((pair.first != pair.second || e < f) &&
              edge_edge(all.edge(e), all.edge(f)).squared_distance < limit)
            batch.edge_edge(e, f);
    }
  }

 private:
  // In a step, the test of one pair is all there is.
  static void bring_all(const Search& search, Batch& batch) {
    const auto vertices_and_triangles = [&](const Features& one, const Features& two) {
      for (const std::uint32_t v : one.vertices)
        for (const std::uint32_t t : two.triangles) batch.vertex_triangle(v, t);
    };
    for (const SurfacePair& pair : search.pairs) {
      const Features one = features_of(search.surfaces[pair.first]),
                     two = features_of(search.surfaces[pair.second]);
      vertices_and_triangles(one, two);
      if (pair.first != pair.second) vertices_and_triangles(two, one);
      for (const std::uint32_t e : one.edges)
        for (const std::uint32_t f : two.edges)
          if (pair.first != pair.second || e < f) batch.edge_edge(e, f);
    }
  }
};

}  // namespace

std::unique_ptr<Finder> make_finder_brute(const FinderOptions& /*unused*/) {
  return std::make_unique<FinderBrute>();
}

}  // namespace palpate
