#include <palpate/mesh/formats/vtk_attributes.h>

#include <array>
#include <optional>

#include <fmt/format.h>

#include <palpate/mesh/formats/vtk_field.h>

namespace palpate::detail {

namespace {

constexpr std::int64_t most_tuples = std::int64_t{1} << 40;
constexpr std::int64_t most_components = 1 << 20;

// Attributes that are KEYWORD NAME TYPE and so many values for each point or cell.
struct Plain {
  std::string_view keyword;
  std::uint64_t components;
};
constexpr std::array plain = {Plain{"VECTORS", 3},   Plain{"NORMALS", 3},    Plain{"TENSORS", 9},
                              Plain{"TENSORS6", 6},  Plain{"GLOBAL_IDS", 1}, Plain{"PEDIGREE_IDS", 1},
                              Plain{"EDGE_FLAGS", 1}};

class Attributes {
 public:
  explicit Attributes(MixedCursor& in) : in_(in) {}

  // True after something that is known and was skipped; the cursor is behind it.
  bool skip_one() {
    in_.text().skip_space();
    const std::string keyword = in_capitals(in_.text().word());
    if (keyword == "POINT_DATA" || keyword == "CELL_DATA") {
      tuples_ = static_cast<std::uint64_t>(in_.text().integer("number of points or cells", 0, most_tuples));
      return true;
    }
    if (keyword == "METADATA") {
      skip_vtk_metadata(in_);
      return true;
    }
    if (keyword == "FIELD") {
      if (skip_vtk_field(in_)) return true;
      in_.text().word();  // the type
      return false;
    }
    if (keyword == "SCALARS") return skip_scalars();
    if (keyword == "COLOR_SCALARS") return skip_bytes_or_fractions(tuples_, std::nullopt);
    if (keyword == "LOOKUP_TABLE") return skip_bytes_or_fractions(std::nullopt, 4);
    if (keyword == "TEXTURE_COORDINATES") {
      in_.text().word();
      const std::uint64_t components = count("number of texture coordinates", most_components);
      return skip_values(in_.text().word(), components);
    }
    for (const Plain& one : plain)
      if (one.keyword == keyword) {
        in_.text().word();
        return skip_values(in_.text().word(), one.components);
      }
    return false;
  }

 private:
  std::uint64_t count(std::string_view what, std::int64_t most) {
    return static_cast<std::uint64_t>(in_.text().integer(what, 0, most));
  }

  bool skip_values(std::string_view type, std::uint64_t components) {
    in_.text().expect_line_end("the type");
    return skip_vtk_values(in_, type, components * tuples_);
  }

  // NAME TYPE and perhaps COMPONENTS; a line LOOKUP_TABLE NAME, which some leave out; the values.
  bool skip_scalars() {
    in_.text().word();
    const std::string_view type = in_.text().word();
    const std::uint64_t components = in_.text().at_line_end() ? 1 : count("components", most_components);
    in_.text().expect_line_end("SCALARS");
    const std::size_t begin = in_.offset();
    if (in_capitals(in_.text().word()) == "LOOKUP_TABLE")
      in_.text().skip_line();
    else
      in_.text().move_to(begin);
    return skip_vtk_values(in_, type, components * tuples_);
  }

  // NAME COUNT, where the count is of what was not given, and the values: bytes, or in text numbers up to 1.
  bool skip_bytes_or_fractions(std::optional<std::uint64_t> tuples, std::optional<std::uint64_t> components) {
    in_.text().word();
    const std::uint64_t number = count("count", tuples ? most_components : most_tuples);
    in_.text().expect_line_end("the count");
    return skip_vtk_values(in_, "unsigned_char", tuples.value_or(number) * components.value_or(number));
  }

  MixedCursor& in_;
  std::uint64_t tuples_ = 0;
};

}  // namespace

void skip_vtk_attributes(MixedCursor& in, std::vector<std::string>& warnings) {
  Attributes attributes(in);
  for (;;) {
    in.text().skip_space();
    if (in.text().at_end()) return;
    const std::size_t at = in.offset();
    if (attributes.skip_one()) continue;
    if (in.text().at_end())
      in.refuse_at(at, "the file ends in the middle of this", "It was cut off: get the file again.");
    in.text().move_to(at);
    warnings.push_back(
        fmt::format("skipped everything from '{}' on, which is not known", in.text().shown_word()));
    return;
  }
}

}  // namespace palpate::detail
