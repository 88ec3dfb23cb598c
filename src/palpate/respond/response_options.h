// How contacts are answered: by name, and with which numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace palpate {

// What a body is like to the touch.
struct ContactMaterial {
  double friction = 0.3;         // of what slides; of two bodies, the root of the product
  double static_friction = 0.3;  // of what sticks; where it is below the other, that counts
  double restitution = 0;        // how much of the speed at which it hits comes back; of two, the larger one
  friend bool operator==(const ContactMaterial&, const ContactMaterial&) = default;
};

struct ResponseOptions {
  // "none": contacts are found and shown. "constraint": they push, solved together with all else. "penalty":
  // springs, by themselves, with any solver. "impulse": rigid bodies alone, from hit to hit.
  std::string name = "constraint";
  double stiffness = 1;        // of the layer that touching bodies press: of their own material's
  double compliance = 0;       // gives way besides that: how far per pressure [m/Pa]
  double damping = 1.5;        // of the layer, in steps: what is pressed comes out in about so many more
  double easing_speed = 0.05;  // at which bodies that overlap come apart [m/s]
  int passes = 2;              // of friction in a step, at least
  int rounds = 4;              // of the guard in a part of a step
  int most_parts = 10;         // of a step
  int iterations = 12;         // of a pass of a solve with contacts
  friend bool operator==(const ResponseOptions&, const ResponseOptions&) = default;
};

std::span<const std::string_view> response_names();
// Throws Error for a name that is not there, with the nearest one that is, and for numbers that mean nothing.
void require(const ResponseOptions& options);

}  // namespace palpate
