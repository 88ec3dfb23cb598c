#include <palpate/respond/contact_law.h>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 1024;

}  // namespace

Vec3 ContactSpring::drag(const Vec3& vector) const {
  if (!(slip > 0)) return Vec3::Zero();
  const Vec3 s = across(vector);
  const double length = s.norm();
  if (tangent_stiffness * length <= slip) return -tangent_stiffness * s;
  return -(slip / length) * s;
}

double ContactLaw::value(std::span<const Vec3> vectors, std::span<Vec3> gradient) {
  double held = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Vec3& off = vectors[springs.size() + j];
    gradient[springs.size() + j] = joints[j] * off;
    held += 0.5 * joints[j] * off.squaredNorm();
  }
  return held +
         parallel_reduce(
             springs.size(), grain, 0.0, partial_,
             [&](Chunk chunk) {
               double sum = 0;
               for (std::size_t c = chunk.begin; c < chunk.end; ++c) {
                 const ContactSpring& spring = springs[c];
                 const double push = spring.push(vectors[c]);
                 gradient[c] = -push * spring.normal;
                 const double gap = spring.normal.dot(vectors[c]);
                 const double pressed = std::max(0.0, spring.target - gap),
                              hard = std::max(0.0, spring.hard - gap);
                 sum += 0.5 * (spring.stiffness * pressed * pressed + spring.hard_stiffness * hard * hard);
                 if (!(spring.slip > 0)) continue;
                 const double stretch = spring.across(vectors[c]).norm(), kt = spring.tangent_stiffness;
                 sum += kt * stretch <= spring.slip ? 0.5 * kt * stretch * stretch
                                                    : spring.slip * (stretch - 0.5 * spring.slip / kt);
                 gradient[c] -= spring.drag(vectors[c]);
               }
               return sum;
             },
             [](double a, double b) { return a + b; });
}

void ContactLaw::stiffness(std::span<const Vec3> vectors, std::span<Mat3> out) {
  for (std::size_t j = 0; j < joints.size(); ++j) out[springs.size() + j] = joints[j] * Mat3::Identity();
  parallel_for(springs.size(), grain, [&](std::size_t c) {
    const ContactSpring& spring = springs[c];
    const Mat3 along = spring.normal * spring.normal.transpose();
    const double gap = spring.normal.dot(vectors[c]);
    out[c] =
        ((gap < spring.target ? spring.stiffness : 0) + (gap < spring.hard ? spring.hard_stiffness : 0)) *
        along;
    if (!(spring.slip > 0)) return;
    const Vec3 s = spring.across(vectors[c]);
    const double length = s.norm();
    if (spring.tangent_stiffness * length <= spring.slip)
      out[c] += spring.tangent_stiffness * (Mat3::Identity() - along);
    else
      out[c] += spring.slip / length * (Mat3::Identity() - along - s * s.transpose() / (length * length));
  });
}

}  // namespace palpate
