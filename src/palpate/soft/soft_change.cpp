// Changes of a body between steps.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/soft/soft_body.h>

namespace palpate {

void SoftBody::require_change(const SoftChange& change) const {
  const auto wrong = [](std::string_view what, std::size_t number, const std::string& why,
                        const std::string& advice) {
    return Error(Place::named("soft body", "change").element(what, number), why, advice);
  };
  if (thin_)
    throw Error(Place::named("soft body", "change"), "a shell or string has no tetrahedra to change",
                "Make a new body of it.");
  const auto is_there = [&](std::uint32_t e) { return e < rest_.tets.size() && !is_hole(rest_.tets[e]); };
  std::set<std::uint32_t> gone;
  for (const std::uint32_t e : change.removed) {
    if (!is_there(e)) throw wrong("tetrahedron", e, "it is not there to be removed", "Look at rest().tets.");
    if (!gone.insert(e).second) throw wrong("tetrahedron", e, "it is removed twice", "Name it once.");
  }
  for (std::size_t i = 0; i < change.nodes.size(); ++i) {
    const SoftChange::Node& node = change.nodes[i];
    if (!node.rest.allFinite() || !node.position.allFinite() || !node.velocity.allFinite())
      throw wrong("new node", i, "it has numbers that are not finite", "Look at where they were computed.");
  }
  const std::size_t nodes = x_.size() + change.nodes.size();
  const auto rest_of = [&](std::uint32_t v) {
    return v < x_.size() ? rest_.positions[v] : change.nodes[v - x_.size()].rest;
  };
  for (std::size_t i = 0; i < change.added.size(); ++i) {
    const auto& [corners, like] = change.added[i];
    if (!is_there(like))
      throw wrong("new tetrahedron", i, fmt::format("it is to be like {}, which is not there", like),
                  "Name one that is there before the change.");
    for (const std::uint32_t v : corners)
      if (v >= nodes)
        throw wrong("new tetrahedron", i, fmt::format("it has node {} of {}", v, nodes),
                    "Nodes are counted from 0; new ones go on from the last.");
    const TetShape shape(
        {rest_of(corners[0]), rest_of(corners[1]), rest_of(corners[2]), rest_of(corners[3])});
    if (!(shape.volume > 0))
      throw wrong("new tetrahedron", i,
                  shape.volume < 0 ? "it is inverted at rest" : "it has no volume at rest",
                  "Leave it out, or swap two of its corners.");
  }
}

// Edits the elements at rest. Returns the numbers of those that were added.
std::vector<std::uint32_t> SoftBody::edit_elements(const SoftChange& change,
                                                   std::vector<std::uint32_t>& changed) {
  std::vector<Material> like;
  like.reserve(change.added.size());
  if (materials_.size() == 1) materials_.resize(rest_.tets.size(), Material(materials_[0]));
  for (const SoftChange::Element& e : change.added) like.push_back(materials_[e.like]);
  for (const std::uint32_t e : change.removed) rest_.tets[e] = hole;
  std::vector<std::uint32_t> added;
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < change.added.size(); ++i) {
    while (place < rest_.tets.size() && !is_hole(rest_.tets[place])) ++place;
    if (place == rest_.tets.size()) {
      rest_.tets.push_back(hole);
      materials_.push_back(like[i]);
    }
    rest_.tets[place] = change.added[i].corners;
    materials_[place] = like[i];
    added.push_back(place);
  }
  changed = change.removed;
  changed.insert(changed.end(), added.begin(), added.end());
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return added;
}

std::vector<std::uint32_t> SoftBody::change(const SoftChange& change) {
  require_change(change);
  std::set<std::uint32_t> heavier;  // or lighter nodes
  for (const std::uint32_t e : change.removed) heavier.insert(rest_.tets[e].begin(), rest_.tets[e].end());
  for (const SoftChange::Element& e : change.added) heavier.insert(e.corners.begin(), e.corners.end());
  for (const SoftChange::Node& node : change.nodes) {
    heavier.insert(static_cast<std::uint32_t>(x_.size()));
    rest_.positions.push_back(node.rest);
    x_.push_back(node.position);
    v_.push_back(node.velocity);
    old_.push_back(node.position);
    goal_.push_back(node.position);
    gradient_.push_back(Vec3::Zero());
    guess_.push_back(Vec3::Zero());
    force_.push_back(Vec3::Zero());
    push_.push_back(Vec3::Zero());
    fixed_.push_back(0);
    equations_.masses.push_back(0);
    equations_.held.push_back(0);
    equations_.targets.push_back(node.position);
  }
  std::vector<std::uint32_t> changed;
  std::vector<std::uint32_t> added = edit_elements(change, changed);
  elastic_->update(rest_, materials_, changed);
  damping_->update(rest_, materials_, changed);
  for (const auto& constraints : tet_constraints_) constraints->update(rest_, materials_, changed);
  for (const std::uint32_t v : heavier) {
    double mass = 0;
    for (const std::uint32_t at : elastic_->node_corners().of(v))
      mass += materials_[at / 4].density * elastic_->shapes()[at / 4].volume / 4;
    equations_.masses[v] = mass;
    if (!(mass > 0)) v_[v].setZero();
  }
  hold();
  ++changes_;
  return added;
}

}  // namespace palpate
