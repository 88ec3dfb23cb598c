#include <palpate/mesh/self_intersections.h>

#include <algorithm>

#include <palpate/base/parallel.h>
#include <palpate/geometry/intersect.h>
#include <palpate/geometry/predicates.h>
#include <palpate/mesh/box_tree.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/same_place.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 256;
bool folded_over(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  for (const auto& [x, y] : {std::array{0, 1}, std::array{1, 2}, std::array{2, 0}}) {
    const Vec2 p(a[x], a[y]), q(b[x], b[y]);
    const int side = orient2d(p, q, Vec2(c[x], c[y]));
    if (side != 0) return orient2d(p, q, Vec2(d[x], d[y])) == side;
  }
  return false;  // abc is a line
}

// Boxes are worth a look first: triangles around a vertex all overlap in their own, and a vertex may have
// tens of thousands.
bool may_cross(const Segment& s, const Box& box) {
  return Box{s[0].cwiseMin(s[1]), s[0].cwiseMax(s[1])}.overlaps(box);
}

}  // namespace

bool cross(std::span<const Vec3> at, const BoxedTriangle& one, const BoxedTriangle& two) {
  const auto& [a, box_a] = one;
  const auto& [b, box_b] = two;
  std::array<std::uint32_t, 3> shared{}, rest_a{}, rest_b{};
  std::size_t common = 0, more_a = 0, more_b = 0;
  for (const std::uint32_t v : a) {
    if (std::find(b.begin(), b.end(), v) != b.end()) {
      shared[common++] = v;
    } else {
      rest_a[more_a++] = v;
    }
  }
  for (const std::uint32_t v : b)
    if (std::find(a.begin(), a.end(), v) == a.end()) rest_b[more_b++] = v;
  if (common == 0) return intersects(triangle_at(at, a), triangle_at(at, b));
  if (common == 1) {
    const Segment over_a = {at[rest_a[0]], at[rest_a[1]]}, over_b = {at[rest_b[0]], at[rest_b[1]]};
    return (may_cross(over_a, box_b) && intersects(over_a, triangle_at(at, b))) ||
           (may_cross(over_b, box_a) && intersects(over_b, triangle_at(at, a)));
  }
  if (common == 2) {
    const Vec3 &p = at[shared[0]], &q = at[shared[1]], &c = at[rest_a[0]], &d = at[rest_b[0]];
    return orient3d(p, q, c, d) == 0 && folded_over(p, q, c, d);
  }
  return false;
}

SelfIntersections self_intersections(const TriangleMesh& mesh, std::size_t most,
                                     const std::function<void(double)>& progress) {
  const std::vector<std::uint32_t> first = first_at_same_place(mesh.positions);
  std::vector<TriangleCorners> triangles = mesh.triangles;
  for (TriangleCorners& t : triangles)
    for (std::uint32_t& v : t) v = first[v];
  std::vector<Box> boxes(triangles.size());
  const std::vector<std::uint32_t> twin = first_with_same_corners<3>(triangles);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const TriangleCorners& c = triangles[t];
    if (twin[t] == t && !is_degenerate(mesh.positions, c)) boxes[t] = bounds(triangle_at(mesh.positions, c));
  }
  const BoxTree tree(boxes);

  std::vector<std::vector<std::array<std::uint32_t, 2>>> found(chunk_count(triangles.size(), grain));
  const auto search = [&](Chunk chunk) {
    auto& pairs = found[chunk.index];
    std::vector<std::uint32_t> partners;
    for (std::size_t i = chunk.begin; i < chunk.end && pairs.size() <= most; ++i) {
      const auto a = static_cast<std::uint32_t>(i);
      partners.clear();
      tree.overlapping(boxes[a], [&](std::uint32_t b) {
        if (b > a && cross(mesh.positions, {triangles[a], boxes[a]}, {triangles[b], boxes[b]}))
          partners.push_back(b);
      });
      std::sort(partners.begin(), partners.end());
      for (const std::uint32_t b : partners) pairs.push_back({a, b});
    }
  };
  // A stretch after the other, so that progress can be told and the search ends early. Where everything
  // crosses everything, a stretch may hold `most` pairs for each of its chunks: they are few at first.
  std::size_t sum = 0, chunks = 4;
  for (std::size_t begin = 0; begin < triangles.size() && sum <= most;) {
    const std::size_t end = std::min(triangles.size(), begin + chunks * grain), first_chunk = begin / grain;
    parallel_chunks(end - begin, grain, [&](Chunk chunk) {
      search({begin + chunk.begin, begin + chunk.end, first_chunk + chunk.index});
    });
    for (std::size_t c = first_chunk; c < first_chunk + chunk_count(end - begin, grain); ++c)
      sum += found[c].size();
    if (progress) progress(static_cast<double>(end) / static_cast<double>(triangles.size()));
    begin = end;
    chunks = sum > most / 64 ? 4 : std::min<std::size_t>(2 * chunks, 256);
  }
  SelfIntersections result;
  for (const auto& pairs : found) {
    result.pairs.insert(result.pairs.end(), pairs.begin(), pairs.end());
    if (result.pairs.size() > most) break;
  }
  result.complete = result.pairs.size() <= most;
  if (!result.complete) result.pairs.resize(most);
  return result;
}

}  // namespace palpate
