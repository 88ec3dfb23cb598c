// State as bytes, and back.
//
// Numbers as they lie in memory, lists with their lengths before them. What is read is never trusted: a
// length that goes beyond the end, or bytes that are left over, are an Error, and nothing is allocated for a
// length before it is known that so many bytes are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <palpate/base/error.h>

namespace palpate {

class ByteWriter {
 public:
  // Appends to `to`, which must outlive this.
  explicit ByteWriter(std::vector<std::byte>& to) : to_(to) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) { put_bytes(&value, sizeof value); }
  // A length, then the elements.
  template <class T>
  void put(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(std::uint64_t{values.size()});
    put_bytes(values.data(), values.size_bytes());
  }
  void put(std::string_view text) { put(std::span<const char>(text)); }

 private:
  void put_bytes(const void* data, std::size_t size) {
    const std::size_t before = to_.size();
    to_.resize(before + size);
    if (size > 0) std::memcpy(to_.data() + before, data, size);
  }
  std::vector<std::byte>& to_;
};

class ByteReader {
 public:
  // `what` it is, for messages.
  ByteReader(std::span<const std::byte> from, std::string what) : from_(from), what_(std::move(what)) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> T get() {
    T value;
    take(&value, sizeof value);
    return value;
  }
  // Into a list that must be as long.
  template <class T>
  void get(std::span<T> into) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (length(sizeof(T)) != into.size()) fail("it belongs to something of another size");
    take(into.data(), into.size_bytes());
  }
  template <class T>
  void get(std::vector<T>& into) {
    static_assert(std::is_trivially_copyable_v<T>);
    into.resize(length(sizeof(T)));
    take(into.data(), into.size() * sizeof(T));
  }
  std::string get_text() {
    std::string text(length(1), '\0');
    take(text.data(), text.size());
    return text;
  }
  std::size_t left() const { return from_.size() - at_; }
  [[noreturn]] void fail(std::string problem) const {
    throw Error(Place::named("snapshot", what_), std::move(problem),
                "Take another one, of this scene and this version of Palpate.");
  }

 private:
  void take(void* to, std::size_t size) {
    if (size > left()) fail("it is cut off or damaged");
    if (size > 0) std::memcpy(to, from_.data() + at_, size);
    at_ += size;
  }
  std::size_t length(std::size_t each) {
    const auto count = get<std::uint64_t>();
    if (count > left() / each) fail("it is cut off or damaged");
    return static_cast<std::size_t>(count);
  }

  std::span<const std::byte> from_;
  std::size_t at_ = 0;
  std::string what_;
};

}  // namespace palpate
