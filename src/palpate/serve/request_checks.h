// Who asks, and for what: the parts of a request, judged before anything is done with them.
#pragma once

#include <string>
#include <string_view>

namespace palpate {

struct Target {
  std::string path, token;  // "/stream", and of "?token=..."; nothing is decoded: all our names are plain
};
Target parse_target(std::string_view target);

// A Host header that a browser can only have by a name or an address of this machine: numbers, "localhost" or
// the name that was asked for. Any other name may have been made to lead here by somebody else's page.
bool is_own_host(std::string_view host, std::string_view own_name);

// An Origin header is there when a browser asks in the name of a page: that page must be ours.
bool is_own_origin(std::string_view origin, std::string_view host);

}  // namespace palpate
