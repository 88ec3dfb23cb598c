#include <palpate/geometry/turned.h>

#include <Eigen/LU>
#include <Eigen/SVD>

namespace palpate {

Turned turned(const Mat3& f) {
  const Eigen::JacobiSVD<Mat3> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Turned result{svd.matrixU(), svd.matrixV(), svd.singularValues()};
  for (Mat3* side : {&result.u, &result.v})
    if (side->determinant() < 0) {
      side->col(2) *= -1;
      result.s[2] *= -1;
    }
  return result;
}

Mat3 rotation_of(const Mat3& f) {
  const Turned t = turned(f);
  return t.u * t.v.transpose();
}

}  // namespace palpate
