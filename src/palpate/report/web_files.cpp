#include <palpate/report/web_files.h>

namespace palpate {

std::string_view web_file(std::string_view name) {
  for (const WebFile& one : web_files())
    if (one.name == name) return one.bytes;
  return {};
}

}  // namespace palpate
