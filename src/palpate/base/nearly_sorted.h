// Shortcuts of RadixSort for keys that are nearly in order already, or in reverse.
//
// From step to step most keys stay where they were. Where a key is smaller than the one before it, both are
// taken out; what stays is sorted. The few that were taken out are sorted by themselves and merged back
// (after "drop-merge sort").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palpate::detail {

// How often a key is smaller than the one before it. In runs, so that the inner loop has no exit and becomes
// vectors; gives up once there are more than `limit`.
template <class Key>
std::size_t count_descents(const Key* keys, std::size_t n, std::size_t limit) {
  constexpr std::size_t run = 4096;
  std::size_t total = 0;
  for (std::size_t begin = 1; begin < n && total <= limit; begin += run) {
    const std::size_t end = std::min(n, begin + run);
    Key descents = 0;
    for (std::size_t i = begin; i < end; ++i) descents += Key{keys[i - 1] > keys[i]};
    total += static_cast<std::size_t>(descents);
  }
  return total;
}

// Turns keys that never rise around; equal keys keep their order. False, and nothing done, if one rises.
template <class Key, bool with_values>
bool reverse_if_descending(Key* keys, std::uint32_t* values, std::size_t n) {
  constexpr std::size_t run = 4096;
  for (std::size_t begin = 1; begin < n; begin += run) {
    const std::size_t end = std::min(n, begin + run);
    Key rises = 0;
    for (std::size_t i = begin; i < end; ++i) rises |= Key{keys[i - 1] < keys[i]};
    if (rises != 0) return false;
  }
  std::reverse(keys, keys + n);
  if constexpr (with_values) {
    std::reverse(values, values + n);
    for (std::size_t first = 0, last = 1; first < n; first = last, last = first + 1) {
      while (last < n && keys[last] == keys[first]) ++last;
      if (last - first > 1) std::reverse(values + first, values + last);
    }
  }
  return true;
}

template <class Key>
struct TakenOut {
  Key key;
  std::uint32_t value, place;  // place: where it stood
  bool operator<(const TakenOut& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }
};

// Sorts keys with few descents. The buffers have room for n each.
template <class Key, bool with_values>
void sort_few_descents(Key* keys, std::uint32_t* values, std::size_t n, Key* kept_keys,
                       std::uint32_t* kept_values, std::uint32_t* kept_places,
                       std::vector<TakenOut<Key>>& taken_out) {
  taken_out.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = static_cast<std::uint32_t>(i);
    if (kept > 0 && keys[i] < kept_keys[kept - 1]) {
      --kept;
      taken_out.push_back({kept_keys[kept], with_values ? kept_values[kept] : 0, kept_places[kept]});
      taken_out.push_back({keys[i], with_values ? values[i] : 0, place});
    } else {
      kept_keys[kept] = keys[i];
      if constexpr (with_values) kept_values[kept] = values[i];
      kept_places[kept] = place;
      ++kept;
    }
  }
  std::sort(taken_out.begin(), taken_out.end());
  // Merge from the back; of equal keys, the one that stood later goes last.
  std::size_t out = n, left = taken_out.size();
  while (left > 0) {
    const TakenOut<Key>& last = taken_out[left - 1];
    const bool from_kept = kept > 0 && (kept_keys[kept - 1] != last.key ? kept_keys[kept - 1] > last.key
                                                                        : kept_places[kept - 1] > last.place);
    --out;
    keys[out] = from_kept ? kept_keys[kept - 1] : last.key;
    if constexpr (with_values) values[out] = from_kept ? kept_values[kept - 1] : last.value;
    kept -= from_kept;
    left -= !from_kept;
  }
  std::copy_n(kept_keys, kept, keys);
  if constexpr (with_values) std::copy_n(kept_values, kept, values);
}

}  // namespace palpate::detail
