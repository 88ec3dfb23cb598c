// A cursor over the bytes of a binary mesh file, with the file's byte order.
//
// Asking for more bytes than there are is refused with the offset. To allocate for a count found in the file,
// ask need() for all its bytes first: a wrong count then costs a message and not the memory.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include <palpate/base/error.h>

namespace palpate::detail {

// The bytes of an integer in the other order. By the compiler's own functions, because loops over bytes are
// not always seen to be one instruction.
inline std::uint8_t swapped_bytes(std::uint8_t bits) { return bits; }
inline std::uint16_t swapped_bytes(std::uint16_t bits) { return __builtin_bswap16(bits); }
inline std::uint32_t swapped_bytes(std::uint32_t bits) { return __builtin_bswap32(bits); }
inline std::uint64_t swapped_bytes(std::uint64_t bits) { return __builtin_bswap64(bits); }

template <std::size_t size>
using BitsOf =
    std::conditional_t<size == 1, std::uint8_t,
                       std::conditional_t<size == 2, std::uint16_t,
                                          std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
T from_bytes(const char* bytes, bool swap) {
  using Bits = BitsOf<sizeof(T)>;
  static_assert(sizeof(T) == sizeof(Bits));
  Bits bits;
  std::memcpy(&bits, bytes, sizeof(T));
  return std::bit_cast<T>(swap ? swapped_bytes(bits) : bits);
}

// The other way round, for writers.
template <class T>
void append_bytes(std::string& out, T value, bool swap) {
  const auto bits = std::bit_cast<BitsOf<sizeof(T)>>(value);
  const auto ordered = swap ? swapped_bytes(bits) : bits;
  char bytes[sizeof(T)];
  std::memcpy(bytes, &ordered, sizeof(T));
  out.append(bytes, sizeof(T));
}

class ByteCursor {
 public:
  ByteCursor(std::string_view bytes, std::string_view name, std::size_t from = 0, bool big_endian = false)
      : bytes_(bytes),
        name_(name),
        at_(from),
        swap_(big_endian == (std::endian::native == std::endian::little)) {}

  std::size_t offset() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  bool swaps() const { return swap_; }
  const char* here() const { return bytes_.data() + at_; }
  void skip(std::size_t bytes, std::string_view what) { need(bytes, 1, what), at_ += bytes; }

  // count * size more bytes have to be there; no overflow whatever the count.
  void need(std::uint64_t count, std::size_t size, std::string_view what) const {
    if (size == 0 || count <= left() / size) return;
    refuse(fmt::format(
               "the file ends too early: {} {} of {} bytes each do not fit in the {} bytes that are left",
               count, what, size, left()),
           "It was cut off, or its header is wrong: get the file again.");
  }
  template <class T>
  T take(std::string_view what) {
    need(1, sizeof(T), what);
    at_ += sizeof(T);
    return from_bytes<T>(bytes_.data() + at_ - sizeof(T), swap_);
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    refuse_at(at_, what, remedy);
  }
  [[noreturn]] void refuse_at(std::size_t offset, const std::string& what, const std::string& remedy) const {
    throw Error(Place::file(name_).element("byte", offset), what, remedy);
  }

 private:
  std::string_view bytes_, name_;
  std::size_t at_;
  bool swap_;
};

}  // namespace palpate::detail
