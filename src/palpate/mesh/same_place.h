// Which vertices lie at the same place, and which elements have the same corners.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <palpate/geometry/vec.h>

namespace palpate {

// For every position the lowest index of an equal one (0 and -0 are equal); positions with NaN equal nothing.
std::vector<std::uint32_t> first_at_same_place(std::span<const Vec3> positions);

// For every vertex the lowest-numbered vertex it is merged with: vertices are taken in order, and each joins
// the lowest-numbered earlier one that is kept and lies within `tolerance` [m]. 0 means equal positions.
std::vector<std::uint32_t> first_within(std::span<const Vec3> positions, double tolerance);

// For every element the lowest index of one with the same corners, in any order.
template <std::size_t n>
std::vector<std::uint32_t> first_with_same_corners(std::span<const std::array<std::uint32_t, n>> elements) {
  std::vector<std::array<std::uint32_t, n>> sorted(elements.begin(), elements.end());
  for (auto& corners : sorted) std::sort(corners.begin(), corners.end());
  std::vector<std::uint32_t> order(elements.size()), first(elements.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sorted[a] != sorted[b] ? sorted[a] < sorted[b] : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    first[order[i]] = i > 0 && sorted[order[i]] == sorted[order[i - 1]] ? first[order[i - 1]] : order[i];
  return first;
}

}  // namespace palpate
