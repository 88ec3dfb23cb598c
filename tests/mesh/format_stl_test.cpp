// STL: what is read, what is passed over, what is refused and where.
#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <palpate/mesh/files.h>
#include <palpate/mesh/formats/byte_cursor.h>
#include <support/mesh_files.h>

namespace palpate {
namespace {

using namespace testing;
using Triangles = std::vector<TriangleCorners>;

MeshFile read(std::string_view bytes) { return parse_mesh(MeshFormat::stl, bytes, "f"); }

std::string facet(const std::string& normal, const std::string& a, const std::string& b,
                  const std::string& c) {
  return "facet normal " + normal + "\nouter loop\nvertex " + a + "\nvertex " + b + "\nvertex " + c +
         "\nendloop\nendfacet\n";
}
const std::string two =
    facet("0 0 1", "0 0 0", "1 0 0", "0 1 0") + facet("nan nan nan", "1 0 0", "1 1 0", "-0 1 0");

const TriangleMesh tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                               {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};

// As a reader of soups sees it: vertices numbered as they appear in triangles, equal ones merged.
TriangleMesh as_soup(const TriangleMesh& mesh) {
  TriangleMesh soup;
  std::map<std::array<double, 3>, std::uint32_t> numbers;  // 0 and -0 are one key
  for (const TriangleCorners& t : mesh.triangles) {
    TriangleCorners corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& p = mesh.positions[t[k]];
      const auto [at, added] =
          numbers.try_emplace({p.x(), p.y(), p.z()}, static_cast<std::uint32_t>(soup.positions.size()));
      if (added) soup.positions.push_back(p);
      corners[k] = at->second;
    }
    soup.triangles.push_back(corners);
  }
  return soup;
}

TEST(FormatStl, ReadsTextAndMergesVertices) {
  const MeshFile mesh = read("solid a name, of facet words\n" + two + "endsolid a name\n");
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {1, 3, 2}}));
  EXPECT_EQ(mesh.encoding, "ASCII");
}

