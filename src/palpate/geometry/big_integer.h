// Signed integers of a fixed room of 7,168 bits: enough for any determinant of three differences of doubles,
// written as multiples of the smallest double. The last resort of the predicates; plain and slow.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace palpate::detail {

class BigInteger {
 public:
  BigInteger() = default;
  // x * 2^1074: an integer for every finite x.
  static BigInteger from(double x) {
    BigInteger result;
    int exponent = 0;
    const double mantissa = std::frexp(std::abs(x), &exponent);  // x = mantissa * 2^exponent, mantissa < 1
    auto digits = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
    int shift = exponent - 53 + 1074;
    if (shift < 0) {  // denormals have fewer digits than 53; what falls off is zero
      digits >>= -shift;
      shift = 0;
    }
    result.negative_ = x < 0;
    const auto limb = static_cast<std::size_t>(shift / 32);
    const int bit = shift % 32;
    const std::uint64_t low = digits << bit;
    const std::uint64_t high = bit == 0 ? 0 : digits >> (64 - bit);
    result.limb_[limb] = static_cast<std::uint32_t>(low);
    result.limb_[limb + 1] = static_cast<std::uint32_t>(low >> 32);
    result.limb_[limb + 2] = static_cast<std::uint32_t>(high);
    result.size_ = limb + 3;
    result.trim();
    return result;
  }

  int sign() const { return size_ == 0 ? 0 : (negative_ ? -1 : 1); }

  friend BigInteger operator-(BigInteger a) {
    a.negative_ = !a.negative_;
    return a;
  }
  friend BigInteger operator-(const BigInteger& a, const BigInteger& b) { return a + -b; }
  friend BigInteger operator+(const BigInteger& a, const BigInteger& b) {
    if (a.negative_ == b.negative_) return add_sizes(a, b);
    return smaller(a, b) ? subtract_sizes(b, a) : subtract_sizes(a, b);
  }
  friend BigInteger operator*(const BigInteger& a, const BigInteger& b) {
    BigInteger result;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (a.limb_[i] == 0) continue;  // most are: a double has 53 digits, wherever they stand
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.size_; ++j) {
        carry += std::uint64_t{a.limb_[i]} * b.limb_[j] + result.limb_[i + j];
        result.limb_[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      result.limb_[i + b.size_] = static_cast<std::uint32_t>(carry);
    }
    result.size_ = a.size_ + b.size_;
    result.negative_ = a.negative_ != b.negative_;
    result.trim();
    return result;
  }

 private:
  static bool smaller(const BigInteger& a, const BigInteger& b) {
    if (a.size_ != b.size_) return a.size_ < b.size_;
    for (std::size_t i = a.size_; i-- > 0;)
      if (a.limb_[i] != b.limb_[i]) return a.limb_[i] < b.limb_[i];
    return false;
  }
  static BigInteger add_sizes(const BigInteger& a, const BigInteger& b) {
    BigInteger result;
    result.negative_ = a.negative_;
    result.size_ = std::max(a.size_, b.size_) + 1;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < result.size_; ++i) {
      carry += std::uint64_t{a.limb_[i]} + b.limb_[i];
      result.limb_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    result.trim();
    return result;
  }
  // |large| - |small| with the sign of large.
  static BigInteger subtract_sizes(const BigInteger& large, const BigInteger& small) {
    BigInteger result;
    result.negative_ = large.negative_;
    result.size_ = large.size_;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < large.size_; ++i) {
      borrow += std::int64_t{large.limb_[i]} - small.limb_[i];
      result.limb_[i] = static_cast<std::uint32_t>(borrow);
      borrow >>= 32;
    }
    result.trim();
    return result;
  }
  void trim() {
    while (size_ > 0 && limb_[size_ - 1] == 0) --size_;
    if (size_ == 0) negative_ = false;
  }

  // Least significant first; a double has up to 66 limbs, a difference 67, a product of three 201, their sum
  // 203.
  std::array<std::uint32_t, 224> limb_{};
  std::size_t size_ = 0;
  bool negative_ = false;
};

}  // namespace palpate::detail
