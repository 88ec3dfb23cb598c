// What a detector finds: contacts, ordered and small.
//
// A contact is a vertex near a triangle, or two edges near each other (docs/contacts.md has the definition).
// Millions of them are ordinary, so a contact is one cache line and says each thing once: the numbers of the
// features are in its key.
//
//   key   1 bit kind | 31 bits first feature | 32 bits second feature
//
// Features are numbered through all surfaces of a detector. Each surface has a range of its own with room to
// spare, so that a key stays the same from step to step, also while surfaces are cut (a surface that outgrows
// its room moves those behind it). Contacts are in ascending order of their keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/ids.h>
#include <palpate/geometry/vec.h>

namespace palpate {

struct SurfaceTag;
using SurfaceId = Id<SurfaceTag>;

enum class ContactKind : std::uint8_t { vertex_triangle = 0, edge_edge = 1 };

struct Contact {
  std::uint64_t key;
  double distance;           // [m], unsigned
  Vec3 normal;               // of unit length, from the first feature to the second
  std::array<double, 2> at;  // where: see first_weights()
  std::uint32_t first_surface;
  std::uint32_t second_surface : 31;
  std::uint32_t in_margin : 1;  // not nearer than the contact distance, but within the motion margin of it

  ContactKind kind() const { return static_cast<ContactKind>(key >> 63); }
  // A vertex, or the edge with the lower number.
  std::uint32_t first() const { return static_cast<std::uint32_t>(key >> 32) & 0x7fffffff; }
  // A triangle, or the other edge.
  std::uint32_t second() const { return static_cast<std::uint32_t>(key); }

  // Barycentric coordinates of the two points of contact: of a vertex (1), of a triangle's corners, of an
  // edge's ends.
  std::array<double, 3> first_weights() const {
    return kind() == ContactKind::vertex_triangle ? std::array{1.0, 0.0, 0.0}
                                                  : std::array{1 - at[0], at[0], 0.0};
  }
  std::array<double, 3> second_weights() const {
    return kind() == ContactKind::vertex_triangle ? std::array{std::max(0.0, 1 - at[0] - at[1]), at[0], at[1]}
                                                  : std::array{1 - at[1], at[1], 0.0};
  }
};
static_assert(sizeof(Contact) == 64);

inline std::uint64_t contact_key(ContactKind kind, std::uint32_t first, std::uint32_t second) {
  return std::uint64_t{static_cast<std::uint8_t>(kind)} << 63 | std::uint64_t{first} << 32 | second;
}

}  // namespace palpate
