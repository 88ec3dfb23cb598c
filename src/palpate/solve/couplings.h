// Vectors between points that follow the unknowns: from a vertex to the triangle it touches, say.
//
//   D_c(x) = constant_c + sum of weight * x[node] + sum of arm * x[node]
//
// A point of a soft body follows a few nodes with weights; one of a rigid body follows the node of its centre
// and, by an arm, the node of its turn (respond/). What pulls at the vectors goes back to the nodes by the
// transpose, so that no force or torque is lost on the way. Each node sums up what pulls at it in the order
// of the vectors: the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/geometry/vec.h>

namespace palpate {

class Couplings {
 public:
  void clear();
  // The next vector; what is added until the next call belongs to it.
  void begin_vector(const Vec3& constant);
  void set_constant(const Vec3& constant) { constants_.back() = constant; }
  void add(std::uint32_t node, double weight);  // weights of one node are added up
  void add(std::uint32_t node, const Mat3& arm);
  // When all are there.
  void finish(std::size_t nodes);

  std::size_t size() const { return constants_.size(); }
  bool empty() const { return constants_.empty(); }

  // What a vector follows: calls with a node and the matrix before it.
  template <class Do>
  void each(std::size_t c, Do&& work) const {
    for (std::uint32_t k = begin_[c]; k < begin_[c + 1]; ++k)
      work(entries_[k].node,
           entries_[k].arm == none ? Mat3(entries_[k].weight * Mat3::Identity()) : arms_[entries_[k].arm]);
  }

  // The same: calls with a node, a weight, and the matrix that is there instead of it, or null.
  template <class Do>
  void each_entry(std::size_t c, Do&& work) const {
    for (std::uint32_t k = begin_[c]; k < begin_[c + 1]; ++k)
      work(entries_[k].node, entries_[k].weight, entries_[k].arm == none ? nullptr : &arms_[entries_[k].arm]);
  }
  // Nodes that a vector follows, ascending.
  std::span<const std::uint32_t> followed() const { return followed_; }

  // out[c] = D_c(x); the same without constants, of a direction.
  void at(std::span<const Vec3> x, std::span<Vec3> out) const;
  void along(std::span<const Vec3> d, std::span<Vec3> out) const;
  // out += the transpose of along(), of what pulls at each vector.
  void add_back(std::span<const Vec3> pulls, std::span<Vec3> out) const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Entry {
    std::uint32_t node;
    std::uint32_t arm;  // none: the weight
    double weight;
  };
  Vec3 sum(std::size_t c, std::span<const Vec3> x) const;

  std::vector<Vec3> constants_;
  std::vector<std::uint32_t> begin_;  // of each vector's entries; the end of the last once finished
  std::vector<Entry> entries_;
  std::vector<Mat3> arms_;
  // By node that a vector follows: those vectors, ascending.
  struct Follower {
    std::uint32_t vector;
    std::uint32_t arm;
    double weight;
  };
  std::vector<std::uint32_t> followed_, followers_begin_;
  std::vector<std::uint32_t> place_;  // scratch, by node: where its next follower goes
  std::vector<Follower> followers_;
};

}  // namespace palpate
