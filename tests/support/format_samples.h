// Small valid files in the formats that Palpate reads but does not write, as bytes: for tests, and to start
// fuzzers from.
//
// All have the mesh of sample_mesh(); each has besides what its format can have (other kinds of elements,
// fields, comments), which readers skip or cut into triangles.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <palpate/mesh/files.h>

namespace palpate::testing {

inline MeshFile sample_mesh() {
  MeshFile mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1.5}, {-0.25, 1e-3, 12}};
  mesh.triangles = {{0, 2, 1}, {1, 2, 4}};
  mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  return mesh;
}

// Text, and numbers that are text or binary.
class SampleBytes {
 public:
  explicit SampleBytes(bool binary, bool big_endian = false) : binary_(binary), big_endian_(big_endian) {}

  SampleBytes& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  template <class T>
  SampleBytes& number(T value) {
    if (!binary_) {
      bytes_ += fmt::format("{} ", value);
      return *this;
    }
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (big_endian_ == (std::endian::native == std::endian::little)) std::reverse(raw, raw + sizeof(T));
    bytes_.append(raw, sizeof(T));
    return *this;
  }
  template <class T>
  SampleBytes& numbers(const std::vector<T>& values) {
    for (const T value : values) number(value);
    return *this;
  }
  // Where text has a line end and binary has nothing.
  SampleBytes& line() { return binary_ ? *this : text("\n"); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  bool binary_, big_endian_;
};

template <class T>
void put_positions(SampleBytes& out, const MeshFile& mesh) {
  for (const Vec3& p : mesh.positions) {
    for (const double c : p) out.number(static_cast<T>(c));
    out.line();
  }
}

// Cells as VTK legacy files have them: old ones with counts, newer ones with offsets.
inline void put_vtk_cells(SampleBytes& out, std::string_view keyword,
                          const std::vector<std::vector<int>>& cells, bool offsets) {
  std::size_t nodes = 0;
  for (const auto& cell : cells) nodes += cell.size();
  if (!offsets) {
    out.text(fmt::format("{} {} {}\n", keyword, cells.size(), cells.size() + nodes));
    for (const auto& cell : cells) out.number(static_cast<std::int32_t>(cell.size())).numbers(cell).line();
    out.text("\n");
    return;
  }
  out.text(fmt::format("{} {} {}\nOFFSETS vtktypeint64\n", keyword, cells.size() + 1, nodes));
  std::int64_t end = 0;
  out.number(end);
  for (const auto& cell : cells) out.number(end += static_cast<std::int64_t>(cell.size()));
  out.text("\nCONNECTIVITY vtktypeint64\n");
  for (const auto& cell : cells)
    for (const int v : cell) out.number(static_cast<std::int64_t>(v));
  out.text("\n");
}

inline std::string vtk_sample(bool binary, bool offsets, bool fields = true) {
  SampleBytes out(binary, true);
  out.text(fmt::format("# vtk DataFile Version {}\na sample\n{}\nDATASET UNSTRUCTURED_GRID\n",
                       offsets ? "5.1" : "3.0", binary ? "BINARY" : "ASCII"));
  if (fields) {
    out.text("FIELD FieldData 2\nTime%20s 1 1 double\n").number(1.5).text("\n");
    out.text("METADATA\nINFORMATION 1\nNAME UNITS LOCATION vtkDataArray\nDATA s\n\n");
    out.text("ids 2 3 int\n").numbers(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}).text("\n");
  }
  out.text("POINTS 6 double\n");
  put_positions<double>(out, sample_mesh());
  out.text("\nMETADATA\nINFORMATION 0\n\n");
  put_vtk_cells(out, "CELLS", {{0, 1, 2, 3}, {0, 2, 1}, {1, 2, 3, 4}, {1, 2, 4}, {0, 5}, {3}}, offsets);
  out.text("CELL_TYPES 6\n").numbers(std::vector<std::int32_t>{10, 5, 10, 5, 3, 1}).text("\n");
  out.text("CELL_DATA 6\nSCALARS part int 1\nLOOKUP_TABLE default\n");
  out.numbers(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}).text("\n");
  return out.bytes();
}

inline std::string vtk_polydata_sample(bool binary, bool offsets) {
  SampleBytes out(binary, true);
  out.text(fmt::format("# vtk DataFile Version {}\nsurface\n{}\nDATASET POLYDATA\nPOINTS 6 float\n",
                       offsets ? "5.1" : "2.0", binary ? "BINARY" : "ASCII"));
  put_positions<float>(out, sample_mesh());
  out.text("\n");
  put_vtk_cells(out, "VERTICES", {{5}}, offsets);
  put_vtk_cells(out, "LINES", {{0, 1, 2}}, offsets);
  put_vtk_cells(out, "POLYGONS", {{0, 2, 1}, {0, 1, 4, 3}}, offsets);
  put_vtk_cells(out, "TRIANGLE_STRIPS", {{0, 1, 2, 3, 4}}, offsets);
  out.text("POINT_DATA 6\nNORMALS n float\n").numbers(std::vector<float>(18, 0.5F)).text("\n");
  return out.bytes();
}

