#include <palpate/mesh/formats/msh_contents.h>

#include <limits>

#include <fmt/format.h>

namespace palpate::detail {

namespace {

constexpr std::int64_t most_nodes = no_index - 1;
constexpr std::int64_t most_elements = std::int64_t{1} << 40;
constexpr std::int64_t any_tag = std::numeric_limits<std::int64_t>::max();
constexpr NumberType int_type = NumberType::int32;
constexpr NumberType real_type = NumberType::float64;

}  // namespace

// A count in the file's type for sizes; version 2 has them as text in binary files, too.
std::int64_t MshContents::count(std::string_view what, std::int64_t most) {
  if (!is(MshVersion::v2)) return in_.whole(format_.size_type, what, 0, most);
  const std::int64_t count = in_.text().integer_anywhere(what, 0, most);
  in_.text().expect_line_end(what);
  return count;
}

// `count` records of so many numbers, which in binary have so many bytes, have to be there.
void MshContents::need(std::int64_t count, std::int64_t numbers, std::int64_t bytes,
                       std::string_view what) const {
  const auto records = static_cast<std::uint64_t>(count);
  in_.need(records * static_cast<std::uint64_t>(in_.binary() ? bytes : numbers), NumberType::uint8, what);
}

void MshContents::read_tag(NumberType type) {
  tag_offsets_.push_back(in_.offset_of_number());
  tags_.add(in_.whole(type, "node number", 0, any_tag));
}

void MshContents::read_position(std::int64_t parameters) {
  Vec3 p;
  for (double& c : p) c = in_.real(real_type, "coordinate");
  for (std::int64_t i = 0; i < parameters; ++i) in_.real(real_type, "parameter");
  mesh_.positions.push_back(p);
}

void MshContents::reserve_nodes(std::int64_t more) {
  tag_offsets_.reserve(tag_offsets_.size() + static_cast<std::size_t>(more));
  tags_.reserve(static_cast<std::size_t>(more));
  mesh_.positions.reserve(mesh_.positions.size() + static_cast<std::size_t>(more));
}

void MshContents::read_nodes_2(bool parametric) {
  const std::int64_t nodes = count("number of nodes", most_nodes);
  need(nodes, parametric ? 6 : 4, parametric ? 36 : 28, "nodes");
  reserve_nodes(nodes);
  for (std::int64_t i = 0; i < nodes; ++i) {
    in_.begin_line();
    read_tag(int_type);
    read_position(0);
    // The entity it lies on, and its parameters there if that is a curve or a surface.
    if (parametric) {
      const std::int64_t dimension = in_.whole(int_type, "dimension of an entity", 0, 3);
      in_.whole(int_type, "number of an entity", -any_tag, any_tag);
      for (std::int64_t k = dimension % 3; k > 0; --k) in_.real(real_type, "parameter");
    }
    in_.end_line("the node");
  }
}

void MshContents::read_nodes(bool parametric) {
  if (is(MshVersion::v2))
    read_nodes_2(parametric);
  else
    read_node_blocks();
  if (const auto twice = tags_.make_table())
    in_.refuse_at(tag_offsets_[*twice], fmt::format("there are two nodes number {}", tags_.tag(*twice)));
  tag_offsets_ = {};
}

MshContents::Block MshContents::read_block(std::string_view what, std::string_view third, std::int64_t most) {
  constexpr std::int64_t any = std::numeric_limits<std::int32_t>::max();
  in_.begin_line();
  Block block{};
  if (is(MshVersion::v4_0)) in_.whole(int_type, "number of an entity", -any, any);
  block.dimension = in_.whole(int_type, "dimension of an entity", 0, 3);
  if (!is(MshVersion::v4_0)) in_.whole(int_type, "number of an entity", -any, any);
  block.parametric_or_type = in_.whole(int_type, third, 0, any);
  block.count = in_.whole(format_.size_type, what, 0, most);
  in_.end_line("the block's counts");
  return block;
}

// Blocks, and how many nodes or elements in all of them together.
std::array<std::int64_t, 2> MshContents::read_block_counts(std::string_view what, std::int64_t most) {
  in_.begin_line();
  const std::int64_t blocks = in_.whole(format_.size_type, "number of blocks", 0, most_elements);
  const std::int64_t all = count(what, most);
  if (!is(MshVersion::v4_0))
    for (int i = 0; i < 2; ++i) in_.whole(format_.size_type, "lowest or highest number", 0, any_tag);
  in_.end_line("the counts");
  return {blocks, all};
}

void MshContents::read_node_blocks() {
  const auto [blocks, all] = read_block_counts("number of nodes", most_nodes);
  need(all, 4, (is(MshVersion::v4_0) ? 4 : static_cast<std::int64_t>(size_of(format_.size_type))) + 24,
       "nodes");
  reserve_nodes(all);
  std::int64_t left = all;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const Block block = read_block("number of nodes in a block", "parametric flag", left);
    const std::int64_t parameters =
        block.parametric_or_type == 0 || (is(MshVersion::v4_0) && block.dimension == 3) ? 0 : block.dimension;
    if (!is(MshVersion::v4_0))
      for (std::int64_t k = 0; k < block.count; ++k) read_tag(format_.size_type);
    for (std::int64_t k = 0; k < block.count; ++k) {
      in_.begin_line();
      if (is(MshVersion::v4_0)) read_tag(int_type);
      read_position(parameters);
      in_.end_line("the node");
    }
    left -= block.count;
  }
  if (left != 0) in_.refuse(fmt::format("{} nodes are missing: {} were announced", left, all));
}

