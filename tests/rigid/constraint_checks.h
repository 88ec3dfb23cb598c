// What every constraint between rigid bodies is asked: are its gradients those of its values?
#pragma once

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <palpate/rigid/rigid_constraint.h>

namespace palpate::testing {

inline void check_constraint(const RigidConstraint& constraint, const ConstraintSide& a,
                             const ConstraintSide& b) {
  const double step = 1e-6;
  ConstraintRows at;
  constraint.at(a, b, at);
  for (std::size_t k = 0; k < 2; ++k)
    for (int axis = 0; axis < 3; ++axis)
      for (const bool turns : {false, true}) {
        const auto changed = [&](double by) {
          std::array<ConstraintSide, 2> sides = {a, b};
          ConstraintSide& side = sides[k];
          if (turns) {
            const Quat turn(Eigen::AngleAxisd(by, Vec3::Unit(axis)));
            side.pose.position = side.centre + turn * (side.pose.position - side.centre);
            side.pose.rotation = turn * side.pose.rotation;
          } else {
            side.pose.position[axis] += by;
            side.centre[axis] += by;
          }
          ConstraintRows rows;
          constraint.at(sides[0], sides[1], rows);
          return rows;
        };
        const ConstraintRows more = changed(step), less = changed(-step);
        for (std::size_t r = 0; r < constraint.rows(); ++r) {
          const double slope = (more.row[r].value - less.row[r].value) / (2 * step);
          const Vec3& gradient = turns ? at.row[r].turn[k] : at.row[r].move[k];
          EXPECT_NEAR(gradient[axis], slope, 1e-7 * (1 + std::abs(slope)))
              << "row " << r << ", body " << k << (turns ? ", turned about " : ", moved along ") << axis;
        }
      }
}

}  // namespace palpate::testing
