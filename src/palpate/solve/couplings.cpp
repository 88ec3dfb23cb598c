#include <palpate/solve/couplings.h>

#include <utility>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 1024;

}  // namespace

void Couplings::clear() {
  constants_.clear();
  begin_.clear();
  entries_.clear();
  arms_.clear();
  followed_.clear();
  followers_begin_.clear();
  followers_.clear();
}

void Couplings::begin_vector(const Vec3& constant) {
  constants_.push_back(constant);
  begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

// The corners of a triangle mostly follow the same few nodes.
void Couplings::add(std::uint32_t node, double weight) {
  for (std::size_t k = begin_.back(); k < entries_.size(); ++k)
    if (entries_[k].node == node && entries_[k].arm == none) {
      entries_[k].weight += weight;
      return;
    }
  entries_.push_back({node, none, weight});
}

void Couplings::add(std::uint32_t node, const Mat3& arm) {
  entries_.push_back({node, static_cast<std::uint32_t>(arms_.size()), 0});
  arms_.push_back(arm);
}

void Couplings::finish(std::size_t nodes) {
  begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
  place_.assign(nodes, 0);
  for (const Entry& e : entries_) ++place_[e.node];
  std::uint32_t sum = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (place_[node] == 0) continue;
    followed_.push_back(node);
    followers_begin_.push_back(sum);
    sum += std::exchange(place_[node], sum);
  }
  followers_begin_.push_back(sum);
  followers_.resize(entries_.size());
  for (std::uint32_t c = 0; c < size(); ++c)
    for (std::uint32_t k = begin_[c]; k < begin_[c + 1]; ++k) {
      const Entry& e = entries_[k];
      followers_[place_[e.node]++] = {c, e.arm, e.weight};
    }
}

Vec3 Couplings::sum(std::size_t c, std::span<const Vec3> x) const {
  Vec3 sum = Vec3::Zero();
  for (std::uint32_t k = begin_[c]; k < begin_[c + 1]; ++k) {
    const Entry& e = entries_[k];
    if (e.arm == none)
      sum += e.weight * x[e.node];
    else
      sum += arms_[e.arm] * x[e.node];
  }
  return sum;
}

void Couplings::at(std::span<const Vec3> x, std::span<Vec3> out) const {
  parallel_for(size(), grain, [&](std::size_t c) { out[c] = constants_[c] + sum(c, x); });
}

void Couplings::along(std::span<const Vec3> d, std::span<Vec3> out) const {
  parallel_for(size(), grain, [&](std::size_t c) { out[c] = sum(c, d); });
}

void Couplings::add_back(std::span<const Vec3> pulls, std::span<Vec3> out) const {
  parallel_for(followed_.size(), grain, [&](std::size_t i) {
    Vec3 sum = out[followed_[i]];
    for (std::uint32_t k = followers_begin_[i]; k < followers_begin_[i + 1]; ++k) {
      const Follower& one = followers_[k];
      if (one.arm == none)
        sum += one.weight * pulls[one.vector];
      else
        sum += arms_[one.arm].transpose() * pulls[one.vector];
    }
    out[followed_[i]] = sum;
  });
}

}  // namespace palpate
