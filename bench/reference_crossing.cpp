#include "reference_crossing.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace palpate::bench {

namespace {

// Part of the ranges of time and of the two places.
struct Part {
  std::array<double, 3> low, high;  // time first
};
struct Bounds {
  Vec3 low, high;
};

class Bisection {
 public:
  Bisection(ContactKind kind, const FourPoints& start, const FourPoints& end, double separation)
      : triangle_(kind == ContactKind::vertex_triangle), start_(start) {
    double far = 0;
    for (const FourPoints* x : {&start, &end})
      for (const Vec3& p : *x) far = std::max(far, p.cwiseAbs().maxCoeff());
    slack_ = separation + 64 * 0x1p-52 * far;
    const auto most = [](const Vec3& a) { return a.cwiseAbs().maxCoeff(); };
    const auto edge = [&](std::size_t a, std::size_t b) {
      return std::max(most(start[b] - start[a]), most(end[b] - end[a]));
    };
    for (std::size_t k = 0; k < 4; ++k) {
      way_[k] = end[k] - start[k];
      motion_ = std::max(motion_, most(way_[k]));
    }
    rate_ = {motion_, triangle_ ? edge(1, 2) : edge(0, 1), triangle_ ? edge(1, 3) : edge(2, 3)};
  }

  CrossingTime run(double tolerance) {
    // Where the vector between the places may end: in metres, as fine as the time.
    double size = motion_;
    for (std::size_t k = 1; k < 4; ++k) size = std::max(size, (start_[k] - start_[0]).cwiseAbs().maxCoeff());
    const double fine = std::max(1e-6 * size, 2 * slack_);
    CrossingTime best;
    std::size_t count = 0;
    stack_[count++] = {{0, 0, 0}, {1, 1, 1}};
    for (int steps = 0; count > 0; ++steps) {
      const Part part = stack_[--count];
      if (part.low[0] >= best.time || (triangle_ && part.low[1] + part.low[2] > 1)) continue;
      const Bounds bounds = values(part);
      if ((bounds.low.array() > slack_).any() || (bounds.high.array() < -slack_).any()) continue;
      const bool small = (bounds.high - bounds.low).maxCoeff() <= fine;
      if (small || part.high[0] - part.low[0] <= tolerance || steps >= most_steps ||
          count + 2 > stack_.size()) {
        best.hit = true;
        best.time = std::min(best.time, part.low[0]);
        continue;
      }
      const std::size_t axis = widest(part);
      const double middle = 0.5 * (part.low[axis] + part.high[axis]);
      Part first = part, second = part;
      first.high[axis] = second.low[axis] = middle;
      stack_[count++] = second;
      stack_[count++] = first;
      best.stretches = steps;
    }
    return best;
  }

 private:
  static constexpr int most_steps = 1'000'000;

  // At the corners of the places, at both ends of the time.
  Bounds values(const Part& part) const {
    Bounds bounds{Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
    for (const double t : {part.low[0], part.high[0]}) {
      std::array<Vec3, 4> x;
      for (std::size_t k = 0; k < 4; ++k) x[k] = start_[k] + t * way_[k];
      const Vec3 origin = triangle_ ? Vec3(x[0] - x[1]) : Vec3(x[0] - x[2]);
      const Vec3 along_u = triangle_ ? Vec3(x[1] - x[2]) : Vec3(x[1] - x[0]),
                 along_v = triangle_ ? Vec3(x[1] - x[3]) : Vec3(x[2] - x[3]);
      for (const double u : {part.low[1], part.high[1]}) {
        const Vec3 there = origin + u * along_u;
        for (const double v : {part.low[2], part.high[2]}) {
          const Vec3 here = there + v * along_v;
          bounds.low = bounds.low.cwiseMin(here);
          bounds.high = bounds.high.cwiseMax(here);
        }
      }
    }
    return bounds;
  }
  // The number that changes the vector most.
  std::size_t widest(const Part& part) const {
    std::size_t axis = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (rate_[k] * (part.high[k] - part.low[k]) > rate_[axis] * (part.high[axis] - part.low[axis]))
        axis = k;
    return axis;
  }

  bool triangle_;
  const FourPoints& start_;
  std::array<Vec3, 4> way_;
  std::array<double, 3> rate_{};
  double slack_ = 0, motion_ = 0;
  std::array<Part, 256> stack_;
};

}  // namespace

CrossingTime interval_bisection(ContactKind kind, const FourPoints& start, const FourPoints& end,
                                const CrossingOptions& options) {
  return Bisection(kind, start, end, options.separation).run(1e-6);
}

}  // namespace palpate::bench
