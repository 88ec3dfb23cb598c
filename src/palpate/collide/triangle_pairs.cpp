#include <palpate/collide/triangle_pairs.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/points.h>

namespace palpate {

namespace {

constexpr std::uint8_t top_level = 100;  // no surface is that high
constexpr std::size_t grain = 16;        // pairs of groups

struct Sorted {
  Vec3f centre;
  std::uint32_t number;
};

// Halves by the median along the widest axis; the first part has `leaf`, 2 `leaf`, 4 `leaf` ... of them, so
// that leaves and groups begin at multiples of their size.
void halve(std::span<Sorted> part, std::size_t leaf) {
  while (part.size() > leaf) {
    Boxf box;
    for (const Sorted& s : part) box.add(s.centre);
    Eigen::Index axis = 0;
    box.size().maxCoeff(&axis);
    const std::size_t first = std::bit_floor((part.size() - 1) / leaf) * leaf;
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(first), part.end(),
                     [axis](const Sorted& a, const Sorted& b) {
                       return a.centre[axis] != b.centre[axis] ? a.centre[axis] < b.centre[axis]
                                                               : a.number < b.number;
                     });
    halve(part.first(first), leaf);
    part = part.subspan(first);
  }
}

void put(Group& group, std::size_t i, const FloatBox& box) {
  for (std::size_t k = 0; k < 3; ++k) {
    group.lo[k][i] = box.lo[k];
    group.hi[k][i] = box.hi[k];
  }
}

FloatBox joined(FloatBox a, const FloatBox& b) {
  for (std::size_t k = 0; k < 3; ++k) {
    a.lo[k] = std::min(a.lo[k], b.lo[k]);
    a.hi[k] = std::max(a.hi[k], b.hi[k]);
  }
  return a;
}

void check_coordinates(std::span<const Vec3> positions) {
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (const double x = positions[i][k]; !(std::abs(x) < 1e75))
        throw Error(Place().element("vertex", i), fmt::format("its {} is {}", "xyz"[k], x),
                    "Positions are finite numbers of metres, below 1e75: find out which step made this one.");
}

void check_triangles(std::size_t positions, std::span<const TriangleCorners> triangles,
                     std::span<const std::uint32_t> begins) {
  if (triangles.size() >= no_index)
    throw Error({}, fmt::format("{} triangles are too many", triangles.size()), "There may be 2^32 - 2.");
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const std::uint32_t v : triangles[t])
      if (v >= positions)
        throw Error(Place().element("triangle", t),
                    fmt::format("it has corner {}, and there are {} vertices", v, positions),
                    "Corners are places among the positions, from 0.");
  for (std::size_t i = 0; i < begins.size(); ++i)
    if (begins[i] > triangles.size() || begins[i] < (i == 0 ? 0 : begins[i - 1]) ||
        (i == 0 && begins[i] != 0))
      throw Error(Place().element("surface", i), fmt::format("it begins at triangle {}", begins[i]),
                  "The first surface begins at 0, and each where the one before ends.");
}

}  // namespace

// --- the shape of the tree ------------------------------------------------------------------------

void TrianglePairs::build(std::span<const Vec3> positions, std::span<const TriangleCorners> triangles,
                          std::span<const std::uint32_t> begins) {
  check(positions, 0);
  check_triangles(positions.size(), triangles, begins);
  groups_.clear(), child_.clear(), count_.clear(), level_.clear();
  lowest_.clear(), vertices_.clear(), vertices_begin_.assign(1, 0);
  roots_.clear(), top_.clear(), triangles_.clear();
  const auto count = static_cast<std::uint32_t>(triangles.size());
  for (std::size_t i = 0; i < begins.size(); ++i)
    add_surface(positions, triangles, begins[i], i + 1 < begins.size() ? begins[i + 1] : count);
  if (begins.empty()) add_surface(positions, triangles, 0, count);
  leaves_.resize(triangles_.size());
  box_.resize(groups_.size());
  wanted_.assign(groups_.size(), 0);
  positions_ = positions.size();
  points_.resize(positions_);
  if (roots_.size() > 1) {
    refit(positions, true);
    add_top();
    box_.resize(groups_.size());
    wanted_.assign(groups_.size(), 0);
  }
}

