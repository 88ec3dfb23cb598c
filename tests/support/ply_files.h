// PLY files for tests, put together by hand.
#pragma once

#include <bit>
#include <string>

#include <palpate/mesh/formats/byte_cursor.h>

namespace palpate::testing {

inline const std::string ply_xyz = "property float x\nproperty float y\nproperty float z\n";
inline const std::string ply_corners = "property list uchar int vertex_indices\n";

inline std::string ply_file(const std::string& format, const std::string& elements, const std::string& data) {
  return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n" + data;
}
inline std::string ascii_ply(const std::string& elements, const std::string& data) {
  return ply_file("ascii", elements, data);
}
inline std::string binary_ply(bool big, const std::string& elements, const std::string& data) {
  return ply_file(big ? "binary_big_endian" : "binary_little_endian", elements, data);
}

// Values in the byte order of the file.
class PlyData {
 public:
  explicit PlyData(bool big) : swap_(big == (std::endian::native == std::endian::little)) {}
  template <class T, class... Values>
  PlyData& add(Values... values) {
    (detail::append_bytes(bytes_, static_cast<T>(values), swap_), ...);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  bool swap_;
  std::string bytes_;
};

}  // namespace palpate::testing
