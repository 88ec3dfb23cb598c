// Subdivisions for a wanted number of elements.
//
// Counts are products and sums of a few whole numbers, so all subdivisions with one count can be listed: that
// is done for the wanted number, then for its neighbours ever farther away, until there are any. Of those the
// one with the best-shaped cells is taken. The cost of a cell is the sum of squared logarithms of the ratios
// of its steps: twice as long is as bad as twice as wide.
#include <algorithm>
#include <cmath>
#include <limits>

#include <palpate/mesh/generate_parts.h>

namespace palpate {

using detail::as_double;
using detail::pi;
using detail::ShapeDoor;

namespace {

double squared_log(double ratio) {
  const double x = std::log(ratio);
  return x * x;
}

// The best of the subdivisions offered; of equal ones the first, however their costs are rounded.
template <class Shape>
class Best {
 public:
  void offer(double cost, const Shape& shape) {
    if (found_ && !(cost < cost_ - 1e-9)) return;
    found_ = true;
    cost_ = cost;
    shape_ = shape;
  }
  bool found() const { return found_; }
  const Shape& shape() const { return shape_; }

 private:
  bool found_ = false;
  double cost_ = std::numeric_limits<double>::infinity();
  Shape shape_;
};

// list(count, best) offers every subdivision with this many elements.
template <class Shape, class List>
Shape nearest_count(std::size_t target, List&& list) {
  for (std::size_t away = 0;; ++away) {
    Best<Shape> best;
    if (away < target) list(target - away, best);
    if (away > 0) list(target + away, best);
    if (best.found()) return best.shape();
  }
}

template <class Visit>
void each_divisor(std::size_t n, Visit&& visit) {
  for (std::size_t a = 1; a <= n / a; ++a) {
    if (n % a != 0) continue;
    visit(a);
    if (a != n / a) visit(n / a);
  }
}

// Two subdivisions with `factor` elements for each pair of steps. Lengths are those the steps share [m].
struct Side {
  double length;
  std::size_t least;
};
template <class Shape>
Shape choose_two(const Shape& shape, std::size_t target, std::size_t factor, const Side& a, const Side& b,
                 std::size_t Shape::*na, std::size_t Shape::*nb) {
  return nearest_count<Shape>(target, [&](std::size_t count, Best<Shape>& best) {
    if (count % factor != 0) return;
    each_divisor(count / factor, [&](std::size_t n) {
      const std::size_t m = count / factor / n;
      if (n < a.least || m < b.least) return;
      Shape offered = shape;
      offered.*na = n;
      offered.*nb = m;
      best.offer(squared_log(a.length / as_double(n) / (b.length / as_double(m))), offered);
    });
  });
}

// around * (along + 2 * rings - 1) pairs of triangles; `slope` is the length of a cap from its pole to its
// rim. For each number of meridians the other steps are shared as the lengths ask.
template <class Shape>
Shape choose_capped(const Shape& shape, std::size_t target, double slope) {
  return nearest_count<Shape>(target, [&](std::size_t count, Best<Shape>& best) {
    if (count % 2 != 0) return;
    each_divisor(count / 2, [&](std::size_t around) {
      const std::size_t steps = count / 2 / around + 1;  // from pole to pole
      if (around < 3 || steps < 3) return;
      const double share = as_double(steps) * slope / (2 * slope + shape.length);
      for (const double wanted : {std::floor(share), std::ceil(share)}) {
        const double most = as_double((steps - 1) / 2);
        Shape offered = shape;
        offered.around = around;
        offered.rings = static_cast<std::size_t>(std::clamp(wanted, 1.0, most));
        offered.along = steps - 2 * offered.rings;
        const double across = 2 * pi * shape.radius / as_double(around);
        best.offer(squared_log(slope / as_double(offered.rings) / across) +
                       squared_log(shape.length / as_double(offered.along) / across),
                   offered);
      }
    });
  });
}

template <class Shape>
void offer_cells(const Shape& shape, std::size_t x, std::size_t y, std::size_t z, Best<Shape>& best) {
  Shape offered = shape;
  offered.cells_x = x;
  offered.cells_y = y;
  offered.cells_z = z;
  const double dx = shape.size_x / as_double(x), dy = shape.size_y / as_double(y),
               dz = shape.size_z / as_double(z);
  best.offer(squared_log(dx / dy) + squared_log(dy / dz) + squared_log(dz / dx), offered);
}

// 18 * steps * rings^2 tetrahedra in a tube of this length and radius [m].
template <class Shape>
Shape choose_solid_tube(const Shape& shape, std::size_t target, std::size_t Shape::*steps, std::size_t least,
                        double length, double radius) {
  return nearest_count<Shape>(target, [&](std::size_t count, Best<Shape>& best) {
    if (count % 18 != 0) return;
    for (std::size_t rings = 1; rings * rings <= count / 18; ++rings) {
      const std::size_t squared = rings * rings;
      if (count / 18 % squared != 0 || count / 18 / squared < least) continue;
      Shape offered = shape;
      offered.rings = rings;
      offered.*steps = count / 18 / squared;
      best.offer(squared_log(length / as_double(offered.*steps) / (radius / as_double(rings))), offered);
    }
  });
}

// The n whose factor * n^power is nearest to the target; of two, the smaller.
std::size_t nearest_power(std::size_t target, double factor, int power) {
  const auto away = [&](double n) { return std::abs(factor * std::pow(n, power) - as_double(target)); };
  double n = std::max(1.0, std::floor(std::pow(as_double(target) / factor, 1.0 / power)) - 1);
  while (away(n + 1) < away(n)) ++n;
  return static_cast<std::size_t>(n);
}

template <class Shape>
void check_target(const char* name, const Shape& shape, std::size_t target) {
  detail::refuse_bad_sizes(shape);
  ShapeDoor(name).target(target);
}

}  // namespace

TorusShape with_triangles(TorusShape shape, std::size_t target) {
  check_target("torus", shape, target);
  return choose_two(shape, target, 2, {2 * pi * shape.major, 3}, {2 * pi * shape.minor, 3},
                    &TorusShape::around, &TorusShape::across);
}

KnotShape with_triangles(KnotShape shape, std::size_t target) {
  check_target("knot", shape, target);
  const double length = detail::knot_length(shape.p, shape.q, shape.size);
  return choose_two(shape, target, 2, {length, detail::least_knot_steps(shape.p, shape.q)},
                    {2 * pi * shape.tube, 3}, &KnotShape::along, &KnotShape::across);
}

IcosphereShape with_triangles(IcosphereShape shape, std::size_t target) {
  check_target("icosphere", shape, target);
  shape.frequency = nearest_power(target, 20, 2);
  return shape;
}

SphereShape with_triangles(SphereShape shape, std::size_t target) {
  check_target("sphere", shape, target);
  // What is divided is the number of circles, one less than bands.
  return nearest_count<SphereShape>(target, [&](std::size_t count, Best<SphereShape>& best) {
    if (count % 2 != 0) return;
    each_divisor(count / 2, [&](std::size_t around) {
      if (around < 3) return;
      SphereShape offered = shape;
      offered.around = around;
      offered.bands = count / 2 / around + 1;
      best.offer(squared_log(2 * as_double(offered.bands) / as_double(around)), offered);
    });
  });
}

BoxShape with_triangles(BoxShape shape, std::size_t target) {
  check_target("box", shape, target);
  return nearest_count<BoxShape>(target, [&](std::size_t count, Best<BoxShape>& best) {
    if (count % 4 != 0) return;
    const std::size_t sides = count / 4;  // xy + yz + zx
    for (std::size_t a = 1; 3 * a * a <= sides; ++a)
      for (std::size_t b = a; a * b + (a + b) * b <= sides; ++b) {
        if ((sides - a * b) % (a + b) != 0) continue;
        const std::size_t c = (sides - a * b) / (a + b);
        std::size_t cells[] = {a, b, c};  // in order; each order of them is another box
        do {
          offer_cells(shape, cells[0], cells[1], cells[2], best);
        } while (std::next_permutation(std::begin(cells), std::end(cells)));
      }
  });
}

PlaneShape with_triangles(PlaneShape shape, std::size_t target) {
  check_target("plane", shape, target);
  return choose_two(shape, target, 2, {shape.size_x, 1}, {shape.size_y, 1}, &PlaneShape::cells_x,
                    &PlaneShape::cells_y);
}

ClothShape with_triangles(ClothShape shape, std::size_t target) {
  check_target("cloth", shape, target);
  return choose_two(shape, target, 2, {shape.size_x, 1}, {shape.size_y, 1}, &ClothShape::cells_x,
                    &ClothShape::cells_y);
}

CylinderShape with_triangles(CylinderShape shape, std::size_t target) {
  check_target("cylinder", shape, target);
  return choose_capped(shape, target, shape.radius);
}

CapsuleShape with_triangles(CapsuleShape shape, std::size_t target) {
  check_target("capsule", shape, target);
  return choose_capped(shape, target, pi / 2 * shape.radius);
}

BowlShape with_triangles(BowlShape shape, std::size_t target) {
  check_target("bowl", shape, target);
  return choose_two(shape, target, 4, {2 * pi * shape.radius, 3}, {pi / 2 * shape.radius, 1},
                    &BowlShape::around, &BowlShape::rings);
}

SolidBoxShape with_tets(SolidBoxShape shape, std::size_t target) {
  check_target("solid-box", shape, target);
  return nearest_count<SolidBoxShape>(target, [&](std::size_t count, Best<SolidBoxShape>& best) {
    if (count % 5 != 0) return;
    each_divisor(count / 5, [&](std::size_t x) {
      each_divisor(count / 5 / x, [&](std::size_t y) { offer_cells(shape, x, y, count / 5 / x / y, best); });
    });
  });
}

BeamShape with_tets(BeamShape shape, std::size_t target) {
  check_target("beam", shape, target);
  counts_of(shape);  // its own cells say how long and thick it is
  const double thickness = as_double(shape.across) * shape.cell, length = as_double(shape.along) * shape.cell;
  return nearest_count<BeamShape>(target, [&](std::size_t count, Best<BeamShape>& best) {
    if (count % 5 != 0) return;
    for (std::size_t across = 1; across * across <= count / 5; ++across) {
      if (count / 5 % (across * across) != 0) continue;
      BeamShape offered;
      offered.across = across;
      offered.along = count / 5 / (across * across);
      offered.cell = thickness / as_double(across);
      const double stretch = as_double(offered.along) * offered.cell / length;
      if (stretch > 1.5 * (1 + 1e-9) || stretch < (1 - 1e-9) / 1.5) continue;
      best.offer(squared_log(stretch), offered);
    }
  });
}

SolidTorusShape with_tets(SolidTorusShape shape, std::size_t target) {
  check_target("solid-torus", shape, target);
  return choose_solid_tube(shape, target, &SolidTorusShape::around, 3, 2 * pi * shape.major, shape.minor);
}

SolidKnotShape with_tets(SolidKnotShape shape, std::size_t target) {
  check_target("solid-knot", shape, target);
  return choose_solid_tube(shape, target, &SolidKnotShape::along, detail::least_knot_steps(shape.p, shape.q),
                           detail::knot_length(shape.p, shape.q, shape.size), shape.tube);
}

SolidSphereShape with_tets(SolidSphereShape shape, std::size_t target) {
  check_target("solid-sphere", shape, target);
  shape.layers = nearest_power(target, 20, 3);
  return shape;
}

BlobShape with_tets(BlobShape shape, std::size_t target) {
  check_target("blob", shape, target);
  shape.layers = nearest_power(target, 20, 3);
  return shape;
}

}  // namespace palpate
