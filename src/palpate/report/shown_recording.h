// A recording on a page, and what it lacks: a reader should know what is not shown.
#pragma once

#include <cstddef>
#include <string>

namespace palpate {

struct ShownRecording {
  std::string bytes = {};          // compressed by gzip; may be empty
  std::size_t frames = 0, of = 0;  // that are in it, of so many
  bool has_inside = true;          // nodes and strain, for tetrahedra, fixed nodes and colours
};

}  // namespace palpate
