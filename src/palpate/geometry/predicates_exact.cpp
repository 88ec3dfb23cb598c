#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <palpate/geometry/big_integer.h>
#include <palpate/geometry/expansion.h>
#include <palpate/geometry/predicates.h>

namespace palpate::detail {

namespace {

// Products of three terms inside these bounds, and all their rounding errors, are normal numbers or zero:
// 3 * (-300 - 52) > -1074 and 3 * 300 < 1023.
constexpr double smallest_safe = 0x1p-300, largest_safe = 0x1p300;

bool safe(std::initializer_list<const Expansion<2>*> differences) {
  for (const auto* difference : differences)
    for (std::size_t i = 0; i < difference->size; ++i) {
      const double size = std::abs(difference->term[i]);
      if (!(size >= smallest_safe && size <= largest_safe)) return false;
    }
  return true;
}

template <class Number>
auto determinant2(const Number& bx, const Number& by, const Number& cx, const Number& cy) {
  return bx * cy - by * cx;
}

template <class Number>
auto determinant3(const Number* b, const Number* c, const Number* d) {
  return determinant2(b[1], b[2], c[1], c[2]) * d[0] + determinant2(b[2], b[0], c[2], c[0]) * d[1] +
         determinant2(b[0], b[1], c[0], c[1]) * d[2];
}

bool finite(const double* p, int n) {
  return std::all_of(p, p + n, [](double x) { return std::isfinite(x); });
}

// Differences without a rounding error, frequent on grids and near each other, are single numbers: much
// shorter.
int sign_of_expansion(const Expansion<2> (&edges)[3][3]) {
  Expansion<1> single[3][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      if (edges[i][k].size > 1) return determinant3(edges[0], edges[1], edges[2]).sign();
      if (edges[i][k].size == 1) single[i][k].push(edges[i][k].term[0]);
    }
  return determinant3(single[0], single[1], single[2]).sign();
}

}  // namespace

int orient2d_exact(const double* a, const double* b, const double* c) {
  if (!finite(a, 2) || !finite(b, 2) || !finite(c, 2)) return 0;
  const auto bx = exact_difference(b[0], a[0]), by = exact_difference(b[1], a[1]);
  const auto cx = exact_difference(c[0], a[0]), cy = exact_difference(c[1], a[1]);
  if (safe({&bx, &by, &cx, &cy})) return determinant2(bx, by, cx, cy).sign();
  const auto difference = [](double x, double y) { return BigInteger::from(x) - BigInteger::from(y); };
  return determinant2(difference(b[0], a[0]), difference(b[1], a[1]), difference(c[0], a[0]),
                      difference(c[1], a[1]))
      .sign();
}

namespace {

using Edges = Expansion<2>[3][3];

// The exact differences to a; false if products of them could under- or overflow.
bool make_edges(const double* a, const double* b, const double* c, const double* d, Edges& edges) {
  const double* tips[3] = {b, c, d};
  bool all_safe = true;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      edges[i][k] = exact_difference(tips[i][k], a[k]);
      all_safe &= safe({&edges[i][k]});
    }
  return all_safe;
}

int orient3d_exact(const double* a, const double* b, const double* c, const double* d) {
  if (!finite(a, 3) || !finite(b, 3) || !finite(c, 3) || !finite(d, 3)) return 0;
  Edges edges;
  if (make_edges(a, b, c, d, edges)) return sign_of_expansion(edges);
  BigInteger big[3][3];
  const double* tips[3] = {b, c, d};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) big[i][k] = BigInteger::from(tips[i][k]) - BigInteger::from(a[k]);
  return determinant3(big[0], big[1], big[2]).sign();
}

}  // namespace

int orient3d_careful(const double* a, const double* b, const double* c, const double* d) {
  // The sum of the magnitudes of the products themselves: sharp where some differences are much smaller than
  // others.
  const double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
  const double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
  const double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
  const double cd = cx * dy, dc = cy * dx, db = dx * by, bd = dy * bx, bc = bx * cy, cb = by * cx;
  const double det = bz * (cd - dc) + cz * (db - bd) + dz * (bc - cb);
  constexpr double guard = 0x1p-1000;  // covers what underflow takes from each product
  const double magnitude = std::abs(bz) * (std::abs(cd) + std::abs(dc) + guard) +
                           std::abs(cz) * (std::abs(db) + std::abs(bd) + guard) +
                           std::abs(dz) * (std::abs(bc) + std::abs(cb) + guard) + guard;
  constexpr double bound = (7 + 56 * 0x1p-53) * 0x1p-53;
  // NaN and infinity, from coordinates that overflow, fail the comparison.
  if (std::abs(det) > bound * magnitude) return det > 0 ? 1 : -1;
  return orient3d_exact(a, b, c, d);
}

}  // namespace palpate::detail

namespace palpate {

double orient3d_value(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  detail::Edges edges;
  if (!detail::make_edges(a.data(), b.data(), c.data(), d.data(), edges))
    return detail::determinant3d(a.data(), b.data(), c.data(), d.data()).value;
  const auto exact = detail::determinant3(edges[0], edges[1], edges[2]);
  double sum = 0;  // smallest first: the result is the nearest double, or its neighbour
  for (std::size_t i = 0; i < exact.size; ++i) sum += exact.term[i];
  return sum;
}

}  // namespace palpate
