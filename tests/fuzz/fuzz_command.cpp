// A libFuzzer target for commands to a running world: whatever the bytes are, parse_command() returns a
// command with finite numbers or throws Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <palpate/base/error.h>
#include <palpate/scene/live_command.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace palpate;
  try {
    const LiveCommand command = parse_command({reinterpret_cast<const char*>(data), size});
    double sum = 0;
    for (const double weight : command.at.weights) sum += weight;
    if (!command.vector.allFinite() || !(std::abs(sum - 1) < 1e-9) || !(command.radius > 0)) std::abort();
    if (command.change.find('\n') != std::string::npos) std::abort();
  } catch (const Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
  }
  return 0;
}
