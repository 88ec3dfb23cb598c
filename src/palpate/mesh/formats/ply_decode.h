// Binary PLY elements of fixed size, decoded in tight loops: no messages, only where it had to stop.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include <palpate/base/parallel.h>
#include <palpate/mesh/formats/byte_cursor.h>
#include <palpate/mesh/formats/ply_header.h>

namespace palpate::detail {

// body(T{}) with the C++ type.
template <class Body>
decltype(auto) with_integer_type(PlyType type, Body&& body) {
  switch (type) {
    case PlyType::int8:
      return body(std::int8_t{});
    case PlyType::uint8:
      return body(std::uint8_t{});
    case PlyType::int16:
      return body(std::int16_t{});
    case PlyType::uint16:
      return body(std::uint16_t{});
    case PlyType::int32:
      return body(std::int32_t{});
    default:
      return body(std::uint32_t{});
  }
}
template <class Body>
decltype(auto) with_type(PlyType type, Body&& body) {
  if (type == PlyType::float32) return body(float{});
  if (type == PlyType::float64) return body(double{});
  return with_integer_type(type, body);
}

// Where things are in an element of fixed size.
struct VertexLayout {
  const char* base;
  std::size_t stride;
  std::array<std::size_t, 3> axes;
};
struct TriangleLayout {
  const char* base;
  std::size_t stride, count, corners;
  std::array<char, 4> three;  // what the count has to be, in the file's type and byte order
  std::size_t count_size;
};

// Both decode [chunk.begin, chunk.end) and return where they had to stop.
template <class T, bool swap>
std::size_t decode_vertices(const VertexLayout& from, Chunk chunk, Vec3* to) {
  bool good = true;
  for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
    const char* const at = from.base + i * from.stride;
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = static_cast<double>(from_bytes<T>(at + from.axes[k], swap));
      good &= std::abs(x) <= std::numeric_limits<double>::max();
      to[i][static_cast<Eigen::Index>(k)] = x;
    }
  }
  if (good) return chunk.end;
  std::size_t first = chunk.begin;
  while (to[first].allFinite()) ++first;
  return first;
}

template <class T, bool swap>
TriangleCorners corners_at(const char* at) {
  // A negative index becomes one that is too large.
  const auto corner = [&](std::size_t k) {
    if constexpr (std::is_same_v<T, std::int8_t>) {
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(from_bytes<T>(at + k, swap)));
    } else {
      return static_cast<std::uint32_t>(from_bytes<T>(at + k * sizeof(T), swap));
    }
  };
  return {corner(0), corner(1), corner(2)};
}

template <class T, bool swap>
std::size_t decode_triangles(const TriangleLayout& from, Chunk chunk, std::uint32_t vertices,
                             TriangleCorners* to) {
  const auto count_is_three = [&](const char* at) {
    bool three = true;
    for (std::size_t k = 0; k < from.count_size; ++k) three &= at[from.count + k] == from.three[k];
    return three;
  };
  // Nearly always all is well and the count a byte: then nothing is decided inside the loop.
  if (from.count_size == 1) {
    bool good = true;
    std::uint32_t largest = 0;
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      const char* const at = from.base + i * from.stride;
      const TriangleCorners t = corners_at<T, swap>(at + from.corners);
      good &= at[from.count] == from.three[0];
      largest = std::max({largest, t[0], t[1], t[2]});
      to[i] = t;
    }
    if (good && largest < vertices) return chunk.end;
  }
  for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
    const char* const at = from.base + i * from.stride;
    const TriangleCorners t = corners_at<T, swap>(at + from.corners);
    if (!(count_is_three(at) && t[0] < vertices && t[1] < vertices && t[2] < vertices)) return i;
    to[i] = t;
  }
  return chunk.end;
}

}  // namespace palpate::detail
