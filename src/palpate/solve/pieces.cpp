#include <palpate/solve/pieces.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Geometry>

#include <palpate/geometry/turned.h>

namespace palpate {

namespace {

constexpr double on_line = 1e-6;  // of the length of the line

// The turn about an axis that takes most of `sum`, of m y x^T, to where it belongs.
Mat3 rotation_about(const Vec3& axis, const Mat3& sum) {
  const Vec3 crossed(sum(2, 1) - sum(1, 2), sum(0, 2) - sum(2, 0), sum(1, 0) - sum(0, 1));
  const double cosine = sum.trace() - axis.dot(sum * axis), sine = axis.dot(crossed);
  const double length = std::sqrt(cosine * cosine + sine * sine);
  if (!(length > 0)) return Mat3::Identity();
  Mat3 cross;
  cross << 0, -axis.z(), axis.y(), axis.z(), 0, -axis.x(), -axis.y(), axis.x(), 0;
  return Mat3::Identity() + sine / length * cross + (1 - cosine / length) * cross * cross;
}

}  // namespace

void Pieces::prepare(const Equations& equations, std::span<const MetricEntry> entries) {
  const auto n = static_cast<std::uint32_t>(equations.size());
  // Each node points to a lower one of its piece.
  piece_.resize(n);
  std::iota(piece_.begin(), piece_.end(), 0u);
  const auto lowest = [&](std::uint32_t i) {
    while (piece_[i] != i) i = piece_[i] = piece_[piece_[i]];
    return i;
  };
  for (const MetricEntry& e : entries) {
    const std::uint32_t a = lowest(e.i), b = lowest(e.j);
    piece_[std::max(a, b)] = std::min(a, b);
  }
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < n; ++i) piece_[i] = piece_[i] == i ? count++ : piece_[piece_[i]];

  pieces_.assign(count, {});
  held_.clear();
  for (std::uint32_t i = 0; i < n; ++i)
    if (equations.held[i] != 0) held_.push_back(i);
  std::stable_sort(held_.begin(), held_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return piece_[a] < piece_[b]; });
  for (std::uint32_t k = 0; k < held_.size(); ++k) {
    Piece& piece = pieces_[piece_[held_[k]]];
    if (!piece.is_held()) piece.held_begin = k;
    piece.held_end = k + 1;
  }
  std::vector<MetricEntry> outside;
  for (const Term* term : equations.terms)
    if (term->is_anchored()) term->add_metric(outside);
  for (const MetricEntry& e : outside) pieces_[piece_[e.i]].is_anchored = true;
}

// Of the pieces that nothing holds, weighted by mass.
template <class Of>
void Pieces::find_means(const Equations& equations, Of&& of) {
  for (Piece& piece : pieces_) {
    piece.mean.setZero();
    piece.mass = 0;
  }
  for (std::size_t i = 0; i < piece_.size(); ++i) {
    Piece& piece = pieces_[piece_[i]];
    if (!piece.is_free()) continue;
    piece.mean += equations.masses[i] * of(i);
    piece.mass += equations.masses[i];
  }
  for (Piece& piece : pieces_)
    if (piece.mass > 0) piece.mean /= piece.mass;
}

void Pieces::shift(const Equations& equations, std::span<Vec3> x) {
  find_means(equations, [&](std::size_t i) { return Vec3(equations.targets[i] - x[i]); });
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += pieces_[piece_[i]].mean;
}

void Pieces::keep_centres(const Equations& equations, std::span<Vec3> direction) {
  find_means(equations, [&](std::size_t i) { return direction[i]; });
  for (std::size_t i = 0; i < direction.size(); ++i) direction[i] -= pieces_[piece_[i]].mean;
}

bool Pieces::find_pivots(const Equations& equations, std::span<const Vec3> x) {
  find_means(equations, [&](std::size_t i) { return x[i]; });
  bool any = false;
  for (Piece& piece : pieces_) {
    piece.turns = piece.is_anchored ? Turns::no : Turns::about_point;
    piece.pivot = piece.mean;
    if (piece.is_held() && !piece.is_anchored) {
      piece.pivot = x[held_[piece.held_begin]];
      Vec3 far = Vec3::Zero();
      for (std::uint32_t k = piece.held_begin; k < piece.held_end; ++k) {
        const Vec3 to = x[held_[k]] - piece.pivot;
        if (to.squaredNorm() > far.squaredNorm()) far = to;
      }
      const double length = far.norm();
      if (length > 0) {
        piece.turns = Turns::about_line;
        piece.axis = far / length;
        for (std::uint32_t k = piece.held_begin; k < piece.held_end; ++k)
          if (piece.axis.cross(x[held_[k]] - piece.pivot).norm() > on_line * length) piece.turns = Turns::no;
      }
    }
    any = any || piece.turns != Turns::no;
  }
  return any;
}

bool Pieces::turn(const Equations& equations, std::span<Vec3> x) {
  if (!find_pivots(equations, x)) return false;
  for (Piece& piece : pieces_) piece.rotation.setZero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    Piece& piece = pieces_[piece_[i]];
    if (piece.turns != Turns::no && equations.held[i] == 0)
      piece.rotation +=
          equations.masses[i] * (equations.targets[i] - piece.pivot) * (x[i] - piece.pivot).transpose();
  }
  for (Piece& piece : pieces_)
    if (piece.turns == Turns::about_point)
      piece.rotation = rotation_of(piece.rotation);
    else if (piece.turns == Turns::about_line)
      piece.rotation = rotation_about(piece.axis, piece.rotation);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Piece& piece = pieces_[piece_[i]];
    if (piece.turns != Turns::no && equations.held[i] == 0)
      x[i] = piece.pivot + piece.rotation * (x[i] - piece.pivot);
  }
  return true;
}

}  // namespace palpate
