// A finder brings the pairs of features that might be near. One file each; the list is in finder.cpp.
//
// To add one, write finder_NAME.cpp with a class that derives from Finder and a function that makes it, and
// add a line to the table in finder.cpp (docs/contacts.md walks through it). The tests then compare it with
// `brute` on every scene they have.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/timing.h>
#include <palpate/collide/collector.h>
#include <palpate/geometry/box.h>

namespace palpate {

class Finder {
 public:
  Finder() = default;
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;
  virtual ~Finder() = default;

  // Brings boxes up to date: whatever has to be done before pairs are searched for.
  virtual void update(const Search&) {}
  // Brings every pair of features, of the pairs of surfaces searched, that may be nearer than the reach.
  virtual void find(const Search& search, Collector& out) = 0;
  virtual std::size_t memory() const { return 0; }  // bytes held
  // What was chosen and why, where there was something to choose. Valid until the next call.
  virtual std::string_view remark() const { return {}; }
  // The boxes or cells that it searched in the last time, for people to look at: so many levels below the
  // whole, or the deepest there are. Appended; those that have none add none.
  virtual void show(std::size_t /*depth*/, std::vector<Box>& /*out*/) const {}
};

// What can be chosen in the classic finders, for studies; ours have nothing to choose but the last.
struct FinderOptions {
  bool spheres = false;          // around triangles, in place of boxes
  bool feature_boxes = false;    // also around single vertices and edges, before they are tested
  bool published_rules = false;  // the rules of the papers for pairs of triangles: they lose contacts
  bool cones = false;            // classic_grid: a cell that is too flat is left alone (patch_cone.h)
  bool published_cones = false;  // the papers' test of normals for that: it loses contacts
  double voxel_size = 2;         // classic_voxels: of a voxel, in mean triangles
  bool lasting = false;          // auto: surfaces stay for long: trees of new ones are made at once
  friend bool operator==(const FinderOptions&, const FinderOptions&) = default;
};

struct FinderEntry {
  std::string_view name, summary;
  std::unique_ptr<Finder> (*make)(const FinderOptions&);
};
std::span<const FinderEntry> finders();
// Throws Error for a name that is not in the table, with the nearest one that is.
std::unique_ptr<Finder> make_finder(std::string_view name, const FinderOptions& options = {});

}  // namespace palpate
