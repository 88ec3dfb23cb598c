// Bytes of an array in a VTK XML file: raw or base64, and zlib's blocks.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace palpate::detail {

// What is wrong with the bytes of an array; who catches it knows where in the file the array is.
struct BadBytes : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Gives out bytes one after the other, decoding base64 as it goes.
class ByteStream {
 public:
  ByteStream(std::string_view stored, bool base64) : stored_(stored), base64_(base64) {}

  // Refuses before it takes memory if there cannot be so many.
  std::string take(std::uint64_t count);
  std::uint64_t take_size(bool eight_bytes, bool swap);
  // How many bytes of the store are used up.
  std::size_t used() const { return at_; }
  // Nothing but white space is left.
  bool at_end();

 private:
  void decode_group(std::string& out);
  int next_digit();
  void skip_space();

  std::string_view stored_;
  bool base64_;
  std::size_t at_ = 0;
  std::string group_;  // decoded and not yet given out: at most three bytes
};

// An array of `expected` bytes as it is stored: a size and the bytes, or zlib's blocks with their sizes.
std::string read_plain(ByteStream& in, std::uint64_t expected, bool long_headers, bool swap);
std::string read_zlib(ByteStream& in, std::uint64_t expected, bool long_headers, bool swap);

}  // namespace palpate::detail
