// The data of a binary PLY file.
//
// Nearly all files have vertices of one size and nothing but triangles. These are decoded in parallel with a
// fixed stride, on trial: up to the first vertex that is not finite, the first face that is no triangle and
// the first index that is out of range. From there on elements are read one by one, with care, which also
// finds the words and the place for what is wrong. So the fast way needs no messages and the careful way no
// speed.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/parallel.h>
#include <palpate/mesh/formats/byte_cursor.h>
#include <palpate/mesh/formats/ply_content.h>
#include <palpate/mesh/formats/ply_decode.h>
#include <palpate/mesh/formats/progress.h>

namespace palpate::detail {

namespace {

// Elements between two reports of progress, and per chunk of a parallel loop.
constexpr std::size_t block = std::size_t{1} << 17, grain = std::size_t{1} << 14;

class PlyBinary {
 public:
  PlyBinary(const FileBytes& file, const PlyHeader& header, PlyContent& content)
      : bytes_(file.bytes, file.name, header.end, header.encoding == PlyHeader::Encoding::big_endian),
        progress_(file),
        header_(header),
        content_(content) {}

  void read() {
    for (const PlyElement& element : header_.elements) {
      const std::string what = fmt::format("elements '{}'", element.name.substr(0, 40));
      bytes_.need(element.count, element.least_bytes(), what);
      if (element.name == "vertex") {
        read_vertices(element, what);
      } else if (element.name == "face" || element.name == "tristrips") {
        read_faces(element, what);
      } else {
        content_.skip(element);
        skip_elements(element, what);
      }
    }
    // A line end or a little padding is nobody's element; more than that is.
    if (bytes_.left() >= 8)
      bytes_.refuse(fmt::format("there are {} bytes more in the file than its header says", bytes_.left()),
                    "A count in the header is wrong: export the mesh again.");
    if (bytes_.left() > 0)
      content_.warnings.push_back(fmt::format("{} bytes after the data, from byte {} on, were ignored",
                                              bytes_.left(), bytes_.offset()));
  }

 private:
  // --- vertices ---------------------------------------------------------------------------------
  void read_vertices(const PlyElement& element, const std::string& what) {
    content_.positions.resize(element.count);  // Vec3 leaves it uninitialised
    for (std::size_t i = decode_vertices_on_trial(element); i < element.count; ++i) {
      progress_.at(bytes_.offset());
      for (const PlyProperty& property : element.properties) {
        const bool axis = property.name == "x" || property.name == "y" || property.name == "z";
        if (axis) {
          content_.positions[i][property.name[0] - 'x'] = take_coordinate(property, what);
        } else {
          skip(property, what);
        }
      }
    }
  }

  double take_coordinate(const PlyProperty& property, const std::string& what) {
    const std::size_t at = bytes_.offset();
    const double value = with_type(
        property.type, [&](auto type) { return static_cast<double>(bytes_.take<decltype(type)>(what)); });
    if (!std::isfinite(value))
      bytes_.refuse_at(at,
                       fmt::format("coordinate {} is {}, which is not a finite number", property.name, value),
                       "Export the mesh again.");
    return value;
  }

  // As many as have one size and one type, up to the first that is not finite.
  std::size_t decode_vertices_on_trial(const PlyElement& element) {
    const PlyType type = element.find("x")->type;
    if (element.has_lists() || element.find("y")->type != type || element.find("z")->type != type) return 0;
    VertexLayout layout{bytes_.here(), element.least_bytes(), {}};
    std::size_t offset = 0;
    for (const PlyProperty& p : element.properties) {
      if (p.name == "x" || p.name == "y" || p.name == "z")
        layout.axes[static_cast<std::size_t>(p.name[0] - 'x')] = offset;
      offset += size_of(p.type);
    }
    Vec3* const to = content_.positions.data();
    return with_type(type, [&](auto t) {
      using T = decltype(t);
      const auto decode = bytes_.swaps() ? decode_vertices<T, true> : decode_vertices<T, false>;
      return in_blocks(
          element.count, layout.stride, [](std::size_t) {},
          [&](Chunk chunk) { return decode(layout, chunk, to); });
    });
  }

  // --- faces and strips -------------------------------------------------------------------------
  void read_faces(const PlyElement& element, const std::string& what) {
    const bool strips = element.name == "tristrips";
    const PlyProperty* const list = corner_list(element);
    for (std::size_t i = strips ? 0 : decode_triangles_on_trial(element); i < element.count; ++i) {
      progress_.at(bytes_.offset());
      for (const PlyProperty& property : element.properties) {
        if (&property == list) {
          take_corners(property, strips, what);
        } else {
          skip(property, what);
        }
      }
      strips ? content_.add_strips(corners_) : content_.add_face(corners_);
    }
  }

