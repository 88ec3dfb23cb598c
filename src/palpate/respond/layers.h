// How thick the layers are that touching bodies press.
//
// Between two bodies that come near each other by moving, the layer is as thick as the contact distance.
// Those that begin nearer, or are seen late, would be thrown apart by that: for them it begins as thick as
// the gap is, and grows at a bounded speed. One for each pair of surfaces, as long as they touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/bytes.h>
#include <palpate/base/hash.h>
#include <palpate/respond/touch.h>

namespace palpate {

class Layers {
 public:
  // At the beginning of a step: layers that are there grow, and others begin by so much thicker than the gap
  // [m].
  void update(std::span<const Touch> touches, double begin, double growth);
  // Of a pair; `most`, the contact distance, for one that was not there when the step began [m].
  double thickness(std::uint32_t a, std::uint32_t b, double most) const;
  void forget() { all_.clear(); }

  void save(ByteWriter& to) const { to.put(std::span<const Layer>(all_)); }
  void load(ByteReader& from) { from.get(all_); }
  void hash(StateHash& hash) const;

 private:
  struct Layer {
    std::uint32_t first, second;  // slots, the first is not the higher
    double thickness;             // [m]
    std::uint64_t pair() const { return std::uint64_t{first} << 32 | second; }
  };
  std::vector<Layer> all_, next_;  // ascending
};

}  // namespace palpate
