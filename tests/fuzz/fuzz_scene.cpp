// A libFuzzer target for scene files: whatever the bytes are, parse_scene() returns a scene or throws Error,
// and the text of a scene is the same scene. Lines that begin with "--set " are overrides. (Time is
// libFuzzer's own -timeout.)
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/scene/read_scene.h>

namespace {

using namespace palpate;

// Splits the bytes into the scene and what is set from outside.
std::string split(std::string_view bytes, std::vector<std::string>& overrides) {
  constexpr std::string_view set = "--set ";
  std::string text;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    if (line.starts_with(set))
      overrides.emplace_back(line.substr(set.size()));
    else
      text.append(line).append(end == std::string_view::npos ? "" : "\n");
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return text;
}

// What was read must be readable again: an Error here is a failure.
void read_again(const Scene& scene) {
  const Scene again = parse_scene(scene.text, "again", {}, "/somewhere/else");
  if (again == scene) return;
  std::fprintf(stderr, "read again, the scene differs:\n%s\n", scene.text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> overrides;
  const std::string text = split({reinterpret_cast<const char*>(data), size}, overrides);
  Scene scene;
  try {
    scene = parse_scene(text, "fuzz", overrides, "/folder");
  } catch (const Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
    return 0;
  }
  read_again(scene);
  return 0;
}
