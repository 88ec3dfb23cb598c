// PLY files that are wrong: where, and what is said about it.
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <palpate/mesh/files.h>
#include <support/mesh_files.h>
#include <support/ply_files.h>

namespace palpate {
namespace {

using namespace testing;

TEST(FormatPlyBroken, RefusesHeadersWithPlaceAndReason) {
  const std::string start = "ply\nformat ascii 1.0\n";
  const auto with = [&](const std::string& rest) { return start + rest + "end_header\n"; };
  const std::string v = "element vertex 1\n" + ply_xyz;  // lines 3 to 6
  expect_refused(
      MeshFormat::ply,
      {{"", "f:1:1", "begins with a line 'ply'"},
       {"plyx\n", "f:1:1", "begins with a line 'ply'"},
       {"ply\n", "f:2:1", "the file ends inside its header"},
       {start + v, "f:7:1", "the file ends inside its header"},
       {"ply\nend_header\n", "f:3:1", "no line 'format'"},
       {"ply\nformat text 1.0\n", "f:2:8", "the format has to be"},
       {"ply\nformat ascii 2.0\n", "f:2:14", "the only version"},
       {start + "format ascii 1.0\n", "f:3:1", "two lines 'format'"},
       {with("elements vertex 1\n"), "f:3:1", "'elements' is not a line of a PLY header"},
       {with("element vertex\n"), "f:3:15", "a count is missing"},
       {with("element vertex -1\n"), "f:3:16", "count -1 is out of range"},
       {with("element vertex 1 2\n"), "f:3:18", "'2' is unexpected"},
       {with("element\n"), "f:3:8", "the name of the element is missing"},
       {with("property float x\n"), "f:3:1", "before the first element"},
       {with(v + "element vertex 1\n"), "f:7:9", "two elements 'vertex'"},
       {with(v + "property int x\n"), "f:7:14", "two properties 'x'"},
       {with("element vertex 1\nproperty real x\n"), "f:4:10", "'real' is not a type of PLY"},
       {with("element vertex 1\nproperty float\n"), "f:4:15", "the name of the property is missing"},
       {with("element face 1\nproperty list float int vertex_indices\n"), "f:4:15", "integer type"},
       {with("element face 1\n" + ply_corners), "f:6:1", "no element 'vertex'"},
       {with("element vertex 1\nproperty float x\nproperty float y\n"), "f:7:1", "no property 'z'"},
       {with("element vertex 0\nproperty float x\nproperty float y\nproperty list int int z\n"), "f:8:1",
        "no scalar property 'z'"},
       {with(v + "element face 1\nproperty list uchar float vertex_indices\n"), "f:10:1",
        "indices are integers"},
       {with(v + "element face 1\nproperty int vertex_indices\n"), "f:10:1", "no list 'vertex_indices'"},
       {with("element vertex 4294967295\n" + ply_xyz), "f:8:1", "more than Palpate can number"}});
}

TEST(FormatPlyBroken, RefusesTextWithPlaceAndReason) {
  const auto with = [](const std::string& data) {
    return ascii_ply("element vertex 2\n" + ply_xyz + "element face 1\n" + ply_corners, data);
  };  // data from line 10 on
  expect_refused(
      MeshFormat::ply,
      {{with(""), "f:10:1", "2 elements 'vertex' cannot be in the 0 bytes"},
       {with("0 0 0\n          \n"), "f:12:1", "the file ends before all 2 elements 'vertex'"},
       {with("0 0 0\n0 0 0\n"), "f:12:1", "1 elements 'face' cannot be in the 0 bytes"},
       {with("0 0 0\n0 0 0\n   \n"), "f:13:1", "the file ends before all 1 elements 'face'"},
       {with("0 0\n0 0 0 0\n3 0 0 0\n"), "f:10:4", "a coordinate is missing"},
       {with("0 0 0 0\n0 0 0\n3 0 0 0\n"), "f:10:7", "'0' is unexpected after the values of a vertex"},
       {with("0 0 nan\n0 0 0\n3 0 0 0\n"), "f:10:5", "'nan' is not a finite number"},
       {with("0 0 0\n0 0 0\n3 0 0\n"), "f:12:6", "a vertex index is missing"},
       {with("0 0 0\n0 0 0\n3 0 1 2\n"), "f:12:7",
        "vertex index 2 is out of range: it has to be from 0 to 1"},
       {with("0 0 0\n0 0 0\n3 0 1 -1\n"), "f:12:7", "vertex index -1 is out of range"},
       {with("0 0 0\n0 0 0\n3 0 1 1.0\n"), "f:12:7", "'1.0' is not a whole number"},
       {with("0 0 0\n0 0 0\n-3 0 1 1\n"), "f:12:1", "count of a list -3 is out of range"},
       {with("0 0 0\n0 0 0\n3 0 1 1 1\n"), "f:12:9", "'1' is unexpected after a face"},
       {with("0 0 0\n0 0 0\n2 0 1\n"), "f", "no triangles"},
       {ascii_ply("element vertex 0\n" + ply_xyz + "element face 1\n" + ply_corners, "3 0 0 0\n"), "f:10:3",
        "there are none"},
       {ascii_ply("element vertex 1\nproperty int a\n" + ply_xyz, "0 0\n   0\n"), "f:9:4",
        "a coordinate is missing"},
       {ascii_ply("element vertex 1\n" + ply_xyz + "property int a\n", "0 0 0\n \n"), "f:9:6",
        "a value of 'a' is missing"},
       {ascii_ply("element other 99999999999999\nproperty int a\nelement vertex 0\n" + ply_xyz, "1 2 3\n"),
        "f:10:1", "99999999999999 elements 'other' cannot be"}});
}

TEST(FormatPlyBroken, RefusesBinaryWithPlaceAndReason) {
  const std::string elements =
      "element vertex 3\n" + ply_xyz + "element face 1\nproperty list char int vertex_indices\n";
  for (const bool big : {false, true}) {
    const std::size_t start = binary_ply(big, elements, "").size();
    const auto at = [&](std::size_t offset) { return "f, byte " + std::to_string(start + offset); };
    const auto points = [&] { return PlyData(big).add<float>(0, 0, 0, 1, 0, 0, 0, 1, 0); };
    const float infinity = std::numeric_limits<float>::infinity();
    const auto with = [&](const PlyData& data) { return binary_ply(big, elements, data.bytes()); };
    expect_refused(
        MeshFormat::ply,
        {{with(PlyData(big)), at(0), "3 elements 'vertex' of 12 bytes each do not fit in the 0 bytes"},
         {with(points()), at(36), "1 elements 'face' of 1 bytes each do not fit"},
         {with(points().add<char>(3)), at(37), "3 vertex indices of 4 bytes each do not fit in the 0 bytes"},
         {with(points().add<char>(-3).add<int>(0, 1, 2)), at(36), "a list cannot have -3 values"},
         {with(points().add<char>(3).add<int>(0, 1, 3)), at(45), "there is no vertex 3: the file has 3"},
         {with(points().add<char>(3).add<int>(-1, 1, 2)), at(37), "there is no vertex -1"},
         {with(points().add<char>(4).add<int>(0, 1, 2, -7)), at(49), "there is no vertex -7"},
         {with(PlyData(big).add<float>(0, 0, 0, 1, infinity, 0, 0, 1, 0).add<char>(3).add<int>(0, 1, 2)),
          at(16), "coordinate y is inf"}});
    const std::string huge = "element vertex 4000000000\n" + ply_xyz;
    EXPECT_NE(refusal(MeshFormat::ply, binary_ply(big, huge, "0")).problem.find("do not fit"),
              std::string::npos);
  }
}

TEST(FormatPlyBrokenProperty, DamagedFilesGiveAMeshOrAnError) {
  each_case(40, [](Random& random) {
    const WriteOptions options{.ascii = random.chance(0.3),
                               .big_endian = random.chance(0.5),
                               .single_precision = random.chance(0.5)};
    expect_no_surprise(random, MeshFormat::ply,
                       format_mesh(MeshFormat::ply, random_mesh(random, true), options));
  });
}

TEST(FormatPlyBrokenProperty, EveryTruncationOfABinaryFileIsRefused) {
  each_case(30, [](Random& random) {
    const WriteOptions options{.big_endian = random.chance(0.5), .single_precision = random.chance(0.5)};
    const std::string bytes = format_mesh(MeshFormat::ply, random_mesh(random, true), options);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(is_read_or_refused(MeshFormat::ply, std::string_view(bytes).substr(0, size))) << size;
  });
}

}  // namespace
}  // namespace palpate
