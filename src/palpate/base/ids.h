// Generational ids: what users hold instead of pointers.
//
// An id is a slot and the generation of that slot. Releasing a slot raises its generation, so an old id is
// recognised as dead instead of naming the slot's next tenant. Zero is null. Slots are reused last-in
// first-out, so the ids that a program sees depend on its calls alone.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palpate {

// Tag makes ids of different things different types: struct BodyTag; using BodyId = Id<BodyTag>.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  // 0 only in the null id

  explicit operator bool() const { return generation != 0; }
  friend auto operator<=>(const Id&, const Id&) = default;  // NOLINT(modernize-use-nullptr): a false alarm
};

// Hands out ids and tells the living from the dead; the owner keeps its data in vectors indexed by id.index.
template <class Tag>
class IdPool {
 public:
  // A living id; the slot is new (index == slots() - 1) or reused.
  Id<Tag> create() {
    if (free_.empty()) {
      slots_.push_back({1, true});
      free_.reserve(slots_.capacity());  // so that release() never allocates
      ++alive_;
      return {static_cast<std::uint32_t>(slots_.size() - 1), 1};
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].alive = true;
    ++alive_;
    return {index, slots_[index].generation};
  }

  // Ends an id; false (and nothing changes) if it was not alive.
  bool release(Id<Tag> id) {
    if (!alive(id)) return false;
    Slot& slot = slots_[id.index];
    slot.alive = false;
    --alive_;
    // A slot whose generations are used up is retired: an id never lives twice.
    if (++slot.generation != 0) free_.push_back(id.index);
    return true;
  }

  bool alive(Id<Tag> id) const {
    return id.index < slots_.size() && slots_[id.index].alive && slots_[id.index].generation == id.generation;
  }

  std::size_t size() const { return alive_; }          // ids alive
  std::size_t slots() const { return slots_.size(); }  // length that vectors indexed by id.index need

  // The living id of a slot, or null: for walking over slots in order.
  Id<Tag> at(std::size_t index) const {
    if (index >= slots_.size() || !slots_[index].alive) return {};
    return {static_cast<std::uint32_t>(index), slots_[index].generation};
  }

 private:
  struct Slot {
    std::uint32_t generation;
    bool alive;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t alive_ = 0;
};

// A body of a world: rigid, soft or fixed. The null id stands for the world itself, where that makes sense.
struct BodyTag;
using BodyId = Id<BodyTag>;

}  // namespace palpate
