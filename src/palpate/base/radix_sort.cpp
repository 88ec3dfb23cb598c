#include <palpate/base/radix_sort.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include <palpate/base/bounded_chunks.h>
#include <palpate/base/error.h>
#include <palpate/base/nearly_sorted.h>
#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t few = 64;                 // below, insertion sort
constexpr std::size_t block_minimum = 1 << 15;  // below, a block is not worth a thread
constexpr int widest_digit = 8;                 // bits; wider ones scatter over more pages than the TLB holds
constexpr std::size_t digits = std::size_t{1} << widest_digit;

template <class Key, bool with_values>
void insertion_sort(Key* keys, std::uint32_t* values, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const Key key = keys[i];
    const std::uint32_t value = with_values ? values[i] : 0;
    std::size_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j) {
      keys[j] = keys[j - 1];
      if constexpr (with_values) values[j] = values[j - 1];
    }
    keys[j] = key;
    if constexpr (with_values) values[j] = value;
  }
}

template <class Key>
Key differing_bits(const Key* keys, std::size_t n) {
  Key bits = 0;
  for (std::size_t i = 0; i < n; ++i) bits |= keys[i] ^ keys[0];
  return bits;
}

struct Digit {
  int shift;
  std::size_t values;  // how many values it can have: a power of two
  template <class Key>
  std::size_t of(Key key) const {
    return static_cast<std::size_t>(key >> shift) & (values - 1);
  }
};

// The differing bits cut into as few digits as possible, of even width, lowest first. Bits that all keys
// agree on are skipped where a digit would begin.
struct Digits {
  std::array<Digit, 64 / widest_digit + 1> digit;
  std::size_t count = 0;
};

template <class Key>
Digits cut_into_digits(Key differing) {
  Digits result;
  while (differing != 0) {
    const int shift = std::countr_zero(differing), span = static_cast<int>(std::bit_width(differing)) - shift;
    const int passes = (span + widest_digit - 1) / widest_digit, width = (span + passes - 1) / passes;
    result.digit[result.count++] = {shift, std::size_t{1} << width};
    const int next = shift + width;
    differing =
        next >= std::numeric_limits<Key>::digits ? Key{0} : static_cast<Key>(differing >> next << next);
  }
  return result;
}

// One pass over one block: counts become places.
template <class Key, bool with_values>
struct Pass {
  const Key* keys;
  const std::uint32_t* values;
  Key* keys_out;
  std::uint32_t* values_out;
  Digit digit;

  void count(std::size_t begin, std::size_t end, std::uint32_t* counts) const {
    // Two tables in turn: neighbours with the same digit would wait for each other's store.
    std::array<std::uint32_t, digits> even, odd;
    std::fill_n(even.begin(), digit.values, 0);
    std::fill_n(odd.begin(), digit.values, 0);
    std::size_t i = begin;
    for (; i + 2 <= end; i += 2) {
      ++even[digit.of(keys[i])];
      ++odd[digit.of(keys[i + 1])];
    }
    if (i < end) ++even[digit.of(keys[i])];
    for (std::size_t d = 0; d < digit.values; ++d) counts[d] = even[d] + odd[d];
  }

  void scatter(std::size_t begin, std::size_t end, std::uint32_t* places) const {
    for (std::size_t i = begin; i < end; ++i) {
      const Key key = keys[i];
      const std::size_t place = places[digit.of(key)]++;
      keys_out[place] = key;
      if constexpr (with_values) values_out[place] = values[i];
    }
  }
};

// Places: digit by digit, and inside a digit block by block.
void counts_to_places(std::uint32_t* counts, std::size_t blocks, std::size_t values) {
  std::uint32_t sum = 0;
  for (std::size_t d = 0; d < values; ++d)
    for (std::size_t b = 0; b < blocks; ++b) sum += std::exchange(counts[b * digits + d], sum);
}

// As many leading bits of the differing ones as tell n random keys apart but for a few.
template <class Key>
Key leading_bits(Key differing, std::size_t n) {
  const int enough = static_cast<int>(std::bit_width(n)) + 4;
  const int span = static_cast<int>(std::bit_width(differing)) - std::countr_zero(differing);
  // To whole digits; and a single digit more or less is not worth the finishing.
  const int kept = (enough + widest_digit - 1) / widest_digit * widest_digit;
  if (span <= kept + widest_digit) return differing;
  const int cut = static_cast<int>(std::bit_width(differing)) - kept;
  return static_cast<Key>(differing >> cut << cut);
}

void check_lengths(std::size_t keys, std::size_t values) {
  if (keys != values)
    throw Error({},
                "radix sort of " + std::to_string(keys) + " keys with " + std::to_string(values) + " values",
                "Pass one value for each key.");
}

}  // namespace

