#include <palpate/respond/layers.h>

#include <algorithm>

namespace palpate {

void Layers::update(std::span<const Touch> touches, double begin, double growth) {
  next_.clear();
  for (const Touch& touch : touches) {
    const auto [first, second] = std::minmax(touch.first_surface, touch.second_surface);
    // Touches of a pair mostly follow each other.
    if (!next_.empty() && next_.back().first == first && next_.back().second == second)
      next_.back().thickness = std::min(next_.back().thickness, touch.gap);
    else
      next_.push_back({first, second, touch.gap});
  }
  std::sort(next_.begin(), next_.end(), [](const Layer& a, const Layer& b) {
    return a.pair() != b.pair() ? a.pair() < b.pair() : a.thickness < b.thickness;
  });
  next_.erase(std::unique(next_.begin(), next_.end(),
                          [](const Layer& a, const Layer& b) { return a.pair() == b.pair(); }),
              next_.end());
  auto before = all_.begin();
  for (Layer& layer : next_) {
    while (before != all_.end() && before->pair() < layer.pair()) ++before;
    const bool was_there = before != all_.end() && before->pair() == layer.pair();
    layer.thickness = was_there ? before->thickness + growth : std::max(0.0, layer.thickness) + begin;
  }
  all_.swap(next_);
}

double Layers::thickness(std::uint32_t a, std::uint32_t b, double most) const {
  const Layer wanted{std::min(a, b), std::max(a, b), 0};
  const auto at = std::lower_bound(all_.begin(), all_.end(), wanted,
                                   [](const Layer& x, const Layer& y) { return x.pair() < y.pair(); });
  return at != all_.end() && at->pair() == wanted.pair() ? std::min(most, at->thickness) : most;
}

void Layers::hash(StateHash& hash) const {
  for (const Layer& layer : all_) {
    hash.add(layer.pair());
    hash.add(layer.thickness);
  }
}

}  // namespace palpate
