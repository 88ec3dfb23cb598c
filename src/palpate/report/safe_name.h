// A file name for whatever a person called a thing.
//
// Names of bodies and scenes may hold slashes, blanks, quotes and letters of any script; file names that are
// to survive a shell, an archive and another system may not. What is odd becomes %XX, as in addresses: two
// names that differ stay different, and a plain name stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace palpate {

// Letters, digits and '_' stay, and '-' and '.' if not in front. What is very long ends in a hash of the
// whole.
std::string safe_name(std::string_view name);

}  // namespace palpate
