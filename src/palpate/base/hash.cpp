#include <palpate/base/hash.h>

#include <bit>
#include <cstring>

namespace palpate {

namespace {

// Large odd constants: the golden ratio and the square root of 2, in 64 bits.
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
constexpr std::uint64_t root_two = 0xb504f333f9de6485;

std::uint64_t stir(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * golden, 31) * root_two;
}

// Spreads every bit over all others (a multiply-xorshift finaliser).
std::uint64_t spread(std::uint64_t x) {
  x ^= x >> 32;
  x *= golden;
  x ^= x >> 29;
  x *= root_two;
  x ^= x >> 32;
  return x;
}

}  // namespace

void StateHash::add_bytes(const void* data, std::size_t size) {
  static_assert(std::endian::native == std::endian::little, "the hash is defined on little-endian words");
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t a = lanes_[0], b = lanes_[1], c = lanes_[2], d = lanes_[3];
  std::uint64_t words[4];
  std::size_t left = size;
  for (; left >= sizeof words; left -= sizeof words, bytes += sizeof words) {
    std::memcpy(words, bytes, sizeof words);
    a = stir(a, words[0]);
    b = stir(b, words[1]);
    c = stir(c, words[2]);
    d = stir(d, words[3]);
  }
  std::memset(words, 0, sizeof words);
  if (left > 0) std::memcpy(words, bytes, left);  // data may be null when size is 0
  a = stir(a, words[0]);
  b = stir(b, words[1]);
  c = stir(c, words[2]);
  d = stir(d, words[3]);
  // The length closes the piece: it tells zero padding from zeros and one array from two.
  lanes_[0] = stir(a, size);
  lanes_[1] = stir(b, lanes_[0]);
  lanes_[2] = stir(c, lanes_[1]);
  lanes_[3] = stir(d, lanes_[2]);
}

std::uint64_t StateHash::value() const {
  std::uint64_t result = 0;
  for (const std::uint64_t lane : lanes_) result = spread(result ^ lane) + golden;
  return spread(result);
}

}  // namespace palpate
