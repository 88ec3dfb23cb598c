#include <palpate/base/radix_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include <palpate/base/error.h>
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
bool is_sorted(const Key* keys, std::size_t n) {
  // In runs, so that the inner loop has no exit and the compiler makes vectors of it.
  constexpr std::size_t run = 4096;
  for (std::size_t begin = 1; begin < n; begin += run) {
    const std::size_t end = std::min(n, begin + run);
    Key descents = 0;
    for (std::size_t i = begin; i < end; ++i) descents |= Key{keys[i - 1] > keys[i]};
    if (descents != 0) return false;
  }
  return true;
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

void check_lengths(std::size_t keys, std::size_t values) {
  if (keys != values)
    throw Error({},
                "radix sort of " + std::to_string(keys) + " keys with " + std::to_string(values) + " values",
                "Pass one value for each key.");
}

}  // namespace

template <class Key, bool with_values>
void RadixSort::sort_any(std::vector<Key>& key_buffer, Key* keys, std::uint32_t* values, std::size_t n) {
  if (n > UINT32_MAX)
    throw Error({}, "radix sort of " + std::to_string(n) + " keys", "It takes up to 2^32 - 1.");
  if (n < few) return insertion_sort<Key, with_values>(keys, values, n);
  if (is_sorted(keys, n)) return;

  const std::size_t threads = static_cast<std::size_t>(available_threads());
  const std::size_t blocks = std::clamp<std::size_t>(n / block_minimum, 1, threads);
  const std::size_t block = (n + blocks - 1) / blocks;
  key_buffer.resize(std::max(key_buffer.size(), n));
  if (with_values) values_.resize(std::max(values_.size(), n));
  counts_.resize(std::max(counts_.size(), blocks * digits));

  Pass<Key, with_values> pass{keys, values, key_buffer.data(), values_.data(), {}};
  const Digits cut = cut_into_digits(differing_bits(keys, n));
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
}

void RadixSort::sort(std::span<std::uint32_t> keys) {
  sort_any<std::uint32_t, false>(keys32_, keys.data(), nullptr, keys.size());
}
void RadixSort::sort(std::span<std::uint64_t> keys) {
  sort_any<std::uint64_t, false>(keys64_, keys.data(), nullptr, keys.size());
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
