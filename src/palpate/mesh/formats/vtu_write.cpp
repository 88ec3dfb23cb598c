// One piece with the triangles first, then the tetrahedra, then lines. Arrays are text, or raw bytes that are
// appended to the XML, by default compressed.
#include <palpate/mesh/formats/vtu_write.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include <palpate/mesh/formats/formats.h>

namespace palpate::detail {

namespace {

void append_size(std::string& out, std::uint64_t size) {
  char bytes[sizeof size];
  std::memcpy(bytes, &size, sizeof size);
  out.append(bytes, sizeof bytes);
}

// Blocks as VTK has them by default: small enough to be unpacked one by one.
std::string compressed_blocks(std::string_view bytes) {
  constexpr std::size_t block = 32768;
  const std::size_t blocks = (bytes.size() + block - 1) / block;
  std::string header, packed;
  append_size(header, blocks);
  append_size(header, block);
  append_size(header, bytes.size() % block);
  std::vector<Bytef> buffer(compressBound(block));
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::string_view part = bytes.substr(i * block, block);
    uLongf size = static_cast<uLongf>(buffer.size());
    if (compress(buffer.data(), &size, reinterpret_cast<const Bytef*>(part.data()),
                 static_cast<uLong>(part.size())) != Z_OK)
      throw Error(Place::named("mesh", "for VTU"), "zlib could not compress it", "Write it uncompressed.");
    append_size(header, size);
    packed.append(reinterpret_cast<const char*>(buffer.data()), size);
  }
  return header + packed;
}

std::size_t cells_of(const MeshView& mesh, const VtuExtras& extras) {
  return mesh.triangles.size() + mesh.tets.size() + extras.lines.size();
}

// Names stand in XML as they are, and ParaView's calculator has to bear them.
bool is_plain(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ' ';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain);
}

void check_fields(std::span<const VtuField> fields, std::size_t count, const char* what) {
  for (const VtuField& field : fields) {
    const Place place = Place::named("field", field.name);
    if (!is_plain(field.name))
      throw Error(place, "its name is not made of letters, digits, '_' and blanks", "Give it another name.");
    if (field.components == 0 || field.values.size() != count * field.components)
      throw Error(place,
                  fmt::format("it has {} values, and there are {} {} with {} each", field.values.size(),
                              count, what, field.components),
                  "Give a value for each.");
  }
}

class VtuWriter {
 public:
  VtuWriter(const WriteOptions& options, const VtuExtras& extras) : options_(options), extras_(extras) {}

  std::string write(const MeshView& mesh) && {
    const std::size_t cells = cells_of(mesh, extras_);
    const bool little = std::endian::native == std::endian::little;
    const bool compressed = !options_.ascii && options_.compressed;
    fmt::format_to(std::back_inserter(xml_),
                   "<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\""
                   " header_type=\"UInt64\"{}>\n"
                   "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n",
                   little ? "LittleEndian" : "BigEndian",
                   compressed ? " compressor=\"vtkZLibDataCompressor\"" : "", mesh.positions.size(), cells);
    add_numbers("Points", numbers_of(mesh.positions), 3);
    xml_ += "</Points>\n<Cells>\n";
    add_cells(mesh);
    xml_ += "</Cells>\n";
    add_fields("PointData", extras_.point_data);
    add_fields("CellData", extras_.cell_data);
    xml_ += "</Piece>\n</UnstructuredGrid>\n";
    if (!options_.ascii) {
      xml_ += "<AppendedData encoding=\"raw\">\n_";
      xml_ += appended_;
      xml_ += "\n</AppendedData>\n";
    }
    xml_ += "</VTKFile>\n";
    return std::move(xml_);
  }

