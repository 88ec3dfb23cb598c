// What contacts were like in the last step, by their keys: how hard they pushed, and where they stuck.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/bytes.h>
#include <palpate/base/hash.h>
#include <palpate/geometry/vec.h>

namespace palpate {

// Plain numbers: it goes to files as it is.
struct RememberedContact {
  std::uint64_t key = 0;
  double push = 0;                     // along the normal [N]
  std::array<double, 3> stretch = {};  // of the spring across it [m]
  std::uint64_t how = 0;               // bits of what follows, and the slots of its surfaces

  static constexpr std::uint64_t slid = 1;     // friction had given way
  static constexpr std::uint64_t guarded = 2;  // without the guard it would have been crossed

  Vec3 across() const { return {stretch[0], stretch[1], stretch[2]}; }
  bool slides() const { return (how & slid) != 0; }
  static constexpr std::uint64_t between(std::uint32_t first, std::uint32_t second) {
    return std::uint64_t{std::min(first, second)} << 34 | std::uint64_t{std::max(first, second)} << 4;
  }
  std::uint64_t surfaces() const { return how >> 4 << 4; }  // as between() has it
};

// In ascending order of keys.
class ContactMemory {
 public:
  const RememberedContact* find(std::uint64_t key) const {
    const auto at = std::lower_bound(all_.begin(), all_.end(), key,
                                     [](const RememberedContact& c, std::uint64_t k) { return c.key < k; });
    return at != all_.end() && at->key == key ? &*at : nullptr;
  }
  void clear() { all_.clear(); }
  void add(const RememberedContact& contact) { all_.push_back(contact); }
  void sort() {
    std::sort(all_.begin(), all_.end(),
              [](const RememberedContact& a, const RememberedContact& b) { return a.key < b.key; });
  }
  std::size_t size() const { return all_.size(); }
  std::span<const RememberedContact> all() const { return all_; }

  void save(ByteWriter& to) const { to.put(std::span<const RememberedContact>(all_)); }
  void load(ByteReader& from) { from.get(all_); }
  void hash(StateHash& hash) const {
    for (const RememberedContact& c : all_) {
      hash.add(c.key);
      hash.add(c.push);
      for (const double s : c.stretch) hash.add(s);
      hash.add(c.how);
    }
  }

 private:
  std::vector<RememberedContact> all_;
};

}  // namespace palpate
