// Why this is exact, in three steps.
//
// 1. At one time t, "they touch" is a question about signs only (touch() below): is the volume of the four
//    points zero; on which side of which line is each point, seen along an axis along which the shape does
//    not degenerate; and if it does along all of them, is a point on a segment. Every one of these signs is
//    that of a polynomial in t with integer coefficients, of degree 3 at most.
// 2. The times of contact are a closed set, so the first of them is 0, or a time at which one of these signs
//    changes: a root of one of these polynomials. There are finitely many. Unless the volume is zero all the
//    time, its roots (3 at most) are enough.
// 3. A root is kept as a polynomial without multiple roots and an interval in which it is the only one. What
//    sign another polynomial has there is decided by making the interval smaller until it cannot be zero,
//    after the greatest common divisor has told that it is not.
//
// All numbers are integers: times are fractions with a common denominator, and polynomials are multiplied by
// a power of it.
#include <collide/exact_crossing.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace palpate::testing {

namespace {

// c[0] + c[1] t + ...; the last of its terms is not zero. Nothing here has a degree of more than 3.
struct Poly {
  std::array<Integer, 4> c;
  std::size_t terms = 0;

  Poly() = default;
  Poly(Integer constant, Integer slope) : c{std::move(constant), std::move(slope)}, terms(2) { trim(); }

  bool is_zero() const { return terms == 0; }
  const Integer& lead() const { return c[terms - 1]; }
  void trim() {
    while (terms > 0 && sgn(c[terms - 1]) == 0) --terms;
  }
  friend Poly operator+(Poly a, const Poly& b) {
    a.terms = std::max(a.terms, b.terms);
    for (std::size_t i = 0; i < b.terms; ++i) a.c[i] += b.c[i];
    a.trim();
    return a;
  }
  friend Poly operator-(Poly a, const Poly& b) {
    a.terms = std::max(a.terms, b.terms);
    for (std::size_t i = 0; i < b.terms; ++i) a.c[i] -= b.c[i];
    a.trim();
    return a;
  }
  friend Poly operator*(const Poly& a, const Poly& b) {
    Poly product;
    if (a.is_zero() || b.is_zero()) return product;
    product.terms = a.terms + b.terms - 1;
    for (std::size_t i = 0; i < a.terms; ++i)
      for (std::size_t k = 0; k < b.terms; ++k) product.c[i + k] += a.c[i] * b.c[k];
    return product;
  }
  friend bool operator==(const Poly& a, const Poly& b) { return a.terms == b.terms && a.c == b.c; }
};
using Poly3 = Exact3<Poly>;

Poly monomial(const Integer& factor, std::size_t power) {
  Poly result;
  result.c[power] = factor;
  result.terms = power + 1;
  result.trim();
  return result;
}

Poly derivative(const Poly& p) {
  Poly result;
  for (std::size_t i = 1; i < p.terms; ++i) result.c[i - 1] = p.c[i] * static_cast<unsigned long>(i);
  result.terms = p.terms > 0 ? p.terms - 1 : 0;
  return result;
}

// Without common factors of the coefficients, the leading one positive: the same roots.
Poly primitive(Poly p) {
  if (p.is_zero()) return p;
  Integer common = 0;
  for (std::size_t i = 0; i < p.terms; ++i) common = gcd(common, p.c[i]);
  if (sgn(p.lead()) < 0) common = -common;
  for (std::size_t i = 0; i < p.terms; ++i)
    mpz_divexact(p.c[i].get_mpz_t(), p.c[i].get_mpz_t(), common.get_mpz_t());
  return p;
}

// f a = quotient b + remainder for some integer f that is not zero; b is not zero.
struct Division {
  Poly quotient, remainder;
};
Division divide(const Poly& a, const Poly& b) {
  Division result{{}, a};
  const Poly lead = monomial(b.lead(), 0);
  while (result.remainder.terms >= b.terms) {
    const Poly term = monomial(result.remainder.lead(), result.remainder.terms - b.terms);
    result.quotient = lead * result.quotient + term;
    result.remainder = lead * result.remainder - term * b;
  }
  return result;
}

Poly greatest_common_divisor(Poly a, Poly b) {
  while (!b.is_zero()) {
    Poly rest = primitive(divide(a, b).remainder);
    a = std::exchange(b, std::move(rest));
  }
  return primitive(std::move(a));
}

Poly without_multiple_roots(const Poly& p) {
  const Poly common = greatest_common_divisor(p, derivative(p));
  return primitive(divide(p, common).quotient);
}

// p(n / d) d^degree
Integer value(const Poly& p, const Integer& n, const Integer& d) {
  Integer result = 0, power = 1;
  for (std::size_t i = p.terms; i-- > 0; power *= d) result = result * n + p.c[i] * power;
  return result;
}
int sign_at(const Poly& p, const Integer& n, const Integer& d) { return sgn(value(p, n, d)); }

// p((n + x) / d) d^degree, as a polynomial in x
Poly shifted(const Poly& p, const Integer& n, const Integer& d) {
  const Poly line(n, 1);
  Poly result;
  Integer power = 1;
  for (std::size_t i = p.terms; i-- > 0; power *= d) {
    result = result * line;
    result = result + monomial(p.c[i] * power, 0);
  }
  return result;
}

// Descartes' rule of signs for low / den < t < (low + 1) / den, at whose ends p is not zero: without a change
// of sign there is no root in between, with one change there is one.
int changes_of_sign(const Poly& p, const Integer& low, const Integer& den) {
  Poly local = shifted(p, low, den);
  std::reverse(local.c.begin(), local.c.begin() + static_cast<std::ptrdiff_t>(local.terms));
  local = shifted(local, 1, 1);
  int changes = 0, last = 0;
  for (std::size_t i = 0; i < local.terms; ++i) {
    const int sign = sgn(local.c[i]);
    if (sign * last < 0) ++changes;
    if (sign != 0) last = sign;
  }
  return changes;
}

// A time: low / den if low == high, or else the only root of `polynomial` between low / den and high / den,
// at which it is not zero and of unlike signs. Then high = low + 1, and the time is irrational once
// find_rational() has been there.
class Moment {
 public:
  Moment(Integer n, Integer d) : low_(n), high_(std::move(n)), den_(std::move(d)) {}
  Moment(Poly polynomial, Integer low, Integer den)
      : polynomial_(std::move(polynomial)), low_(std::move(low)), high_(low_ + 1), den_(std::move(den)) {
    find_rational();
  }

