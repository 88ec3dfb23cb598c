// Pairs of features that are kept from call to call while things move little.
//
// Whatever is nearer than d + m now was nearer than d + m + s before two features came nearer to each other
// by the *skin* s. So what was found with the motion margin widened by s holds every pair that counts, until
// the vertices of two surfaces have moved by s together, the farthest of each. Until then a call tests the
// list, and nothing is searched for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/collector.h>

namespace palpate {

class KeptPairs {
 public:
  // Whether this pair of surfaces is in the list, as it is searched now, but for what has moved.
  bool knows(const Search& search, const SurfacePair& pair) const;
  // Whether every pair that counts, for pairs of surfaces that are known, as they lie now, is in the list.
  bool hold(const Search& search, std::span<const SurfacePair> pairs);
  // The search that fills the list. It refers to `pairs`.
  static Search widened(const Search& search, std::span<const SurfacePair> pairs, double skin);
  // What `found` has found by that search.
  void fill(const Search& search, std::span<const SurfacePair> pairs, double skin, Collector& found);
  void bring(Collector& out) const;

  std::size_t size() const { return keys_.size(); }
  std::size_t memory() const;

 private:
  struct Kept {                                      // a surface when the list was filled
    std::uint64_t moves = 0, changes = 0, seen = 0;  // `seen`: the moves up to which `moved` is known
    double near = 0;                                 // the neighbour distance
    double moved = 0;                                // how far its farthest vertex is from where it was [m]
  };
  bool same_surface(const Surface& surface, std::uint32_t slot) const;
  double moved(const Surfaces& all, std::uint32_t slot);

  std::uint64_t layout_ = 0;
  double margin_ = 0, skin_ = 0;
  std::vector<SurfacePair> pairs_;
  std::vector<Kept> surfaces_;       // by slot
  std::vector<Vec3> positions_;      // of all surfaces
  std::vector<std::uint64_t> keys_;  // ascending
  std::vector<double> partial_;      // scratch
};

}  // namespace palpate
