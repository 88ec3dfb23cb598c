#include <palpate/collide/leaf_tree.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <Eigen/Geometry>

#include <palpate/base/parallel.h>
#include <palpate/collide/kernel.h>
#include <palpate/geometry/box.h>

namespace palpate {

namespace {

constexpr std::uint32_t nowhere = 0xffffffff;

struct Sorted {
  Vec3f centre;
  std::uint32_t triangle;
};

// Halves by the median along the widest axis. The first part has 8, 16, 32 ... triangles, so that leaves and
// groups of leaves begin at multiples of their size.
void halve(std::span<Sorted> part) {
  while (part.size() > leaf_triangles) {
    Boxf box;
    for (const Sorted& s : part) box.add(s.centre);
    Eigen::Index axis = 0;
    box.size().maxCoeff(&axis);
    const std::size_t first = std::bit_floor((part.size() - 1) / leaf_triangles) * leaf_triangles;
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(first), part.end(),
                     [axis](const Sorted& a, const Sorted& b) {
                       return a.centre[axis] != b.centre[axis] ? a.centre[axis] < b.centre[axis]
                                                               : a.triangle < b.triangle;
                     });
    halve(part.first(first));
    part = part.subspan(first);
  }
}

}  // namespace

void LeafTree::sort_triangles(const Surface& surface) {
  std::vector<Sorted> sorted;
  sorted.reserve(surface.triangles);
  const Vec3 origin = bounds(surface.rest).empty() ? Vec3(Vec3::Zero()) : bounds(surface.rest).center();
  for (std::uint32_t t = 0; t < surface.triangles; ++t) {
    if (surface.topology.is_hole(t)) continue;
    const auto [a, b, c] = triangle_at(surface.rest, surface.topology.triangles()[t]);
    sorted.push_back({(((a - origin) + (b - origin) + (c - origin)) / 3).cast<float>(), t});
  }
  halve(sorted);
  order_.clear();
  for (const Sorted& s : sorted) order_.push_back(s.triangle);
}

// Takes triangles in order; an edge or vertex belongs to the first leaf that has room for it.
void LeafTree::make_leaves(const Surface& surface) {
  const Topology& topology = surface.topology;
  leaves_.clear();
  std::vector<std::uint8_t> edge_taken(3 * std::size_t{surface.triangles}, 0),
      vertex_taken(surface.vertices, 0);
  // How many triangles are still to come at each edge and vertex: what has none left cannot be passed on.
  std::vector<std::uint32_t> edge_left(edge_taken.size(), 0), vertex_left(surface.vertices, 0);
  for (const std::uint32_t t : order_)
    for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
      if (topology.edge_of(side) != no_index) ++edge_left[topology.edge_of(side)];
      ++vertex_left[topology.vertex_at(side)];
    }
  std::vector<std::uint32_t> must_edges, may_edges, must_vertices, may_vertices;
  for (std::size_t begin = 0; begin < order_.size();) {
    std::size_t count = std::min<std::size_t>(leaf_triangles, order_.size() - begin);
    // The features not taken yet, those first that no later triangle has. With too many of those, fewer
    // triangles.
    for (;; --count) {
      must_edges.clear(), may_edges.clear(), must_vertices.clear(), may_vertices.clear();
      const auto put = [](std::uint32_t what, std::uint32_t left_here, std::vector<std::uint32_t>& must,
                          std::vector<std::uint32_t>& may) {
        std::vector<std::uint32_t>& list = left_here == 0 ? must : may;
        if (std::find(list.begin(), list.end(), what) == list.end()) list.push_back(what);
      };
      const auto corners = std::span(order_).subspan(begin, count);
      for (const std::uint32_t t : corners)
        for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
          if (const std::uint32_t e = topology.edge_of(side); e != no_index) --edge_left[e];
          --vertex_left[topology.vertex_at(side)];
        }
      for (const std::uint32_t t : corners)
        for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
          if (const std::uint32_t e = topology.edge_of(side); e != no_index && edge_taken[e] == 0)
            put(e, edge_left[e], must_edges, may_edges);
          const std::uint32_t v = topology.vertex_at(side);
          if (vertex_taken[v] == 0) put(v, vertex_left[v], must_vertices, may_vertices);
        }
      if ((must_edges.size() <= leaf_features && must_vertices.size() <= leaf_features) || count == 1) break;
      for (const std::uint32_t t : corners)
        for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
          if (const std::uint32_t e = topology.edge_of(side); e != no_index) ++edge_left[e];
          ++vertex_left[topology.vertex_at(side)];
        }
    }
    Leaf leaf{};
    const auto place_of = [&](std::uint32_t v) {
      const auto end = leaf.vertex.begin() + leaf.vertices;
      const auto at = std::find(leaf.vertex.begin(), end, v);
      if (at == end) leaf.vertex[leaf.vertices++] = v;
      return static_cast<std::uint8_t>(at - leaf.vertex.begin());
    };
    for (const auto* list : {&must_vertices, &may_vertices})
      for (const std::uint32_t v : *list)
        if (leaf.own_vertices < leaf_features) {
          place_of(v);
          ++leaf.own_vertices;
          vertex_taken[v] = 1;
        }
    for (std::size_t i = begin; i < begin + count; ++i) {
      const std::uint32_t t = order_[i];
      for (std::size_t k = 0; k < 3; ++k)
        leaf.corner[k][leaf.triangles] = place_of(topology.triangles()[t][k]);
      leaf.triangle[leaf.triangles++] = t;
    }
    for (const auto* list : {&must_edges, &may_edges})
      for (const std::uint32_t e : *list)
        if (leaf.edges < leaf_features) {
          leaf.end[0][leaf.edges] = place_of(topology.vertex_at(e));
          leaf.end[1][leaf.edges] = place_of(topology.vertex_at(next_corner(e)));
          leaf.edge[leaf.edges++] = e;
          edge_taken[e] = 1;
        }
    leaves_.push_back(leaf);
    begin += count;
  }
}

