// The order of the house: a room may use the rooms above it, never below.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace palpate {
namespace {

namespace fs = std::filesystem;

// From the top down, as in docs/architecture.md.
const std::vector<std::string> rooms = {"base",  "geometry", "mesh",    "collide", "nurbs", "map",    "solve",
                                        "soft",  "rigid",    "respond", "cut",     "crowd", "needle", "world",
                                        "scene", "report",   "study",   "serve",   "cli"};

std::size_t height_of(const std::string& room) {
  return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
}

// The room that a line includes from, if it includes one: #include <palpate/ROOM/...> or with quotes.
std::optional<std::string> included_room(std::string line) {
  line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t'; }),
             line.end());
  for (const std::string start : {"#include<palpate/", "#include\"palpate/"})
    if (line.starts_with(start))
      return line.substr(start.size(), line.find('/', start.size()) - start.size());
  return std::nullopt;
}

// What is wrong with the sources below src/palpate of a tree: one line each.
std::vector<std::string> violations(const fs::path& source) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    const std::string file = fs::relative(entry.path(), source).string(),
                      room = file.substr(0, file.find('/'));
    if (height_of(room) == rooms.size()) found.push_back(file + " stands in no room of the house");
    std::ifstream in(entry.path());
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const auto used = included_room(line);
      if (used && height_of(*used) > height_of(room))
        found.push_back(file + ":" + std::to_string(number) + " uses '" + *used + "', a room below its own");
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Rooms, NoRoomUsesARoomBelow) {
  const auto found = violations(fs::path(PALPATE_SOURCE_DIR) / "src/palpate");
  for (const std::string& line : found) ADD_FAILURE() << line;
}

TEST(Rooms, TheCheckItselfFindsAViolation) {
  const fs::path folder = fs::path(::testing::TempDir()) / "rooms test";
  fs::remove_all(folder);
  fs::create_directories(folder / "geometry");
  fs::create_directories(folder / "attic");
  std::ofstream(folder / "geometry/a.h")
      << "#include <palpate/base/error.h>\n#include <palpate/geometry/b.h>\n";
  EXPECT_TRUE(violations(folder).empty());
  std::ofstream(folder / "geometry/b.h") << "#pragma once\n#  include \"palpate/mesh/topology.h\"\n";
  std::ofstream(folder / "attic/c.cpp") << "\n";
  EXPECT_EQ(violations(folder),
            (std::vector<std::string>{"attic/c.cpp stands in no room of the house",
                                      "geometry/b.h:2 uses 'mesh', a room below its own"}));
  fs::remove_all(folder);
}

TEST(Rooms, TheArchitecturePageHasThemInThisOrder) {
  std::ifstream in(fs::path(PALPATE_SOURCE_DIR) / "docs/architecture.md");
  const std::string page((std::istreambuf_iterator<char>(in)), {});
  std::size_t place = 0;
  for (const std::string& room : rooms) {
    const std::size_t found = page.find("`" + room + "/`", place);
    ASSERT_NE(found, std::string::npos) << room << " is not in docs/architecture.md, or not in its place";
    place = found;
  }
}

}  // namespace
}  // namespace palpate
