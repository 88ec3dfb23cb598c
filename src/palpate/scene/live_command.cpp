#include <palpate/scene/live_command.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>

namespace palpate {

namespace {

using nlohmann::json;
using Kind = LiveCommand::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 9> kinds = {{{"grab", Kind::grab},
                                                                     {"move", Kind::move},
                                                                     {"release", Kind::release},
                                                                     {"poke", Kind::poke},
                                                                     {"pin", Kind::pin},
                                                                     {"unpin", Kind::unpin},
                                                                     {"probe", Kind::probe},
                                                                     {"unprobe", Kind::unprobe},
                                                                     {"set", Kind::set}}};
constexpr double most = 1e9;  // metres, newtons, ...: whatever is larger is a mistake

[[noreturn]] void refuse(std::string problem, std::string remedy) {
  throw Error(Place::named("command", "of the page"), std::move(problem), std::move(remedy));
}

const json& field(const json& from, const char* key) {
  const auto at = from.find(key);
  if (at == from.end()) refuse(fmt::format("it has no '{}'", key), "See docs/protocol.md.");
  return *at;
}

double number(const json& value, const char* key) {
  const double x = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!(std::abs(x) <= most))
    refuse(fmt::format("'{}' has something that is no number of at most {:g}", key, most),
           "Give plain numbers in SI units.");
  return x;
}

Vec3 vector(const json& from, const char* key) {
  const json& list = field(from, key);
  if (!list.is_array() || list.size() != 3)
    refuse(fmt::format("'{}' is no list of three", key), "Give three numbers.");
  return {number(list[0], key), number(list[1], key), number(list[2], key)};
}

std::uint32_t whole(const json& value, const char* key) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 0xffffffff)
    refuse(fmt::format("'{}' has something that is no whole number", key), "Give one from 0 on.");
  return value.get<std::uint32_t>();
}

std::string text(const json& from, const char* key) {
  const json& value = field(from, key);
  if (!value.is_string()) refuse(fmt::format("'{}' is no text", key), "Put it in quotes.");
  return value.get<std::string>();
}

SurfacePoint point(const json& from) {
  const json& vertices = field(from, "vertices");
  if (!vertices.is_array() || vertices.size() != 3)
    refuse("'vertices' is no list of three", "Give the corners of a triangle.");
  SurfacePoint at;
  for (std::size_t k = 0; k < 3; ++k) at.vertices[k] = whole(vertices[k], "vertices");
  const Vec3 weights = vector(from, "weights");
  for (std::size_t k = 0; k < 3; ++k) at.weights[k] = weights[static_cast<Eigen::Index>(k)];
  const double sum = weights.sum();
  if (!(weights.minCoeff() >= -1e-6) || !(std::abs(sum - 1) <= 1e-3))
    refuse("the point is not on a triangle", "Weights are from 0 to 1, and sum up to 1.");
  // A page computes them in floats.
  double clean = 0;
  for (double& weight : at.weights) clean += weight = std::max(0.0, weight);
  for (double& weight : at.weights) weight /= clean;
  return at;
}

// As TOML would have it: there, too, texts are in quotes and lists in brackets.
std::string change_of(const json& command) {
  const std::string key = text(command, "key");
  const json& value = field(command, "value");
  const bool plain = value.is_number() || value.is_boolean() || value.is_string();
  const bool list = value.is_array() && value.size() <= 16 &&
                    std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_number(); });
  if (!plain && !list)
    refuse("'value' is no number, text, true, false or list of numbers", "Give one of these.");
  if (key.empty() || key.find_first_of("=\r\n") != std::string::npos)
    refuse("'key' is no name of a parameter", "Give one like \"contact.distance\".");
  return key + "=" + value.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace

LiveCommand parse_command(std::string_view bytes) {
  if (bytes.size() > longest_command)
    refuse("it is too long", fmt::format("{} bytes are enough for any.", longest_command));
  const json command = json::parse(bytes, nullptr, false);
  if (!command.is_object()) refuse("it is no JSON object", "See docs/protocol.md.");
  const std::string name = text(command, "do");
  LiveCommand result;
  bool known = false;
  std::vector<std::string> names;
  for (const auto& [one, kind] : kinds) {
    names.emplace_back(one);
    if (one != name) continue;
    result.kind = kind;
    known = true;
  }
  if (!known) refuse(fmt::format("nobody knows how to '{}'", name), did_you_mean(name, names));
  switch (result.kind) {
    case Kind::grab:
      result.hand = whole(field(command, "hand"), "hand");
      result.body = text(command, "body");
      result.at = point(command);
      if (command.contains("stiffness")) result.stiffness = number(command["stiffness"], "stiffness");
      if (result.stiffness < 0) refuse("'stiffness' is below 0", "Give 0 or more [N/m].");
      break;
    case Kind::move:
      result.hand = whole(field(command, "hand"), "hand");
      result.vector = vector(command, "to");
      break;
    case Kind::release:
      result.hand = whole(field(command, "hand"), "hand");
      break;
    case Kind::poke:
      result.vector = vector(command, "push");
      [[fallthrough]];
    case Kind::pin:
    case Kind::unpin:
      result.body = text(command, "body");
      result.at = point(command);
      break;
    case Kind::probe:
      result.vector = vector(command, "to");
      if (command.contains("radius")) result.radius = number(command["radius"], "radius");
      if (!(result.radius >= 1e-6)) refuse("'radius' is too small", "Give a length in metres.");
      break;
    case Kind::unprobe:
      break;
    case Kind::set:
      result.change = change_of(command);
      break;
  }
  return result;
}

}  // namespace palpate
