// The contact engine: surfaces in, contacts out.
//
//   Detector detector({.contact_distance = 0.002});
//   const SurfaceId liver = detector.add(liver_mesh, {.name = "liver"});
//   const SurfaceId tool = detector.add(tool_mesh, {.name = "tool", .motion = Motion::rigid});
//   ...
//   detector.set_positions(liver, positions);   // each step
//   detector.set_pose(tool, pose);
//   for (const Contact& contact : detector.detect()) ...
//
// What a contact is does not depend on how it is found: docs/contacts.md has the definition, and every finder
// returns the same contacts, bit for bit, for any number of threads. What is given is checked before anything
// is touched. A call on a warm detector (the same counts as before) allocates nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <palpate/base/timing.h>
#include <palpate/collide/contact.h>
#include <palpate/collide/finder.h>
#include <palpate/collide/surfaces.h>
#include <palpate/collide/sweep.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

struct DetectorOptions {
  double contact_distance = 0.001;                // d [m]
  std::optional<double> neighbour_distance = {};  // g [m]; 2d if not given
  double margin = 0;                              // m [m]: pairs up to d + m are returned too, marked
  std::string finder = "auto";                    // see finders()
  FinderOptions finder_options = {};              // for studies of the classic ones
};

struct SurfaceOptions {
  std::string name = {};  // for messages; its number if empty
  Motion motion = Motion::deformable;
  std::optional<bool> self_contacts = {};      // on for deformable surfaces, off for others, if not given
  std::optional<std::vector<Vec3>> rest = {};  // the rest shape, if it is declared [m]
};

// The contacts of one call, in ascending order of their keys.
struct ContactSet {
  std::span<const Contact> contacts;
  std::span<const Stage> stages;  // boxes, pairs, tests, order
  SearchCounters counters;
  std::size_t surface_pairs = 0;  // whose boxes came near
  std::size_t memory = 0;         // bytes held for surfaces, for searching and for results
  std::string_view remark;        // what was chosen and why

  std::size_t size() const { return contacts.size(); }
  auto begin() const { return contacts.begin(); }
  auto end() const { return contacts.end(); }
};

// What touches in a step, in ascending order of the keys.
struct CrossingSet {
  std::span<const Crossing> crossings;
  double safe_fraction = 1;       // of the step: until then nothing touches
  double whole_until = 1;         // of the step: what touches later may have been left, as was asked for
  std::span<const Stage> stages;  // boxes, pairs, tests, order
  SearchCounters counters;

  std::size_t size() const { return crossings.size(); }
  auto begin() const { return crossings.begin(); }
  auto end() const { return crossings.end(); }
};

class Detector {
 public:
  explicit Detector(DetectorOptions options = {});
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  SurfaceId add(const TriangleMesh& mesh, SurfaceOptions options = {});
  void remove(SurfaceId id);
  void set_positions(SurfaceId id, std::span<const Vec3> positions);
  // Turns and moves the mesh that was added; for surfaces that are rigid.
  void set_pose(SurfaceId id, const Pose& pose);

  // Changes of the triangles; those that stay keep their numbers.
  void remove_triangles(SurfaceId id, std::span<const std::uint32_t> triangles);
  // The number of the first new vertex. `rest` as many as positions; none: the positions.
  std::uint32_t add_vertices(SurfaceId id, std::span<const Vec3> positions, std::span<const Vec3> rest = {});
  // Where each went is appended to `places`.
  void add_triangles(SurfaceId id, std::span<const TriangleCorners> triangles,
                     std::vector<std::uint32_t>& places);

  // Where a surface is at the end of a step, for crossings(): until its positions are set the next time.
  // Others stay where they are.
  void set_end_positions(SurfaceId id, std::span<const Vec3> positions);
  // It turns at an even rate, the shorter way, while its origin goes straight.
  void set_end_pose(SurfaceId id, const Pose& pose);

  // Global parameters [m].
  void set_contact_distance(double d);
  void set_neighbour_distance(std::optional<double> g);
  void set_margin(double m);
  void set_finder(std::string_view name);
  void set_finder(std::unique_ptr<Finder> finder);  // one of the caller's own; not null
  // Of one pair of surfaces (or of one with itself).
  void set_contact_distance(SurfaceId a, SurfaceId b, double d);
  void exclude(SurfaceId a, SurfaceId b, bool excluded = true);
  bool excludes(SurfaceId a, SurfaceId b) const;
  void set_self_contacts(SurfaceId id, bool on);

  // Valid until the next call of anything.
  ContactSet detect();
  // What touches in the step from the positions to the end positions. Only features that share a vertex are
  // left out, and pairs of surfaces as in detect().
  CrossingSet crossings(const CrossingOptions& options = {});

  // Of what is in a set: how much of the step goes by until something touches this surface; and for each of
  // its vertices, until something touches a feature that has it. Where nothing does: what it is whole until.
  double safe_fraction(SurfaceId id, const CrossingSet& set) const;
  void safe_fractions(SurfaceId id, const CrossingSet& set, std::span<double> out) const;

  // What the finder looked into at the last detect(), see Finder::show().
  void show_boxes(std::size_t depth, std::vector<Box>& out) const { finder_->show(depth, out); }

  // How long detect() and crossings() have taken, all together [ns].
  std::int64_t search_nanoseconds() const { return search_nanoseconds_; }

  const Surfaces& surfaces() const { return surfaces_; }
  double contact_distance() const { return options_.contact_distance; }  // of pairs without their own [m]
  double contact_distance(SurfaceId a, SurfaceId b) const;               // of this pair [m]
  // A feature's number in its own surface: vertices and triangles as in the mesh, edges as in Topology.
  std::uint32_t first_feature(const Contact& contact) const;
  std::uint32_t second_feature(const Contact& contact) const;
  SurfaceId first_surface(const Contact& c) const { return surfaces_[c.first_surface].id; }
  SurfaceId second_surface(const Contact& c) const { return surfaces_[c.second_surface].id; }

 private:
  struct Special {  // a pair that is not like the others
    std::uint32_t first, second;
    double distance;  // < 0: the global one
    bool excluded;
  };
  const Special* special(std::uint32_t first, std::uint32_t second) const;
  Special& edit_special(SurfaceId a, SurfaceId b);
  void forget_special(std::uint32_t slot);
  double distance_of(std::uint32_t first, std::uint32_t second) const;
  void collect_pairs(double reach);
  void make_near();
  std::int64_t search(const Search& search);
  void note_stages(std::int64_t found, Clock::time_point began);

  DetectorOptions options_;
  Surfaces surfaces_;
  std::vector<Special> special_;  // ascending
  Sweep sweep_;
  std::vector<Sweep::Pair> near_;
  std::vector<SurfacePair> pairs_;
  std::unique_ptr<Finder> finder_;
  std::unique_ptr<Collector> collector_;
  StageTimer timer_;
  std::vector<Stage> stages_;
  std::int64_t search_nanoseconds_ = 0;
};

// For one use: the contacts of some meshes as they lie, each a surface with contacts inside it.
std::vector<Contact> contacts(std::span<const TriangleMesh> meshes, double contact_distance);

}  // namespace palpate
