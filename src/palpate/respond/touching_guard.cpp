// What lets nothing through: continuous detection from where things were to where they are.
#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <palpate/collide/kernel.h>
#include <palpate/respond/touching_step.h>

namespace palpate {

namespace {

constexpr double raise = 8;          // of a contact that was there and did not hold: so many times as stiff
constexpr double clear_angle = 0.1;  // of two edges: its sine

}  // namespace

Vec3 TouchingStep::end_of(std::uint32_t slot, std::uint32_t own) const {
  const Participant& p = participants_[slot];
  if (p.kind == Participant::Kind::soft) {
    const std::span<const Vec3> x = p.soft->unknowns();
    if (p.embedding == nullptr) return x[p.nodes[own]];
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      sum += p.embedding->weights()[own][k] * x[p.embedding->corners()[own][k]];
    return sum;
  }
  const Surfaces& surfaces = detector_->surfaces();
  return surfaces.positions()[surfaces[slot].first_vertex + own];
}

// Where a vertex is at the end of the step, as far as it is known.
Vec3 TouchingStep::vertex_end(std::uint32_t slot, std::uint32_t own) const {
  const Participant& p = participants_[slot];
  if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried)
    return rigid_->state(p.body).pose.apply(p.local[own]);
  return end_of(slot, own);
}

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
  for (const Participant& p : participants_) {
    if (p.kind == Participant::Kind::soft) {
      map_soft(p);
      detector_->set_end_positions(p.surface, end_positions_);
    } else if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried) {
      detector_->set_end_pose(p.surface, rigid_->state(p.body).pose);
    }
  }
}

void TouchingStep::set_positions() {
  for (const Participant& p : participants_) {
    if (p.kind == Participant::Kind::soft) {
      map_soft(p);
      detector_->set_positions(p.surface, end_positions_);
    } else if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried) {
      detector_->set_pose(p.surface, rigid_->state(p.body).pose);
    }
  }
}

// Where the two would meet: the normal is across both features then, on the side where they were before.
Touch TouchingStep::touch_of(const Crossing& crossing) {
  const Surfaces& surfaces = detector_->surfaces();
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
    const Vec3 end = vertex_end(slot, v - surfaces[slot].first_vertex);
    then[k] = (1 - crossing.time) * start[k] + crossing.time * end;
  }
  const auto near = [&](const FourPoints& at) {
    return edges ? edge_edge({at[0], at[1]}, {at[2], at[3]}) : vertex_triangle(at[0], {at[1], at[2], at[3]});
  };
  const Proximity before = near(start), met = near(then);
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
  const auto area = [&](std::size_t k) {
    const std::uint32_t slot = surfaces.surface_of_vertex(touch.vertices[k]);
    return finder_.sides(surfaces, slot).vertex_area[touch.vertices[k] - surfaces[slot].first_vertex];
  };
  touch.area = edges ? 0.125 * (area(0) + area(1) + area(2) + area(3)) : 0.5 * area(0);
  return touch;
}

// True: nothing crosses. Otherwise what does has become a contact, or a harder one. What touched already when
// the part began is no crossing: it is a contact with no gap.
bool TouchingStep::guard(TouchingReport& report) {
  merged_.clear();
  merged_harder_.clear();
  bool crosses = false;
  fraction_ = 1;
  std::size_t at = 0;
  const auto keep_below = [&](std::uint64_t key) {
    for (; at < touches_.size() && touches_[at].key < key; ++at) {
      merged_.push_back(touches_[at]);
      merged_harder_.push_back(harder_[at]);
    }
  };
  // What tetrahedra carry that stay upright does not cross itself from near by: most of what would have to be
  // looked at is that.
  upright_.assign(participants_.size(), 0);
  for (std::size_t slot = 0; slot < participants_.size(); ++slot)
    if (participants_[slot].kind == Participant::Kind::soft)
      upright_[slot] = participants_[slot].soft->stayed_upright() ? 1 : 0;
  for (const Crossing& crossing : detector_->crossings({.without_neighbours = upright_})) {
    if (!(crossing.time > 0) || overlaps_.has(crossing.first_surface, crossing.second_surface)) continue;
    crosses = true;
    fraction_ = std::min(fraction_, crossing.time);
    keep_below(crossing.key);
    if (at < touches_.size() && touches_[at].key == crossing.key) {
      merged_.push_back(touches_[at]);
      merged_harder_.push_back(raise * harder_[at]);
      ++at;
    } else {
      merged_.push_back(touch_of(crossing));
      merged_harder_.push_back(1);
      ++report.guarded;
    }
  }
  if (!crosses) return true;
  keep_below(~std::uint64_t{0});
  touches_.swap(merged_);
  harder_.swap(merged_harder_);
  return false;
}

}  // namespace palpate
