// Tops without torque, against Euler's equations in long double.
#include <palpate/rigid/free_turn.h>

#include <array>
#include <cmath>

#include <rigid/rigid_cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

// Momentum along the axes of the body, and the quaternion: Runge and Kutta's method with tiny steps.
struct Exact {
  std::array<long double, 3> inverse;
  std::array<long double, 7> at;  // l, then w x y z

  Exact(const Vec3& inverse_moments, const Vec3& l, const Quat& q)
      : inverse{inverse_moments[0], inverse_moments[1], inverse_moments[2]}, at{l[0],  l[1],  l[2], q.w(),
                                                                                q.x(), q.y(), q.z()} {}
  std::array<long double, 7> slope(const std::array<long double, 7>& s) const {
    const long double a = inverse[0] * s[0], b = inverse[1] * s[1], c = inverse[2] * s[2];
    return {s[1] * c - s[2] * b,
            s[2] * a - s[0] * c,
            s[0] * b - s[1] * a,
            -(s[4] * a + s[5] * b + s[6] * c) / 2,
            (s[3] * a + s[5] * c - s[6] * b) / 2,
            (s[3] * b + s[6] * a - s[4] * c) / 2,
            (s[3] * c + s[4] * b - s[5] * a) / 2};
  }
  void go(long double seconds, int steps) {
    const long double h = seconds / steps;
    const auto ahead = [&](const std::array<long double, 7>& k, long double by) {
      auto s = at;
      for (std::size_t i = 0; i < 7; ++i) s[i] += by * k[i];
      return s;
    };
    for (int n = 0; n < steps; ++n) {
      const auto k1 = slope(at), k2 = slope(ahead(k1, h / 2)), k3 = slope(ahead(k2, h / 2)),
                 k4 = slope(ahead(k3, h));
      for (std::size_t i = 0; i < 7; ++i) at[i] += h * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) / 6;
    }
  }
  Quat turn() const {
    return Quat(static_cast<double>(at[3]), static_cast<double>(at[4]), static_cast<double>(at[5]),
                static_cast<double>(at[6]))
        .normalized();
  }
};

TEST(FreeTurnProperty, FollowsEulersEquations) {
  each_case(40, [](Random& random) {
    const Vec3 inverse = testing::any_moments(random).cwiseInverse();
    const Vec3 start = testing::any_vector(random, 3);
    const Quat turned = testing::any_turn(random);
    Exact exact(inverse, start, turned);
    exact.go(1, 4000);
    double last = 0;
    for (const int steps : {100, 200, 400}) {
      Vec3 l = start;
      Quat q = turned;
      for (int i = 0; i < steps; ++i) free_turn(inverse, 1.0 / steps, l, q);
      const double off = q.angularDistance(exact.turn());
      EXPECT_LT(off, 100.0 / (steps * steps));
      if (steps > 100 && last > 1e-9) {
        EXPECT_LT(off, 0.3 * last) << "of second order";
      }
      last = off;
    }
  });
}

TEST(FreeTurnProperty, KeepsEnergyAndMomentum) {
  each_case(10, [](Random& random) {
    const Vec3 inverse = testing::any_moments(random).cwiseInverse();
    Vec3 l = testing::any_vector(random, std::abs(random.magnitude(1e-3, 1e3)));
    Quat q = testing::any_turn(random);
    const Vec3 world = q * l;
    const double energy = l.dot(inverse.cwiseProduct(l));
    for (int i = 0; i < 10000; ++i) free_turn(inverse, 1.0 / 60, l, q);
    EXPECT_LT((q * l - world).norm(), 1e-11 * world.norm());
    EXPECT_NEAR(l.dot(inverse.cwiseProduct(l)) / energy, 1, 1e-9);
  });
}

// The axis in the middle is not stable: a top that turns about it flips over, again and again (Dzhanibekov).
TEST(FreeTurn, TheMiddleAxisFlipsWhenItShould) {
  const Vec3 inverse = Vec3(1, 2, 3).cwiseInverse();
  const Vec3 start(1e-3, 10, 0);
  Vec3 l = start;
  Quat q = Quat::Identity();
  Exact exact(inverse, start, q);
  int flips = 0, exact_flips = 0;
  double worst = 0;
  for (int i = 0; i < 12000; ++i) {
    const bool up = l.y() > 0, exact_up = exact.at[1] > 0;
    free_turn(inverse, 1e-3, l, q);
    exact.go(1e-3L, 4);
    flips += (l.y() > 0) != up ? 1 : 0;
    exact_flips += (exact.at[1] > 0) != exact_up ? 1 : 0;
    worst = std::max(worst, q.angularDistance(exact.turn()));
  }
  EXPECT_EQ(flips, exact_flips);
  EXPECT_GE(flips, 2);
  EXPECT_LT(worst, 1e-2) << "[rad], after " << flips << " flips";
}

// Whatever is put in: no motion, enormous rates.
TEST(FreeTurn, IsFiniteAtAnyRate) {
  for (const double rate : {0.0, 1e-100, 1e3, 1e6, 1e12}) {
    Vec3 l = rate * Vec3(1, 2, 3);
    Quat q = Quat::Identity();
    for (int i = 0; i < 10; ++i) free_turn(Vec3(1, 0.5, 0.4), 1, l, q);
    EXPECT_TRUE(l.allFinite() && q.coeffs().allFinite()) << rate;
    EXPECT_NEAR(l.norm(), rate * Vec3(1, 2, 3).norm(), 1e-9 * rate);
  }
}

}  // namespace
}  // namespace palpate
