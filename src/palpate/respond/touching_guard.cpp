// What lets nothing through: continuous detection from where things were to where they are.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <Eigen/Geometry>

#include <palpate/base/timing.h>
#include <palpate/collide/kernel.h>
#include <palpate/respond/touching_step.h>

namespace palpate {

namespace {

constexpr std::uint32_t none = 0xffffffff;
constexpr double raise = 8;           // of a contact that was there and did not hold: so many times as stiff
constexpr double clear_angle = 0.1;   // of two edges: its sine
constexpr double together = 0.5;      // of the contact distance: what crosses within that after the first
constexpr double no_distance = 1e-9;  // of the lengths around: nothing is between them
constexpr double tolerance = 1e-4;    // of the part: how early a crossing may be said to be
constexpr double at_once = 4;  // contact distances: what a glance sees is what is hit on so much of the way

}  // namespace

void TouchingStep::map_soft(const Participant& p) {
  const std::span<const Vec3> x = p.soft->unknowns();
  if (p.embedding != nullptr) {
    end_positions_.resize(p.embedding->size());
    p.embedding->map(x, end_positions_);
  } else {
    end_positions_.resize(p.nodes.size());
    for (std::size_t i = 0; i < p.nodes.size(); ++i) end_positions_[i] = x[p.nodes[i]];
  }
}

void TouchingStep::set_ends() {
  for (const Participant& p : view_.participants) {
    if (p.kind == Participant::Kind::soft) {
      map_soft(p);
      view_.detector->set_end_positions(p.surface, end_positions_);
    } else if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried) {
      view_.detector->set_end_pose(p.surface, view_.rigid->state(p.body).pose);
    }
  }
}

void TouchingStep::set_positions() {
  for (const Participant& p : view_.participants) {
    if (p.kind == Participant::Kind::soft) {
      map_soft(p);
      view_.detector->set_positions(p.surface, end_positions_);
    } else if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried) {
      view_.detector->set_pose(p.surface, view_.rigid->state(p.body).pose);
    }
  }
}

// Where the two would meet: the normal is across both features then, on the side where they were before.
Touch TouchingStep::touch_of(const Crossing& crossing, double& distance) {
  const Surfaces& surfaces = view_.detector->surfaces();
  Touch touch;
  touch.key = crossing.key;
  touch.first_surface = crossing.first_surface;
  touch.second_surface = crossing.second_surface;
  const bool edges = crossing.kind() == ContactKind::edge_edge;
  if (edges)
    touch.vertices = {surfaces.side_begin(crossing.first()), surfaces.side_end(crossing.first()),
                      surfaces.side_begin(crossing.second()), surfaces.side_end(crossing.second())};
  else
    for (std::size_t k = 0; k < 4; ++k)
      touch.vertices[k] = k == 0 ? crossing.first() : surfaces.triangles()[crossing.second()][k - 1];
  FourPoints start, then;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::uint32_t v = touch.vertices[k];
    const std::uint32_t slot = surfaces.surface_of_vertex(v);
    start[k] = surfaces.positions()[v];
    const Surface& surface = surfaces[slot];
    const Vec3& end = surface.end.empty() ? start[k] : surface.end[v - surface.first_vertex];
    then[k] = (1 - crossing.time) * start[k] + crossing.time * end;
  }
  const auto near = [&](const FourPoints& at) {
    return edges ? edge_edge({at[0], at[1]}, {at[2], at[3]}) : vertex_triangle(at[0], {at[1], at[2], at[3]});
  };
  const Proximity before = near(start), met = near(then);
  distance = std::sqrt(before.squared_distance);
  const double s = met.at[0], t = met.at[1];
  if (edges)
    touch.weights = {s - 1, -s, 1 - t, t};
  else
    touch.weights = {-1, std::max(0.0, 1 - s - t), s, t};
  const Vec3 across = edges ? Vec3((then[1] - then[0]).cross(then[3] - then[2]))
                            : Vec3((then[2] - then[1]).cross(then[3] - then[1]));
  const double length = across.norm();
  // Of edges that are all but parallel, what is across both may point anywhere.
  const double sides = edges ? (then[1] - then[0]).norm() * (then[3] - then[2]).norm()
                             : (then[2] - then[1]).norm() * (then[3] - then[1]).norm();
  touch.normal = before.normal;
  if (length > (edges ? clear_angle : 1e-12) * sides) {
    touch.normal = across / length;
    if (touch.normal.dot(before.normal) < 0) touch.normal = -touch.normal;
  }
  Vec3 vector = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k) vector += touch.weights[k] * start[k];
  touch.gap = touch.normal.dot(vector);
  touch.area = finder_.area_of(surfaces, crossing.kind(), touch.vertices);
  return touch;
}