  Rational low() const { return fraction(low_, den_); }
  Rational high() const { return fraction(high_, den_); }

  int sign(const Poly& p);
  void refine_to(const Integer& least_den) {
    while (low_ != high_ && den_ < least_den) refine();
  }

 private:
  void refine();
  void find_rational();
  bool shares_root(const Poly& p) const;
  void set_exact(const Integer& n, const Integer& d) {
    const Integer common = gcd(n, d);
    low_ = high_ = n / common;
    den_ = d / common;
  }

  Poly polynomial_;
  Integer low_, high_, den_;
  mp_bitcnt_t bits_ = 1;
};

// Guess the place by a straight line through the ends, in a grid of 2^bits cells. If the root is beside it,
// the next grid is squared, or else the next try is more careful: about twice as many digits each time.
// (Abbott 2014, Quadratic interval refinement for real roots.) One bit always succeeds: it is bisection.
void Moment::refine() {
  const Integer at_low = value(polynomial_, low_, den_), at_high = value(polynomial_, high_, den_);
  const Integer cells = Integer(1) << bits_;
  Integer cell = (2 * at_low * cells) / (at_low - at_high);
  cell = (cell + 1) >> 1;
  cell = std::clamp<Integer>(cell, 1, cells - 1);
  const Integer den = den_ << bits_, guess = (low_ << bits_) + cell;
  const int sign = sign_at(polynomial_, guess, den);
  if (sign == 0) return set_exact(guess, den);
  const Integer beside = guess + (sign == sgn(at_low) ? 1 : -1);
  const int sign_beside = sign_at(polynomial_, beside, den);
  if (sign_beside == 0) return set_exact(beside, den);
  if (sign_beside == sign) {
    bits_ /= 2;
    return;
  }
  low_ = std::min(guess, beside);
  high_ = std::max(guess, beside);
  den_ = den;
  bits_ *= 2;
}

// A rational root is a multiple of 1 / lead. A small enough interval contains at most one such number.
void Moment::find_rational() {
  const Integer lead = abs(polynomial_.lead());
  refine_to(lead + 1);
  if (low_ == high_) return;
  const Integer n = lead * high_ / den_;  // of positive numbers, thus rounded down
  if (n * den_ > lead * low_ && sign_at(polynomial_, n, lead) == 0) set_exact(n, lead);
}

// Divisors of the polynomial have no other root here either, and none at the ends.
bool Moment::shares_root(const Poly& p) const {
  const Poly common = greatest_common_divisor(polynomial_, p);
  return sign_at(common, low_, den_) != sign_at(common, high_, den_);
}

int Moment::sign(const Poly& p) {
  for (bool is_nonzero = false;; refine()) {
    // Between which numbers are the values in the interval? Times are not negative.
    Integer least = 0, most = 0, power = 1;
    for (std::size_t i = p.terms; i-- > 0; power *= den_) {
      least = least * (sgn(least) < 0 ? high_ : low_) + p.c[i] * power;
      most = most * (sgn(most) < 0 ? low_ : high_) + p.c[i] * power;
    }
    if (sgn(least) == sgn(most)) return sgn(least);
    if (!is_nonzero && shares_root(p)) return 0;
    is_nonzero = true;
  }
}

// Roots between low / den and (low + 1) / den, in ascending order. p has no multiple roots, and none at these
// two ends.
void isolate(Poly p, const Integer& low, const Integer& den, std::vector<Moment>& roots) {
  const int changes = changes_of_sign(p, low, den);
  if (changes == 0) return;
  if (changes == 1) {
    roots.emplace_back(std::move(p), low, den);
    return;
  }
  const Integer twice = 2 * den, left = 2 * low, middle = left + 1;
  const bool is_root = sign_at(p, middle, twice) == 0;
  if (is_root) p = primitive(divide(p, Poly(-middle, twice)).quotient);
  isolate(p, left, twice, roots);
  if (is_root) roots.emplace_back(middle, twice);
  isolate(std::move(p), middle, twice, roots);
}

// In [0, 1], in ascending order. p is not zero.
std::vector<Moment> roots_of(Poly p) {
  std::vector<Moment> roots;
  const bool starts = sign_at(p, 0, 1) == 0, ends = sign_at(p, 1, 1) == 0;
  if (!starts && !ends && changes_of_sign(p, 0, 1) == 0) return roots;  // saves time
  p = without_multiple_roots(p);
  if (starts) {
    roots.emplace_back(0, 1);
    p = divide(p, Poly(0, 1)).quotient;
  }
  if (ends) p = primitive(divide(p, Poly(-1, 1)).quotient);
  isolate(std::move(p), 0, 1, roots);
  if (ends) roots.emplace_back(1, 1);
  return roots;
}

std::array<const Poly*, 3> parts(const Poly3& p) { return {&p.x, &p.y, &p.z}; }

// A point is on a segment if the area is zero and it is not beyond an end; that of a segment without length
// is no exception. Most questions need one of these polynomials, which take long to make.
struct PointSegment {
  const Poly3 *p, *a, *b;

