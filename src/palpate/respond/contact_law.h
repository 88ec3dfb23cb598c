// How touching features push: a layer of thickness d that is pressed, and a spring across it that slips.
//
// Of a vector D from the first feature to the second, with the gap g = n . D,
//
//   E(D) = k/2 (target - g)^2  while g < target,  +  kh/2 (hard - g)^2  while g < hard,  +  friction(|s|),
//
// where s is what D went across n since it stuck: a layer that is nearly pressed flat becomes harder, or a
// single feature that carries much would go through it.
// friction(s) = kt/2 s^2 while kt s < slip, and slip (s - slip / 2 kt) beyond: a spring that gives way at the
// force `slip`, which is the coefficient of friction times the force along n as it was found before
// (Coulomb's law, lagged). What sticks goes back to where it stuck, so nothing creeps. All of it is convex.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/coupled.h>

namespace palpate {

// One contact's law.
struct ContactSpring {
  Vec3 normal = Vec3::UnitZ();
  double stiffness = 0;          // k [N/m]
  double target = 0;             // [m]
  double hard_stiffness = 0;     // kh [N/m]
  double hard = 0;               // [m]
  double tangent_stiffness = 0;  // kt [N/m]
  double slip = 0;               // [N]
  Vec3 origin = Vec3::Zero();    // where D was when s was zero [m]

  double push(const Vec3& vector) const {  // along the normal [N]
    const double gap = normal.dot(vector);
    return stiffness * std::max(0.0, target - gap) + hard_stiffness * std::max(0.0, hard - gap);
  }
  Vec3 across(const Vec3& vector) const {  // s [m]
    const Vec3 off = vector - origin;
    return off - normal.dot(off) * normal;
  }
  // What friction pulls at the vector with, against s [N].
  Vec3 drag(const Vec3& vector) const;
};

class ContactLaw final : public CouplingLaw {
 public:
  std::vector<ContactSpring> springs;
  // Of vectors that come after those of the springs: k of springs that hold them at zero [N/m].
  std::vector<double> joints;

  double value(std::span<const Vec3> vectors, std::span<Vec3> gradient) override;
  void stiffness(std::span<const Vec3> vectors, std::span<Mat3> out) override;

 private:
  std::vector<double> partial_;
};

}  // namespace palpate
