// What hangs together, and how it moves as a whole.
//
// Terms neither move the centre of a piece nor turn it, unless they are anchored outside. So after a step the
// centre of a piece that nothing holds is where it would be without them, and a piece that can turn (freely,
// about the one point where it is held, or about the line) is turned to where it fits best with where its
// nodes would be. Solvers that are not run to convergence would leave it somewhere else: in particular they
// take a turn of something stiff for a deformation, and hardly move it. They begin where the whole belongs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/equations.h>

namespace palpate {

class Pieces {
 public:
  // `entries`: of the metrics of all terms; what they connect hangs together.
  void prepare(const Equations& equations, std::span<const MetricEntry> entries);
  std::uint32_t size() const { return static_cast<std::uint32_t>(pieces_.size()); }
  std::uint32_t of(std::size_t node) const { return piece_[node]; }

  // What nothing holds, to where it is without what pulls inside.
  void shift(const Equations& equations, std::span<Vec3> x);
  // What can turn, about where it is held, or its centre after a shift. false: nothing can.
  bool turn(const Equations& equations, std::span<Vec3> x);
  // Takes from a direction what would move the centres of what nothing holds.
  void keep_centres(const Equations& equations, std::span<Vec3> direction);

 private:
  enum class Turns { no, about_point, about_line };
  struct Piece {
    std::uint32_t held_begin = 0, held_end = 0;  // in held_
    Turns turns = Turns::no;
    double mass = 0;
    Vec3 mean = Vec3::Zero();
    Vec3 pivot = Vec3::Zero(), axis = Vec3::Zero();
    Mat3 rotation = Mat3::Zero();
    bool is_anchored = false;
    bool is_held() const { return held_begin != held_end; }
    bool is_free() const { return !is_held() && !is_anchored; }
  };
  template <class Of>
  void find_means(const Equations& equations, Of&& of);
  bool find_pivots(const Equations& equations, std::span<const Vec3> x);

  std::vector<std::uint32_t> piece_;  // of each node
  std::vector<std::uint32_t> held_;   // nodes, piece by piece
  std::vector<Piece> pieces_;
};

}  // namespace palpate