const ElementKind& MshContents::read_kind() {
  const std::size_t at = in_.offset_of_number();
  return kind_of(in_.whole(int_type, "element type", 0, 1000), at);
}

const ElementKind& MshContents::kind_of(std::int64_t type, std::size_t at) const {
  const ElementKind* const kind = msh_kind(type);
  if (kind == nullptr)
    in_.refuse_at(at, fmt::format("element type {} is not known", type),
                  "Save the mesh with elements of first or second order.");
  return *kind;
}

void MshContents::read_element_nodes(const ElementKind& kind, NumberType type) {
  nodes_.resize(kind.nodes);
  for (std::uint32_t& node : nodes_) {
    const std::size_t at = in_.offset_of_number();
    const std::int64_t tag = in_.whole(type, "node number", 0, any_tag);
    node = tags_.find(tag);
    if (node == no_index) in_.refuse_at(at, fmt::format("there is no node {}", tag));
  }
  sink_.add(kind, nodes_);
}

void MshContents::read_elements() {
  if (!is(MshVersion::v2))
    read_element_blocks();
  else if (in_.binary())
    read_binary_elements_2();
  else
    read_ascii_elements_2();
}

void MshContents::read_ascii_elements_2() {
  const std::int64_t elements = count("number of elements", most_elements);
  need(elements, 4, 0, "elements");
  for (std::int64_t i = 0; i < elements; ++i) {
    in_.begin_line();
    in_.whole(int_type, "number of an element", 0, any_tag);
    const ElementKind& kind = read_kind();
    const std::int64_t tags = in_.whole(int_type, "number of tags", 0, 1 << 20);
    for (std::int64_t k = 0; k < tags; ++k) in_.whole(int_type, "tag", -any_tag, any_tag);
    read_element_nodes(kind, int_type);
    in_.end_line("the element");
  }
}

void MshContents::read_binary_elements_2() {
  std::int64_t left = count("number of elements", most_elements);
  need(left, 0, 8, "elements");
  while (left > 0) {
    const ElementKind& kind = read_kind();
    const std::int64_t count = in_.whole(int_type, "number of elements in a block", 1, left);
    const std::int64_t tags = in_.whole(int_type, "number of tags", 0, 1 << 20);
    for (std::int64_t i = 0; i < count; ++i) {
      in_.skip_numbers(1 + static_cast<std::uint64_t>(tags), int_type, "number and tags of an element");
      read_element_nodes(kind, int_type);
    }
    left -= count;
  }
}

void MshContents::read_element_blocks() {
  const auto [blocks, all] = read_block_counts("number of elements", most_elements);
  const NumberType type = is(MshVersion::v4_0) ? int_type : format_.size_type;
  need(all, 2, 2 * static_cast<std::int64_t>(size_of(type)), "elements");
  std::int64_t left = all;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::size_t at = in_.offset_of_number();
    const Block block = read_block("number of elements in a block", "element type", left);
    const ElementKind& kind = kind_of(block.parametric_or_type, at);
    for (std::int64_t k = 0; k < block.count; ++k) {
      in_.begin_line();
      in_.whole(type, "number of an element", 0, any_tag);
      read_element_nodes(kind, type);
      in_.end_line("the element");
    }
    left -= block.count;
  }
  if (left != 0) in_.refuse(fmt::format("{} elements are missing: {} were announced", left, all));
}

}  // namespace palpate::detail
