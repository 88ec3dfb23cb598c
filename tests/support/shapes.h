// Random and adversarial points, segments and triangles.
//
// A Shapes has a style (where coordinates come from) that all shapes of a case share, so that coincidences
// happen: generic, snapped to a small grid, scaled, of mixed scales, far from the origin, signed zeros. On
// top of that single shapes are made degenerate, and pairs are made to touch, to cross, to lie in one plane
// or nearly so.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <palpate/geometry/rounding.h>
#include <palpate/geometry/vec.h>
#include <support/cases.h>

namespace palpate::testing {

// Coordinates to copy into a test: decimal digits that give the same numbers back.
inline std::string show(const Vec3& p) {
  char text[128];
  std::snprintf(text, sizeof text, "{%.17g, %.17g, %.17g}", p.x(), p.y(), p.z());
  return text;
}
template <class Points>
std::string show(const Points& points) {
  std::string text = "{";
  for (const Vec3& p : points) text += (text.size() > 1 ? ", Vec3" : "Vec3") + show(p);
  return text + "}";
}

// The number `steps` doubles above (below if negative).
inline double nudged(double x, int steps) {
  for (; steps > 0; --steps) x = next_above(x);
  for (; steps < 0; ++steps) x = next_below(x);
  return x;
}
inline Vec3 nudged(Random& random, Vec3 p, std::size_t most = 3) {
  for (double& c : p) c = nudged(c, static_cast<int>(random.below(2 * most + 1)) - static_cast<int>(most));
  return p;
}

inline Vec3 random_direction(Random& random) {
  for (;;) {
    const Vec3 v(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const double n = v.norm();
    if (n > 0.01 && n <= 1) return v / n;
  }
}

class Shapes {
 public:
  enum Style { generic, grid, signed_zeros, scaled, mixed, far, styles };

  explicit Shapes(Random& random) : Shapes(random, static_cast<Style>(random.below(styles))) {}
  Shapes(Random& random, Style style) : random_(random), style_(style) {
    if (style == scaled) scale_ = std::abs(random.magnitude(1e-6, 1e6));
    if (style == far) {
      scale_ = 1e-3;
      offset_ = 1e6 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    }
  }

  Style style() const { return style_; }
  Random& random() { return random_; }

  Vec3 point() { return Vec3(coordinate(), coordinate(), coordinate()) + offset_; }
  // A displacement of the size of the shapes.
  Vec3 step() { return Vec3(coordinate(), coordinate(), coordinate()); }

  Segment segment() {
    const Vec3 a = point();
    switch (random_.below(6)) {
      case 0:
        return {a, a};
      case 1:
        return {a, nudged(random_, a)};
      case 2: {
        Vec3 b = a;  // along an axis
        b[axis()] += coordinate();
        return {a, b};
      }
      default:
        return {a, point()};
    }
  }

  Triangle triangle() {
    const Vec3 a = point(), b = point();
    switch (random_.below(10)) {
      case 0:
        return shuffled({a, a, a});
      case 1:
        return shuffled({a, a, b});
      case 2: {
        const Vec3 d = step();  // on one line: exactly so on the grid
        return shuffled({a, a + d, a + 2 * d});
      }
      case 3:  // needle: two corners very close
        return shuffled({a, b, a + sliver(a, b)});
      case 4:  // cap: a corner very close to the opposite side
        return shuffled({a, b, mix(a, b, random_.uniform(0, 1)) + sliver(a, b)});
      case 5:
        return shuffled({a, b, nudged(random_, mix(a, b, random_.uniform(-1, 2)))});
      default:
        return {a, b, point()};
    }
  }

  // Points on, near or over a shape of any number of corners.
  template <class Corners>
  Vec3 point_near(const Corners& t) {
    const Vec3 &a = t[random_.below(t.size())], &b = t[random_.below(t.size())],
               &c = t[random_.below(t.size())];
    switch (random_.below(7)) {
      case 0:
        return a;
      case 1:
        return nudged(random_, a);
      case 2:
        return mix(a, b, quarters());  // on an edge, or on its line outside
      case 3:
        return nudged(random_, mix(a, b, quarters()));
      case 4:
        return mix(mix(a, b, quarters()), c, quarters());  // in the plane
      case 5:
        return mix(mix(a, b, quarters()), c, quarters()) + random_.magnitude(1e-12, 1) * step();
      default:
        return point();
    }
  }

  // A segment that has something to do with a shape: touching it, parallel to one of its edges, through it,
  // on it.
  template <class Corners>
  Segment segment_near(const Corners& t) {
    const std::size_t i = random_.below(t.size()), j = (i + 1) % t.size();
    const Vec3 edge = t[j] - t[i];
    switch (random_.below(8)) {
      case 0:
        return ordered({t[i], t[j]});
      case 1:
        return ordered({t[i], point()});
      case 2:  // on the same line: apart, touching, overlapping or inside
        return ordered({mix(t[i], t[j], quarters()), mix(t[i], t[j], quarters())});
      case 3: {
        const Vec3 shift = step();  // parallel (exactly on the grid), overlapping or not
        return ordered({t[i] + shift, t[i] + shift + quarters() * edge});
      }
      case 4: {
        const Vec3 shift = random_.magnitude(1e-15, 1) * step();  // nearly parallel
        return ordered({nudged(random_, t[i] + shift), nudged(random_, t[j] + shift)});
      }
      case 5: {
        const Vec3 through = point_near(t), half = step();  // crosses at a point that may be of the shape
        return ordered({through - half, through + half});
      }
      case 6:
        return ordered({point_near(t), point_near(t)});
      default:
        return segment();
    }
  }

  Triangle triangle_near(const Triangle& t) {
    const std::size_t i = random_.below(3), j = (i + 1) % 3, k = (i + 2) % 3;
    switch (random_.below(10)) {
      case 0:
        return shuffled(t);
      case 1:
        return shuffled({t[i], t[j], point()});
      case 2:
        return shuffled({t[i], point(), point()});
      case 3:  // in the same plane, exactly on the grid
        return shuffled({in_plane(t), in_plane(t), in_plane(t)});
      case 4:  // nearly in the same plane
        return shuffled(
            {nudged(random_, in_plane(t)), nudged(random_, in_plane(t)), nudged(random_, in_plane(t))});
      case 5: {
        const Vec3 shift = random_.magnitude(1e-15, 1) * step();  // parallel planes
        return shuffled({t[0] + shift, t[1] + shift, t[2] + shift});
      }
      case 6:  // a corner on the other, or next to it
        return shuffled({point_near(t), point(), point()});
      case 7: {
        const Segment s = segment_near(t);  // an edge that has to do with the other
        return shuffled({s[0], s[1], point()});
      }
      case 8:  // folded along a shared edge by a small angle
        return shuffled({t[i], t[j], t[k] + random_.magnitude(1e-15, 1e-3) * step()});
      default:
        return triangle();
    }
  }

  Triangle shuffled(Triangle t) {
    for (std::size_t i = 2; i > 0; --i) std::swap(t[i], t[random_.below(i + 1)]);
    return t;
  }

 private:
  double coordinate() {
    switch (style_) {
      case grid:
        return static_cast<double>(random_.below(5)) - 2;
      case signed_zeros: {
        const double value = static_cast<double>(random_.below(3)) - 1;
        return value == 0 && random_.chance(0.5) ? -0.0 : value;
      }
      case mixed:
        return random_.magnitude(1e-6, 1e6);
      default:
        return scale_ * random_.uniform(-1, 1);
    }
  }
  Eigen::Index axis() { return static_cast<Eigen::Index>(random_.below(3)); }
  // Weights that grid coordinates survive without rounding, inside and outside of [0, 1].
  double quarters() { return static_cast<double>(random_.below(13)) / 4 - 1; }
  Segment ordered(Segment s) { return random_.chance(0.5) ? s : Segment{s[1], s[0]}; }
  Vec3 mix(const Vec3& a, const Vec3& b, double t) { return a + t * (b - a); }
  Vec3 in_plane(const Triangle& t) { return mix(mix(t[0], t[1], quarters()), t[2], quarters()); }
  // A step across a--b that makes a triangle with aspect 1e3 to 1e15.
  Vec3 sliver(const Vec3& a, const Vec3& b) {
    return (b - a).norm() * std::abs(random_.magnitude(1e-15, 1e-3)) * random_direction(random_);
  }

  Random& random_;
  Style style_;
  double scale_ = 1;
  Vec3 offset_ = Vec3::Zero();
};

}  // namespace palpate::testing
