#include <palpate/mesh/same_place.h>

#include <cmath>

#include <palpate/mesh/mesh.h>

namespace palpate {

namespace {

// Buckets of vertices by a 64-bit key, as chains through one array.
class Buckets {
 public:
  explicit Buckets(std::size_t vertices) : next_(vertices, no_index) {
    heads_.assign(std::bit_ceil(std::max<std::size_t>(2 * vertices, 16)), no_index);
  }
  std::uint32_t& head(std::uint64_t key) { return heads_[key & (heads_.size() - 1)]; }
  std::uint32_t next(std::uint32_t v) const { return next_[v]; }
  void add(std::uint64_t key, std::uint32_t v) {
    next_[v] = head(key);
    head(key) = v;
  }

 private:
  std::vector<std::uint32_t> heads_, next_;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h =
      a * 0x9e3779b97f4a7c15 ^ std::rotl(b * 0xc2b2ae3d27d4eb4f, 29) ^ std::rotl(c * 0x165667b19e3779f9, 47);
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
  return h ^ h >> 29;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x + 0.0); }  // -0 becomes 0

}  // namespace

std::vector<std::uint32_t> first_at_same_place(std::span<const Vec3> positions) {
  Buckets buckets(positions.size());
  std::vector<std::uint32_t> first(positions.size());
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    const Vec3& p = positions[v];
    first[v] = v;
    if (p.hasNaN()) continue;  // equals nothing; all of them in one bucket would take for ever
    const std::uint64_t key = mixed(bits(p.x()), bits(p.y()), bits(p.z()));
    std::uint32_t other = buckets.head(key);
    while (other != no_index && positions[other] != p) other = buckets.next(other);
    first[v] = other == no_index ? v : other;
    if (other == no_index) buckets.add(key, v);  // only the first of each place is kept: chains stay short
  }
  return first;
}

std::vector<std::uint32_t> first_within(std::span<const Vec3> positions, double tolerance) {
  std::vector<std::uint32_t> first = first_at_same_place(positions);
  if (!(tolerance > 0)) return first;
  // Cells of the tolerance's size: whoever is near lies in the same cell or one beside it.
  Buckets buckets(positions.size());
  // Far out, where neighbouring numbers are farther apart than the tolerance, each number is a cell of its
  // own.
  const auto cell = [&](double x) {
    return std::abs(x) < 0x1p53 * tolerance ? std::floor(x / tolerance) : x;
  };
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    if (first[v] != v) {
      first[v] = first[first[v]];
      continue;
    }
    const Vec3& p = positions[v];
    if (!p.allFinite()) continue;
    std::uint32_t best = no_index;
    for (int i = 0; i < 27; ++i) {
      const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
      const std::uint64_t key = mixed(bits(cell(p.x()) + x), bits(cell(p.y()) + y), bits(cell(p.z()) + z));
      for (std::uint32_t other = buckets.head(key); other != no_index; other = buckets.next(other))
        if (other < best && (positions[other] - p).norm() <= tolerance) best = other;
    }
    if (best != no_index) {
      first[v] = best;
    } else {
      buckets.add(mixed(bits(cell(p.x())), bits(cell(p.y())), bits(cell(p.z()))), v);
    }
  }
  return first;
}

}  // namespace palpate
