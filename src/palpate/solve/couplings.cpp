#include <palpate/solve/couplings.h>

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
  node_begin_.clear();
  shares_.clear();
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
  node_begin_.assign(nodes + 2, 0);
  for (const Entry& e : entries_) ++node_begin_[e.node + 2];
  for (std::size_t i = 2; i < node_begin_.size(); ++i) node_begin_[i] += node_begin_[i - 1];
  shares_.resize(entries_.size());
  for (std::uint32_t c = 0; c < size(); ++c)
    for (std::uint32_t k = begin_[c]; k < begin_[c + 1]; ++k) {
      const Entry& e = entries_[k];
      shares_[node_begin_[e.node + 1]++] = {c, e.arm, e.weight};
    }
  node_begin_.pop_back();
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
  parallel_for(nodes(), 4 * grain, [&](std::size_t i) {
    for (std::uint32_t k = node_begin_[i]; k < node_begin_[i + 1]; ++k) {
      const Share& s = shares_[k];
      if (s.arm == none)
        out[i] += s.weight * pulls[s.vector];
      else
        out[i] += arms_[s.arm].transpose() * pulls[s.vector];
    }
  });
}

}  // namespace palpate