  void take_corners(const PlyProperty& list, bool strips, const std::string& what) {
    const std::uint64_t count = take_list_count(list, what);
    bytes_.need(count, size_of(list.type), "vertex indices");
    corners_.clear();
    with_integer_type(list.type, [&](auto type) {
      using T = decltype(type);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t at = bytes_.offset();
        const T value = bytes_.take<T>(what);
        const bool restart = strips && value == static_cast<T>(-1) && value < T{0};
        const auto index = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
        if (!restart && !(index < content_.vertices))
          bytes_.refuse_at(
              at,
              fmt::format("there is no vertex {}: the file has {}, counted from 0", value, content_.vertices),
              "Export the mesh again.");
        corners_.push_back(index);
      }
    });
  }

  // As many as are triangles with indices in range.
  std::size_t decode_triangles_on_trial(const PlyElement& element) {
    const PlyProperty* const list = corner_list(element);
    if (list == nullptr || !is_integer(list->type)) return 0;
    TriangleLayout layout{bytes_.here(), 0, 0, 0, {}, size_of(*list->count_type)};
    for (const PlyProperty& p : element.properties) {
      if (p.count_type && &p != list) return 0;
      if (&p == list) {
        layout.count = layout.stride;
        layout.corners = layout.stride + layout.count_size;
        layout.stride += layout.count_size + 2 * size_of(p.type);
      }
      layout.stride += size_of(p.type);
    }
    const bool little = bytes_.swaps() == (std::endian::native == std::endian::big);
    layout.three[little ? 0 : layout.count_size - 1] = 3;
    const std::size_t count = std::min<std::size_t>(element.count, bytes_.left() / layout.stride);
    if (count == 0 || bytes_.here()[layout.count] != layout.three[0]) return 0;
    return decode_triangles_in_blocks(list->type, layout, count);
  }

  std::size_t decode_triangles_in_blocks(PlyType type, const TriangleLayout& layout, std::size_t count) {
    std::vector<TriangleCorners>& to = content_.faces.triangles;
    const std::size_t before = to.size();
    to.reserve(before + count);
    const std::size_t decoded = with_integer_type(type, [&](auto t) {
      using T = decltype(t);
      const auto decode = bytes_.swaps() ? decode_triangles<T, true> : decode_triangles<T, false>;
      return in_blocks(
          count, layout.stride, [&](std::size_t end) { to.resize(before + end); },
          [&](Chunk chunk) { return decode(layout, chunk, content_.vertices, to.data() + before); });
    });
    to.resize(before + decoded);
    return decoded;
  }

  // Decodes elements of one size, a block after the other and the chunks of a block in parallel, until one
  // stops early; moves behind what was decoded.
  template <class Prepare, class Decode>
  std::size_t in_blocks(std::size_t count, std::size_t stride, Prepare&& prepare, Decode&& decode) {
    std::size_t done = 0;
    while (done < count) {
      const std::size_t end = std::min(count, done + block);
      prepare(end);
      const std::size_t stopped = parallel_reduce(
          end - done, grain, end, stops_,
          [&](Chunk chunk) {
            const Chunk there{done + chunk.begin, done + chunk.end, chunk.index};
            const std::size_t stop = decode(there);
            return stop == there.end ? end : stop;
          },
          [](std::size_t a, std::size_t b) { return std::min(a, b); });
      bytes_.skip((stopped - done) * stride, "elements");
      done = stopped;
      if (done < end) break;
      progress_.at(bytes_.offset());
    }
    return done;
  }

  // --- what nobody asked for --------------------------------------------------------------------
  std::uint64_t take_list_count(const PlyProperty& list, const std::string& what) {
    const std::size_t at = bytes_.offset();
    const std::int64_t count = with_integer_type(*list.count_type, [&](auto type) {
      return static_cast<std::int64_t>(bytes_.take<decltype(type)>(what));
    });
    if (count < 0)
      bytes_.refuse_at(at, fmt::format("a list cannot have {} values", count), "Export the mesh again.");
    return static_cast<std::uint64_t>(count);
  }

  void skip(const PlyProperty& property, const std::string& what) {
    if (!property.count_type) return bytes_.skip(size_of(property.type), what);
    const std::uint64_t count = take_list_count(property, what);
    bytes_.need(count, size_of(property.type), what);
    bytes_.skip(static_cast<std::size_t>(count) * size_of(property.type), what);
  }

  void skip_elements(const PlyElement& element, const std::string& what) {
    if (!element.has_lists())
      return bytes_.skip(static_cast<std::size_t>(element.count) * element.least_bytes(), what);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      progress_.at(bytes_.offset());
      for (const PlyProperty& property : element.properties) skip(property, what);
    }
  }

  ByteCursor bytes_;
  Progress progress_;
  const PlyHeader& header_;
  PlyContent& content_;
  std::vector<std::uint32_t> corners_;
  std::vector<std::size_t> stops_;
};

}  // namespace

void read_ply_binary(const FileBytes& file, const PlyHeader& header, PlyContent& content) {
  PlyBinary(file, header, content).read();
}

}  // namespace palpate::detail
