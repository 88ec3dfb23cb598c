// What may be done to a running world, as a page or a recording says it: JSON.
//
//   {"do": "grab", "hand": 1, "body": "liver", "vertices": [3, 9, 4], "weights": [0.2, 0.5, 0.3]}
//   {"do": "move", "hand": 1, "to": [0.1, 0, 0.3]}
//   {"do": "release", "hand": 1}
//   {"do": "poke", "body": "liver", "vertices": [...], "weights": [...], "push": [0, 0, -0.1]}
//   {"do": "pin", "body": "liver", "vertices": [...], "weights": [...]}      and "unpin"
//   {"do": "probe", "to": [0, 0, 1], "radius": 0.05}                         and {"do": "unprobe"}
//   {"do": "set", "key": "materials.gel.young", "value": 6e4}
//
// It comes from anybody: parse_command() returns a command whose numbers are finite, or throws Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <palpate/world/world.h>

namespace palpate {

struct LiveCommand {
  enum class Kind : std::uint8_t { grab, move, release, poke, pin, unpin, probe, unprobe, set };
  Kind kind = Kind::release;
  std::uint32_t hand = 0;  // a number that whoever grabs has chosen
  std::string body = {};
  SurfacePoint at = {};
  Vec3 vector = Vec3::Zero();  // to where [m], or a push [N s]
  double radius = 0.05;        // of the probe [m]
  double stiffness = 0;        // of a hand [N/m]; 0: by the body's mass
  std::string change = {};     // "key=value", as --set takes it
};

inline constexpr std::size_t longest_command = 65536;  // [bytes]

LiveCommand parse_command(std::string_view json);

}  // namespace palpate
