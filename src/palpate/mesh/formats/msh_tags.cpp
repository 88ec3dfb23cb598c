#include <palpate/mesh/formats/msh_tags.h>

#include <algorithm>
#include <array>

namespace palpate::detail {

namespace {

// The node counts are needed for elements that are skipped, too: nothing in a file says where one ends.
constexpr std::array kinds = {
    ElementKind{1, "lines", Shape::skipped, 2},
    ElementKind{2, "triangles", Shape::triangle, 3},
    ElementKind{3, "quadrilaterals", Shape::quad, 4},
    ElementKind{4, "tetrahedra", Shape::tet, 4},
    ElementKind{5, "hexahedra", Shape::skipped, 8},
    ElementKind{6, "prisms", Shape::skipped, 6},
    ElementKind{7, "pyramids", Shape::skipped, 5},
    ElementKind{8, "quadratic lines", Shape::skipped, 3},
    ElementKind{9, "quadratic triangles", Shape::triangle, 6, true},
    ElementKind{10, "quadratic quadrilaterals", Shape::quad, 9, true},
    ElementKind{11, "quadratic tetrahedra", Shape::tet, 10, true},
    ElementKind{12, "quadratic hexahedra", Shape::skipped, 27},
    ElementKind{13, "quadratic prisms", Shape::skipped, 18},
    ElementKind{14, "quadratic pyramids", Shape::skipped, 14},
    ElementKind{15, "points", Shape::skipped, 1},
    ElementKind{16, "quadratic quadrilaterals", Shape::quad, 8, true},
    ElementKind{17, "quadratic hexahedra", Shape::skipped, 20},
    ElementKind{18, "quadratic prisms", Shape::skipped, 15},
    ElementKind{19, "quadratic pyramids", Shape::skipped, 13},
    ElementKind{20, "higher-order triangles", Shape::triangle, 9, true},
    ElementKind{21, "higher-order triangles", Shape::triangle, 10, true},
    ElementKind{22, "higher-order triangles", Shape::triangle, 12, true},
    ElementKind{23, "higher-order triangles", Shape::triangle, 15, true},
    ElementKind{24, "higher-order triangles", Shape::triangle, 15, true},
    ElementKind{25, "higher-order triangles", Shape::triangle, 21, true},
    ElementKind{26, "higher-order lines", Shape::skipped, 4},
    ElementKind{27, "higher-order lines", Shape::skipped, 5},
    ElementKind{28, "higher-order lines", Shape::skipped, 6},
    ElementKind{29, "higher-order tetrahedra", Shape::tet, 20, true},
    ElementKind{30, "higher-order tetrahedra", Shape::tet, 35, true},
    ElementKind{31, "higher-order tetrahedra", Shape::tet, 56, true},
    ElementKind{32, "higher-order tetrahedra", Shape::tet, 22, true},
    ElementKind{33, "higher-order tetrahedra", Shape::tet, 28, true},
    ElementKind{36, "higher-order quadrilaterals", Shape::quad, 16, true},
    ElementKind{37, "higher-order quadrilaterals", Shape::quad, 25, true},
    ElementKind{38, "higher-order quadrilaterals", Shape::quad, 36, true},
    ElementKind{39, "higher-order quadrilaterals", Shape::quad, 12, true},
    ElementKind{40, "higher-order quadrilaterals", Shape::quad, 16, true},
    ElementKind{41, "higher-order quadrilaterals", Shape::quad, 20, true},
    ElementKind{42, "higher-order triangles", Shape::triangle, 28, true},
    ElementKind{43, "higher-order triangles", Shape::triangle, 36, true},
    ElementKind{44, "higher-order triangles", Shape::triangle, 45, true},
    ElementKind{45, "higher-order triangles", Shape::triangle, 55, true},
    ElementKind{46, "higher-order triangles", Shape::triangle, 66, true},
    ElementKind{47, "higher-order quadrilaterals", Shape::quad, 49, true},
    ElementKind{48, "higher-order quadrilaterals", Shape::quad, 64, true},
    ElementKind{49, "higher-order quadrilaterals", Shape::quad, 81, true},
    ElementKind{50, "higher-order quadrilaterals", Shape::quad, 100, true},
    ElementKind{51, "higher-order quadrilaterals", Shape::quad, 121, true},
    ElementKind{52, "higher-order triangles", Shape::triangle, 18, true},
    ElementKind{53, "higher-order triangles", Shape::triangle, 21, true},
    ElementKind{54, "higher-order triangles", Shape::triangle, 24, true},
    ElementKind{55, "higher-order triangles", Shape::triangle, 27, true},
    ElementKind{56, "higher-order triangles", Shape::triangle, 30, true},
    ElementKind{57, "higher-order quadrilaterals", Shape::quad, 24, true},
    ElementKind{58, "higher-order quadrilaterals", Shape::quad, 28, true},
    ElementKind{59, "higher-order quadrilaterals", Shape::quad, 32, true},
    ElementKind{60, "higher-order quadrilaterals", Shape::quad, 36, true},
    ElementKind{61, "higher-order quadrilaterals", Shape::quad, 40, true},
    ElementKind{62, "higher-order lines", Shape::skipped, 7},
    ElementKind{63, "higher-order lines", Shape::skipped, 8},
    ElementKind{64, "higher-order lines", Shape::skipped, 9},
    ElementKind{65, "higher-order lines", Shape::skipped, 10},
    ElementKind{66, "higher-order lines", Shape::skipped, 11},
    ElementKind{71, "higher-order tetrahedra", Shape::tet, 84, true},
    ElementKind{72, "higher-order tetrahedra", Shape::tet, 120, true},
    ElementKind{73, "higher-order tetrahedra", Shape::tet, 165, true},
    ElementKind{74, "higher-order tetrahedra", Shape::tet, 220, true},
    ElementKind{75, "higher-order tetrahedra", Shape::tet, 286, true},
    ElementKind{90, "higher-order prisms", Shape::skipped, 40},
    ElementKind{91, "higher-order prisms", Shape::skipped, 75},
    ElementKind{92, "higher-order hexahedra", Shape::skipped, 64},
    ElementKind{93, "higher-order hexahedra", Shape::skipped, 125},
    ElementKind{118, "higher-order pyramids", Shape::skipped, 30},
    ElementKind{119, "higher-order pyramids", Shape::skipped, 55},
};

}  // namespace

const ElementKind* msh_kind(std::int64_t type) {
  const auto kind = std::lower_bound(kinds.begin(), kinds.end(), type,
                                     [](const ElementKind& k, std::int64_t t) { return k.number < t; });
  return kind != kinds.end() && kind->number == type ? &*kind : nullptr;
}

std::optional<std::size_t> NodeTags::make_table() {
  if (tags_.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(tags_.begin(), tags_.end());
  lowest_ = *low;
  // Tags are not negative, so that the difference fits. A table of indices is the fastest, but a single
  // large number must not make it large.
  const auto span = static_cast<std::uint64_t>(*high - *low);
  if (span <= 4 * tags_.size() + 1024) {
    table_.assign(static_cast<std::size_t>(span) + 1, no_index);
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      std::uint32_t& entry = table_[static_cast<std::size_t>(tags_[i] - lowest_)];
      if (entry != no_index) return i;
      entry = static_cast<std::uint32_t>(i);
    }
    return std::nullopt;
  }
  sorted_.reserve(tags_.size());
  for (std::size_t i = 0; i < tags_.size(); ++i) sorted_.push_back({tags_[i], static_cast<std::uint32_t>(i)});
  std::sort(sorted_.begin(), sorted_.end(), [](const Entry& a, const Entry& b) {
    return a.tag < b.tag || (a.tag == b.tag && a.index < b.index);
  });
  for (std::size_t i = 1; i < sorted_.size(); ++i)
    if (sorted_[i].tag == sorted_[i - 1].tag) return sorted_[i].index;
  return std::nullopt;
}

std::uint32_t NodeTags::find(std::int64_t tag) const {
  if (!table_.empty()) {
    const auto at =
        static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(lowest_);  // wraps: too large
    return at < table_.size() ? table_[static_cast<std::size_t>(at)] : no_index;
  }
  const auto entry = std::lower_bound(sorted_.begin(), sorted_.end(), tag,
                                      [](const Entry& e, std::int64_t t) { return e.tag < t; });
  return entry != sorted_.end() && entry->tag == tag ? entry->index : no_index;
}

}  // namespace palpate::detail
