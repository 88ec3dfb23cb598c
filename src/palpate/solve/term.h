// One kind of energy in the equations of a step: elastic elements, springs, contacts.
//
// A term holds many elements of one type as plain arrays and is called for all of them at once. Whoever adds
// one writes these functions; tests/solve/term_checks.h compares them with finite differences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/geometry/vec.h>

namespace palpate {

// Entries of a symmetric matrix over nodes, each given once with i >= j, or several times to be summed.
struct MetricEntry {
  std::uint32_t i, j;
  double value;  // [N/m]
};

class Term {
 public:
  Term() = default;
  Term(const Term&) = delete;
  Term& operator=(const Term&) = delete;
  virtual ~Term() = default;

  // Whether it pulls at nodes from places that are none: then its forces do not cancel, and move the whole.
  virtual bool is_anchored() const { return false; }
  // What rounding may add to a value, or take from it, near the rest of things [J]: smaller differences mean
  // nothing.
  virtual double rounding() const = 0;
  // The energy at these positions [J].
  virtual double value(std::span<const Vec3> x) = 0;
  // The same, and its gradient added to `gradient` [N].
  virtual double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) = 0;
  // Adds H d, where H is the second derivative at x, or a positive semi-definite stand-in for it.
  virtual void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) = 0;
  // Of one node alone: adds its gradient, and the second derivative by its position, or a positive
  // semi-definite stand-in for it.
  virtual void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) = 0;
  // A positive semi-definite matrix that is about as stiff as the term at rest, the same for x, y and z: what
  // solvers measure directions with.
  virtual void add_metric(std::vector<MetricEntry>& entries) const = 0;
  // Marks the nodes of elements that are turned inside out; false: there are none.
  // What slopes say there leads nowhere, and solvers that follow them look at each of these nodes alone
  // first.
  virtual bool mark_tangled(std::span<const Vec3> /*x*/, std::span<std::uint8_t> /*nodes*/) { return false; }
};

}  // namespace palpate
