// Many short lists in one array, each of which may change on its own.
//
// The lists lie one after the other, so walking them is walking memory. A list that outgrows its room moves
// to the end with room to spare; when more than half of the array is left behind in this way it is packed
// anew. What a list holds never depends on where it lies: two sets of lists are equal when their contents
// are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palpate {

template <class T>
class FlatLists {
 public:
  std::size_t size() const { return places_.size(); }
  std::size_t memory() const {  // bytes held
    return (values_.capacity() + packed_.capacity()) * sizeof(T) + places_.capacity() * sizeof(Place);
  }
  std::span<const T> operator[](std::size_t i) const {
    return {values_.data() + places_[i].begin, places_[i].size};
  }
  std::span<T> edit(std::size_t i) { return {values_.data() + places_[i].begin, places_[i].size}; }

  // Starts anew with lists of these lengths, without room to spare; their contents are to be filled in.
  void reset(std::span<const std::uint32_t> lengths) {
    places_.resize(lengths.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      places_[i] = {at, lengths[i], lengths[i]};
      at += lengths[i];
    }
    values_.resize(at);
    left_behind_ = 0;
  }
  // More lists, empty. (Fewer is not asked for by anyone.)
  void add_lists(std::size_t count) { places_.resize(places_.size() + count); }

  void set(std::size_t i, std::span<const T> values) {
    make_room(i, values.size(), false);
    places_[i].size = static_cast<std::uint32_t>(values.size());
    std::copy(values.begin(), values.end(), edit(i).begin());
  }
  // Keeps an ascending list ascending.
  void insert_sorted(std::size_t i, const T& value) {
    make_room(i, places_[i].size + std::size_t{1}, true);
    ++places_[i].size;
    const std::span<T> list = edit(i);
    const auto at = std::upper_bound(list.begin(), list.end() - 1, value);
    std::move_backward(at, list.end() - 1, list.end());
    *at = value;
  }
  void erase_sorted(std::size_t i, const T& value) {
    const std::span<T> list = edit(i);
    const auto at = std::lower_bound(list.begin(), list.end(), value);
    std::move(at + 1, list.end(), at);
    --places_[i].size;
  }

  friend bool operator==(const FlatLists& a, const FlatLists& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!std::ranges::equal(a[i], b[i])) return false;
    return true;
  }

 private:
  struct Place {
    std::size_t begin = 0;
    std::uint32_t size = 0, room = 0;
  };

  void make_room(std::size_t i, std::size_t size, bool keep) {
    if (size <= places_[i].room) return;
    if (left_behind_ > values_.size() / 2) pack();
    const std::size_t room = size + size / 2 + 1, begin = values_.size();
    values_.resize(begin + room);
    if (keep)
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(places_[i].begin), places_[i].size,
                  values_.begin() + static_cast<std::ptrdiff_t>(begin));
    left_behind_ += places_[i].room;
    places_[i].begin = begin;
    places_[i].room = static_cast<std::uint32_t>(room);
  }
  void pack() {
    packed_.clear();
    for (Place& place : places_) {
      const auto from = values_.begin() + static_cast<std::ptrdiff_t>(place.begin);
      place.begin = packed_.size();
      packed_.insert(packed_.end(), from, from + place.size);
      place.room = place.size;
    }
    values_.swap(packed_);
    left_behind_ = 0;
  }

  std::vector<Place> places_;
  std::vector<T> values_, packed_;
  std::size_t left_behind_ = 0;  // values that no list has any more
};

}  // namespace palpate