std::uint32_t TrianglePairs::add_group(std::uint32_t child, std::size_t count, std::uint8_t level) {
  groups_.emplace_back();
  clear(groups_.back());
  child_.push_back(child);
  count_.push_back(static_cast<std::uint8_t>(std::min<std::size_t>(count, 8)));
  level_.push_back(level);
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

// Groups of eight over `count` children, and so on until there is one: returns it.
std::uint32_t TrianglePairs::add_levels(std::uint32_t first, std::uint32_t count, std::uint8_t level) {
  for (;; ++level) {
    const auto begin = static_cast<std::uint32_t>(groups_.size());
    for (std::uint32_t i = 0; i < count; i += 8) add_group(first + i, count - i, level);
    first = begin;
    count = (count + 7) / 8;
    if (count == 1) return first;
  }
}

void TrianglePairs::add_surface(std::span<const Vec3> positions, std::span<const TriangleCorners> triangles,
                                std::uint32_t begin, std::uint32_t end) {
  if (begin == end) {
    roots_.push_back(no_index);
    return;
  }
  Box box;
  for (std::uint32_t t = begin; t < end; ++t)
    for (const std::uint32_t v : triangles[t]) box.add(positions[v]);
  const Frame frame = Frame::around(box);  // centres in float would all be one, far from zero
  std::vector<Sorted> sorted;
  for (std::uint32_t t = begin; t < end; ++t) {
    const auto [a, b, c] = triangle_at(positions, triangles[t]);
    const Vec3 centre = ((a - frame.origin) + (b - frame.origin) + (c - frame.origin)) * (frame.scale / 3);
    sorted.push_back({centre.cast<float>(), t});
  }
  halve(sorted, 8);
  const auto first = static_cast<std::uint32_t>(triangles_.size());
  for (std::size_t i = 0; i < sorted.size(); i += 8) {
    pairs::LeafTriangles& leaf = triangles_.emplace_back();
    for (std::size_t j = 0; j < 8; ++j) {
      const bool there = i + j < sorted.size();
      const std::uint32_t t = sorted[there ? i + j : i].number;
      for (std::size_t k = 0; k < 3; ++k) leaf.corner[k][j] = triangles[t][k];
      leaf.triangle[j] = there ? t : no_index;
    }
  }
  const auto group = static_cast<std::uint32_t>(groups_.size());
  const auto leaves = static_cast<std::uint32_t>(triangles_.size()) - first;
  roots_.push_back(add_levels(first, leaves, 0));
  for (std::uint32_t g = group; g < groups_.size() && level_[g] == 0; ++g) add_vertices(g);
}

void TrianglePairs::add_vertices(std::uint32_t group) {
  lowest_.push_back(group);
  const auto begin = static_cast<std::ptrdiff_t>(vertices_.size());
  for (std::uint32_t i = child_[group]; i < child_[group] + count_[group]; ++i)
    for (const auto& corners : triangles_[i].corner)
      vertices_.insert(vertices_.end(), corners.begin(), corners.end());
  std::sort(vertices_.begin() + begin, vertices_.end());
  vertices_.erase(std::unique(vertices_.begin() + begin, vertices_.end()), vertices_.end());
  vertices_begin_.push_back(static_cast<std::uint32_t>(vertices_.size()));
}

// The tree above the surfaces, by where they are now.
void TrianglePairs::add_top() {
  std::vector<Sorted> sorted;
  for (std::uint32_t i = 0; i < roots_.size(); ++i) {
    if (roots_[i] == no_index) continue;
    const FloatBox& box = box_[roots_[i]];
    const auto middle = [&](std::size_t k) { return (box.lo[k] + box.hi[k]) / 2; };
    sorted.push_back({Vec3f(middle(0), middle(1), middle(2)), i});
  }
  if (sorted.empty()) return;
  halve(sorted, 8);
  for (const Sorted& s : sorted) top_.push_back(roots_[s.number]);
  add_levels(0, static_cast<std::uint32_t>(top_.size()), top_level);
}

inline std::uint32_t TrianglePairs::child_of(std::uint32_t group, std::size_t i) const {
  const std::size_t place = child_[group] + i;
  return level_[group] == top_level ? top_[place] : static_cast<std::uint32_t>(place);
}

// --- boxes ----------------------------------------------------------------------------------------

void TrianglePairs::check(std::span<const Vec3> positions, double distance) {
  if (!(distance >= 0) || std::isinf(distance))
    throw Error(Place::named("parameter", "distance"), fmt::format("{} is not a possible length", distance),
                "It is a finite number of metres, 0 or more.");
  constexpr std::size_t some = 16'384;
  boxes_.assign(chunk_count(positions.size(), some), {});
  parallel_chunks(positions.size(), some, [&](Chunk chunk) {
    bool finite = true;
    boxes_[chunk.index] = checked_box(positions.subspan(chunk.begin, chunk.end - chunk.begin), finite);
    if (!finite) check_coordinates(positions);
  });
  Box all;
  for (const Box& box : boxes_) all.add(box);
  frame_ = all.empty() ? Frame{} : Frame::around(all);
}

inline void TrianglePairs::refit_leaves(std::uint32_t g) {
  box_[g] = pairs::refit_leaves(points_.data(), triangles_.data() + child_[g], count_[g],
                                leaves_.data() + child_[g], groups_[g]);
}

void TrianglePairs::refit(std::span<const Vec3> positions, bool all_leaves) {
  parallel_chunks(positions.size(), 16'384, [&](Chunk chunk) {
    pairs::to_points(positions.data() + chunk.begin, chunk.end - chunk.begin, frame_,
                     points_.data() + chunk.begin);
  });
  parallel_for(lowest_.size(), 64, [&](std::size_t i) {
    const std::uint32_t begin = vertices_begin_[i], end = vertices_begin_[i + 1];
    if (all_leaves) {
      refit_leaves(lowest_[i]);
    } else {
      box_[lowest_[i]] = pairs::box_of(points_.data(), std::span(vertices_).subspan(begin, end - begin));
    }
  });
  refit_above();
}

