// The turns of four bodies at a time; a single one is one of four.
#include <palpate/rigid/free_turn.h>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/rigid/free_turn.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <palpate/geometry/lanes-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

constexpr double most_angle = 0.25;  // of a part [rad]
constexpr double most_parts = 64;    // beyond, parts are longer, and phases are not right any more
constexpr int most_rounds = 40;      // of parts that are too long; others take four at most

using T = Double4;
using V = Three<T>;
using Mask = hn::Mask<Doubles>;

HWY_INLINE T most_of(const V& a) { return hn::Max(hn::Max(hn::Abs(a.x.v), hn::Abs(a.y.v)), hn::Abs(a.z.v)); }
HWY_INLINE V times(const V& a, const V& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
HWY_INLINE T choose(Mask mask, T yes, T no) { return hn::IfThenElse(mask, yes.v, no.v); }
HWY_INLINE V choose(Mask mask, const V& yes, const V& no) {
  return {choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
}
HWY_INLINE V load(const double (*rows)[4], std::size_t at) {
  return {T::load(rows[0] + at), T::load(rows[1] + at), T::load(rows[2] + at)};
}

// tan(a)/a by the square of a, half of the angle: to 1e-9 for the parts above, and bounded for longer ones.
HWY_INLINE T stretched(T a) { return T(1.0) + a * (T(1.0 / 3) + a * (T(2.0 / 15) + a * T(17.0 / 315))); }
HWY_INLINE T stretched_slope(T a) { return T(1.0 / 3) + a * (T(4.0 / 15) + a * T(51.0 / 315)); }

// By the inverse of the turn that the vector r (tangent of half the angle, along the axis) stands for.
HWY_INLINE V turned_back(const V& l, const V& r) {
  const V once = cross(l, r);
  return l + (T(2.0) / (T(1.0) + dot(r, r))) * (once + cross(once, r));
}

// That of w, where w is half of the inverse moments times what momenta before and after add up to.
struct Turn {
  V w, tangent;
  T a, scale;

  HWY_INLINE Turn(const V& half_inverse, const V& sum, T h) : w(times(half_inverse, sum)) {
    a = hn::Min((T(0.25) * h * h * dot(w, w)).v, T(1.0).v);
    scale = T(0.5) * h * stretched(a);
    tangent = scale * w;
  }
};

// The step of Newton's for sum = 2 l + sum x tangent(sum), with all of its derivative.
HWY_INLINE V newton_step(const V& half_inverse, const V& l, const V& sum, T h) {
  const Turn turn(half_inverse, sum, h);
  const V &t = turn.tangent, d = turn.scale * half_inverse, twist = cross(sum, turn.w);
  const V off = (l + l) - sum + cross(sum, t);
  const V g = (T(0.25) * h * h * h * stretched_slope(turn.a)) * times(half_inverse, turn.w);
  const T one = 1.0;
  const V c0{one - twist.x * g.x, t.z - sum.z * d.x - twist.y * g.x, sum.y * d.x - t.y - twist.z * g.x},
      c1{sum.z * d.y - t.z - twist.x * g.y, one - twist.y * g.y, t.x - sum.x * d.y - twist.z * g.y},
      c2{t.y - sum.y * d.z - twist.x * g.z, sum.x * d.z - t.x - twist.y * g.z, one - twist.z * g.z};
  const V c12 = cross(c1, c2);
  return (one / dot(c0, c12)) * V{dot(off, c12), dot(off, cross(c2, c0)), dot(off, cross(c0, c1))};
}

// Over the time h, of lanes where parts are as short as they should be.
HWY_INLINE V tangent_of(const V& inverse, const V& l, T h, Mask which) {
  const V half_inverse = T(0.5) * inverse;
  const V middle = l + (T(0.5) * h) * cross(l, times(inverse, l));
  V sum = (l + l) + h * cross(middle, times(inverse, middle));
  // What is off afterwards is about the square of the last step.
  const T enough = T(1e-7) * most_of(l);
  for (int round = 0; round < 4 && !hn::AllFalse(Doubles(), which); ++round) {
    const V step = newton_step(half_inverse, l, sum, h);
    sum = choose(which, sum + step, sum);
    which = hn::AndNot(hn::Le(most_of(step).v, enough.v), which);
  }
  return Turn(half_inverse, sum, h).tangent;
}

// Where parts are too long for anything but to stay finite: what comes of it by putting it in again.
HWY_INLINE V tangent_by_rounds(const V& inverse, const V& l, T h, Mask which) {
  const V half_inverse = T(0.5) * inverse;
  const T enough = T(1e-15) * most_of(l);
  V after = l + h * cross(l, times(inverse, l));
  for (int round = 0; round < most_rounds && !hn::AllFalse(Doubles(), which); ++round) {
    const V next = turned_back(l, Turn(half_inverse, l + after, h).tangent);
    const T change = most_of(next - after);
    after = choose(which, next, after);
    which = hn::AndNot(hn::Le(change.v, enough.v), which);
  }
  return Turn(half_inverse, l + after, h).tangent;
}

void turn_four(double seconds, FourTurns& four) {
  constexpr Doubles d;
  for (std::size_t at = 0; at < 4; at += double_lanes) {
    const V inverse = load(four.inverse_moments, at);
    V l = load(four.momentum, at), q = load(four.turn, at);
    T real = T::load(four.turn[3] + at);
    const T rate = T(hn::Sqrt(dot(l, l).v)) * most_of(inverse);
    const Mask turns = hn::Gt(rate.v, hn::Zero(d));
    const T wanted = hn::Ceil((rate * T(seconds) / T(most_angle)).v);
    const T parts = hn::Min(hn::Max(choose(turns, wanted, T(1.0)).v, T(1.0).v), T(most_parts).v);
    const T h = T(seconds) / parts;
    const Mask fast = hn::And(turns, hn::Gt((rate * h).v, T(2 * most_angle).v));
    const bool any_fast = !hn::AllFalse(d, fast);
    for (double part = 0;; ++part) {
      const Mask which = hn::And(turns, hn::Gt(parts.v, T(part).v));
      if (hn::AllFalse(d, which)) break;
      V r = tangent_of(inverse, l, h, hn::AndNot(fast, which));
      if (any_fast) r = choose(fast, tangent_by_rounds(inverse, l, h, hn::And(fast, which)), r);
      l = choose(which, turned_back(l, r), l);
      const V vector = q + real * r + cross(q, r);
      const T scalar = real - dot(q, r);
      const T scale = T(1.0) / T(hn::Sqrt((dot(vector, vector) + scalar * scalar).v));
      q = choose(which, scale * vector, q);
      real = choose(which, scale * scalar, real);
    }
    const T rows[] = {l.x, l.y, l.z, q.x, q.y, q.z, real};
    for (std::size_t k = 0; k < 3; ++k) rows[k].store(four.momentum[k] + at);
    for (std::size_t k = 0; k < 4; ++k) rows[3 + k].store(four.turn[k] + at);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(turn_four);

void free_turn(double seconds, FourTurns& four) { HWY_DYNAMIC_DISPATCH(turn_four)(seconds, four); }

void free_turn(const Vec3& inverse_moments, double seconds, Vec3& momentum, Quat& turn) {
  FourTurns four{};
  for (int k = 0; k < 3; ++k) {
    four.inverse_moments[k][0] = inverse_moments[k];
    four.momentum[k][0] = momentum[k];
  }
  for (int k = 0; k < 4; ++k) four.turn[k][0] = turn.coeffs()[k];
  free_turn(seconds, four);
  for (int k = 0; k < 3; ++k) momentum[k] = four.momentum[k][0];
  for (int k = 0; k < 4; ++k) turn.coeffs()[k] = four.turn[k][0];
}

}  // namespace palpate
#endif