namespace {

// Where features are: leaf * 16 + place (vertices, edges), leaf * 8 + place (triangles).
struct Places {
  std::vector<std::uint32_t> vertex;
  std::vector<std::uint32_t> edges_begin, edges, triangles_begin, triangles;  // by vertex
};

Places places_of(const Surface& surface, std::span<const Leaf> leaves) {
  Places places;
  places.vertex.assign(surface.vertices, nowhere);
  const auto fill = [&](std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& list, auto&& each) {
    begin.assign(surface.vertices + std::size_t{1}, 0);
    each([&](std::uint32_t v, std::uint32_t) { ++begin[v + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    list.resize(begin.back());
    each([&](std::uint32_t v, std::uint32_t place) { list[begin[v]++] = place; });
    std::copy_backward(begin.begin(), begin.end() - 1, begin.end());
    begin[0] = 0;
  };
  fill(places.edges_begin, places.edges, [&](auto&& put) {
    for (std::uint32_t i = 0; i < leaves.size(); ++i)
      for (std::uint32_t k = 0; k < leaves[i].edges; ++k)
        for (const auto& end : leaves[i].end) put(leaves[i].vertex[end[k]], i * leaf_features + k);
  });
  fill(places.triangles_begin, places.triangles, [&](auto&& put) {
    for (std::uint32_t i = 0; i < leaves.size(); ++i)
      for (std::uint32_t k = 0; k < leaves[i].triangles; ++k)
        for (const auto& c : leaves[i].corner) put(leaves[i].vertex[c[k]], i * leaf_triangles + k);
  });
  for (std::uint32_t i = 0; i < leaves.size(); ++i)
    for (std::uint32_t k = 0; k < leaves[i].own_vertices; ++k)
      places.vertex[leaves[i].vertex[k]] = i * leaf_features + k;
  return places;
}

// The masks of one leaf with itself and with higher ones.
class MaskMaker {
 public:
  MaskMaker(const Surface& surface, std::span<const Leaf> leaves, const Places& places)
      : surface_(surface), leaves_(leaves), places_(places), place_(leaves.size(), nowhere) {}

  std::vector<std::uint32_t> found;  // leaves, in the order of `masks`
  std::vector<LeafMask> masks;

  void make(std::uint32_t low) {
    for (const std::uint32_t leaf : found) place_[leaf] = nowhere;
    found.clear();
    masks.clear();
    const Leaf& leaf = leaves_[low];
    for (std::uint8_t v = 0; v < leaf.vertices; ++v) {
      std::uint16_t edges = 0;
      std::uint8_t triangles = 0;
      for (unsigned e = 0; e < leaf.edges; ++e)
        if (leaf.end[0][e] == v || leaf.end[1][e] == v) edges = static_cast<std::uint16_t>(edges | 1u << e);
      for (unsigned t = 0; t < leaf.triangles; ++t)
        for (const auto& c : leaf.corner)
          if (c[t] == v) triangles = static_cast<std::uint8_t>(triangles | 1u << t);
      const std::uint32_t vertex = leaf.vertex[v];
      if (surface_.near.reach() > 0) {
        for (const std::uint32_t near : surface_.near.near(vertex)) mark(low, v, edges, triangles, near);
      } else {
        mark(low, v, edges, triangles, vertex);
      }
    }
  }

 private:
  LeafMask& mask(std::uint32_t leaf) {
    if (place_[leaf] == nowhere) {
      place_[leaf] = static_cast<std::uint32_t>(found.size());
      found.push_back(leaf);
      masks.emplace_back();
    }
    return masks[place_[leaf]];
  }
  // Vertex v of the leaf, with these edges and triangles at it, is near vertex `there`.
  void mark(std::uint32_t low, std::uint8_t v, std::uint16_t edges, std::uint8_t triangles,
            std::uint32_t there) {
    for (std::uint32_t i = places_.edges_begin[there]; i < places_.edges_begin[there + 1]; ++i)
      if (const std::uint32_t leaf = places_.edges[i] / leaf_features; leaf >= low) {
        std::uint16_t& row = mask(leaf).edges[places_.edges[i] % leaf_features];
        row = static_cast<std::uint16_t>(row | edges);
      }
    if (v < leaves_[low].own_vertices)
      for (std::uint32_t i = places_.triangles_begin[there]; i < places_.triangles_begin[there + 1]; ++i)
        if (const std::uint32_t leaf = places_.triangles[i] / leaf_triangles; leaf >= low) {
          std::uint8_t& row = mask(leaf).vertices_low[v];
          row = static_cast<std::uint8_t>(row | 1u << places_.triangles[i] % leaf_triangles);
        }
    if (const std::uint32_t at = places_.vertex[there]; at != nowhere && at / leaf_features >= low) {
      std::uint8_t& row = mask(at / leaf_features).vertices_high[at % leaf_features];
      row = static_cast<std::uint8_t>(row | triangles);
    }
  }

  const Surface& surface_;
  std::span<const Leaf> leaves_;
  const Places& places_;
  std::vector<std::uint32_t> place_;
};

NearLeaf open_rows(const Leaf& low, const Leaf& high, std::uint32_t leaf, bool same, const LeafMask& mask) {
  NearLeaf near{leaf, 0, 0, 0, 0, 0, 0};
  const auto first_with = [](const Leaf& of, auto&& has) {
    unsigned t = 0;
    while (!has(of, t)) ++t;
    return t;
  };
  const auto has_vertex = [](unsigned v) {
    return [v](const Leaf& of, unsigned t) {
      return of.corner[0][t] == v || of.corner[1][t] == v || of.corner[2][t] == v;
    };
  };
  const auto has_edge = [&](const Leaf& of, unsigned e) {
    return [a = has_vertex(of.end[0][e]), b = has_vertex(of.end[1][e])](const Leaf& l, unsigned t) {
      return a(l, t) && b(l, t);
    };
  };
  const auto open = [&](unsigned low_triangle, unsigned high_triangle) {
    near.triangles_open |= std::uint64_t{1} << (8 * high_triangle + low_triangle);
  };
  const unsigned all_edges = (1u << low.edges) - 1, all_low = (1u << low.triangles) - 1,
                 all_high = (1u << high.triangles) - 1;
  for (unsigned f = 0; f < high.edges; ++f) {
    // Inside one leaf, each pair once.
    unsigned bits = (same ? all_edges & ((1u << f) - 1) : all_edges) & ~unsigned{mask.edges[f]};
    if (bits != 0) near.edges_open = static_cast<std::uint16_t>(near.edges_open | 1u << f);
    for (; bits != 0; bits &= bits - 1)
      open(first_with(low, has_edge(low, static_cast<unsigned>(std::countr_zero(bits)))),
           first_with(high, has_edge(high, f)));
  }
  for (unsigned v = 0; v < low.own_vertices; ++v) {
    unsigned bits = all_high & ~unsigned{mask.vertices_low[v]};
    if (bits != 0) near.low_open = static_cast<std::uint16_t>(near.low_open | 1u << v);
    for (; bits != 0; bits &= bits - 1)
      open(first_with(low, has_vertex(v)), static_cast<unsigned>(std::countr_zero(bits)));
  }
  for (unsigned v = 0; v < high.own_vertices && !same; ++v) {
    unsigned bits = all_low & ~unsigned{mask.vertices_high[v]};
    if (bits != 0) near.high_open = static_cast<std::uint16_t>(near.high_open | 1u << v);
    for (; bits != 0; bits &= bits - 1)
      open(static_cast<unsigned>(std::countr_zero(bits)), first_with(high, has_vertex(v)));
  }
  return near;
}

// How near the pairs that count come at rest.
class GapMaker {
 public:
  GapMaker(const Surface& surface, std::span<const Vec3> rest)
      : triangles_(surface.topology.triangles()), rest_(rest) {}

  float gap(const Leaf& low, const Leaf& high, bool same, const LeafMask& mask) {
    pairs_[0].clear();
    pairs_[1].clear();
    for (unsigned f = 0; f < high.edges; ++f)
      for (unsigned e = 0; e < (same ? f : low.edges); ++e)
        if ((mask.edges[f] >> e & 1) == 0) pairs_[1].push_back({low.edge[e], high.edge[f]});
    for (unsigned v = 0; v < low.own_vertices; ++v)
      for (unsigned t = 0; t < high.triangles; ++t)
        if ((mask.vertices_low[v] >> t & 1) == 0) pairs_[0].push_back({low.vertex[v], high.triangle[t]});
    for (unsigned v = 0; v < high.own_vertices && !same; ++v)
      for (unsigned t = 0; t < low.triangles; ++t)
        if ((mask.vertices_high[v] >> t & 1) == 0) pairs_[0].push_back({high.vertex[v], low.triangle[t]});
    double least = 1e30;
    for (const ContactKind kind : {ContactKind::vertex_triangle, ContactKind::edge_edge}) {
      const std::vector<FeaturePair>& pairs = pairs_[static_cast<std::size_t>(kind)];
      squared_.resize(pairs.size());
      squared_distances(kind, rest_, triangles_, pairs, squared_.data());
      for (const double squared : squared_) least = std::min(least, squared);
    }
    return static_cast<float>(std::sqrt(least) * (1 - 1e-6));
  }

 private:
  std::span<const TriangleCorners> triangles_;
  std::span<const Vec3> rest_;
  std::array<std::vector<FeaturePair>, 2> pairs_;
  std::vector<double> squared_;
};

// The two directions and their normal, of unit length, as columns; false if they are all but parallel.
bool make_frame(const Vec3& along, const Vec3& other, std::array<float, 9>& frame) {
  const Vec3 normal = along.cross(other);
  if (!(normal.squaredNorm() > 1e-4 * along.squaredNorm() * other.squaredNorm())) return false;
  const Vec3 x = along.normalized(), z = normal.normalized(), y = z.cross(x);
  for (int k = 0; k < 3; ++k) {
    const std::size_t row = std::size_t{3} * static_cast<std::size_t>(k);
    frame[row] = static_cast<float>(x[k]);
    frame[row + 1] = static_cast<float>(y[k]);
    frame[row + 2] = static_cast<float>(z[k]);
  }
  return true;
}

}  // namespace

void LeafTree::make_rest(const Surface& surface) {
  rest_.assign(leaves_.size(), {});
  const Vec3 centre = bounds(surface.rest).center();
  parallel_for(leaves_.size(), 256, [&](std::size_t i) {
    const Leaf& leaf = leaves_[i];
    LeafRest& rest = rest_[i];
    const auto at = [&](std::size_t v) -> const Vec3& { return surface.rest[leaf.vertex[v]]; };
    Vec3 sum = Vec3::Zero();
    for (std::size_t v = 0; v < leaf.vertices; ++v) sum += at(v);
    const Vec3 middle = sum / leaf.vertices;
    rest.middle = middle - centre;
    for (std::size_t v = 0; v < leaf.vertices; ++v) {
      const Vec3 out = at(v) - middle;
      rest.radius = std::max(rest.radius, static_cast<float>(out.norm() * (1 + 1e-6)));
      for (int k = 0; k < 3; ++k) rest.point[k][v] = static_cast<float>(out[k]);
    }
    // The two vertices that are farthest from the first, and farthest off their line: a wide base.
    std::size_t b = 0, c = 0;
    for (std::size_t v = 1; v < leaf.vertices; ++v)
      if ((at(v) - at(0)).squaredNorm() > (at(b) - at(0)).squaredNorm()) b = v;
    const auto off = [&](std::size_t v) { return (at(b) - at(0)).cross(at(v) - at(0)).squaredNorm(); };
    for (std::size_t v = 1; v < leaf.vertices; ++v)
      if (off(v) > off(c)) c = v;
    rest.anchor = {0, static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)};
    rest.has_frame = make_frame(at(b) - at(0), at(c) - at(0), rest.frame);
  });
}

void LeafTree::make_masks(const Surface& surface) {
  std::vector<Vec3> padded = surface.rest;
  padded.emplace_back(Vec3::Zero());  // the kernel loads four numbers at a time
  const Places places = places_of(surface, leaves_);
  constexpr std::size_t grain = 256;
  struct Part {
    std::vector<NearLeaf> near;
    std::vector<LeafMask> masks;
    std::vector<std::uint32_t> counts;
  };
  std::vector<Part> parts(chunk_count(leaves_.size(), grain));
  parallel_chunks(leaves_.size(), grain, [&](Chunk chunk) {
    Part& part = parts[chunk.index];
    MaskMaker maker(surface, leaves_, places);
    GapMaker gaps(surface, padded);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ascending;
    for (auto low = static_cast<std::uint32_t>(chunk.begin); low < chunk.end; ++low) {
      maker.make(low);
      ascending.clear();
      for (std::uint32_t i = 0; i < maker.found.size(); ++i) ascending.emplace_back(maker.found[i], i);
      std::sort(ascending.begin(), ascending.end());
      for (const auto& [high, i] : ascending) {
        NearLeaf near = open_rows(leaves_[low], leaves_[high], high, low == high, maker.masks[i]);
        if (!near.closed()) {
          near.gap = gaps.gap(leaves_[low], leaves_[high], low == high, maker.masks[i]);
          near.mask = static_cast<std::uint32_t>(part.masks.size());
          part.masks.push_back(maker.masks[i]);
        }
        part.near.push_back(near);
      }
      part.counts.push_back(static_cast<std::uint32_t>(ascending.size()));
    }
  });
  near_begin_.assign(1, 0);
  near_.clear();
  masks_.clear();
  for (const Part& part : parts) {
    for (NearLeaf near : part.near) {
      near.mask += static_cast<std::uint32_t>(masks_.size());
      near_.push_back(near);
    }
    masks_.insert(masks_.end(), part.masks.begin(), part.masks.end());
    for (const std::uint32_t count : part.counts) near_begin_.push_back(near_begin_.back() + count);
  }
}

void LeafTree::build(const Surface& surface, bool masks) {
  sort_triangles(surface);
  make_leaves(surface);
  near_begin_.clear();
  near_.clear();
  masks_.clear();
  rest_.clear();
  if (masks) {
    make_rest(surface);
    make_masks(surface);
  }
}

std::size_t LeafTree::memory() const {
  return leaves_.capacity() * sizeof(Leaf) + rest_.capacity() * sizeof(LeafRest) +
         near_.capacity() * sizeof(NearLeaf) + masks_.capacity() * sizeof(LeafMask) +
         near_begin_.capacity() * sizeof(std::uint32_t);
}

const LeafShapes::Shape& LeafShapes::make(const Surface& surface, std::uint32_t slot,
                                          std::optional<double> masked) {
  while (shapes_.size() <= slot) shapes_.emplace_back();
  Shape& shape = shapes_[slot];
  if (shape.changes == surface.changes && (!masked || shape.masked == *masked)) return shape;
  const bool masks = masked && *masked >= 0;
  shape.tree.build(surface, masks);
  shape.changes = surface.changes;
  shape.masked = masks ? *masked : -1;
  ++shape.built;
  return shape;
}

std::size_t LeafShapes::memory() const {
  std::size_t sum = 0;
  for (const Shape& shape : shapes_) sum += shape.tree.memory();
  return sum;
}

}  // namespace palpate
