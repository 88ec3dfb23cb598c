#include <palpate/solve/block_order.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace palpate {

namespace {

class Elimination {
 public:
  Elimination(std::size_t things, std::span<const BlockLink> rules)
      : things_(things),
        rules_(rules),
        neighbours_(things + rules.size()),
        rules_of_(things),
        gone_(neighbours_.size(), false),
        group_(neighbours_.size()),
        holds_(neighbours_.size(), 0),
        grounded_(neighbours_.size(), false) {
    std::iota(group_.begin(), group_.end(), 0u);
    for (std::size_t r = 0; r < rules.size(); ++r)
      for (const std::uint32_t thing : rules[r]) {
        const auto node = static_cast<std::uint32_t>(things + r);
        if (thing == no_block || (!neighbours_[node].empty() && neighbours_[node][0] == thing)) continue;
        neighbours_[node].push_back(thing);
        neighbours_[thing].push_back(node);
        rules_of_[thing].push_back(node);
      }
    for (std::uint32_t node = 0; node < neighbours_.size(); ++node) {
      std::sort(neighbours_[node].begin(), neighbours_[node].end());
      queue_.emplace(degree(node), node);
    }
  }

  BlockOrder run() {
    BlockOrder result;
    result.later.resize(neighbours_.size());
    while (!queue_.empty()) {
      const std::uint32_t node = queue_.begin()->second;
      queue_.erase(queue_.begin());
      if (!may_go(node)) continue;  // it comes back when a neighbour goes
      join_group(node);
      take_out(node);
      result.order.push_back(node);
      result.later[node] = std::move(neighbours_[node]);
    }
    return result;
  }

 private:
  std::uint32_t degree(std::uint32_t node) const {
    return static_cast<std::uint32_t>(neighbours_[node].size());
  }
  std::uint32_t root(std::uint32_t node) {
    while (group_[node] != node) node = group_[node] = group_[group_[node]];
    return node;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t one = root(a), other = root(b);
    if (one == other) return;
    group_[other] = one;
    holds_[one] += holds_[other];
    grounded_[one] = grounded_[one] || grounded_[other];
  }

  bool may_go(std::uint32_t node) {
    if (node < things_) return true;
    const BlockLink& link = rules_[node - things_];
    bool any_gone = false, any_there = false;
    for (const std::uint32_t thing : link)
      if (thing != no_block) (gone_[thing] ? any_gone : any_there) = true;
    if (!any_gone) return !any_there;
    for (const std::uint32_t thing : link) {
      if (thing == no_block || !gone_[thing]) continue;
      const std::uint32_t group = root(thing);
      if (holds_[group] > 0 || (any_there && grounded_[group])) return false;
    }
    return true;
  }

  void join_group(std::uint32_t node) {
    gone_[node] = true;
    if (node < things_) {
      for (const std::uint32_t rule : rules_of_[node])
        if (gone_[rule]) {
          --holds_[root(rule)];
          unite(rule, node);
        }
      return;
    }
    for (const std::uint32_t thing : rules_[node - things_]) {
      if (thing == no_block)
        grounded_[root(node)] = true;
      else if (gone_[thing])
        unite(thing, node);
      else
        ++holds_[root(node)];
    }
  }

  // Its neighbours become neighbours of each other.
  void take_out(std::uint32_t node) {
    const auto& around = neighbours_[node];
    for (const std::uint32_t other : around) {
      auto& list = neighbours_[other];
      queue_.erase({degree(other), other});
      merged_.clear();
      std::set_union(list.begin(), list.end(), around.begin(), around.end(), std::back_inserter(merged_));
      std::erase_if(merged_, [&](std::uint32_t n) { return n == node || n == other; });
      std::swap(list, merged_);
      queue_.emplace(degree(other), other);
    }
  }

  std::size_t things_;
  std::span<const BlockLink> rules_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::vector<std::uint32_t>> rules_of_;  // of each thing
  std::vector<bool> gone_;
  std::vector<std::uint32_t> group_;  // of what is gone
  std::vector<int> holds_;            // of each group: rules to what is not gone
  std::vector<bool> grounded_;        // groups
  std::set<std::pair<std::uint32_t, std::uint32_t>> queue_;
  std::vector<std::uint32_t> merged_;
};

}  // namespace

BlockOrder find_block_order(std::size_t things, std::span<const BlockLink> rules) {
  return Elimination(things, rules).run();
}

}  // namespace palpate
