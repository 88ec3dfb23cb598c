#include <palpate/report/raster.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace palpate {

namespace {

// Where a triangle's outline meets a row.
struct Crossing {
  double x, z;
};

// From left to right. Both neighbours of a side compute its crossing from the same corner on, so that they
// find the same place: no gap shows between them, however it is rounded.
struct Crossings {
  Crossing left{std::numeric_limits<double>::infinity(), 0}, right{-left.x, 0};

  void add(const Crossing& one) {
    if (one.x < left.x) left = one;
    if (one.x > right.x) right = one;
  }
  void add_side(const Vec3* low, const Vec3* high, double y) {
    if (low->y() > high->y() || (low->y() == high->y() && low->x() > high->x())) std::swap(low, high);
    if (y < low->y() || y > high->y()) return;
    if (low->y() == high->y()) {
      add({low->x(), low->z()});
      add({high->x(), high->z()});
    } else {
      const double t = (y - low->y()) / (high->y() - low->y());
      add({low->x() + t * (high->x() - low->x()), low->z() + t * (high->z() - low->z())});
    }
  }
};

struct Span {
  std::size_t begin, end;
};

std::size_t clamped(double x, std::size_t end) {
  return static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(end)));
}

double doubled_area(const std::array<Vec3, 3>& p) {
  return (p[1].x() - p[0].x()) * (p[2].y() - p[0].y()) - (p[1].y() - p[0].y()) * (p[2].x() - p[0].x());
}

// The part of a triangle that is far enough from its sides.
class Inner {
 public:
  Inner(const std::array<Vec3, 3>& p, double area, double line) : line_(line) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double dx = p[(k + 1) % 3].x() - p[k].x(), dy = p[(k + 1) % 3].y() - p[k].y();
      const double length = std::copysign(std::sqrt(dx * dx + dy * dy), area);
      per_x_[k] = -dy / length;
      per_y_[k] = dx / length;
      at_zero_[k] = -(per_x_[k] * p[k].x() + per_y_[k] * p[k].y());
    }
  }
  // What of `all` belongs to it in this row.
  Span of_row(double y, const Span& all) const {
    if (!(line_ > 0)) return all;
    double from = static_cast<double>(all.begin), to = static_cast<double>(all.end) - 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const double rest = line_ - (at_zero_[k] + per_y_[k] * y);  // wanted: per_x * x >= rest
      if (per_x_[k] > 0) from = std::max(from, std::ceil(rest / per_x_[k]));
      if (per_x_[k] < 0) to = std::min(to, std::floor(rest / per_x_[k]));
      if (per_x_[k] == 0 && rest > 0) to = -1;
    }
    const std::size_t begin = clamped(from, all.end);
    return {begin, std::max(begin, clamped(to + 1, all.end))};
  }

 private:
  double line_;
  // The distance to a side, positive inside, is at_zero + per_x * x + per_y * y.
  std::array<double, 3> at_zero_{}, per_x_{}, per_y_{};
};

}  // namespace

// A row of a triangle: depth z at x, growing by slope.
struct RasterBand::Run {
  std::size_t y;
  double x, z, slope;
};

RasterBand::RasterBand(std::size_t width, std::size_t top, std::size_t height)
    : width_(width),
      top_(top),
      height_(height),
      depth_(width * height, -std::numeric_limits<float>::infinity()),
      grey_(width * height, 1.0f) {}

// Depths are floats; no row is so long that a float could not count its samples.
void RasterBand::fill(const Run& run, std::size_t begin, std::size_t end, float grey) {
  if (begin >= end) return;
  float* const depth = depth_.data() + (run.y - top_) * width_ + begin;
  float* const shade = grey_.data() + (run.y - top_) * width_ + begin;
  const auto first = static_cast<float>(run.z + run.slope * (static_cast<double>(begin) - run.x));
  const auto step = static_cast<float>(run.slope);
  const auto count = static_cast<int>(end - begin);
  for (int i = 0; i < count; ++i) {
    const float here = first + step * static_cast<float>(i);
    const bool nearer = here > depth[i];  // both are stored always: that becomes a vector's blend
    depth[i] = nearer ? here : depth[i];
    shade[i] = nearer ? grey : shade[i];
  }
}

void RasterBand::paint(const std::array<Vec3, 3>& p, float grey, double line) {
  const double area = doubled_area(p);
  if (!(std::abs(area) > 0) || !std::isfinite(area)) return;
  const Inner inner(p, area, line);
  const auto [y0, y1] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
  const std::size_t end = clamped(std::floor(y1) + 1, top_ + height_);
  for (std::size_t y = std::max(top_, clamped(std::ceil(y0), end)); y < end; ++y) {
    Crossings row;
    for (std::size_t k = 0; k < 3; ++k) row.add_side(&p[k], &p[(k + 1) % 3], static_cast<double>(y));
    const auto& [left, right] = row;
    if (!(left.x <= right.x)) continue;
    const Span all{clamped(std::ceil(left.x), width_), clamped(std::floor(right.x) + 1, width_)};
    if (all.begin >= all.end) continue;
    const Span light = inner.of_row(static_cast<double>(y), all);
    const Run run{y, left.x, left.z, right.x > left.x ? (right.z - left.z) / (right.x - left.x) : 0};
    fill(run, all.begin, light.begin, 0.55f * grey);
    fill(run, light.begin, light.end, grey);
    fill(run, light.end, all.end, 0.55f * grey);
  }
}

}  // namespace palpate
