// A libFuzzer target for commands to a running world: whatever the bytes are, parse_command() returns a
// command with finite numbers or throws Error; and a session, which reads them first, sees none that go deep,
// keeps a text that stands for the same command, and answers with the command's own number.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/scene/live_command.h>
#include <palpate/serve/session.h>

namespace {

using namespace palpate;
using nlohmann::json;

constexpr int deepest = 32;

// The command, if it is one.
std::optional<LiveCommand> command_of(std::string_view text) {
  try {
    const LiveCommand command = parse_command(text);
    double sum = 0;
    for (const double weight : command.at.weights) sum += weight;
    if (!command.vector.allFinite() || !(std::abs(sum - 1) < 1e-9) || !(command.radius > 0)) std::abort();
    if (command.change.find('\n') != std::string::npos) std::abort();
    return command;
  } catch (const Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
    return std::nullopt;
  }
}

bool same(const LiveCommand& a, const LiveCommand& b) {
  return a.kind == b.kind && a.hand == b.hand && a.body == b.body && a.at.vertices == b.at.vertices &&
         a.at.weights == b.at.weights && a.vector == b.vector && a.stiffness == b.stiffness &&
         a.radius == b.radius && a.change == b.change;
}

// Lists and objects inside of each other. Of those that go too deep, no more is looked at.
int depth_of(const json& value, int above = 0) {
  int most = 0;
  if (!value.is_structured() || above > deepest) return above;
  for (const json& one : value) most = std::max(most, depth_of(one, above + 1));
  return std::max(most, above + 1);
}

void take_as_a_session_does(std::string_view text, const std::optional<LiveCommand>& meant) {
  if (!is_flat(text)) return;
  const json command = json::parse(text, nullptr, false);
  if (depth_of(command) > deepest) std::abort();
  if (!command.is_object()) return;
  const std::string id =
      command.contains("id") && command["id"].is_number() ? command["id"].dump() : std::string();
  const json answer = json::parse(error_answer(id, Error({}, std::string(text), "Ask again.")));
  if (answer.at("ok") != false || answer.at("id") != (id.empty() ? json() : command["id"])) std::abort();
  const std::string kept = command.dump(-1, ' ', false, json::error_handler_t::replace);
  if (kept.size() > longest_command || text.size() > longest_command) return;
  const std::optional<LiveCommand> again = command_of(kept);
  if (meant && (!again || !same(*again, *meant))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  take_as_a_session_does(text, command_of(text));
  return 0;
}