  // One part of (b - a) x (p - a).
  Poly area(std::size_t axis) const {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    const Poly &au = *parts(*a)[u], &av = *parts(*a)[v];
    return (*parts(*b)[u] - au) * (*parts(*p)[v] - av) - (*parts(*b)[v] - av) * (*parts(*p)[u] - au);
  }
  Poly beyond() const { return dot<Poly>(*p - *a, *p - *b); }

  bool touch(Moment& t) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (t.sign(area(axis)) != 0) return false;
    return t.sign(beyond()) <= 0;
  }
};

// The polynomials whose signs decide.
struct Shapes {
  ContactKind kind;
  Poly volume;
  Poly3 normal;                     // of the triangle, or of both edges
  std::vector<PointSegment> sides;  // the vertex and each side, or each end and the other edge

  // The points must stay.
  Shapes(ContactKind which, const std::array<Poly3, 4>& p) : kind(which) {
    if (kind == ContactKind::vertex_triangle) {
      normal = cross<Poly>(p[2] - p[1], p[3] - p[1]);
      sides = {{&p[0], &p[1], &p[2]}, {&p[0], &p[2], &p[3]}, {&p[0], &p[3], &p[1]}};
    } else {
      normal = cross<Poly>(p[1] - p[0], p[3] - p[2]);
      sides = {{&p[0], &p[2], &p[3]}, {&p[1], &p[2], &p[3]}, {&p[2], &p[0], &p[1]}, {&p[3], &p[0], &p[1]}};
    }
    volume = dot<Poly>(normal, p[0] - p[2]);
  }

  bool touch(Moment& t) const;
  std::vector<Poly> all() const;
};

bool Shapes::touch(Moment& t) const {
  if (t.sign(volume) != 0) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int facing = t.sign(*parts(normal)[axis]);
    if (facing == 0) continue;
    // All are in one plane, which is seen along this axis as it is, but for its scale.
    const auto side = [&](std::size_t i) { return t.sign(sides[i].area(axis)); };
    if (kind == ContactKind::vertex_triangle)
      return side(0) * facing >= 0 && side(1) * facing >= 0 && side(2) * facing >= 0;
    return side(0) * side(1) <= 0 && side(2) * side(3) <= 0;
  }
  // A triangle without area is its sides. Parallel edges, or points, touch at an end of one of them.
  return std::any_of(sides.begin(), sides.end(), [&](const PointSegment& s) { return s.touch(t); });
}

// But for the volume, those that are not constant, each once.
std::vector<Poly> Shapes::all() const {
  std::vector<Poly> result;
  const auto add = [&](const Poly& p) {
    if (p.terms < 2) return;
    Poly candidate = primitive(p);
    if (std::find(result.begin(), result.end(), candidate) == result.end())
      result.push_back(std::move(candidate));
  };
  for (const Poly* part : parts(normal)) add(*part);
  for (const PointSegment& side : sides) {
    for (std::size_t axis = 0; axis < 3; ++axis) add(side.area(axis));
    add(side.beyond());
  }
  return result;
}

