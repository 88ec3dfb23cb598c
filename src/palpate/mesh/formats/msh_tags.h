// Gmsh calls nodes and kinds of elements by numbers; here they become indices and kinds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <palpate/mesh/formats/element_sink.h>

namespace palpate::detail {

// Node numbers need neither begin at 1 nor follow each other: any order, any gaps.
class NodeTags {
 public:
  void reserve(std::size_t more) { tags_.reserve(tags_.size() + more); }
  void add(std::int64_t tag) { tags_.push_back(tag); }
  std::size_t size() const { return tags_.size(); }
  std::int64_t tag(std::size_t index) const { return tags_[index]; }

  // To be called when all are added. Returns the index of a node whose number an earlier one has, if any.
  std::optional<std::size_t> make_table();
  // The index of a node by its number, no_index if there is none.
  std::uint32_t find(std::int64_t tag) const;

 private:
  struct Entry {
    std::int64_t tag;
    std::uint32_t index;
  };
  std::vector<std::int64_t> tags_;  // in the file's order
  std::int64_t lowest_ = 0;
  std::vector<std::uint32_t> table_;  // by tag - lowest_, if the gaps are small
  std::vector<Entry> sorted_;         // otherwise
};

// The kind of an element by Gmsh's number; null if it is not known, and with it how many nodes it has.
const ElementKind* msh_kind(std::int64_t type);

}  // namespace palpate::detail
