#include <palpate/mesh/topology.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/base/radix_sort.h>

namespace palpate {

namespace {

constexpr TriangleCorners hole = {no_index, no_index, no_index};
constexpr std::size_t grain = 1 << 14;

void check(std::size_t vertices, std::span<const TriangleCorners> triangles, bool holes_allowed) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (holes_allowed && triangles[t] == hole) continue;
    for (const std::uint32_t v : triangles[t])
      if (v >= vertices)
        throw Error(Place().element("triangle", t),
                    fmt::format("it has corner {}, but there are {} vertices", v, vertices),
                    "Vertices are counted from 0: check how the triangles were made.");
  }
}

}  // namespace

Topology::Topology(std::size_t vertices, std::span<const TriangleCorners> triangles)
    : triangles_(triangles.begin(), triangles.end()) {
  if (triangles.size() >= no_index / 3 || vertices >= no_index)
    throw Error(Place::named("mesh", "for a topology"), "it has too many vertices or triangles",
                "A topology holds up to 1.4 billion triangles: split the mesh.");
  check(vertices, triangles_, true);
  for (std::uint32_t t = 0; t < triangles_.size(); ++t)
    if (is_hole(t)) holes_.push_back(t);  // ascending is a heap already
  vertex_corners_.add_lists(vertices);
  connect_sides();
  connect_vertices();
}

// Sorting the sides by their ends puts the sides of an edge side by side, and the sort being stable, in
// order.
void Topology::connect_sides() {
  const std::size_t n = 3 * triangles_.size();
  edge_of_.assign(n, no_index);
  next_side_.resize(n);
  std::vector<std::uint64_t> keys(n);
  std::vector<std::uint32_t> sides(n);
  parallel_for(n, grain, [&](std::size_t i) {
    const auto side = static_cast<std::uint32_t>(i);
    const std::uint32_t a = vertex_at(side), b = vertex_at(next_corner(side));
    keys[i] = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    sides[i] = next_side_[i] = side;
  });
  radix_sort(std::span(keys), std::span(sides));
  const auto is_loop = [&](std::size_t i) { return keys[i] >> 32 == (keys[i] & 0xffffffff); };
  edges_ = parallel_reduce(
      n, grain, std::size_t{0},
      [&](Chunk chunk) {
        std::size_t edges = 0;
        for (std::size_t begin = chunk.begin; begin < chunk.end; ++begin) {
          // The chunk in which a group begins treats all of it.
          if ((begin > 0 && keys[begin] == keys[begin - 1]) || is_loop(begin)) continue;
          ++edges;
          std::size_t end = begin;
          for (; end < n && keys[end] == keys[begin]; ++end) {
            edge_of_[sides[end]] = sides[begin];
            next_side_[sides[end]] =
                end + 1 < n && keys[end + 1] == keys[begin] ? sides[end + 1] : sides[begin];
          }
        }
        return edges;
      },
      std::plus<>());
}

void Topology::connect_vertices() {
  std::vector<std::uint32_t> lengths(vertex_count(), 0);
  for (const TriangleCorners& t : triangles_)
    if (t != hole)
      for (const std::uint32_t v : t) ++lengths[v];
  vertex_corners_.reset(lengths);
  std::fill(lengths.begin(), lengths.end(), 0);
  for (std::uint32_t corner = 0; corner < 3 * triangles_.size(); ++corner)
    if (const std::uint32_t v = vertex_at(corner); v != no_index)
      vertex_corners_.edit(v)[lengths[v]++] = corner;
}

unsigned Topology::owned_by(std::uint32_t triangle) const {
  if (is_hole(triangle)) return 0;
  unsigned mask = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const std::uint32_t corner = 3 * triangle + k;
    mask |= (corners_at(vertex_at(corner))[0] == corner ? 1u : 0u) << k;
    mask |= (edge_of_[corner] == corner ? 8u : 0u) << k;
  }
  return mask;
}

// Any linked side between the two vertices.
std::uint32_t Topology::find_side(std::uint32_t from, std::uint32_t to) const {
  if (corners_at(from).size() > corners_at(to).size()) std::swap(from, to);
  for (const std::uint32_t corner : corners_at(from))
    for (const std::uint32_t side : {corner, previous_corner(corner)}) {
      const std::uint32_t a = vertex_at(side), b = vertex_at(next_corner(side));
      if (((a == from && b == to) || (a == to && b == from)) && edge_of_[side] != no_index) return side;
    }
  return no_index;
}

