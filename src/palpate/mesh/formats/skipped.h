// What a reader skipped, gathered by name into one warning each.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace palpate::detail {

class Skipped {
 public:
  // `what` in the plural, as the warning will have it: "'l' statements (lines)", "quadratic hexahedra".
  // A hostile file may have any number of names: beyond 64 they are counted together.
  void add(std::string_view what, std::size_t count = 1);
  // "skipped 12 'l' statements (lines)", in alphabetical order; at most a dozen, then how many more kinds.
  void append_to(std::vector<std::string>& warnings) const;

 private:
  std::map<std::string, std::size_t> counts_;
};

}  // namespace palpate::detail