// Node numbers have gaps and are out of order, as they are in files that Gmsh writes.
inline constexpr std::array<int, 6> sample_tags = {3, 1, 12, 7, 9, 40};

inline std::string msh_start(std::string_view version, bool binary, bool big_endian) {
  SampleBytes out(binary, big_endian);
  out.text(fmt::format("$MeshFormat\n{} {} 8\n", version, binary ? 1 : 0));
  if (binary) out.number(std::int32_t{1}).text("\n");
  return out.bytes() + "$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all of it\"\n$EndPhysicalNames\n";
}

inline std::string msh2_sample(bool binary, bool big_endian = false) {
  const MeshFile mesh = sample_mesh();
  SampleBytes out(binary, big_endian);
  out.text(msh_start("2.2", binary, big_endian)).text("$Nodes\n6\n");
  for (std::size_t i = 0; i < 6; ++i) {
    out.number(sample_tags[i]);
    for (const double c : mesh.positions[i]) out.number(c);
    out.line();
  }
  out.text(binary ? "\n$EndNodes\n$Elements\n6\n" : "$EndNodes\n$Elements\n6\n");
  int element = 0;
  // Binary files have blocks of elements of one type; text has type and tags in every line.
  const auto put = [&](int type, const std::vector<std::vector<std::uint32_t>>& elements) {
    if (binary) out.number(type).number(static_cast<int>(elements.size())).number(2);
    for (const auto& one : elements) {
      out.number(++element);
      if (!binary) out.number(type).number(2);
      out.number(1).number(1);
      for (const std::uint32_t v : one) out.number(sample_tags[v]);
      out.line();
    }
  };
  put(15, {{0}});
  put(1, {{0, 1}});
  put(2, {{0, 2, 1}, {1, 2, 4}});
  put(4, {{0, 1, 2, 3}, {1, 2, 3, 4}});
  return out.text(binary ? "\n$EndElements\n" : "$EndElements\n").bytes();
}

// Versions 4.0 and 4.1 differ in the order of a few numbers.
inline std::string msh4_sample(bool binary, bool older, bool big_endian = false) {
  const MeshFile mesh = sample_mesh();
  using Size = std::uint64_t;
  SampleBytes out(binary, big_endian);
  const auto tag = [&](int number) {
    if (older)
      out.number(number);
    else
      out.number(static_cast<Size>(number));
  };
  const auto block = [&](int dimension, int third, Size count) {
    out.number(older ? 1 : dimension).number(older ? dimension : 1).number(third).number(count).line();
  };
  const auto counts = [&](Size blocks, Size all) {
    out.number(blocks).number(all);
    if (!older) out.number(Size{1}).number(Size{40});
    out.line();
  };
  const auto nodes = [&](std::size_t begin, std::size_t end, int dimension, bool parametric) {
    block(dimension, parametric ? 1 : 0, end - begin);
    if (!older)
      for (std::size_t i = begin; i < end; ++i) tag(sample_tags[i]), out.line();
    for (std::size_t i = begin; i < end; ++i) {
      if (older) tag(sample_tags[i]);
      for (const double c : mesh.positions[i]) out.number(c);
      for (int k = 0; k < (parametric ? dimension : 0); ++k) out.number(0.5);
      out.line();
    }
  };
  int element = 0;
  const auto elements = [&](int dimension, int type, const std::vector<std::vector<std::uint32_t>>& all) {
    block(dimension, type, all.size());
    for (const auto& one : all) {
      tag(++element);
      for (const std::uint32_t v : one) tag(sample_tags[v]);
      out.line();
    }
  };
  out.text(msh_start(older ? "4" : "4.1", binary, big_endian)).text("$Nodes\n");
  counts(3, 6);
  nodes(0, 2, 2, true);
  nodes(2, 2, 1, false);
  nodes(2, 6, 3, false);
  out.text(binary ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n");
  counts(3, 5);
  elements(1, 1, {{0, 1}});
  elements(2, 2, {{0, 2, 1}, {1, 2, 4}});
  elements(3, 4, {{0, 1, 2, 3}, {1, 2, 3, 4}});
  out.text(binary ? "\n$EndElements\n" : "$EndElements\n");
  return out.text("$NodeData\n1\n\"x\"\n0\n0\n$EndNodeData\n").bytes();
}

// TetGen's two files, counting from 0 or 1, with what a line may have besides.
inline std::string node_sample(int first) {
  const MeshFile mesh = sample_mesh();
  std::string out = "# a sample\n6 3 1 1  # nodes, dimension, attributes, markers\n\n";
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3& p = mesh.positions[i];
    out += fmt::format("  {}  {} {} {}  0.5 {}\n", static_cast<int>(i) + first, p.x(), p.y(), p.z(), i % 2);
  }
  return out + "# Generated by hand\n";
}

inline std::string ele_sample(int first) {
  return fmt::format("2  4  1\n  {0}  {0} {1} {2} {3}  7\n  {1}  {1} {2} {3} {4}  7  # the last\n# end\n",
                     first, first + 1, first + 2, first + 3, first + 4);
}

}  // namespace palpate::testing
