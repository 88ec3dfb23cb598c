#include <palpate/collide/detector.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

namespace palpate {

namespace {

void check_length(std::string_view name, double value, bool may_be_zero, std::string_view usual) {
  if ((may_be_zero ? value >= 0 : value > 0) && value < 1e75) return;
  throw Error(Place::named("parameter", name),
              fmt::format("{} is not a {} length", value, may_be_zero ? "possible" : "positive"),
              std::string(usual));
}
void check_contact_distance(double d) {
  check_length("contact distance", d, false, "Give it in metres; half of a mean edge is usual.");
}
void check_margin(double m) {
  check_length("margin", m, true,
               "Give in metres how far things may move until the next call; 0: no margin.");
}
void check_neighbour_distance(const std::optional<double>& g) {
  if (g)
    check_length("neighbour distance", *g, true, "Give it in metres; twice the contact distance is usual.");
}

}  // namespace

Detector::Detector(DetectorOptions options)
    : options_(std::move(options)),
      finder_(make_finder(options_.finder, options_.finder_options)),
      collector_(std::make_unique<Collector>()) {
  check_contact_distance(options_.contact_distance);
  check_margin(options_.margin);
  check_neighbour_distance(options_.neighbour_distance);
}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

SurfaceId Detector::add(const TriangleMesh& mesh, SurfaceOptions options) {
  Surface surface;
  surface.name = std::move(options.name);
  surface.motion = options.motion;
  surface.self_contacts = options.self_contacts.value_or(options.motion == Motion::deformable);
  surface.has_rest = options.rest.has_value();
  if (options.rest && options.motion != Motion::deformable)
    throw Error(Place::named("surface", surface.name), "it has a rest shape, but it is not deformable",
                "Leave the rest shape out: what does not deform is always at rest.");
  if (options.rest) surface.rest = std::move(*options.rest);
  return surfaces_.add(std::move(surface), mesh.positions, mesh.triangles);
}

void Detector::remove(SurfaceId id) {
  surfaces_.remove(id);
  forget_special(id.index);
}

void Detector::set_positions(SurfaceId id, std::span<const Vec3> positions) {
  const Surface& surface = surfaces_.at(id);
  if (surface.motion != Motion::deformable)
    throw Error(Place::named("surface", surface.name),
                surface.motion == Motion::rigid ? "its positions follow from its pose" : "it is fixed",
                surface.motion == Motion::rigid ? "Set its pose, or add it as deformable."
                                                : "Add it as rigid or deformable, if it moves.");
  surfaces_.set_positions(id, positions);
}
void Detector::set_pose(SurfaceId id, const Pose& pose) {
  const Surface& surface = surfaces_.at(id);
  if (surface.motion != Motion::rigid)
    throw Error(Place::named("surface", surface.name), "it has no pose, for it is not rigid",
                "Add it with Motion::rigid, or set its positions.");
  surfaces_.set_pose(id, pose);
}

void Detector::set_end_positions(SurfaceId id, std::span<const Vec3> positions) {
  const Surface& surface = surfaces_.at(id);
  if (surface.motion != Motion::deformable)
    throw Error(Place::named("surface", surface.name),
                "it is not deformable: its vertices cannot go anywhere",
                "Set the pose at the end, if it is rigid.");
  surfaces_.set_end_positions(id, positions);
}
void Detector::set_end_pose(SurfaceId id, const Pose& pose) {
  const Surface& surface = surfaces_.at(id);
  if (surface.motion != Motion::rigid)
    throw Error(Place::named("surface", surface.name), "it has no pose, for it is not rigid",
                "Set its positions at the end, if it is deformable.");
  surfaces_.set_end_pose(id, pose);
}

void Detector::remove_triangles(SurfaceId id, std::span<const std::uint32_t> triangles) {
  surfaces_.remove_triangles(id, triangles);
}
std::uint32_t Detector::add_vertices(SurfaceId id, std::span<const Vec3> positions,
                                     std::span<const Vec3> rest) {
  return surfaces_.add_vertices(id, positions, rest.empty() ? positions : rest);
}
void Detector::add_triangles(SurfaceId id, std::span<const TriangleCorners> triangles,
                             std::vector<std::uint32_t>& places) {
  surfaces_.add_triangles(id, triangles, places);
}

void Detector::set_contact_distance(double d) {
  check_contact_distance(d);
  options_.contact_distance = d;
}
void Detector::set_neighbour_distance(std::optional<double> g) {
  check_neighbour_distance(g);
  options_.neighbour_distance = g;
}
void Detector::set_margin(double m) {
  check_margin(m);
  options_.margin = m;
}
void Detector::set_finder(std::string_view name) {
  finder_ = make_finder(name, options_.finder_options);
  options_.finder = name;
}
void Detector::set_finder(std::unique_ptr<Finder> finder) {
  if (!finder)
    throw Error(Place::named("parameter", "finder"), "there is none", "Give one, or the name of one.");
  finder_ = std::move(finder);
  options_.finder.clear();
}

const Detector::Special* Detector::special(std::uint32_t first, std::uint32_t second) const {
  const auto at = std::lower_bound(special_.begin(), special_.end(), std::pair(first, second),
                                   [](const Special& s, const std::pair<std::uint32_t, std::uint32_t>& k) {
                                     return std::pair(s.first, s.second) < k;
                                   });
  return at != special_.end() && at->first == first && at->second == second ? &*at : nullptr;
}

Detector::Special& Detector::edit_special(SurfaceId a, SurfaceId b) {
  surfaces_.at(a);
  surfaces_.at(b);
  const auto [first, second] = std::minmax(a.index, b.index);
  const Special* found = special(first, second);
  if (found == nullptr) {
    const auto before = [](const Special& x, const Special& y) {
      return std::pair(x.first, x.second) < std::pair(y.first, y.second);
    };
    const Special made{first, second, -1, false};
    found = &*special_.insert(std::upper_bound(special_.begin(), special_.end(), made, before), made);
  }
  return special_[static_cast<std::size_t>(found - special_.data())];
}

void Detector::forget_special(std::uint32_t slot) {
  std::erase_if(special_, [&](const Special& s) { return s.first == slot || s.second == slot; });
}

void Detector::set_contact_distance(SurfaceId a, SurfaceId b, double d) {
  check_contact_distance(d);
  edit_special(a, b).distance = d;
}
void Detector::exclude(SurfaceId a, SurfaceId b, bool excluded) { edit_special(a, b).excluded = excluded; }
bool Detector::excludes(SurfaceId a, SurfaceId b) const {
  const Special* s = special(std::min(a.index, b.index), std::max(a.index, b.index));
  return s != nullptr && s->excluded;
}
void Detector::set_self_contacts(SurfaceId id, bool on) { surfaces_.set_self_contacts(id, on); }

double Detector::contact_distance(SurfaceId a, SurfaceId b) const {
  surfaces_.at(a);  // throw for what is not there
  surfaces_.at(b);
  return distance_of(std::min(a.index, b.index), std::max(a.index, b.index));
}

double Detector::distance_of(std::uint32_t first, std::uint32_t second) const {
  const Special* s = special(first, second);
  return s != nullptr && s->distance >= 0 ? s->distance : options_.contact_distance;
}

// The pairs of surfaces to search, ascending.
void Detector::collect_pairs(double reach) {
  sweep_.find(surfaces_, reach, near_);
  pairs_.clear();
  for (const auto& [first, second] : near_) {
    const Special* s = special(first, second);
    if (s == nullptr || !s->excluded) pairs_.push_back({first, second, distance_of(first, second)});
  }
  for (std::uint32_t slot = 0; slot < surfaces_.slots().size(); ++slot) {
    if (!surfaces_.alive(slot) || !surfaces_[slot].self_contacts) continue;
    const Special* s = special(slot, slot);
    if (s != nullptr && s->excluded) continue;
    pairs_.push_back({slot, slot, distance_of(slot, slot)});
  }
  std::sort(pairs_.begin(), pairs_.end(), [](const SurfacePair& a, const SurfacePair& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
}

// The neighbours along surfaces searched with themselves.
void Detector::make_near() {
  for (const SurfacePair& pair : pairs_) {
    if (pair.first != pair.second) continue;
    if (const double g = options_.neighbour_distance.value_or(2 * pair.distance); g > 0)
      surfaces_.make_near(pair.first, g);
    else
      surfaces_.forget_near(pair.first);
  }
}

// Returns how long it took [ns].
std::int64_t Detector::search(const Search& search) {
  collector_->begin(search);
  const auto start = Clock::now();
  finder_->find(search, *collector_);
  return (Clock::now() - start).count();
}

// Tests are done in batches while pairs are found, on all threads: what they took on one is theirs.
void Detector::note_stages(std::int64_t found, Clock::time_point began) {
  const auto tests = std::min<std::int64_t>(found, collector_->test_nanoseconds() / available_threads());
  stages_.assign({{"boxes", 0, 1}, {"pairs", found - tests, 1}, {"tests", tests, 1}, {"order", 0, 1}});
  for (const Stage& stage : timer_.stages()) {
    if (stage.name == "boxes") stages_[0].nanoseconds = stage.nanoseconds;
    if (stage.name == "order") stages_[3].nanoseconds = stage.nanoseconds;
  }
  search_nanoseconds_ += std::chrono::nanoseconds(Clock::now() - began).count();
}

CrossingSet Detector::crossings(const CrossingOptions& options) {
  require(options);
  const Clock::time_point began = Clock::now();
  timer_.restart();
  surfaces_.begin_step();
  struct Ended {  // whatever is thrown on the way
    Surfaces& surfaces;
    ~Ended() { surfaces.end_step(); }
  } ended{surfaces_};
  Search what{surfaces_, {}, 0, options.separation, true, options};
  what.crossing.likely = true;  // finders leave little else
  {
    const auto scope = timer_.measure("boxes");
    collect_pairs(options.separation);
    for (const SurfacePair& pair : pairs_)
      for (const std::uint32_t slot : {pair.first, pair.second}) what.scene.add(surfaces_.box(slot));
    pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(),
                                [&](const SurfacePair& pair) {
                                  return options.pairs != CrossingPairs::all &&
                                         (pair.first == pair.second) !=
                                             (options.pairs == CrossingPairs::inside);
                                }),
                 pairs_.end());
    if (!options.without_neighbours.empty()) make_near();
    for (SurfacePair& pair : pairs_) pair.distance = options.separation;
    what.pairs = pairs_;
    finder_->update(what);
  }
  const std::int64_t found = search(what);
  CrossingSet result;
  {
    const auto scope = timer_.measure("order");
    result.crossings = collector_->order_crossings();
    result.whole_until = std::min(options.until, collector_->whole_until());
    result.safe_fraction = options.until;
    for (const Crossing& one : result.crossings)
      result.safe_fraction = std::min(result.safe_fraction, one.time);
  }
  note_stages(found, began);
  result.stages = stages_;
  result.counters = collector_->counters();
  return result;
}

ContactSet Detector::detect() {
  const Clock::time_point began = Clock::now();
  timer_.restart();
  Search what{surfaces_, {}, options_.margin, 0, true};
  {
    const auto scope = timer_.measure("boxes");
    double most = options_.contact_distance;
    for (const Special& s : special_) most = std::max(most, s.distance);
    collect_pairs(most + options_.margin);
    make_near();
    what.pairs = pairs_;
    for (const SurfacePair& pair : pairs_) {
      what.reach = std::max(what.reach, pair.distance + options_.margin);
      what.same_distance = what.same_distance && pair.distance == pairs_[0].distance;
    }
    finder_->update(what);
  }
  const std::int64_t found = search(what);
  ContactSet result;
  {
    const auto scope = timer_.measure("order");
    result.contacts = collector_->order();
  }
  note_stages(found, began);
  result.stages = stages_;
  result.counters = collector_->counters();
  result.surface_pairs = pairs_.size();
  result.memory = surfaces_.memory() + collector_->memory() + finder_->memory();
  result.remark = finder_->remark();
  return result;
}

double Detector::safe_fraction(SurfaceId id, const CrossingSet& set) const {
  surfaces_.at(id);
  double least = set.whole_until;
  for (const Crossing& one : set)
    if (one.first_surface == id.index || one.second_surface == id.index) least = std::min(least, one.time);
  return least;
}

void Detector::safe_fractions(SurfaceId id, const CrossingSet& set, std::span<double> out) const {
  const Surface& surface = surfaces_.at(id);
  if (out.size() != surface.vertices)
    throw Error(
        Place::named("surface", surface.name),
        fmt::format("there is room for {} fractions and there are {} vertices", out.size(), surface.vertices),
        "Give room for one for each vertex.");
  std::fill(out.begin(), out.end(), set.whole_until);
  const auto take = [&](std::uint32_t vertex, double time) {
    if (surfaces_.surface_of_vertex(vertex) != id.index) return;
    double& least = out[vertex - surface.first_vertex];
    least = std::min(least, time);
  };
  for (const Crossing& one : set) {
    if (one.kind() == ContactKind::vertex_triangle) {
      take(one.first(), one.time);
      for (const std::uint32_t v : surfaces_.triangles()[one.second()]) take(v, one.time);
    } else {
      for (const std::uint32_t side : {one.first(), one.second()}) {
        take(surfaces_.side_begin(side), one.time);
        take(surfaces_.side_end(side), one.time);
      }
    }
  }
}

std::uint32_t Detector::first_feature(const Contact& contact) const {
  const Surface& surface = surfaces_[contact.first_surface];
  return contact.kind() == ContactKind::vertex_triangle ? contact.first() - surface.first_vertex
                                                        : contact.first() - 3 * surface.first_triangle;
}
std::uint32_t Detector::second_feature(const Contact& contact) const {
  const Surface& surface = surfaces_[contact.second_surface];
  return contact.kind() == ContactKind::vertex_triangle ? contact.second() - surface.first_triangle
                                                        : contact.second() - 3 * surface.first_triangle;
}

std::vector<Contact> contacts(std::span<const TriangleMesh> meshes, double contact_distance) {
  DetectorOptions options;
  options.contact_distance = contact_distance;
  Detector detector(options);
  for (const TriangleMesh& mesh : meshes) detector.add(mesh);
  const ContactSet found = detector.detect();
  return {found.begin(), found.end()};
}

}  // namespace palpate
