// The nodes and elements of a Gmsh file, in the layouts of its versions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <palpate/mesh/formats/element_sink.h>
#include <palpate/mesh/formats/mixed_cursor.h>
#include <palpate/mesh/formats/msh_tags.h>

namespace palpate::detail {

enum class MshVersion { v2, v4_0, v4_1 };

struct MshFormat {
  MshVersion version = MshVersion::v4_1;
  NumberType size_type = NumberType::uint64;  // of counts in binary
};

class MshContents {
 public:
  MshContents(MixedCursor& in, const MshFormat& format, MeshFile& mesh, ElementSink& sink)
      : in_(in), format_(format), mesh_(mesh), sink_(sink) {}

  // What stands between $Nodes and $EndNodes, or in version 2 between $ParametricNodes and their end.
  void read_nodes(bool parametric);
  // What stands between $Elements and $EndElements; the nodes are known.
  void read_elements();

 private:
  // What the nodes or elements of an entity (a curve, a surface, a volume of the geometry) begin with.
  struct Block {
    std::int64_t dimension, parametric_or_type, count;
  };
  bool is(MshVersion version) const { return format_.version == version; }
  std::int64_t count(std::string_view what, std::int64_t most);
  void need(std::int64_t count, std::int64_t numbers, std::int64_t bytes, std::string_view what) const;
  std::array<std::int64_t, 2> read_block_counts(std::string_view what, std::int64_t most);
  Block read_block(std::string_view what, std::string_view third, std::int64_t most);

  void read_tag(NumberType type);
  void read_position(std::int64_t parameters);
  void reserve_nodes(std::int64_t more);
  void read_nodes_2(bool parametric);
  void read_node_blocks();

  const ElementKind& read_kind();
  const ElementKind& kind_of(std::int64_t type, std::size_t at) const;
  void read_element_nodes(const ElementKind& kind, NumberType type);
  void read_ascii_elements_2();
  void read_binary_elements_2();
  void read_element_blocks();

  MixedCursor& in_;
  MshFormat format_;
  MeshFile& mesh_;
  ElementSink& sink_;
  NodeTags tags_;
  std::vector<std::size_t> tag_offsets_;  // where the node numbers stand, for messages
  std::vector<std::uint32_t> nodes_;      // of one element
};

}  // namespace palpate::detail
