// The page's own files (web/), which are part of the library: whoever has the command needs nothing else.
#pragma once

#include <span>
#include <string_view>

namespace palpate {

struct WebFile {
  std::string_view name, bytes;
};

// None where Palpate was built without the page (PALPATE_WEB=OFF).
std::span<const WebFile> web_files();
// Empty if there is none of this name.
std::string_view web_file(std::string_view name);

}  // namespace palpate