// A crossing counts unless the two are in one place when the part begins: then the contact alone holds them,
// with no gap.
void TouchingStep::see(const Crossing& crossing) {
  if (overlaps_.has(crossing.first_surface, crossing.second_surface)) return;
  Seen one{crossing, {}, 0, 0, false};
  double distance = 0;
  one.touch = touch_of(crossing, distance);
  if (!(crossing.time > 0) && !(distance > no_distance * std::sqrt(one.touch.area))) return;
  one.cluster = static_cast<std::uint32_t>(seen_.size());
  // How long it takes to go on by a part of the contact distance, at the pace that led there.
  const double far = together * view_.detector->contact_distance();
  one.until = crossing.time * (1 + far / std::max(one.touch.gap, far));
  seen_.push_back(one);
}

// Those that have vertices in common, or are linked by others that do.
void TouchingStep::cluster_seen() {
  const auto root = [&](std::uint32_t i) {
    while (seen_[i].cluster != i) i = seen_[i].cluster = seen_[seen_[i].cluster].cluster;
    return i;
  };
  vertex_seen_.clear();
  for (std::uint32_t i = 0; i < seen_.size(); ++i)
    for (const std::uint32_t v : seen_[i].touch.vertices) vertex_seen_.emplace_back(v, i);
  std::sort(vertex_seen_.begin(), vertex_seen_.end());
  for (std::size_t k = 1; k < vertex_seen_.size(); ++k) {
    if (vertex_seen_[k].first != vertex_seen_[k - 1].first) continue;
    const std::uint32_t a = root(vertex_seen_[k].second), b = root(vertex_seen_[k - 1].second);
    seen_[std::max(a, b)].cluster = std::min(a, b);
  }
  for (std::uint32_t i = 0; i < seen_.size(); ++i) seen_[i].cluster = root(i);
}

// What crosses first in a cluster, and about then, is what has to be held; what crosses later does so because
// that went through. Two edges push if their faces lead away from each other, as in touch.h, and a vertex
// where its own surface does not lead: on the way of what slides there are thousands of others. Where nothing
// else is there, whatever is first.
void TouchingStep::choose_seen() {
  const Surfaces& surfaces = view_.detector->surfaces();
  std::vector<std::uint32_t>& first = first_seen_;  // of each cluster
  first.assign(seen_.size(), none);
  for (std::uint32_t i = 0; i < seen_.size(); ++i) {
    std::uint32_t& at = first[seen_[i].cluster];
    if (at == none || seen_[i].crossing.time < seen_[at].crossing.time) at = i;
  }
  for (Seen& one : seen_)
    one.taken =
        one.crossing.time <= seen_[first[one.cluster]].until &&
        (one.crossing.kind() == ContactKind::vertex_triangle
             ? finder_.vertex_pushes(surfaces, one.crossing.first(), one.touch.normal)
             : finder_.edges_push(surfaces, one.crossing.first(), one.crossing.second(), one.touch.normal));
  for (const Seen& one : seen_)
    if (one.taken) first[one.cluster] = none;
  for (const std::uint32_t i : first)
    if (i != none) seen_[i].taken = true;
}

// True: nothing crosses. Otherwise what does has become a contact, or a harder one. What surfaces do to each
// other takes little to look at; what they do to themselves is looked at where the rest is safe, or when this
// is the last round.
bool TouchingStep::guard(bool last, TouchingReport& report) {
  seen_.clear();
  // In the last round, when the first comes is all that matters.
  const double window = last ? 0 : 1;
  for (const Crossing& crossing : view_.detector->crossings(
           {.tolerance = tolerance, .brief = true, .window = window, .pairs = CrossingPairs::between}))
    see(crossing);
  if (seen_.empty() || last) {
    // What tetrahedra carry that stay upright does not cross itself from near by: most of what would have to
    // be looked at is that.
    upright_.assign(view_.participants.size(), 0);
    for (std::size_t slot = 0; slot < view_.participants.size(); ++slot)
      if (view_.participants[slot].kind == Participant::Kind::soft)
        upright_[slot] = view_.participants[slot].soft->stayed_upright() ? 1 : 0;
    for (const Crossing& crossing : view_.detector->crossings({.tolerance = tolerance,
                                    .brief = true,
                                    .window = window,
                                    .pairs = CrossingPairs::inside,
                                    .without_neighbours = upright_}))
      see(crossing);
  }
  if (seen_.empty()) return true;
  fraction_ = 1;
  for (const Seen& one : seen_) fraction_ = std::min(fraction_, one.crossing.time);
  if (last) return false;
  cluster_seen();
  choose_seen();
  merge_seen(report, raise);
  return false;
}

