// The work of finding all pairs of triangles whose boxes, grown by half a distance, overlap; and the peers
// that do it.
//
// A step is the same for all: positions of a frame in, the method's structure brought up to date, all pairs
// out, written into an array. Positions and the distance lie on a grid so coarse that floats hold every
// corner of every grown box exactly: peers that know floats only find the same pairs, and need no second
// look.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <palpate/collide/triangle_pairs.h>

#include "contact_scenes.h"

namespace palpate::bench {

struct PairScene {
  std::vector<TriangleCorners> triangles;  // of all surfaces
  std::vector<std::uint32_t> begins;       // of the surfaces, and their end
  std::vector<std::vector<Vec3>> frames;   // positions of all surfaces
  double distance = 0;
  bool self = true;  // everything with everything; else different surfaces only

  PairScene(const ContactScene& scene, double about);
  std::size_t surfaces() const { return begins.size() - 1; }
};

// A triangle's box, grown, in float.
struct GrownBox {
  float lo[3], hi[3];
  bool overlaps(const GrownBox& other) const {
    return lo[0] <= other.hi[0] && other.lo[0] <= hi[0] && lo[1] <= other.hi[1] && other.lo[1] <= hi[1] &&
           lo[2] <= other.hi[2] && other.lo[2] <= hi[2];
  }
};
void grow_boxes(const PairScene& scene, const std::vector<Vec3>& positions, std::vector<GrownBox>& boxes);

// The pairs of surfaces whose boxes overlap, by a sweep: what a program with many bodies does first.
class BodySweep {
 public:
  const std::vector<PairOfSurfaces>& find(const PairScene& scene, const std::vector<GrownBox>& boxes);

 private:
  std::vector<GrownBox> bodies_;
  std::vector<std::uint32_t> order_;
  std::vector<PairOfSurfaces> near_;
};

class PairFinder {
 public:
  PairFinder() = default;
  PairFinder(const PairFinder&) = delete;
  PairFinder& operator=(const PairFinder&) = delete;
  virtual ~PairFinder() = default;
  // The pairs when all is at these positions, up to the next step.
  virtual std::span<const TrianglePair> step(const std::vector<Vec3>& positions) = 0;
};
std::unique_ptr<PairFinder> make_cgal_pairs(const PairScene& scene);
std::unique_ptr<PairFinder> make_embree_pairs(const PairScene& scene);
std::unique_ptr<PairFinder> make_bullet_pairs(const PairScene& scene);

}  // namespace palpate::bench