const Integer& smallest_den() {
  static const Integer den = Integer(1) << 80;
  return den;
}

ExactCrossing crossing_at(Moment& t) {
  t.refine_to(smallest_den());
  return {true, t.low(), t.high()};
}

// The first of the candidates at which they touch. Which of two comes first needs no decision where their
// intervals overlap: the smaller ends are right for whichever it is.
ExactCrossing first_touch(const Shapes& shapes, std::vector<Moment>& candidates) {
  ExactCrossing first;
  for (Moment& t : candidates) {
    if ((first.hit && t.low() >= first.high) || !shapes.touch(t)) continue;
    const ExactCrossing other = crossing_at(t);
    first.low = first.hit ? std::min(first.low, other.low) : other.low;
    first.high = first.hit ? std::min(first.high, other.high) : other.high;
    first.hit = true;
  }
  return first;
}

using IntegerPlaces = std::array<std::array<Integer, 3>, 4>;

// Boxes around the whole motion only save time.
bool are_apart(ContactKind kind, const IntegerPlaces& start, const IntegerPlaces& end) {
  const std::size_t split = kind == ContactKind::vertex_triangle ? 1 : 2;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto bounds = [&](std::size_t from, std::size_t to) {
      std::pair<const Integer*, const Integer*> result{&start[from][axis], &start[from][axis]};
      for (std::size_t i = from; i < to; ++i)
        for (const Integer* x : {&start[i][axis], &end[i][axis]}) {
          if (*x < *result.first) result.first = x;
          if (*x > *result.second) result.second = x;
        }
      return result;
    };
    const auto a = bounds(0, split), b = bounds(split, 4);
    if (*a.second < *b.first || *b.second < *a.first) return true;
  }
  return false;
}

ExactCrossing crossing(ContactKind kind, const IntegerPlaces& start, const IntegerPlaces& end) {
  if (are_apart(kind, start, end)) return {};
  std::array<Poly3, 4> p;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto moving = [&](std::size_t axis) { return Poly(start[i][axis], end[i][axis] - start[i][axis]); };
    p[i] = {moving(0), moving(1), moving(2)};
  }
  const Shapes shapes(kind, p);
  std::vector<Moment> candidates;
  if (!shapes.volume.is_zero()) {
    candidates = roots_of(shapes.volume);
  } else {
    candidates.emplace_back(0, 1);
    for (const Poly& polynomial : shapes.all())
      for (Moment& root : roots_of(polynomial)) candidates.push_back(std::move(root));
  }
  return first_touch(shapes, candidates);
}

}  // namespace

ExactCrossing exact_crossing(ContactKind kind, const ExactPoints& start, const ExactPoints& end) {
  // A common factor makes integers of all of them, and changes no contact.
  Integer factor = 1;
  for (const ExactPoints* points : {&start, &end})
    for (const auto& point : *points)
      for (const Rational& x : point) factor = lcm(factor, x.get_den());
  const auto scaled = [&](const ExactPoints& points) {
    IntegerPlaces result;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Rational& x = points[i][axis];
        result[i][axis] = x.get_num() * (factor / x.get_den());
      }
    return result;
  };
  return crossing(kind, scaled(start), scaled(end));
}

namespace {

// odd * 2^power
struct Dyadic {
  std::int64_t odd;
  int power;

  // It must be finite, and not zero.
  explicit Dyadic(double x) : power(std::ilogb(x) - (std::numeric_limits<double>::digits - 1)) {
    odd = static_cast<std::int64_t>(std::scalbn(x, -power));
    const int zeros = std::countr_zero(static_cast<std::uint64_t>(odd));
    odd /= std::int64_t{1} << zeros;
    power += zeros;
  }
};

}  // namespace

// With the lowest power of two that one of them has, all are integers: no fractions on the way.
ExactCrossing exact_crossing(ContactKind kind, const std::array<Vec3, 4>& start,
                             const std::array<Vec3, 4>& end) {
  int lowest = std::numeric_limits<int>::max();
  for (const auto* points : {&start, &end})
    for (const Vec3& point : *points)
      for (const double x : point)
        if (x != 0) lowest = std::min(lowest, Dyadic(x).power);
  const auto integer = [&](double x) -> Integer {
    if (x == 0) return 0;
    const Dyadic number(x);
    return Integer(number.odd) << static_cast<mp_bitcnt_t>(number.power - lowest);
  };
  const auto integers = [&](const std::array<Vec3, 4>& points) {
    IntegerPlaces result;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        result[i][axis] = integer(points[i][static_cast<Eigen::Index>(axis)]);
    return result;
  };
  return crossing(kind, integers(start), integers(end));
}

}  // namespace palpate::testing