 private:
  static std::span<const double> numbers_of(std::span<const Vec3> points) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    return {points.empty() ? nullptr : points[0].data(), 3 * points.size()};
  }

  void add_numbers(std::string_view name, std::span<const double> values, std::size_t components) {
    if (options_.single_precision) {
      std::vector<float> floats(values.size());
      std::transform(values.begin(), values.end(), floats.begin(),
                     [](double value) { return static_cast<float>(value); });
      add_array("Float32", name, std::span<const float>(floats), components);
    } else {
      add_array("Float64", name, values, components);
    }
  }

  void add_fields(const char* element, std::span<const VtuField> fields) {
    if (fields.empty()) return;
    fmt::format_to(std::back_inserter(xml_), "<{}>\n", element);
    for (const VtuField& field : fields) add_numbers(field.name, field.values, field.components);
    fmt::format_to(std::back_inserter(xml_), "</{}>\n", element);
  }

  void add_cells(const MeshView& mesh) {
    std::vector<std::int64_t> corners, ends;
    corners.reserve(3 * mesh.triangles.size() + 4 * mesh.tets.size() + 2 * extras_.lines.size());
    ends.reserve(cells_of(mesh, extras_));
    const auto add = [&](const auto& element) {
      corners.insert(corners.end(), element.begin(), element.end());
      ends.push_back(static_cast<std::int64_t>(corners.size()));
    };
    std::for_each(mesh.triangles.begin(), mesh.triangles.end(), add);
    std::for_each(mesh.tets.begin(), mesh.tets.end(), add);
    std::for_each(extras_.lines.begin(), extras_.lines.end(), add);
    std::vector<std::uint8_t> types(mesh.triangles.size(), 5);
    types.resize(types.size() + mesh.tets.size(), 10);
    types.resize(ends.size(), 3);
    add_array("Int64", "connectivity", std::span<const std::int64_t>(corners), 1);
    add_array("Int64", "offsets", std::span<const std::int64_t>(ends), 1);
    add_array("UInt8", "types", std::span<const std::uint8_t>(types), 1);
  }

  template <class T>
  void add_array(const char* type, std::string_view name, std::span<const T> values, std::size_t components) {
    fmt::format_to(std::back_inserter(xml_), "<DataArray type=\"{}\" Name=\"{}\"", type, name);
    if (components > 1) fmt::format_to(std::back_inserter(xml_), " NumberOfComponents=\"{}\"", components);
    if (options_.ascii) {
      xml_ += " format=\"ascii\">\n";
      // As short as they can be while the same numbers are read back. Floats have the digits of doubles, so
      // that it does not matter whether a program reads them as the ones or the others. A dozen a line.
      using Shown = std::conditional_t<std::is_same_v<T, float>, double, T>;
      for (std::size_t i = 0; i < values.size(); ++i)
        fmt::format_to(std::back_inserter(xml_), "{}{}", static_cast<Shown>(values[i]),
                       i + 1 == values.size() || i % 12 == 11 ? '\n' : ' ');
      xml_ += "</DataArray>\n";
      return;
    }
    fmt::format_to(std::back_inserter(xml_), " format=\"appended\" offset=\"{}\"/>\n", appended_.size());
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    if (options_.compressed) {
      appended_ += compressed_blocks(bytes);
    } else {
      append_size(appended_, bytes.size());
      appended_ += bytes;
    }
  }

  const WriteOptions& options_;
  const VtuExtras& extras_;
  std::string xml_, appended_;
};

}  // namespace

std::string write_vtu(const MeshView& mesh, const WriteOptions& options, const VtuExtras& extras) {
  check_fields(extras.point_data, mesh.positions.size(), "points");
  check_fields(extras.cell_data, cells_of(mesh, extras), "cells");
  std::string bytes = VtuWriter(options, extras).write(mesh);
  // Readers, ours among them, may take what compresses beyond measure for an attack: such a mesh is written
  // plain.
  const std::size_t numbers = 3 * mesh.positions.size() + 5 * mesh.triangles.size() + 6 * mesh.tets.size();
  if (options.compressed && !options.ascii && 8 * numbers / 32 > bytes.size()) {
    WriteOptions plain = options;
    plain.compressed = false;
    bytes = VtuWriter(plain, extras).write(mesh);
  }
  return bytes;
}

std::string write_vtu(const MeshView& mesh, const WriteOptions& options) {
  return write_vtu(mesh, options, {});
}

}  // namespace palpate::detail
