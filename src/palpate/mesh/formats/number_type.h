// The types of numbers that binary mesh files declare, and reading one of them from bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <palpate/mesh/formats/byte_cursor.h>

namespace palpate::detail {

enum class NumberType { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

constexpr std::size_t size_of(NumberType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}
constexpr bool is_whole(NumberType type) {
  return type != NumberType::float32 && type != NumberType::float64;
}

// Calls `use` with the number in its own type.
template <class Use>
auto with_number(NumberType type, const char* bytes, bool swap, Use&& use) {
  switch (type) {
    case NumberType::int8:
      return use(from_bytes<std::int8_t>(bytes, swap));
    case NumberType::uint8:
      return use(from_bytes<std::uint8_t>(bytes, swap));
    case NumberType::int16:
      return use(from_bytes<std::int16_t>(bytes, swap));
    case NumberType::uint16:
      return use(from_bytes<std::uint16_t>(bytes, swap));
    case NumberType::int32:
      return use(from_bytes<std::int32_t>(bytes, swap));
    case NumberType::uint32:
      return use(from_bytes<std::uint32_t>(bytes, swap));
    case NumberType::int64:
      return use(from_bytes<std::int64_t>(bytes, swap));
    case NumberType::uint64:
      return use(from_bytes<std::uint64_t>(bytes, swap));
    case NumberType::float32:
      return use(from_bytes<float>(bytes, swap));
    default:
      return use(from_bytes<double>(bytes, swap));
  }
}

inline double real_at(NumberType type, const char* bytes, bool swap) {
  return with_number(type, bytes, swap, [](auto value) { return static_cast<double>(value); });
}
// For the whole types. What a 64-bit integer cannot hold becomes -1, which no index and no count may be.
inline std::int64_t whole_at(NumberType type, const char* bytes, bool swap) {
  return with_number(type, bytes, swap, [](auto value) -> std::int64_t {
    if constexpr (std::is_same_v<decltype(value), std::uint64_t>)
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return -1;
    if constexpr (std::is_floating_point_v<decltype(value)>)
      return -1;
    else
      return static_cast<std::int64_t>(value);
  });
}

}  // namespace palpate::detail
