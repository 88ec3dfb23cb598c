// Minimum, maximum and choice of doubles in one instruction each.
//
// Which region of a triangle a query falls into cannot be foreseen, and a mispredicted branch costs more than
// all the arithmetic of the region. Written as ternaries, compilers turn these back into branches; so they
// are spelled out.
#pragma once

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

namespace palpate {

#ifdef __SSE4_1__

namespace detail {
// A double lies in the low lane of its register already; this says so without an instruction.
inline __m128d lane(double x) {
  __m128d v;
  asm("" : "=x"(v) : "0"(x));
  return v;
}
}  // namespace detail

// Each returns b where one of them is not a number.
inline double smaller_of(double a, double b) {
  return _mm_cvtsd_f64(_mm_min_sd(detail::lane(a), detail::lane(b)));
}
inline double larger_of(double a, double b) {
  return _mm_cvtsd_f64(_mm_max_sd(detail::lane(a), detail::lane(b)));
}

// The outcome of a comparison, to choose with. Comparisons with NaN are false.
class Choice {
 public:
  static Choice less(double a, double b) { return Choice(_mm_cmplt_sd(detail::lane(a), detail::lane(b))); }
  static Choice equal(double a, double b) { return Choice(_mm_cmpeq_sd(detail::lane(a), detail::lane(b))); }
  friend Choice operator&(Choice a, Choice b) { return Choice(_mm_and_pd(a.mask_, b.mask_)); }
  friend Choice operator|(Choice a, Choice b) { return Choice(_mm_or_pd(a.mask_, b.mask_)); }
  double of(double yes, double no) const {
    return _mm_cvtsd_f64(_mm_blendv_pd(detail::lane(no), detail::lane(yes), mask_));
  }

 private:
  explicit Choice(__m128d mask) : mask_(mask) {}
  __m128d mask_;
};

#else

inline double smaller_of(double a, double b) { return a < b ? a : b; }
inline double larger_of(double a, double b) { return a > b ? a : b; }

class Choice {
 public:
  static Choice less(double a, double b) { return Choice(a < b); }
  static Choice equal(double a, double b) { return Choice(a == b); }
  friend Choice operator&(Choice a, Choice b) { return Choice(a.mask_ & b.mask_); }
  friend Choice operator|(Choice a, Choice b) { return Choice(a.mask_ | b.mask_); }
  double of(double yes, double no) const { return mask_ ? yes : no; }

 private:
  explicit Choice(bool mask) : mask_(mask) {}
  bool mask_;
};

#endif

}  // namespace palpate
