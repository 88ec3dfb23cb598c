// What a soft body is made of.
//
// Young's modulus E says how hard it is to stretch, Poisson's ratio how much it thins when stretched (0.5:
// volume is kept; soft tissue comes near to that). The models agree for small strains; they differ in what
// they do far from rest:
//
//   stvk         St. Venant-Kirchhoff, quadratic in the Green strain: softens under compression, and cannot
//                tell a tetrahedron from its mirror image. The material of the published work.
//   neo_hookean  stable Neo-Hookean (Smith, de Goes & Kim 2018): finite everywhere, brings back what was
//                flattened or turned inside out. The default.
//   corotated    fixed corotated (Stomakhin et al. 2012): linear, turned with the element; brings back too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace palpate {

enum class Model : std::uint8_t { stvk, neo_hookean, corotated };
std::string_view name_of(Model model);  // "neo_hookean", as in scenes

struct Material {
  double density = 1000;  // [kg/m^3]
  double young = 1e5;     // [Pa]
  double poisson = 0.4;
  double damping = 0;  // of strain rates: a viscous stress of so many times the elastic one's rate [s]
  Model model = Model::neo_hookean;

  friend bool operator==(const Material&, const Material&) = default;
};

// Throws Error with what is wrong and what would be right.
void require(const Material& material, std::string_view name);

struct Lame {
  double lambda, mu;  // [Pa]
};
Lame lame(double young, double poisson);

// Materials by name. Moduli are measured ones; densities and Poisson's ratios are usual values. Of tissue,
// indentation feels the soft matrix and tension the fibres: the two differ by a factor of thousands, and a
// simulation that is pressed wants the first.
struct NamedMaterial {
  std::string_view name;
  Material material;
  std::optional<double> least_young, most_young;  // the range measured, where there is one [Pa]
  std::string_view source;
};
std::span<const NamedMaterial> named_materials();
// Throws Error for a name that is not there, with the nearest one that is.
const NamedMaterial& named_material(std::string_view name);

}  // namespace palpate