// What goes farther in a part than contacts reach may hit what no contact holds yet, if something is on its
// way. To find that out, all but rough motion is a waste: a few iterations for islands, none for what moves
// by itself.
bool TouchingStep::any_goes_far() {
  const double reach = view_.detector->contact_distance();
  ways_.resize(view_.slots.size());
  for (std::uint32_t slot = 0; slot < view_.slots.size(); ++slot) {
    const Participant& p = view_.participants[slot];
    Way& way = ways_[slot];
    way = {};
    if (p.kind == Participant::Kind::none) continue;
    if (p.kind == Participant::Kind::soft && !view_.slots[slot].done && p.soft->couples()) {
      double squared = 0;
      for (const Vec3& v : p.soft->velocities()) squared = std::max(squared, v.squaredNorm());
      way.length = std::sqrt(squared) * view_.seconds;
    }
    way.box = grown(view_.detector->surfaces()[slot].box, way.length + reach);
  }
  bool any = false;
  for (std::size_t slot = 0; slot < ways_.size(); ++slot) {
    if (!(ways_[slot].length > reach)) continue;
    for (std::size_t other = 0; other < ways_.size() && !view_.slots[slot].far; ++other)
      view_.slots[slot].far = other != slot && view_.participants[other].kind != Participant::Kind::none &&
                              ways_[slot].box.overlaps(ways_[other].box);
    any = any || view_.slots[slot].far;
  }
  return any;
}

void TouchingStep::glance(TouchingReport& report) {
  view_.glancing = true;
  begin_round();
  solve();
  const Clock::time_point begun = Clock::now();
  set_ends();
  seen_.clear();
  see_first_hits();
  cluster_seen();
  choose_seen();
  merge_seen(report, 1);
  view_.glancing = false;
  for (TouchingView::Slot& slot : view_.slots) {
    slot.hits = slot.fresh;
    slot.fresh = slot.fresh || slot.far;
  }
  report.guard_nanoseconds += std::chrono::nanoseconds(Clock::now() - begun).count();
}

// What ends deep inside of something has crossed it with thousands of features: of each two bodies, what is
// hit at about the same time as the first is enough. How long that is depends on their islands alone, so that
// others know nothing of it.
void TouchingStep::see_first_hits() {
  const auto slots = static_cast<std::uint32_t>(view_.slots.size());
  for (Way& way : ways_) way.longest = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    double& longest = ways_[view_.slots[slot].root].longest;
    longest = std::max(longest, ways_[slot].length);
  }
  const auto window_of = [&](std::uint32_t a, std::uint32_t b) {
    const double longest = std::max(ways_[view_.slots[a].root].longest, ways_[view_.slots[b].root].longest);
    return std::min(1.0, at_once * view_.detector->contact_distance() / longest);
  };
  double window = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if (view_.slots[slot].far) window = std::max(window, window_of(slot, slot));
  const std::span<const Crossing> found =
      view_.detector
          ->crossings(
              {.tolerance = tolerance, .brief = true, .window = window, .pairs = CrossingPairs::between})
          .crossings;
  first_hits_.clear();
  for (const Crossing& one : found)
    if (one.time > 0)
      first_hits_.push_back({RememberedContact::between(one.first_surface, one.second_surface), one.time});
  std::sort(first_hits_.begin(), first_hits_.end());
  for (const Crossing& one : found) {
    const std::uint32_t a = one.first_surface, b = one.second_surface;
    if (!view_.slots[a].far && !view_.slots[b].far) continue;
    const auto first = std::lower_bound(first_hits_.begin(), first_hits_.end(),
                                        std::pair{RememberedContact::between(a, b), 0.0});
    if (!(one.time > 0) || one.time <= first->second + window_of(a, b)) see(one);
  }
}

// Crossings are in ascending order of their keys, as touches are.
void TouchingStep::merge_seen(TouchingReport& report, double known_by) {
  merged_.clear();
  merged_harder_.clear();
  for (TouchingView::Slot& slot : view_.slots) slot.fresh = false;
  std::size_t at = 0;
  const auto keep_below = [&](std::uint64_t key) {
    for (; at < touches_.size() && touches_[at].key < key; ++at) {
      merged_.push_back(touches_[at]);
      merged_harder_.push_back(harder_[at]);
    }
  };
  for (const Seen& one : seen_) {
    if (!one.taken) continue;
    const std::uint64_t key = one.crossing.key;
    view_.slots[one.crossing.first_surface].fresh = true;
    view_.slots[one.crossing.second_surface].fresh = true;
    keep_below(key);
    const bool known = at < touches_.size() && touches_[at].key == key;
    merged_.push_back(known ? touches_[at] : one.touch);
    // What a glance sees is a hit that is about to come, which the next step sees by itself.
    if (!view_.glancing) merged_.back().guarded = true;
    merged_.back().area = std::max(merged_.back().area, one.touch.area);  // it may have faded
    merged_harder_.push_back(known ? known_by * harder_[at] : 1);
    at += known ? 1 : 0;
    report.guarded += known ? 0 : 1;
  }
  keep_below(~std::uint64_t{0});
  touches_.swap(merged_);
  harder_.swap(merged_harder_);
}

}  // namespace palpate