TEST(FormatStl, TextMayHaveSeveralSolidsInAnyCase) {
  std::string text = "solid\n" + two + "endsolid\n\nsolid b\nendsolid b\nsolid c\n" + two + "endsolid";
  EXPECT_EQ(read(text).triangles.size(), 4u);
  EXPECT_EQ(read(text).positions.size(), 4u);
  std::string upper, crlf;
  for (const char c : text) {
    upper += static_cast<char>(std::toupper(c));
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  EXPECT_EQ(read("  \t" + upper).triangles.size(), 4u);
  EXPECT_EQ(read(crlf).triangles.size(), 4u);
}

TEST(FormatStl, ReadsBinaryEvenIfItBeginsWithSolid) {
  std::string bytes = format_mesh(MeshFormat::stl, tetrahedron);
  EXPECT_EQ(bytes.size(), 84u + 4 * 50);
  bytes.replace(0, 21, "solid name\nfacet norm");
  for (int more : {0, 1, 49}) {
    const MeshFile mesh = read(bytes + std::string(static_cast<std::size_t>(more), '\0'));
    EXPECT_EQ(mesh.triangles.size(), 4u);
    EXPECT_EQ(mesh.encoding, "binary, float");
    EXPECT_EQ(warns_of(mesh, std::to_string(more) + " bytes after the data, from byte 284 on"), more > 0);
  }
  EXPECT_THROW(read(bytes + std::string(50, '\0')), Error);
}

TEST(FormatStl, WritesNormals) {
  TriangleMesh mesh = tetrahedron;
  mesh.triangles.push_back({1, 1, 2});
  mesh.positions.emplace_back(0, 1e30, 0);
  mesh.positions.emplace_back(1e30, 0, 0);
  mesh.triangles.push_back({0, 4, 5});
  const std::string bytes = format_mesh(MeshFormat::stl, mesh);
  const auto normal = [&](std::size_t i) {
    detail::ByteCursor at(bytes, "f", 84 + 50 * i);
    const float x = at.take<float>("x"), y = at.take<float>("y");
    return Vec3f(x, y, at.take<float>("z"));
  };
  EXPECT_EQ(normal(0), Vec3f(0, 0, -1));
  EXPECT_NEAR((normal(2) - Vec3f::Constant(std::sqrt(1.0f / 3))).norm(), 0, 1e-6);
  EXPECT_EQ(normal(4), Vec3f(0, 0, 0)) << "no area";
  EXPECT_EQ(normal(5), Vec3f(0, 0, -1)) << "products of lengths overflow";
}

TEST(FormatStl, RefusesTextWithPlaceAndReason) {
  const std::string f = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n";  // 4 lines
  const std::string vertices = "vertex 1 0 0\nvertex 0 1 0\n";
  expect_refused(MeshFormat::stl,
                 {{"solid", "f:1:6", "the file ends where 'facet' has to be"},
                  {"solid\nendsolid\n", "f", "no triangles"},
                  {"solid\nendsolid\nmore", "f:3:1", "'more' stands where 'solid' has to be"},
                  {"solid\nfacit", "f:2:1", "'facit' stands where 'facet' has to be"},
                  {"solid\nfacet 0 0 1", "f:2:7", "'0' stands where 'normal' has to be"},
                  {"solid\nfacet normal 0 0", "f:2:17", "the file ends where 'a normal' has to be"},
                  {"solid\nfacet normal 0 0 1\nouter lop", "f:3:7", "'lop' stands where 'loop' has to be"},
                  {f + "vertex 1 0\nvertex 0 1 0", "f:6:1", "'vertex' is not a finite number"},
                  {f + "vertex 1 0 inf", "f:5:12", "'inf' is not a finite number"},
                  {f + "endloop", "f:5:1", "'endloop' stands where 'vertex' has to be"},
                  {f + vertices + vertices, "f:7:1", "'vertex' stands where 'endloop' has to be"},
                  {f + vertices + "endloop\nfacet", "f:8:1", "'facet' stands where 'endfacet' has to be"},
                  {f + vertices + "endloop\nendfacet\n", "f:9:1", "the file ends where 'facet' has to be"}});
}

TEST(FormatStl, RefusesBinaryWithPlaceAndReason) {
  const std::string good = format_mesh(MeshFormat::stl, tetrahedron);
  std::string infinite = good, many = good;
  infinite[84 + 50 + 12 + 4 + 2] = '\x80', infinite[84 + 50 + 12 + 4 + 3] = '\x7f';
  many[83] = '\x7f';
  expect_refused(
      MeshFormat::stl,
      {{"", "f, byte 0", "the file ends too early"},
       {"", "f, byte 0", "there is nothing in it"},
       {" \n", "f, byte 0", "there is nothing in it"},
       {"hello", "f, byte 0", "the file ends too early"},
       {"hello", "f, byte 0", "text that does not begin with 'solid'"},
       {format_mesh(MeshFormat::obj, tetrahedron), "f, byte 0", "text that does not begin with 'solid'"},
       {format_mesh(MeshFormat::off, tetrahedron) + std::string(80, '\n'), "f, byte 0",
        "this is text that does not begin with 'solid'"},
       {good.substr(0, 82), "f, byte 80", "count of triangles"},
       {good.substr(0, 283), "f, byte 84", "4 triangles of 50 bytes each do not fit"},
       {many, "f, byte 84", "do not fit"},
       {infinite, "f, byte 150", "a coordinate of triangle 1 is inf"}});
}

TEST(FormatStl, RefusesWhatFloatsDoNotHold) {
  TriangleMesh mesh = tetrahedron;
  mesh.positions[3].x() = 1e39;
  EXPECT_THROW((void)format_mesh(MeshFormat::stl, mesh), Error);
}

// A reader finds neighbours by equal corners, so that corners which fall together would tear the surface.
TEST(FormatStl, RefusesWhatFallsTogetherInFloats) {
  const auto scaled = [](double scale, const Vec3& shift) {
    TriangleMesh mesh = tetrahedron;
    for (Vec3& p : mesh.positions) p = scale * p + shift;
    return mesh;
  };
  const auto problem = [](const TriangleMesh& mesh) {
    try {
      (void)format_mesh(MeshFormat::stl, mesh);
    } catch (const Error& error) {
      return error.where() + ": " + error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(problem(scaled(1e-37, Vec3::Zero())), "");
  EXPECT_EQ(problem(scaled(1, Vec3(1e6, 0, 0))), "");
  EXPECT_EQ(problem(scaled(0, Vec3::Zero())), "") << "nothing is lost";
  EXPECT_NE(problem(scaled(1e-39, Vec3::Zero())).find("1e-39, is too small for a float"), std::string::npos);
  EXPECT_NE(problem(scaled(1e-50, Vec3::Zero())).find("too small"), std::string::npos);
  EXPECT_EQ(problem(scaled(1e-3, Vec3(1e6, 0, 0))),
            "mesh 'for STL', triangle 0: two of its corners become one in the floats that binary STL has");
  // Text holds doubles. Beside coordinates of ordinary size a tiny one is as good as 0.
  EXPECT_NO_THROW((void)format_mesh(MeshFormat::stl, scaled(1e-50, Vec3::Zero()), {.ascii = true}));
  EXPECT_EQ(problem(scaled(1, Vec3(0, 0, 1e-60))), "");
}

TEST(FormatStl, CarriageReturnsAloneAreLineEnds) {
  std::string text = "solid a\n" + two + "endsolid a\n";
  std::replace(text.begin(), text.end(), '\n', '\r');
  EXPECT_EQ(read(text).triangles.size(), 2u);
  // Such bytes in a binary file are numbers.
  std::string bytes = format_mesh(MeshFormat::stl, tetrahedron);
  std::replace(bytes.begin(), bytes.end(), '\n', ' ');
  bytes[84 + 12] = '\r';
  EXPECT_EQ(read(bytes).positions[0].x(), static_cast<double>(std::bit_cast<float>(std::uint32_t{'\r'})));
}

TEST(FormatStlProperty, WhatIsWrittenIsReadToTheLastBit) {
  each_case(300, [](Random& random) {
    const bool ascii = random.chance(0.5);
    TriangleMesh mesh = random_mesh(random, true);
    // Text holds doubles.
    if (ascii)
      for (Vec3& p : mesh.positions) p *= 1 + random.uniform(0, 1e-6);
    const MeshFile got = read(format_mesh(MeshFormat::stl, mesh, {.ascii = ascii}));
    expect_same(got, as_soup(mesh));
  });
}

TEST(FormatStlProperty, ManyVerticesMergeAsInAMap) {
  each_case(5, [](Random& random) {
    TriangleMesh mesh;
    const auto grid = [&](double size) { return std::floor(random.uniform(-10, 10)) * size; };
    for (int i = 0; i < 20'000; ++i) {
      const double x = grid(1), y = grid(0.25);
      mesh.positions.emplace_back(x, y, grid(-3));
    }
    for (std::uint32_t i = 0; i + 2 < 20'000; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
    expect_same(read(format_mesh(MeshFormat::stl, mesh)), as_soup(mesh));
  });
}

TEST(FormatStlProperty, DamagedFilesGiveAMeshOrAnError) {
  each_case(40, [](Random& random) {
    const std::string bytes =
        format_mesh(MeshFormat::stl, random_mesh(random, true), {.ascii = random.chance(0.5)});
    expect_no_surprise(random, MeshFormat::stl, bytes);
  });
}

}  // namespace
}  // namespace palpate
