#include <palpate/mesh/formats/vtu_bytes.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include <palpate/mesh/formats/byte_cursor.h>

namespace palpate::detail {

namespace {

constexpr int padding = -2;

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? padding : -1;
}

}  // namespace

void ByteStream::skip_space() {
  while (at_ < stored_.size() &&
         (stored_[at_] == ' ' || stored_[at_] == '\n' || stored_[at_] == '\r' || stored_[at_] == '\t'))
    ++at_;
}

bool ByteStream::at_end() {
  if (base64_) skip_space();
  return at_ == stored_.size() && group_.empty();
}

int ByteStream::next_digit() {
  skip_space();
  if (at_ == stored_.size()) throw BadBytes("its data end too early");
  const int digit = digit_of(stored_[at_]);
  if (digit == -1) throw BadBytes(fmt::format("character {} of its data is not base64", at_));
  ++at_;
  return digit;
}

// Four digits are three bytes; "xxx=" are two and "xx==" one. A padded group may be followed by others: VTK
// encodes the header of compressed data on its own.
void ByteStream::decode_group(std::string& out) {
  std::array<int, 4> digits;
  for (int& digit : digits) digit = next_digit();
  const int bytes = digits[3] != padding ? 3 : digits[2] != padding ? 2 : 1;
  std::uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = digits[static_cast<std::size_t>(i)];
    if ((digit == padding) != (i > bytes)) throw BadBytes("'=' stands in the middle of its base64 data");
    bits = bits << 6 | static_cast<std::uint32_t>(std::max(digit, 0));
  }
  if ((bits & ((1U << (8 * (3 - bytes))) - 1)) != 0) throw BadBytes("its base64 data end in odd bits");
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(bits >> (16 - 8 * i) & 0xff);
}

std::string ByteStream::take(std::uint64_t count) {
  const std::size_t left = stored_.size() - at_;
  if (count > (base64_ ? left / 4 * 3 + group_.size() : left))
    throw BadBytes(fmt::format("its data end too early: {} bytes are missing or a size is wrong", count));
  if (!base64_) {
    at_ += static_cast<std::size_t>(count);
    return std::string(
        stored_.substr(at_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count)));
  }
  std::string bytes = std::move(group_);
  group_.clear();
  bytes.reserve(static_cast<std::size_t>(count) + 2);
  while (bytes.size() < count) decode_group(bytes);
  group_ = bytes.substr(static_cast<std::size_t>(count));
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

std::uint64_t ByteStream::take_size(bool eight_bytes, bool swap) {
  const std::string bytes = take(eight_bytes ? 8 : 4);
  return eight_bytes ? from_bytes<std::uint64_t>(bytes.data(), swap)
                     : from_bytes<std::uint32_t>(bytes.data(), swap);
}

std::string read_plain(ByteStream& in, std::uint64_t expected, bool long_headers, bool swap) {
  const std::uint64_t size = in.take_size(long_headers, swap);
  if (size != expected) throw BadBytes(fmt::format("it has {} bytes, but {} are needed", size, expected));
  return in.take(size);
}

std::string read_zlib(ByteStream& in, std::uint64_t expected, bool long_headers, bool swap) {
  const std::uint64_t blocks = in.take_size(long_headers, swap);
  const std::uint64_t block_size = in.take_size(long_headers, swap);
  const std::uint64_t last_size = in.take_size(long_headers, swap);
  // The last block is a full one if its size is 0.
  const std::uint64_t full = blocks - (blocks > 0 && last_size > 0 ? 1 : 0);
  if ((full > 0 && block_size > expected / full) ||
      full * block_size + (full < blocks ? last_size : 0) != expected)
    throw BadBytes(fmt::format("its {} blocks of {} and {} bytes are not the {} bytes that are needed",
                               blocks, block_size, last_size, expected));
  if (block_size == 0 && full > 0) throw BadBytes("its blocks are empty");
  std::vector<std::uint64_t> sizes;  // grows with what is read and not with what is claimed
  for (std::uint64_t i = 0; i < blocks; ++i) sizes.push_back(in.take_size(long_headers, swap));
  std::string bytes(static_cast<std::size_t>(expected), '\0');
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::string packed = in.take(sizes[static_cast<std::size_t>(i)]);
    const std::uint64_t size = i < full ? block_size : last_size;
    uLongf unpacked = static_cast<uLongf>(size);
    if (uncompress(reinterpret_cast<Bytef*>(bytes.data() + at), &unpacked,
                   reinterpret_cast<const Bytef*>(packed.data()),
                   static_cast<uLong>(packed.size())) != Z_OK ||
        unpacked != size)
      throw BadBytes(fmt::format("its block {} cannot be decompressed to {} bytes", i, size));
    at += static_cast<std::size_t>(size);
  }
  return bytes;
}

}  // namespace palpate::detail
