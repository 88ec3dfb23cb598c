// Mesh files for tests of readers: random meshes, broken files with the message they must give, and damage.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>
#include <support/cases.h>

namespace palpate::testing {

// The message a reader refuses this file with; fails the test if it does not.
struct Refusal {
  std::string where, problem;
};
inline Refusal refusal(MeshFormat format, std::string_view bytes) {
  try {
    (void)parse_mesh(format, bytes, "f");
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return {error.where(), error.problem()};
  }
  ADD_FAILURE() << "read without complaint:\n" << bytes;
  return {};
}

// A file, where something is wrong in it ("f:3:1" or "f, byte 12") and a piece of what is said about it.
struct Broken {
  std::string bytes, where, reason;
};
inline void expect_refused(MeshFormat format, const std::vector<Broken>& files) {
  for (const Broken& file : files) {
    SCOPED_TRACE(file.bytes);
    const Refusal got = refusal(format, file.bytes);
    EXPECT_EQ(got.where, file.where) << got.problem;
    EXPECT_NE(got.problem.find(file.reason), std::string::npos) << got.problem;
  }
}

inline bool warns_of(const MeshFile& mesh, std::string_view piece) {
  return std::any_of(mesh.warnings.begin(), mesh.warnings.end(),
                     [&](const std::string& w) { return w.find(piece) != std::string::npos; });
}

// Coordinates of all sizes, triangles that may be degenerate, vertices in no triangle.
inline TriangleMesh random_mesh(Random& random, bool floats = false) {
  TriangleMesh mesh;
  const double largest = floats ? 1e37 : 1e300;
  for (std::size_t n = 1 + random.below(20); n > 0; --n) {
    Vec3 p;
    for (double& x : p) {
      x = random.chance(0.2) ? std::copysign(0.0, random.uniform(-1, 1))
                             : random.magnitude(1 / largest, largest);
      if (floats) x = static_cast<double>(static_cast<float>(x));
    }
    mesh.positions.push_back(p);
  }
  const auto vertex = [&] { return static_cast<std::uint32_t>(random.below(mesh.positions.size())); };
  for (std::size_t n = 1 + random.below(20); n > 0; --n) {
    const std::uint32_t a = vertex(), b = vertex();
    mesh.triangles.push_back({a, b, vertex()});
  }
  return mesh;
}

// Equal to the last bit, signs of zeros included.
inline bool same_bits(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (a[i][k] != b[i][k] || std::signbit(a[i][k]) != std::signbit(b[i][k])) return false;
  return true;
}
inline void expect_same(const MeshFile& got, const TriangleMesh& want) {
  EXPECT_TRUE(same_bits(got.positions, want.positions));
  EXPECT_EQ(got.triangles, want.triangles);
  EXPECT_TRUE(got.warnings.empty()) << got.warnings[0];
}

// Flips a bit, changes, inserts or removes a byte, or doubles or removes a line; several times.
inline std::string damaged(Random& random, std::string bytes) {
  for (std::size_t times = 1 + random.below(4); times > 0 && !bytes.empty(); --times) {
    const std::size_t at = random.below(bytes.size());
    const std::size_t before = at == 0 ? std::string::npos : bytes.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    const char any = static_cast<char>(random.below(256));
    const char likely = "0123456789-+.e/ \t\r\n#\\nfv"[random.below(25)];
    switch (random.below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 1:
        bytes[at] = any;
        break;
      case 2:
        bytes[at] = likely;
        break;
      case 3:
        bytes.insert(at, 1, likely);
        break;
      case 4:
        bytes.erase(at, 1 + random.below(3));
        break;
      case 5:
        bytes.insert(begin, bytes.substr(begin, end - begin));
        break;
      default:
        bytes.erase(begin, end - begin);
    }
  }
  return bytes;
}

// A mesh whose indices and coordinates are good, or an Error: nothing else may happen. True for the mesh.
inline bool is_read_or_refused(MeshFormat format, std::string_view bytes) {
  try {
    const MeshFile mesh = parse_mesh(format, bytes, "f");
    for (const Vec3& p : mesh.positions) EXPECT_TRUE(p.allFinite());
    for (const TriangleCorners& t : mesh.triangles)
      for (const std::uint32_t v : t) EXPECT_LT(v, mesh.positions.size());
    return true;
  } catch (const Error& error) {
    EXPECT_FALSE(error.problem().empty());
    return false;
  }
}

// Both for a file that is right: cut off anywhere, and damaged.
inline void expect_no_surprise(Random& random, MeshFormat format, const std::string& bytes) {
  EXPECT_TRUE(is_read_or_refused(format, bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    is_read_or_refused(format, std::string_view(bytes).substr(0, size));
  for (int i = 0; i < 200; ++i) is_read_or_refused(format, damaged(random, bytes));
}

}  // namespace palpate::testing
