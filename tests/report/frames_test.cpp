#include <palpate/report/frames.h>

#include <pugixml.hpp>

#include "run_samples.h"

namespace palpate::testing {
namespace {

namespace fs = std::filesystem;
using Frames = RunFiles;

const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<TetCorners> tet = {{0, 1, 2, 3}};
const std::vector<TriangleCorners> triangle = {{0, 1, 2}};
const std::vector<std::array<std::uint32_t, 2>> edge = {{0, 3}};

FrameBody tet_body(std::string_view name) { return {.name = name, .positions = corners, .tets = tet}; }
FrameBody sheet(std::string_view name) { return {.name = name, .positions = corners, .triangles = triangle}; }

// The files that a collection names, in its order, each of which is there.
std::vector<std::string> files_in(const std::string& folder) {
  pugi::xml_document document;
  const auto result = document.load_file((folder + "/frames.pvd").c_str());
  EXPECT_TRUE(result) << result.description();
  std::vector<std::string> files;
  for (const auto& one : document.select_nodes("/VTKFile[@type='Collection']/Collection/DataSet")) {
    files.emplace_back(one.node().attribute("file").value());
    EXPECT_TRUE(fs::exists(folder + "/" + files.back())) << files.back();
  }
  return files;
}

TEST_F(Frames, ACollectionNamesAFileForEachBodyAndTime) {
  FrameExport frames(path(""), FrameFormat::vtu);
  EXPECT_TRUE(files_in(path("")).empty());  // closed from the beginning
  EXPECT_TRUE(frames.write(0, std::array{tet_body("liver"), sheet("skin & \"hair\"")}));
  EXPECT_EQ(files_in(path("")).size(), 2u);
  EXPECT_TRUE(frames.write(0.1, std::array{sheet("skin & \"hair\""), tet_body("liver"), sheet("new")}));
  EXPECT_EQ(files_in(path("")),
            (std::vector<std::string>{"frames/liver-000000.vtu", "frames/skin%20%26%20%22hair%22-000000.vtu",
                                      "frames/skin%20%26%20%22hair%22-000001.vtu", "frames/liver-000001.vtu",
                                      "frames/new-000001.vtu"}));
  EXPECT_EQ(frames.frames(), 2u);
  pugi::xml_document document;
  document.load_file(path("frames.pvd").c_str());
  const auto liver = document.select_nodes("//DataSet[@name='liver']");
  ASSERT_EQ(liver.size(), 2u);
  EXPECT_EQ(liver[1].node().attribute("timestep").as_double(), 0.1);
  EXPECT_STREQ(liver[0].node().attribute("part").value(), liver[1].node().attribute("part").value());
  EXPECT_EQ(document.select_nodes("//DataSet[@name='skin & \"hair\"']").size(), 2u);
  const MeshFile mesh = read_mesh(path("frames/liver-000001.vtu"));
  EXPECT_EQ(mesh.positions, corners);
  EXPECT_EQ(mesh.tets, tet);
  EXPECT_EQ(read_mesh(path("frames/new-000001.vtu")).triangles, triangle);
}

TEST_F(Frames, HolesAreLeftOut) {
  constexpr std::uint32_t none = no_index;
  const std::vector<TetCorners> cut = {{none, none, none, none}, {0, 1, 2, 3}};
  const std::vector<TriangleCorners> skin = {{0, 1, 2}, {none, none, none}, {0, 2, 3}};
  const std::vector<double> numbers = {7, 8, 1, 2};
  const FrameField field = {"load", numbers, 2};
  FrameBody solid{.name = "liver", .positions = corners, .tets = cut};
  solid.cell_data = {&field, 1};
  const FrameBody sheet_with_hole{.name = "skin", .positions = corners, .triangles = skin};
  FrameExport frames(path(""), FrameFormat::vtu, {.ascii = true});
  ASSERT_TRUE(frames.write(0, std::array{solid, sheet_with_hole})) << frames.failure()->what();
  EXPECT_EQ(read_mesh(path("frames/liver-000000.vtu")).tets, tet);
  EXPECT_EQ(read_mesh(path("frames/skin-000000.vtu")).triangles,
            (std::vector<TriangleCorners>{{0, 1, 2}, {0, 2, 3}}));
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(path("frames/liver-000000.vtu").c_str()));
  const std::string load = document.select_node("//CellData/DataArray[@Name='load']").node().child_value();
  EXPECT_NE(load.find("1 2"), std::string::npos) << load;
  EXPECT_EQ(load.find('7'), std::string::npos) << load;
  FrameExport gltf(path("gltf"), FrameFormat::gltf);
  EXPECT_TRUE(gltf.write(0, std::array{solid, sheet_with_hole}));
}

TEST_F(Frames, NamesThatFilesCannotTellApartGetNumbers) {
  FrameExport frames(path(""), FrameFormat::vtu);
  const std::array bodies = {sheet("Liver"), sheet("liver"), sheet("liver"), sheet(""), sheet("\xff")};
  EXPECT_TRUE(frames.write(0, bodies));
  EXPECT_TRUE(frames.write(1, bodies));
  const auto files = files_in(path(""));
  EXPECT_EQ(std::vector<std::string>(files.begin(), files.begin() + 5),
            (std::vector<std::string>{"frames/Liver-000000.vtu", "frames/liver-2-000000.vtu",
                                      "frames/liver-3-000000.vtu", "frames/unnamed-000000.vtu",
                                      "frames/%FF-000000.vtu"}));
  EXPECT_EQ(files[7], "frames/liver-3-000001.vtu");
  EXPECT_EQ(text_of(path("frames.pvd")).find('\xff'), std::string::npos);
}

TEST_F(Frames, CarryQuantities) {
  const std::vector<Vec3> velocities = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  const std::vector<double> energy = {0.5};
  const std::array points = {FrameField::vectors("velocity", velocities)};
  const std::array cells = {FrameField::scalars("energy", energy)};
  FrameBody string{.name = "string", .positions = corners, .edges = edge};
  FrameBody body = tet_body("liver");
  string.point_data = body.point_data = points;
  string.cell_data = body.cell_data = cells;
  FrameExport frames(path(""), FrameFormat::vtu, {.ascii = true});
  ASSERT_TRUE(frames.write(0, std::array{body, string}));
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(path("frames/liver-000000.vtu").c_str()));
  const auto velocity = document.select_node("//PointData/DataArray[@Name='velocity']").node();
  EXPECT_STREQ(velocity.attribute("NumberOfComponents").value(), "3");
  EXPECT_STREQ(velocity.text().get(), "\n1 2 3 4 5 6 7 8 9 10 11 12\n");
  EXPECT_STREQ(document.select_node("//CellData/DataArray[@Name='energy']").node().text().get(), "\n0.5\n");
  ASSERT_TRUE(document.load_file(path("frames/string-000000.vtu").c_str()));
  EXPECT_STREQ(document.select_node("//DataArray[@Name='types']").node().text().get(), "\n3\n");
  EXPECT_STREQ(document.select_node("//DataArray[@Name='connectivity']").node().text().get(), "\n0 3\n");
}

