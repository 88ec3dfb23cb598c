#include <palpate/soft/elasticity.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include <palpate/geometry/turned.h>

namespace palpate {

namespace {

Mat3 cofactors_change(const Mat3& f, const Mat3& df) {
  Mat3 c;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    c.col(k) = df.col(i).cross(f.col(j)) + f.col(i).cross(df.col(j));
  }
  return c;
}
double inner(const Mat3& a, const Mat3& b) { return a.cwiseProduct(b).sum(); }

Mat3 green_strain(const Mat3& f) { return 0.5 * (f.transpose() * f - Mat3::Identity()); }

}  // namespace

Mat3 cofactors(const Mat3& f) {
  Mat3 c;
  c.col(0) = f.col(1).cross(f.col(2));
  c.col(1) = f.col(2).cross(f.col(0));
  c.col(2) = f.col(0).cross(f.col(1));
  return c;
}

Elasticity::Elasticity(const Material& material)
    : Elasticity(material.model, lame(material.young, material.poisson)) {}

double energy_density(const Elasticity& e, const Mat3& f) {
  switch (e.model) {
    case Model::stvk: {
      const Mat3 strain = green_strain(f);
      const double trace = strain.trace();
      return e.mu * strain.squaredNorm() + 0.5 * e.lambda * trace * trace;
    }
    case Model::neo_hookean: {
      const NeoHookean n(e);
      const double squares = f.squaredNorm(), volume = f.determinant() - n.alpha, rest = 1 - n.alpha;
      return 0.5 * n.mu * (squares - 3 - std::log((squares + 1) / 4)) +
             0.5 * n.lambda * (volume * volume - rest * rest);
    }
    case Model::corotated: {
      const double volume = f.determinant() - 1;
      return e.mu * (f - rotation_of(f)).squaredNorm() + 0.5 * e.lambda * volume * volume;
    }
  }
  return 0;
}

Mat3 stress(const Elasticity& e, const Mat3& f) {
  switch (e.model) {
    case Model::stvk: {
      const Mat3 strain = green_strain(f);
      return f * (2 * e.mu * strain + e.lambda * strain.trace() * Mat3::Identity());
    }
    case Model::neo_hookean: {
      const NeoHookean n(e);
      return n.mu * (1 - 1 / (f.squaredNorm() + 1)) * f +
             n.lambda * (f.determinant() - n.alpha) * cofactors(f);
    }
    case Model::corotated:
      return 2 * e.mu * (f - rotation_of(f)) + e.lambda * (f.determinant() - 1) * cofactors(f);
  }
  return Mat3::Zero();
}

Mat3 stress_change(const Elasticity& e, const Mat3& f, const Mat3& df) {
  const Mat3 cofactor = cofactors(f), change = cofactors_change(f, df);
  switch (e.model) {
    case Model::stvk: {
      const Mat3 strain = green_strain(f), more = 0.5 * (df.transpose() * f + f.transpose() * df);
      return df * (2 * e.mu * strain + e.lambda * strain.trace() * Mat3::Identity()) +
             f * (2 * e.mu * more + e.lambda * more.trace() * Mat3::Identity());
    }
    case Model::neo_hookean: {
      const NeoHookean n(e);
      const double one_more = f.squaredNorm() + 1;
      return n.mu * ((1 - 1 / one_more) * df + 2 * inner(f, df) / (one_more * one_more) * f) +
             n.lambda * (inner(cofactor, df) * cofactor + (f.determinant() - n.alpha) * change);
    }
    case Model::corotated: {
      // R changes by a small turn: in the frame of U and V, a skew matrix.
      const Turned t = turned(f);
      const Mat3 a = t.u.transpose() * df * t.v;
      Mat3 turn = Mat3::Zero();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double sum = t.s[i] + t.s[j];
          // Where the sum is 0 the rotation is not defined, and no derivative is.
          if (i != j && std::abs(sum) > 1e-12) turn(i, j) = (a(i, j) - a(j, i)) / sum;
        }
      return 2 * e.mu * (df - t.u * turn * t.v.transpose()) +
             e.lambda * (inner(cofactor, df) * cofactor + (f.determinant() - 1) * change);
    }
  }
  return Mat3::Zero();
}

Mat9 definite_stiffness(const Elasticity& e, const Mat3& f) {
  Mat9 all;
  for (int k = 0; k < 9; ++k) {
    Mat3 df = Mat3::Zero();
    df(k % 3, k / 3) = 1;
    const Mat3 change = stress_change(e, f, df);
    for (int i = 0; i < 9; ++i) all(i, k) = change(i % 3, i / 3);
  }
  const Eigen::SelfAdjointEigenSolver<Mat9> eigen(0.5 * (all + all.transpose()));
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

// The determinant is linear in the position of one corner: only its square is left of it.
Mat3 corner_stiffness(const Elasticity& e, const Mat3& f, const Vec3& slope) {
  const double squared = slope.squaredNorm();
  const Vec3 along = f * slope;
  switch (e.model) {
    case Model::stvk: {
      const Mat3 strain = green_strain(f);
      const double tension = 2 * e.mu * slope.dot(strain * slope) + e.lambda * strain.trace() * squared;
      return std::max(0.0, tension) * Mat3::Identity() + e.mu * squared * f * f.transpose() +
             (e.mu + e.lambda) * along * along.transpose();
    }
    case Model::neo_hookean: {
      const NeoHookean n(e);
      const double one_more = f.squaredNorm() + 1;
      const Vec3 grows = cofactors(f) * slope;
      return n.mu * ((1 - 1 / one_more) * squared * Mat3::Identity() +
                     2 / (one_more * one_more) * along * along.transpose()) +
             n.lambda * grows * grows.transpose();
    }
    case Model::corotated: {
      // What the turn of the element takes away is left.
      const Vec3 grows = cofactors(f) * slope;
      return 2 * e.mu * squared * Mat3::Identity() + std::max(0.0, e.lambda) * grows * grows.transpose();
    }
  }
  return Mat3::Zero();
}

TetShape::TetShape(const std::array<Vec3, 4>& rest) {
  Mat3 edges;
  for (int k = 0; k < 3; ++k) edges.col(k) = rest[static_cast<std::size_t>(k) + 1] - rest[0];
  const double determinant = edges.determinant();
  volume = determinant / 6;
  inverse = determinant != 0 ? Mat3(edges.inverse()) : Mat3(Mat3::Zero());
}

Mat3 TetShape::gradient(const std::array<Vec3, 4>& corners) const {
  Mat3 edges;
  for (int k = 0; k < 3; ++k) edges.col(k) = corners[static_cast<std::size_t>(k) + 1] - corners[0];
  return edges * inverse;
}

std::array<Vec3, 4> TetShape::pull(const Mat3& stress) const {
  const Mat3 forces = volume * stress * inverse.transpose();
  return {-(forces.col(0) + forces.col(1) + forces.col(2)), forces.col(0), forces.col(1), forces.col(2)};
}

}  // namespace palpate