// Groups come after their children.
void TrianglePairs::refit_above() {
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    if (level_[g] == 0) continue;
    for (std::size_t i = 0; i < count_[g]; ++i) {
      const FloatBox& box = box_[child_of(g, i)];
      put(groups_[g], i, box);
      box_[g] = i == 0 ? box : joined(box_[g], box);
    }
  }
}

// --- the search -----------------------------------------------------------------------------------

// Replaces a pair of groups by the pairs of their children that come near: the children of the higher one, or
// of both.
inline void TrianglePairs::open(const NodePair& pair, bool inside) {
  const auto [a, b] = pair;
  const auto add = [&](std::uint32_t low, std::uint32_t high) {
    if (low == high && level_[low] < top_level && !inside) return;  // a surface with itself
    (level_[low] == 0 && level_[high] == 0 ? work_ : next_).push_back({low, high});
  };
  if (level_[a] == level_[b]) {
    std::uint64_t bits = pairs::near_children(groups_[a], groups_[b], scene_.reach);
    if (a == b) bits &= 0x80c0e0f0f8fcfeff;  // each pair once
    for (; bits != 0; bits &= bits - 1) {
      const auto at = static_cast<std::size_t>(std::countr_zero(bits));
      add(child_of(a, at / 8), child_of(b, at % 8));
    }
  } else {
    const bool first = level_[a] > level_[b];
    const std::uint32_t high = first ? a : b, low = first ? b : a;
    for (unsigned bits = near_children(groups_[high], box_[low], scene_.reach); bits != 0; bits &= bits - 1) {
      const std::uint32_t child = child_of(high, static_cast<std::size_t>(std::countr_zero(bits)));
      first ? add(child, low) : add(low, child);
    }
  }
}

// From the pairs in now_ down to pairs of groups of leaves.
void TrianglePairs::find_groups(bool inside) {
  work_.clear();
  while (!now_.empty()) {
    next_.clear();
    for (const NodePair& pair : now_) {
      if (level_[pair.a] == 0 && level_[pair.b] == 0) {
        work_.push_back(pair);
      } else {
        open(pair, inside);
      }
    }
    now_.swap(next_);
  }
}

void TrianglePairs::refit_wanted() {
  for (const NodePair& pair : work_) wanted_[pair.a] = wanted_[pair.b] = 1;
  parallel_for(lowest_.size(), 64, [&](std::size_t i) {
    if (wanted_[lowest_[i]] != 0) refit_leaves(lowest_[i]);
    wanted_[lowest_[i]] = 0;
  });
}