TEST_F(Frames, GltfHasAllSurfacesInOneFile) {
  FrameExport frames(path(""), FrameFormat::gltf);
  const FrameBody string{.name = "string", .positions = corners, .edges = edge};
  EXPECT_TRUE(frames.write(0, std::array{tet_body("a"), sheet("b"), string}));
  EXPECT_TRUE(frames.write(0.5, std::array{sheet("b")}));
  EXPECT_EQ(text_of(path("frames.csv")),
            "frame,time_s,file\n0,0,frames/frame-000000.glb\n1,0.5,frames/frame-000001.glb\n");
  const std::string file = text_of(path("frames/frame-000000.glb"));
  EXPECT_TRUE(file.starts_with("glTF"));
  expect_in(file, "\"count\":15");  // corners of four faces and one triangle
  EXPECT_FALSE(frames.write(1, std::array{string}));
  expect_in(frames.failure().value().what(), "no triangles");
}

TEST_F(Frames, WhatIsWrongEndsTheExportAndKeepsWhatIsThere) {
  std::vector<Vec3> broken = corners;
  broken[2].y() = std::numeric_limits<double>::quiet_NaN();
  const std::vector<TriangleCorners> far = {{0, 1, 9}};
  const std::vector<double> few = {1, 2};
  const std::array fields = {FrameField::scalars("few", few)}, odd = {FrameField{"a<b", {}, 1}};
  FrameBody nan = sheet("nan"), range = sheet("range"), short_field = sheet("short"),
            odd_field = sheet("odd");
  nan.positions = broken;
  range.triangles = far;
  short_field.point_data = fields;
  odd_field.point_data = odd;
  const std::pair<FrameBody, const char*> cases[] = {{nan, "body 'nan', vertex 2"},
                                                     {range, "there is no vertex 9"},
                                                     {short_field, "it has 2 values"},
                                                     {odd_field, "its name is not made of"}};
  for (const auto& [bad, message] : cases) {
    FrameExport frames(path(""), FrameFormat::vtu);
    EXPECT_TRUE(frames.write(0, std::array{sheet("good")}));
    EXPECT_FALSE(frames.write(1, std::array{sheet("good"), bad}));
    ASSERT_TRUE(frames.failure());
    expect_in(frames.failure()->what(), message);
    EXPECT_FALSE(frames.write(2, std::array{sheet("good")}));
    EXPECT_EQ(frames.frames(), 1u);
    EXPECT_EQ(files_in(path("")), (std::vector<std::string>{"frames/good-000000.vtu"}));
    EXPECT_FALSE(fs::exists(path("frames/good-000001.vtu"))) << "half a frame was left";
  }
}

TEST_F(Frames, RefuseAPlaceThatCannotBe) {
  std::ofstream(path("frames")) << "x";
  expect_in(message_of([&] { FrameExport frames(path(""), FrameFormat::vtu); }), "cannot make this folder");
}

TEST(FrameFormat, HasANameForTheCommandLine) {
  EXPECT_EQ(frame_format_named("vtu"), FrameFormat::vtu);
  EXPECT_EQ(frame_format_named("gltf"), FrameFormat::gltf);
  EXPECT_FALSE(frame_format_named("obj"));
}

using FramesDeathTest = RunFiles;

TEST_F(FramesDeathTest, ADiskThatFillsUpLeavesACollectionThatCanBeRead) {
  const auto fill = [&] {
    let_files_end_at(3000);
    FrameExport frames(path(""), FrameFormat::vtu);
    std::size_t written = 0;
    while (written < 1000 && frames.write(static_cast<double>(written), std::array{sheet("a"), sheet("b")}))
      ++written;
    std::_Exit(frames.failure() && written > 5 && written == frames.frames() ? 0 : 1);
  };
  EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "");
  const auto files = files_in(path(""));
  EXPECT_GT(files.size(), 10u);
  EXPECT_EQ(files.size() % 2, 0u);
  EXPECT_EQ(static_cast<std::size_t>(
                std::distance(fs::directory_iterator(path("frames")), fs::directory_iterator())),
            files.size());
}

}  // namespace
}  // namespace palpate::testing