// The side of the ring after which `side` stands, or would stand: the highest below it, else the last.
std::uint32_t Topology::before_in_ring(std::uint32_t edge, std::uint32_t side) const {
  std::uint32_t at = edge;
  while (next_side_[at] != edge && (side <= edge || next_side_[at] < side)) at = next_side_[at];
  return at;
}

// Gives the ring through `side` the name of its lowest side.
void Topology::rename_edge(std::uint32_t side, std::uint32_t edge) {
  std::uint32_t at = side;
  do edge_of_[at] = edge;
  while ((at = next_side_[at]) != side);
}

void Topology::link_side(std::uint32_t side) {
  const std::uint32_t a = vertex_at(side), b = vertex_at(next_corner(side));
  if (a == b) return;
  const std::uint32_t other = find_side(a, b);
  if (other == no_index) {
    ++edges_;
    edge_of_[side] = next_side_[side] = side;
    return;
  }
  const std::uint32_t edge = edge_of_[other], before = before_in_ring(edge, side);
  next_side_[side] = next_side_[before];
  next_side_[before] = side;
  edge_of_[side] = edge;
  if (side < edge) rename_edge(side, side);
}

void Topology::unlink_side(std::uint32_t side) {
  const std::uint32_t edge = edge_of_[side];
  if (edge == no_index) return;
  const std::uint32_t after = next_side_[side];
  next_side_[before_in_ring(edge, side)] = after;
  if (after == side) {
    --edges_;
  } else if (side == edge) {
    rename_edge(after, after);
  }
  edge_of_[side] = no_index;
  next_side_[side] = side;
}

void Topology::remove(std::span<const std::uint32_t> triangles) {
  for (const std::uint32_t t : triangles)
    if (t >= triangles_.size() || is_hole(t))
      throw Error(Place().element("triangle", t), "it cannot be removed: there is none",
                  "Was it removed before? Triangles keep their numbers when others go.");
  for (const std::uint32_t t : triangles) {
    if (is_hole(t)) continue;  // named twice
    for (unsigned k = 0; k < 3; ++k) unlink_side(3 * t + k);
    for (unsigned k = 0; k < 3; ++k) vertex_corners_.erase_sorted(vertex_at(3 * t + k), 3 * t + k);
    triangles_[t] = hole;
    holes_.push_back(t);
    std::push_heap(holes_.begin(), holes_.end(), std::greater<>());
  }
}

void Topology::add(std::span<const TriangleCorners> triangles, std::vector<std::uint32_t>& places) {
  check(vertex_count(), triangles, false);
  for (const TriangleCorners& corners : triangles) {
    auto t = static_cast<std::uint32_t>(triangles_.size());
    if (holes_.empty()) {
      triangles_.push_back(hole);
      for (unsigned k = 0; k < 3; ++k) {
        edge_of_.push_back(no_index);
        next_side_.push_back(3 * t + k);
      }
    } else {
      std::pop_heap(holes_.begin(), holes_.end(), std::greater<>());
      t = holes_.back();
      holes_.pop_back();
    }
    triangles_[t] = corners;
    for (unsigned k = 0; k < 3; ++k) vertex_corners_.insert_sorted(corners[k], 3 * t + k);
    for (unsigned k = 0; k < 3; ++k) link_side(3 * t + k);
    places.push_back(t);
  }
}

bool operator==(const Topology& a, const Topology& b) {
  return a.edges_ == b.edges_ && a.triangles_ == b.triangles_ && a.edge_of_ == b.edge_of_ &&
         a.next_side_ == b.next_side_ && a.vertex_corners_ == b.vertex_corners_;
}

// --- what can be read from a topology ----------------------------------------------------------------

Components components(const Topology& topology) {
  // Parts of vertices first (union by lowest vertex, paths halved), then numbers by the lowest triangle.
  std::vector<std::uint32_t> parent(topology.vertex_count());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const TriangleCorners& t : topology.triangles()) {
    if (t[0] == no_index) continue;
    const std::uint32_t a = root(t[0]), b = root(t[1]), c = root(t[2]), least = std::min({a, b, c});
    parent[a] = parent[b] = parent[c] = least;
  }
  Components result;
  std::vector<std::uint32_t> number(topology.vertex_count(), no_index);
  for (const TriangleCorners& t : topology.triangles()) {
    if (t[0] == no_index) {
      result.of_triangle.push_back(no_index);
      continue;
    }
    std::uint32_t& mine = number[root(t[0])];
    if (mine == no_index) mine = static_cast<std::uint32_t>(result.count++);
    result.of_triangle.push_back(mine);
  }
  return result;
}