// With several threads, each part writes pairs of its own; they are put together in the order of the parts.
std::span<const TrianglePair> TrianglePairs::find_triangles() {
  found_.clear();
  if (available_threads() == 1) {
    for (const NodePair& pair : work_) pairs::search(scene_, pair.a, pair.b, found_);
    return found_.pairs();
  }
  const std::size_t chunks = chunk_count(work_.size(), grain);
  if (parts_.size() < chunks) parts_.resize(chunks);
  parallel_chunks(work_.size(), grain, [&](Chunk chunk) {
    parts_[chunk.index].clear();
    for (std::size_t i = chunk.begin; i < chunk.end; ++i)
      pairs::search(scene_, work_[i].a, work_[i].b, parts_[chunk.index]);
  });
  offsets_.assign(chunks + 1, 0);
  for (std::size_t i = 0; i < chunks; ++i) offsets_[i + 1] = offsets_[i] + parts_[i].pairs().size();
  TrianglePair* out = found_.room(offsets_[chunks]);
  parallel_for(chunks, 8, [&](std::size_t i) {
    std::copy(parts_[i].pairs().begin(), parts_[i].pairs().end(), out + offsets_[i]);
  });
  found_.written(out + offsets_[chunks]);
  return found_.pairs();
}

std::span<const TrianglePair> TrianglePairs::find_from_seeds(std::span<const Vec3> positions, double distance,
                                                             bool inside) {
  refit(positions, inside);
  scene_ = {groups_.data(), child_.data(), leaves_.data(), triangles_.data(), positions.data(), 0, 0, 0};
  pairs::set_distance(scene_, frame_, distance);
  find_groups(inside);
  if (!inside) refit_wanted();
  return find_triangles();
}

std::span<const TrianglePair> TrianglePairs::find(std::span<const Vec3> positions, double distance,
                                                  Among among) {
  if (positions.size() != positions_)
    throw Error({}, fmt::format("{} positions were given for {} vertices", positions.size(), positions_),
                "Give as many as the tree was built with, or build it anew.");
  check(positions, distance);
  now_.clear();
  const auto last = static_cast<std::uint32_t>(groups_.size()) - 1;
  if (!groups_.empty()) now_.push_back({last, last});
  const bool inside = among == Among::everything;
  if (!inside && level_.size() > 0 && level_.back() < top_level) now_.clear();  // one surface only
  return find_from_seeds(positions, distance, inside);
}

std::span<const TrianglePair> TrianglePairs::find(std::span<const Vec3> positions, double distance,
                                                  std::span<const PairOfSurfaces> surfaces) {
  if (positions.size() != positions_)
    throw Error({}, fmt::format("{} positions were given for {} vertices", positions.size(), positions_),
                "Give as many as the tree was built with, or build it anew.");
  check(positions, distance);
  now_.clear();
  bool inside = false;
  for (const auto& [a, b] : surfaces) {
    if (std::max(a, b) >= roots_.size())
      throw Error(Place().element("surface", std::max(a, b)),
                  fmt::format("it is not there: there are {}", roots_.size()),
                  "Surfaces are numbered from 0, in the order they were built with.");
    inside = inside || a == b;
    if (roots_[a] != no_index && roots_[b] != no_index) now_.push_back({roots_[a], roots_[b]});
  }
  return find_from_seeds(positions, distance, inside);
}

std::vector<TrianglePair> near_triangle_pairs(std::span<const Vec3> positions,
                                              std::span<const TriangleCorners> triangles, double distance) {
  TrianglePairs pairs;
  pairs.build(positions, triangles);
  const std::span<const TrianglePair> found = pairs.find(positions, distance);
  return {found.begin(), found.end()};
}

std::size_t TrianglePairs::memory() const {
  const auto bytes = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
  std::size_t sum = bytes(groups_) + bytes(child_) + bytes(count_) + bytes(level_) + bytes(wanted_) +
                    bytes(box_) + bytes(lowest_) + bytes(vertices_begin_) + bytes(vertices_) + bytes(roots_) +
                    bytes(top_) + bytes(triangles_) + bytes(leaves_) + bytes(points_) + bytes(boxes_) +
                    bytes(now_) + bytes(next_) + bytes(work_) + bytes(offsets_) + found_.memory();
  for (const pairs::Output& part : parts_) sum += part.memory();
  return sum;
}

}  // namespace palpate
