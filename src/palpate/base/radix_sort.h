// Stable sort of integer keys, alone or with values, by radix.
//
// One pass over the keys finds which bits differ at all (cell numbers and Morton codes use few of them) and
// whether the keys are sorted already, nearly, or in reverse (nearly_sorted.h). The differing bits are cut
// into digits of at most 8 bits, and the keys are sorted digit by digit, least significant first; each digit
// costs a counting and a scattering pass. Of wide keys only the leading bits are sorted so, as many as tell
// nearly all keys apart; the few groups that still have leading bits in common are finished one by one.
// Threads take one block each. The result of a stable sort is unique, so blocks may follow the thread count
// and the output is still the same for any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/nearly_sorted.h>

namespace palpate {

// Keeps its buffers: repeated sorts of the same length allocate nothing.
class RadixSort {
 public:
  void sort(std::span<std::uint32_t> keys);
  // `clustered`: many keys have their leading bits in common, so that all bits are worth a pass.
  void sort(std::span<std::uint64_t> keys, bool clustered = false);
  // values[i] travels with keys[i]; equal keys keep their order. Both spans have the same length.
  void sort(std::span<std::uint32_t> keys, std::span<std::uint32_t> values);
  void sort(std::span<std::uint64_t> keys, std::span<std::uint32_t> values);

 private:
  template <class Key, bool with_values>
  void sort_any(std::vector<Key>& key_buffer, Key* keys, std::uint32_t* values, std::size_t n,
                bool clustered = false);

  template <class Key, bool with_values>
  void finish_groups(std::vector<Key>& key_buffer, Key* keys, std::uint32_t* values, std::size_t n,
                     Key leading);

  template <class Key>
  auto& taken_out() {
    if constexpr (sizeof(Key) == 4) {
      return taken_out32_;
    } else {
      return taken_out64_;
    }
  }

  std::vector<std::uint32_t> keys32_, values_, places_;
  std::vector<std::uint64_t> keys64_;
  std::vector<detail::TakenOut<std::uint32_t>> taken_out32_;
  std::vector<detail::TakenOut<std::uint64_t>> taken_out64_;
  std::vector<std::uint32_t> counts_;  // digit by digit inside each block
};

// For one use.
void radix_sort(std::span<std::uint32_t> keys);
void radix_sort(std::span<std::uint64_t> keys);
void radix_sort(std::span<std::uint32_t> keys, std::span<std::uint32_t> values);
void radix_sort(std::span<std::uint64_t> keys, std::span<std::uint32_t> values);

}  // namespace palpate