template <class Key, bool with_values>
void RadixSort::sort_any(std::vector<Key>& key_buffer, Key* keys, std::uint32_t* values, std::size_t n,
                         bool clustered) {
  if (n > UINT32_MAX)
    throw Error({}, "radix sort of " + std::to_string(n) + " keys", "It takes up to 2^32 - 1.");
  if (n < few) return insertion_sort<Key, with_values>(keys, values, n);
  const std::size_t descents_limit = n / 64;  // more, and the radix sort is faster
  const std::size_t descents = detail::count_descents(keys, n, descents_limit);
  if (descents == 0 || detail::reverse_if_descending<Key, with_values>(keys, values, n)) return;

  const std::size_t threads = static_cast<std::size_t>(available_threads());
  const std::size_t blocks = std::clamp<std::size_t>(n / block_minimum, 1, threads);
  const std::size_t block = (n + blocks - 1) / blocks;
  key_buffer.resize(std::max(key_buffer.size(), n));
  if (with_values) values_.resize(std::max(values_.size(), n));
  if (descents <= descents_limit) {
    places_.resize(std::max(places_.size(), n));
    return detail::sort_few_descents<Key, with_values>(keys, values, n, key_buffer.data(), values_.data(),
                                                       places_.data(), taken_out<Key>());
  }
  counts_.resize(std::max(counts_.size(), blocks * digits));

  Pass<Key, with_values> pass{keys, values, key_buffer.data(), values_.data(), {}};
  const Key differing = differing_bits(keys, n), leading = clustered ? differing : leading_bits(differing, n);
  const Digits cut = cut_into_digits(leading);
  for (std::size_t k = 0; k < cut.count; ++k) {
    pass.digit = cut.digit[k];
    parallel_chunks(n, block, [&](Chunk c) { pass.count(c.begin, c.end, &counts_[c.index * digits]); });
    counts_to_places(counts_.data(), blocks, pass.digit.values);
    parallel_chunks(n, block, [&](Chunk c) { pass.scatter(c.begin, c.end, &counts_[c.index * digits]); });
    pass = {pass.keys_out,
            pass.values_out,
            const_cast<Key*>(pass.keys),
            const_cast<std::uint32_t*>(pass.values),
            {}};
  }
  if (pass.keys != keys) {
    parallel_chunks(n, block, [&](Chunk c) {
      std::copy(pass.keys + c.begin, pass.keys + c.end, keys + c.begin);
      if constexpr (with_values) std::copy(pass.values + c.begin, pass.values + c.end, values + c.begin);
    });
  }
  if (leading != differing) finish_groups<Key, with_values>(key_buffer, keys, values, n, leading);
}

// Sorts the groups of keys that are the same in the leading bits.
template <class Key, bool with_values>
void RadixSort::finish_groups(std::vector<Key>& key_buffer, Key* keys, std::uint32_t* values, std::size_t n,
                              Key leading) {
  const Key mask = static_cast<Key>(~Key{0} << std::countr_zero(leading));
  const auto same_group = [&](std::size_t i) { return ((keys[i - 1] ^ keys[i]) & mask) == 0; };
  const auto for_groups = [&](std::size_t begin, std::size_t end, auto&& sort_group) {
    while (begin < end) {
      std::size_t last = begin + 1;
      while (last < end && same_group(last)) ++last;
      if (last - begin > 1) sort_group(begin, last - begin);
      begin = last;
    }
  };
  // Chunks begin where a group does; looked up before any of them starts to move keys.
  const std::size_t grain = bounded_grain(n), chunks = chunk_count(n, grain);
  std::array<std::size_t, max_bounded_chunks + 1> start;
  for (std::size_t k = 0; k <= chunks; ++k) {
    start[k] = std::min(n, k * grain);
    while (start[k] > 0 && start[k] < n && same_group(start[k])) ++start[k];
  }
  // Large groups need the buffers, so they come one after the other when the small ones are done.
  std::atomic<bool> large_ones = false;
  parallel_chunks(n, grain, [&](Chunk chunk) {
    for_groups(start[chunk.index], start[chunk.index + 1], [&](std::size_t first, std::size_t size) {
      if (size < few) {
        insertion_sort<Key, with_values>(keys + first, with_values ? values + first : nullptr, size);
      } else {
        large_ones.store(true, std::memory_order_relaxed);
      }
    });
  });
  if (!large_ones) return;
  for_groups(0, n, [&](std::size_t first, std::size_t size) {
    if (size >= few)
      sort_any<Key, with_values>(key_buffer, keys + first, with_values ? values + first : nullptr, size);
  });
}

void RadixSort::sort(std::span<std::uint32_t> keys) {
  sort_any<std::uint32_t, false>(keys32_, keys.data(), nullptr, keys.size());
}
void RadixSort::sort(std::span<std::uint64_t> keys, bool clustered) {
  sort_any<std::uint64_t, false>(keys64_, keys.data(), nullptr, keys.size(), clustered);
}
void RadixSort::sort(std::span<std::uint32_t> keys, std::span<std::uint32_t> values) {
  check_lengths(keys.size(), values.size());
  sort_any<std::uint32_t, true>(keys32_, keys.data(), values.data(), keys.size());
}
void RadixSort::sort(std::span<std::uint64_t> keys, std::span<std::uint32_t> values) {
  check_lengths(keys.size(), values.size());
  sort_any<std::uint64_t, true>(keys64_, keys.data(), values.data(), keys.size());
}

void radix_sort(std::span<std::uint32_t> keys) { RadixSort().sort(keys); }
void radix_sort(std::span<std::uint64_t> keys) { RadixSort().sort(keys); }
void radix_sort(std::span<std::uint32_t> keys, std::span<std::uint32_t> values) {
  RadixSort().sort(keys, values);
}
void radix_sort(std::span<std::uint64_t> keys, std::span<std::uint32_t> values) {
  RadixSort().sort(keys, values);
}

}  // namespace palpate
