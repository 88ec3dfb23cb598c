// base/: sorting, prefix sums, compaction and hashing beside the standard library and TBB, on a million
// elements.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string_view>

#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <palpate/base/compact.h>
#include <palpate/base/hash.h>
#include <palpate/base/radix_sort.h>
#include <palpate/base/scan.h>

#include "benchmarks.h"

namespace palpate::bench {

namespace {

constexpr std::size_t million = 1'000'000;

template <class T>
std::uint64_t hash_of(const std::vector<T>& values) {
  StateHash hash;
  hash.add(std::span<const T>(values));
  return hash.value();
}

template <class Key>
std::vector<Key> random_keys(int bits) {
  std::mt19937_64 random(7);
  std::vector<Key> keys(million);
  for (Key& key : keys) key = static_cast<Key>(random() >> (64 - bits));
  return keys;
}

// --- sorting --------------------------------------------------------------------------------------

template <class Key>
std::vector<Method> sort_keys(std::vector<Key> input) {
  struct Data {
    std::vector<Key> input, keys;
    RadixSort radix;
  };
  const auto data = std::make_shared<Data>(Data{std::move(input), {}, {}});
  const auto prepare = [data] { data->keys = data->input; };
  const auto result = [data] { return hash_of(data->keys); };
  return {
      {"std::sort", Role::reference, [data] { std::sort(data->keys.begin(), data->keys.end()); }, prepare,
       result},
      {"tbb::parallel_sort", Role::peer, [data] { tbb::parallel_sort(data->keys); }, prepare, result, true},
      {"RadixSort", Role::ours, [data] { data->radix.sort(std::span(data->keys)); }, prepare, result, true},
  };
}

// Values are the places the keys come from, so that sorting pairs by both is the stable order.
template <class Key>
std::vector<Method> sort_pairs(std::vector<Key> input) {
  struct Pair {
    Key key;
    std::uint32_t value;
    bool operator<(const Pair& other) const {
      return key != other.key ? key < other.key : value < other.value;
    }
  };
  struct Data {
    std::vector<Key> input, keys;
    std::vector<std::uint32_t> values;
    std::vector<Pair> pairs;
    RadixSort radix;
  };
  const auto data = std::make_shared<Data>();
  data->input = std::move(input);
  data->values.resize(million);
  data->pairs.resize(million);
  const auto prepare_pairs = [data] {
    for (std::uint32_t i = 0; i < million; ++i) data->pairs[i] = {data->input[i], i};
  };
  const auto prepare = [data] {
    data->keys = data->input;
    std::iota(data->values.begin(), data->values.end(), 0);
  };
  const auto result_pairs = [data] {
    for (std::size_t i = 0; i < million; ++i) data->values[i] = data->pairs[i].value;
    return hash_of(data->values);
  };
  const auto result = [data] { return hash_of(data->values); };
  const auto by_key = [](const Pair& a, const Pair& b) { return a.key < b.key; };
  return {
      {"std::sort", Role::reference, [data] { std::sort(data->pairs.begin(), data->pairs.end()); },
       prepare_pairs, result_pairs},
      {"std::stable_sort", Role::peer,
       [data, by_key] { std::stable_sort(data->pairs.begin(), data->pairs.end(), by_key); }, prepare_pairs,
       result_pairs},
      {"tbb::parallel_sort", Role::peer, [data] { tbb::parallel_sort(data->pairs); }, prepare_pairs,
       result_pairs, true},
      {"RadixSort", Role::ours, [data] { data->radix.sort(std::span(data->keys), std::span(data->values)); },
       prepare, result, true},
  };
}

// Keys that are in order but for `swaps` pairs; the order a sort is most often given from step to step.
template <class Key>
std::vector<Key> nearly_sorted(int swaps) {
  std::vector<Key> keys = random_keys<Key>(sizeof(Key) * 8);
  std::sort(keys.begin(), keys.end());
  std::mt19937 random(3);
  for (int i = 0; i < swaps; ++i) std::swap(keys[random() % million], keys[random() % million]);
  return keys;
}

template <class Key>
std::vector<Key> descending() {
  std::vector<Key> keys = random_keys<Key>(sizeof(Key) * 8);
  std::sort(keys.rbegin(), keys.rend());
  return keys;
}

// --- prefix sums, compaction, hash ----------------------------------------------------------------

std::vector<Method> scan_counts() {
  struct Data {
    std::vector<std::uint32_t> counts = random_keys<std::uint32_t>(3),
                               sums = std::vector<std::uint32_t>(million);
  };
  const auto data = std::make_shared<Data>();
  const auto result = [data] { return hash_of(data->sums); };
  const auto with_tbb = [data] {
    tbb::parallel_scan(
        tbb::blocked_range<std::size_t>(0, million), std::uint32_t{0},
        [&](const tbb::blocked_range<std::size_t>& range, std::uint32_t sum, bool final) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) {
            const std::uint32_t count = data->counts[i];
            if (final) data->sums[i] = sum;
            sum += count;
          }
          return sum;
        },
        std::plus<>());
  };
  return {
      {"std::exclusive_scan",
       Role::reference,
       [data] { std::exclusive_scan(data->counts.begin(), data->counts.end(), data->sums.begin(), 0u); },
       {},
       result},
      {"tbb::parallel_scan", Role::peer, with_tbb, {}, result, true},
      {"memcpy", Role::floor, [data] { std::memcpy(data->sums.data(), data->counts.data(), million * 4); }},
      {"prefix_sums", Role::ours, [data] { prefix_sums(data->counts, data->sums); }, {}, result, true},
  };
}

