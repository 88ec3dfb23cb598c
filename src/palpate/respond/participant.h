// What moves the vertices of a surface, as a response sees it.
#pragma once

#include <cstdint>
#include <span>

#include <palpate/base/ids.h>
#include <palpate/collide/contact.h>
#include <palpate/mesh/embedding.h>
#include <palpate/respond/response_options.h>
#include <palpate/soft/soft_body.h>

namespace palpate {

struct Participant {
  enum class Kind : std::uint8_t {
    none,     // the slot has no surface
    still,    // it does not move
    carried,  // it goes where it is told
    rigid,
    soft
  };
  Kind kind = Kind::none;
  SurfaceId surface = {};
  BodyId body = {};
  std::span<const Vec3> local = {};  // of what does not bend: its vertices in its own coordinates [m]
  SoftBody* soft = nullptr;
  std::span<const std::uint32_t> nodes = {};  // of a soft body: the node of each vertex, or
  const Embedding* embedding = nullptr;       // what they follow
  double young = 0;                           // of a soft body [Pa]
  double mass = 0;                            // of what moves [kg]
  double area = 0;                            // of its surface [m^2]
  ContactMaterial material = {};
  std::uint64_t placings = 0;  // how often it was placed from outside, where it may overlap others
};

}  // namespace palpate
