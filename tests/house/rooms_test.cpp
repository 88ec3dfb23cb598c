// The order of the house: a room may use the rooms above it, never below.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
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

// A user's own loop stays the user's: down to the world, nothing prints, waits, or starts a thread but where
// the work of one call is shared out.
std::vector<std::string> intrusions(const fs::path& source) {
  const std::regex forbidden(
      R"(\b(v?f?printf|f?puts|putchar|sleep)\s*\(|\bstd::(cout|cerr|clog|thread|jthread|async)\b|)"
      R"(\bfmt::print(ln)?\b|\b(sleep_for|sleep_until|usleep|nanosleep)\b)");
  const std::vector<std::string> own_threads = {"base/background.h", "base/background.cpp",
                                                "base/parallel.cpp"};
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    const std::string file = fs::relative(entry.path(), source).string();
    if (height_of(file.substr(0, file.find('/'))) > height_of("world")) continue;
    const bool has_threads = std::find(own_threads.begin(), own_threads.end(), file) != own_threads.end();
    std::ifstream in(entry.path());
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      line = line.substr(0, line.find("//"));
      // Expressions are slow: most lines have none of this.
      constexpr std::array parts = {"print", "put", "cout", "cerr", "clog", "thread", "async", "sleep"};
      const auto is_in_line = [&](const char* part) { return line.find(part) != std::string::npos; };
      std::smatch match;
      if (std::none_of(parts.begin(), parts.end(), is_in_line) || !std::regex_search(line, match, forbidden))
        continue;
      if (has_threads && match.str() == "std::thread") continue;
      found.push_back(file + ":" + std::to_string(number) + " has '" + match.str() + "'");
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Rooms, ALoopOfAUserStaysTheUsers) {
  for (const std::string& line : intrusions(fs::path(PALPATE_SOURCE_DIR) / "src/palpate"))
    ADD_FAILURE() << line << ": worlds never print, wait, or own threads";
}

TEST(Rooms, WhatIntrudesOnALoopIsFound) {
  const fs::path folder = fs::path(::testing::TempDir()) / "intrusions test";
  fs::remove_all(folder);
  for (const char* room : {"base", "world", "cli"}) fs::create_directories(folder / room);
  std::ofstream(folder / "base/parallel.cpp") << "std::thread t;\nstd::cout << 1;\n";
  std::ofstream(folder / "cli/main.cpp") << "std::printf(\"here it may\");\n";
  std::ofstream(folder / "world/world.cpp")
      << "// it never calls printf()\nstd::snprintf(to, 3, \"1\");\nsleeps(id);\nstd::fprintf (stderr, "
         "\"x\");\n"
         "std::this_thread::sleep_for(1s);\nfmt::print(\"x\");\nstd::thread t;\n";
  EXPECT_EQ(
      intrusions(folder),
      (std::vector<std::string>{"base/parallel.cpp:2 has 'std::cout'", "world/world.cpp:4 has 'fprintf ('",
                                "world/world.cpp:5 has 'sleep_for'", "world/world.cpp:6 has 'fmt::print'",
                                "world/world.cpp:7 has 'std::thread'"}));
  fs::remove_all(folder);
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
