// What makes sweeps converge faster: each step is changed by what the last ones were.
//
//   sor_positions         goes omega times as far
//   sor_multipliers       the same for the multipliers, and the positions that follow from them: diverges,
//   kept
//                         to show it
//   chebyshev             on positions, with a guess of the spectral radius (Wang 2015)
//   anderson_multipliers  on the multipliers' changes, then times omega (Boukadida 2020)
//   anderson_positions    on positions; the sweeps that are mixed go omega times as far
//   anderson_both         the same on positions and multipliers together, weighed by their energies
//
// The weights of a mix do not depend on omega, which scales all changes alike: what is mixed is what
// over-relaxed sweeps lead to (Anderson's beta). Chebyshev has a factor of its own for every sweep, and
// refuses another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace palpate {

struct Acceleration {
  enum class Kind : std::uint8_t {
    none,
    sor_positions,
    sor_multipliers,
    chebyshev,
    anderson_multipliers,
    anderson_positions,
    anderson_both
  };
  Kind kind = Kind::none;
  double omega = 1;              // how many times as far SOR goes, and Anderson's steps; 1 with chebyshev
  double radius = 0.95;          // of Chebyshev
  std::size_t window = 5;        // of Anderson, 2 to 16
  double condition_limit = 1e3;  // of Anderson's matrix: old steps are left out until it is below
  bool safeguard = true;         // take a plain sweep where the potential would be higher than after it
};

std::string_view name_of(Acceleration::Kind kind);
std::span<const Acceleration::Kind> all_accelerations();
// Throws Error for a name that is not there, and numbers that make no sense.
Acceleration::Kind acceleration_kind(std::string_view name);
void require(const Acceleration& acceleration);

// Anderson's mixing (1965): of the last results of a map, the combination whose change would be least.
class Anderson {
 public:
  static constexpr std::size_t most = 16;
  // Forgets all.
  void begin(std::size_t numbers, std::size_t window, double condition_limit);
  // The map took `from` to `to`. Writes the mix; false, and `to` itself, while there is nothing to mix.
  // `weights`: of the numbers, when changes are compared.
  bool mix(std::span<const double> from, std::span<const double> to, std::span<const double> weights,
           std::span<double> out);

 private:
  std::size_t window_ = 0, count_ = 0, next_ = 0;
  double limit_ = 0;
  bool has_last_ = false;
  std::vector<double> last_to_, last_change_;                // of the last call
  std::array<std::vector<double>, most> of_to_, of_change_;  // differences between calls: a ring
  std::array<std::array<double, most>, most> products_{};    // of the differences of changes
};

}  // namespace palpate
