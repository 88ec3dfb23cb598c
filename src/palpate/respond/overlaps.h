// Which surfaces overlap: bodies that were placed in each other.
//
// Nothing comes to overlap by moving (touching_guard.cpp). So it is enough to look when a body comes, or is
// placed from outside, at what is around it; and, as long as two overlap, whether they still do. Signs are
// exact. What lies inside another body as a whole, without crossing its surface, does not overlap it: it may
// be hollow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/bytes.h>
#include <palpate/base/hash.h>
#include <palpate/collide/detector.h>
#include <palpate/respond/participant.h>
#include <palpate/respond/touch.h>

namespace palpate {

class Overlaps {
 public:
  void update(const Detector& detector, std::span<const Participant> participants);
  std::span<const OverlappingPair> pairs() const { return pairs_; }  // ascending
  bool has(std::uint32_t a, std::uint32_t b) const;
  void forget();  // all is looked at again

  void save(ByteWriter& to) const;
  void load(ByteReader& from);
  void hash(StateHash& hash) const;

 private:
  struct Seen {
    SurfaceId surface = {};
    std::uint64_t placings = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  bool cross(const Surfaces& surfaces, std::uint32_t a, std::uint32_t b);

  std::vector<Seen> seen_;  // by slots
  std::vector<std::uint8_t> fresh_;
  std::vector<OverlappingPair> pairs_, next_;
};

}  // namespace palpate
