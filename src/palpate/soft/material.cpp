#include <palpate/soft/material.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>

namespace palpate {

namespace {

constexpr std::string_view data_book =
    "Cambridge University Engineering Department, Materials Data Book, 2003";
constexpr std::string_view mckee_pressed =
    "McKee, Last, Russell & Murphy 2011 (indentation), Tissue Engineering B 17(3)";
constexpr std::string_view mckee_pulled =
    "McKee, Last, Russell & Murphy 2011 (tension), Tissue Engineering B 17(3)";

// Between the ends of a range, by ratio: they are often apart by a factor.
constexpr std::array<NamedMaterial, 16> table = {{
    {"steel", {7800, 199e9, 0.29}, 189e9, 210e9, data_book},
    {"concrete", {2400, 22e9, 0.2}, 10e9, 50e9, data_book},
    {"nylon", {1130, 2.9e9, 0.38}, 2.62e9, 3.2e9, data_book},
    {"silicone", {1300, 10e6, 0.48}, 5e6, 20e6, data_book},
    {"rubber", {930, 1.9e6, 0.49}, 1.5e6, 2.5e6, data_book},
    {"neoprene", {1240, 1.2e6, 0.49}, 0.7e6, 2e6, data_book},
    {"flexible_foam", {60, 0.55e6, 0.3}, 0.3e6, 1e6, data_book},
    {"skin", {1100, 85e3, 0.48}, {}, {}, mckee_pressed},
    {"spinal_cord", {1040, 3e3, 0.48}, {}, {}, mckee_pressed},
    {"muscle", {1060, 7e3, 0.48}, {}, {}, mckee_pressed},
    {"breast", {990, 8e3, 0.48}, {}, {}, mckee_pressed},
    {"skin_pulled", {1100, 30e6, 0.48}, {}, {}, mckee_pulled},
    {"spinal_cord_pulled", {1040, 2e6, 0.48}, {}, {}, mckee_pulled},
    {"muscle_pulled", {1060, 480e6, 0.48}, {}, {}, mckee_pulled},
    {"tendon_pulled", {1120, 560e6, 0.48}, {}, {}, mckee_pulled},
    {"sclera_pulled", {1080, 2.7e6, 0.48}, {}, {}, mckee_pulled},
}};

void require_number(std::string_view name, std::string_view what, double value, bool is_right,
                    std::string_view advice) {
  if (is_right && std::isfinite(value)) return;
  throw Error(Place::named("material", name), fmt::format("its {} is {}", what, value), std::string(advice));
}

}  // namespace

std::string_view name_of(Model model) {
  constexpr std::array<std::string_view, 3> names = {"stvk", "neo_hookean", "corotated"};
  return names[static_cast<std::size_t>(model)];
}

void require(const Material& m, std::string_view name) {
  require_number(name, "density", m.density, m.density > 0,
                 "Give kilograms for a cubic metre; water has 1000.");
  require_number(name, "Young's modulus", m.young, m.young > 0,
                 "Give pascals: soft tissue has 1e3 to 1e5, rubber 2e6.");
  require_number(name, "Poisson's ratio", m.poisson, m.poisson > -1 && m.poisson < 0.5,
                 "It lies between -1 and 0.5, both excluded; for what keeps its volume take 0.45 to 0.49.");
  require_number(
      name, "damping", m.damping, m.damping >= 0,
      "Give seconds, 0 for none: of a vibration with a period of T, 0.005 T takes a tenth at every swing.");
}

Lame lame(double young, double poisson) {
  return {young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))};
}

std::span<const NamedMaterial> named_materials() { return table; }

const NamedMaterial& named_material(std::string_view name) {
  const auto at =
      std::find_if(table.begin(), table.end(), [&](const NamedMaterial& m) { return m.name == name; });
  if (at != table.end()) return *at;
  std::vector<std::string> names;
  for (const NamedMaterial& m : table) names.emplace_back(m.name);
  throw Error(Place::named("material", name), "there is none of this name", did_you_mean(name, names));
}

}  // namespace palpate
