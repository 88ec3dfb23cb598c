// Vertices of triangle soups, merged where they are equal to the last bit (0 and -0 are equal too) and
// numbered in the order in which they first appear.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate::detail {

class VertexMerger {
 public:
  // For as many vertices the table need not grow.
  explicit VertexMerger(std::size_t expected = 0) { grow(expected); }

  // The number of this position, which is finite.
  std::uint32_t number_of(const Vec3& position) {
    if (positions_.size() * 2 >= table_.size()) grow(positions_.size() * 2);
    std::uint32_t& place = place_of(position);
    if (place == no_index) {
      place = static_cast<std::uint32_t>(positions_.size());
      positions_.push_back(position);
    }
    return place;
  }
  std::size_t size() const { return positions_.size(); }
  std::vector<Vec3> take() { return std::move(positions_); }

 private:
  // Where it is or would be: open addressing, the next free place.
  std::uint32_t& place_of(const Vec3& position) {
    std::uint64_t hash = 0;
    for (const double x : position) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0x9e3779b97f4a7c15;  // -0 + 0 is 0
      hash ^= hash >> 32;
    }
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    while (table_[at] != no_index && positions_[table_[at]] != position) at = (at + 1) & mask;
    return table_[at];
  }

  void grow(std::size_t expected) {
    table_.assign(std::bit_ceil(2 * expected + 16), no_index);
    for (std::size_t i = 0; i < positions_.size(); ++i)
      place_of(positions_[i]) = static_cast<std::uint32_t>(i);
  }

  std::vector<Vec3> positions_;
  std::vector<std::uint32_t> table_;  // a power of two in size, at most half full
};

}  // namespace palpate::detail