std::vector<Method> compact_marks(int percent) {
  struct Data {
    std::vector<std::uint8_t> keep;
    std::vector<std::uint32_t> all, kept;
    std::size_t count = 0;
  };
  const auto data = std::make_shared<Data>();
  std::mt19937 random(5);
  data->all.resize(million);
  std::iota(data->all.begin(), data->all.end(), 0);
  for (std::size_t i = 0; i < million; ++i) data->keep.push_back(static_cast<int>(random() % 100) < percent);
  data->kept.resize(million);
  const auto result = [data] {
    StateHash hash;
    hash.add(std::span<const std::uint32_t>(data->kept).first(data->count));
    return hash.value();
  };
  const auto with_copy_if = [data] {
    const auto end = std::copy_if(data->all.begin(), data->all.end(), data->kept.begin(),
                                  [&](std::uint32_t i) { return data->keep[i] != 0; });
    data->count = static_cast<std::size_t>(end - data->kept.begin());
  };
  return {
      {"std::copy_if", Role::reference, with_copy_if, {}, result},
      {"compact",
       Role::ours,
       [data] {
         data->count = compact(std::span<const std::uint32_t>(data->all),
                               std::span<const std::uint8_t>(data->keep), std::span(data->kept));
       },
       {},
       result,
       true},
      {"compact_indices",
       Role::ours,
       [data] { data->count = compact_indices(data->keep, data->kept); },
       {},
       result,
       true},
  };
}

std::vector<Method> hash_doubles() {
  struct Data {
    std::vector<double> values = std::vector<double>(million, 1.25), copy = values;
  };
  const auto data = std::make_shared<Data>();
  return {
      {"std::hash", Role::reference,
       [data] {
         keep(std::hash<std::string_view>()(
             {reinterpret_cast<const char*>(data->values.data()), million * 8}));
       }},
      {"memcpy", Role::floor, [data] { std::memcpy(data->copy.data(), data->values.data(), million * 8); }},
      {"StateHash", Role::ours, [data] { keep(hash_of(data->values)); }},
  };
}

std::vector<Case> cases(bool /*quick*/) {
  return {
      {"sort 1M keys, 32 bits", million, [] { return sort_keys(random_keys<std::uint32_t>(32)); }},
      {"sort 1M keys, 64 bits", million, [] { return sort_keys(random_keys<std::uint64_t>(64)); }},
      {"sort 1M keys with values, 32 bits", million,
       [] { return sort_pairs(random_keys<std::uint32_t>(32)); }},
      {"sort 1M keys with values, 20 of 32 bits", million,
       [] { return sort_pairs(random_keys<std::uint32_t>(20)); }},
      {"sort 1M keys with values, 64 bits", million,
       [] { return sort_pairs(random_keys<std::uint64_t>(64)); }},
      {"sort 1M keys with values, 32 bits, sorted", million,
       [] { return sort_pairs(nearly_sorted<std::uint32_t>(0)); }},
      {"sort 1M keys with values, 32 bits, nearly sorted", million,
       [] { return sort_pairs(nearly_sorted<std::uint32_t>(1000)); }},
      {"sort 1M keys with values, 64 bits, nearly sorted", million,
       [] { return sort_pairs(nearly_sorted<std::uint64_t>(1000)); }},
      {"sort 1M keys, 64 bits, nearly sorted", million,
       [] { return sort_keys(nearly_sorted<std::uint64_t>(1000)); }},
      {"sort 1M keys with values, 64 bits, descending", million,
       [] { return sort_pairs(descending<std::uint64_t>()); }},
      {"sort 1M keys, 32 bits, descending", million, [] { return sort_keys(descending<std::uint32_t>()); }},
      {"sort 1M keys, 64 bits, descending", million, [] { return sort_keys(descending<std::uint64_t>()); }},
      {"prefix sums of 1M counts", million, scan_counts},
      {"compact 1M marks, half kept", million, [] { return compact_marks(50); }},
      {"compact 1M marks, 2 % kept", million, [] { return compact_marks(2); }},
      {"hash of 1M doubles", million, hash_doubles},
  };
}

}  // namespace

Benchmark base() { return {"base", "sort, prefix sums, compaction and hash of a million elements", cases}; }

}  // namespace palpate::bench
