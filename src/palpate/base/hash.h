// A hash of state, to tell whether two runs are the same to the last bit.
//
// Four independent lanes of multiply-and-rotate over 64-bit words keep it at memory speed; a final mix
// spreads every input bit over the result. It sees bits, not values: 0.0 and -0.0 differ, which is what a
// test of determinism wants. Lengths are part of the hash, so moving an element from one array to the next
// changes it. Not for security, not stable across versions of Palpate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace palpate {

class StateHash {
 public:
  // An array of numbers, enums or structs of integers without padding.
  template <class T>
  void add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(
        std::has_unique_object_representations_v<T> || std::is_same_v<T, double> || std::is_same_v<T, float>,
        "padding would make the hash depend on garbage; pass the members one by one");
    add_bytes(values.data(), values.size_bytes());
  }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) { add_bytes(&value, sizeof value); }
  void add(std::string_view text) { add_bytes(text.data(), text.size()); }
  void add_bytes(const void* data, std::size_t size);

  std::uint64_t value() const;

 private:
  std::uint64_t lanes_[4] = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89};
};

}  // namespace palpate
