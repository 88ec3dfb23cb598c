// VTU files in all the ways that VTK can store their arrays, built by hand and not by Palpate's writer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include <support/format_samples.h>

namespace palpate::testing {

struct VtuStyle {
  enum Format { ascii, inline_base64, appended_base64, appended_raw };
  Format format = ascii;
  bool zlib = false, long_headers = false, big_endian = false;
  std::size_t block = 40;  // small, so that there are several and a shorter last one
};

inline std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

inline std::string zipped(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           static_cast<uLong>(bytes.size()));
  out.resize(size);
  return out;
}

class VtuSample {
 public:
  explicit VtuSample(const VtuStyle& style) : style_(style) {}

  // `values` in type T. Every piece of the file is open to tests: they put it together by hand.
  template <class T>
  std::string array(std::string_view type, std::string_view name, const std::vector<double>& values,
                    std::string_view more = "") {
    SampleBytes content(style_.format != VtuStyle::ascii, style_.big_endian);
    for (const double value : values) {
      if (style_.format == VtuStyle::ascii)
        content.number(value);
      else
        content.number(static_cast<T>(value));
    }
    const std::string head = fmt::format("<DataArray type=\"{}\" Name=\"{}\" {} format=", type, name, more);
    if (style_.format == VtuStyle::ascii) return head + "\"ascii\">\n" + content.bytes() + "\n</DataArray>\n";
    const std::string stored = store(content.bytes());
    if (style_.format == VtuStyle::inline_base64)
      return head + "\"binary\">\n  " + stored + "\n<InformationKey/>\n</DataArray>\n";
    std::string element = head + fmt::format("\"appended\" offset=\"{}\"/>\n", appended_.size());
    appended_ += stored;
    return element;
  }

  std::string points(const MeshFile& mesh) {
    std::vector<double> values;
    for (const Vec3& p : mesh.positions) values.insert(values.end(), {p.x(), p.y(), p.z()});
    return "<Points>\n" + array<double>("Float64", "Points", values, "NumberOfComponents=\"3\"") +
           "</Points>\n";
  }
  std::string cells(const std::vector<std::vector<int>>& cells, const std::vector<double>& types) {
    std::vector<double> corners, ends;
    for (const auto& cell : cells) {
      corners.insert(corners.end(), cell.begin(), cell.end());
      ends.push_back(static_cast<double>(corners.size()));
    }
    std::string out = "<Cells>\n";  // one after the other: they are appended in this order
    out += array<std::int32_t>("Int32", "connectivity", corners);
    out += array<std::int64_t>("Int64", "offsets", ends);
    out += array<std::uint8_t>("UInt8", "types", types);
    return out + "</Cells>\n";
  }
  std::string piece(const MeshFile& mesh, const std::vector<std::vector<int>>& all,
                    const std::vector<double>& types) {
    std::string inside = points(mesh);
    inside += cells(all, types);
    return fmt::format(
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<PointData></PointData>\n{}</Piece>\n",
        mesh.positions.size(), all.size(), inside);
  }
  std::string file(std::string_view pieces, std::string_view type = "UnstructuredGrid") const {
    std::string out = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"0.1\" "
        "byte_order=\"{1}\"{2}{3}>\n<{0}>\n{4}</{0}>\n",
        type, style_.big_endian ? "BigEndian" : "LittleEndian",
        style_.long_headers ? " header_type=\"UInt64\"" : "",
        style_.zlib ? " compressor=\"vtkZLibDataCompressor\"" : "", pieces);
    if (style_.format >= VtuStyle::appended_base64)
      out += fmt::format("<AppendedData encoding=\"{}\">\n_{}\n</AppendedData>\n",
                         style_.format == VtuStyle::appended_raw ? "raw" : "base64", appended_);
    return out + "</VTKFile>\n";
  }

 private:
  std::string sizes(const std::vector<std::size_t>& values) const {
    SampleBytes out(true, style_.big_endian);
    for (const std::size_t value : values) {
      if (style_.long_headers)
        out.number(std::uint64_t{value});
      else
        out.number(static_cast<std::uint32_t>(value));
    }
    return out.bytes();
  }
  std::string store(const std::string& bytes) const {
    const bool raw = style_.format == VtuStyle::appended_raw;
    if (!style_.zlib) {
      const std::string stored = sizes({bytes.size()}) + bytes;
      return raw ? stored : base64(stored);
    }
    std::vector<std::size_t> header = {(bytes.size() + style_.block - 1) / style_.block, style_.block,
                                       bytes.size() % style_.block};
    std::string packed;
    for (std::size_t at = 0; at < bytes.size(); at += style_.block) {
      const std::string block = zipped(std::string_view(bytes).substr(at, style_.block));
      header.push_back(block.size());
      packed += block;
    }
    return raw ? sizes(header) + packed : base64(sizes(header)) + base64(packed);
  }

  VtuStyle style_;
  std::string appended_;
};

inline std::string vtu_sample(const VtuStyle& style) {
  VtuSample sample(style);
  return sample.file(sample.piece(sample_mesh(), {{0, 1, 2, 3}, {0, 2, 1}, {1, 2, 3, 4}, {1, 2, 4}, {0, 5}},
                                  {10, 5, 10, 5, 3}));
}

inline std::vector<VtuStyle> all_vtu_styles() {
  std::vector<VtuStyle> styles;
  for (const auto format :
       {VtuStyle::ascii, VtuStyle::inline_base64, VtuStyle::appended_base64, VtuStyle::appended_raw})
    for (int bits = 0; bits < 8; ++bits)
      styles.push_back({format, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
  return styles;
}

}  // namespace palpate::testing