BorderLoops border_loops(const Topology& topology) {
  const auto sides = static_cast<std::uint32_t>(3 * topology.triangle_count());
  BorderLoops loops;
  std::vector<char> used(sides, 0);
  // Sides are only ever used up, so each vertex remembers how far it has looked: a vertex with very many
  // triangles is not looked through again and again.
  std::vector<std::uint32_t> looked(topology.vertex_count(), 0);
  const auto unused_at = [&](std::uint32_t vertex) {
    const std::span<const std::uint32_t> corners = topology.corners_at(vertex);
    for (std::uint32_t& i = looked[vertex]; i < corners.size(); ++i) {
      const std::uint32_t a = corners[i], b = previous_corner(a), low = std::min(a, b), high = std::max(a, b);
      if (topology.is_border(low) && !used[low]) return low;
      if (topology.is_border(high) && !used[high]) return high;
    }
    return no_index;
  };
  for (std::uint32_t first = 0; first < sides; ++first) {
    if (used[first] || !topology.is_border(first)) continue;
    loops.begins.push_back(static_cast<std::uint32_t>(loops.sides.size()));
    std::uint32_t at = topology.vertex_at(first);
    for (std::uint32_t side = first; side != no_index; side = unused_at(at)) {
      used[side] = 1;
      loops.sides.push_back(side);
      const std::uint32_t from = topology.vertex_at(side);
      at = at == from ? topology.vertex_at(next_corner(side)) : from;
      if (at == topology.vertex_at(first)) break;
    }
  }
  loops.begins.push_back(static_cast<std::uint32_t>(loops.sides.size()));
  return loops;
}

bool is_fan(const Topology& topology, std::uint32_t vertex) {
  const std::span<const std::uint32_t> corners = topology.corners_at(vertex);
  if (corners.size() < 2) return true;
  std::vector<char> reached(corners.size(), 0);
  std::vector<std::uint32_t> open{corners[0]};
  const auto place_of = [&](std::uint32_t corner) {
    return static_cast<std::size_t>(std::lower_bound(corners.begin(), corners.end(), corner) -
                                    corners.begin());
  };
  reached[0] = 1;
  std::size_t count = 1;
  std::unordered_set<std::uint32_t> walked;  // edges of many triangles: once around is enough
  while (!open.empty()) {
    const std::uint32_t corner = open.back();
    open.pop_back();
    for (const std::uint32_t side : {corner, previous_corner(corner)}) {
      const std::uint32_t edge = topology.edge_of(side);
      if (edge == no_index) continue;
      if (topology.next_side(topology.next_side(side)) != side && !walked.insert(edge).second) continue;
      for (std::uint32_t other = topology.next_side(side); other != side; other = topology.next_side(other)) {
        const std::uint32_t there = topology.vertex_at(other) == vertex ? other : next_corner(other);
        if (const std::size_t place = place_of(there); !reached[place]) {
          reached[place] = 1;
          ++count;
          open.push_back(there);
        }
      }
    }
  }
  return count == corners.size();
}

bool runs_same_way(const Topology& topology, std::uint32_t side, std::uint32_t other) {
  return topology.vertex_at(side) == topology.vertex_at(other);
}

TopologyFacts describe(const Topology& topology) {
  TopologyFacts facts;
  facts.vertices = topology.vertex_count();
  facts.edges = topology.edge_count();
  facts.triangles = topology.triangle_count() - topology.hole_count();
  for (std::uint32_t v = 0; v < facts.vertices; ++v) {
    facts.unused_vertices += topology.corners_at(v).empty();
    facts.nonmanifold_vertices += !is_fan(topology, v);
  }
  for (std::uint32_t side = 0; side < 3 * topology.triangle_count(); ++side) {
    if (topology.edge_of(side) != side) continue;
    const std::uint32_t second = topology.next_side(side);
    if (second == side) {
      ++facts.border_edges;
    } else if (topology.next_side(second) != side) {
      ++facts.nonmanifold_edges;
    } else {
      facts.inconsistent_edges += runs_same_way(topology, side, second);
    }
  }
  for (const TriangleCorners& t : topology.triangles())
    facts.degenerate_triangles += t[0] != no_index && (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]);
  facts.components = components(topology).count;
  facts.border_loops = border_loops(topology).begins.size() - 1;
  facts.euler_characteristic =
      static_cast<long long>(facts.vertices - facts.unused_vertices + facts.triangles) -
      static_cast<long long>(facts.edges);
  return facts;
}

}  // namespace palpate
