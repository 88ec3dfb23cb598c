#include <palpate/serve/request_checks.h>

#include <algorithm>
#include <cctype>

#include <arpa/inet.h>

namespace palpate {

namespace {

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Target parse_target(std::string_view target) {
  const std::size_t question = target.find('?');
  Target result{std::string(target.substr(0, question)), {}};
  if (question == std::string_view::npos) return result;
  for (std::string_view rest = target.substr(question + 1); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    if (one.starts_with("token=")) result.token = one.substr(6);
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return result;
}

bool is_own_host(std::string_view host, std::string_view own_name) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view after = host.substr(end + 1);
    if (!after.empty() && !(after[0] == ':' && is_port(after.substr(1)))) return false;
    in6_addr ignored{};
    return ::inet_pton(AF_INET6, std::string(host.substr(1, end - 1)).c_str(), &ignored) == 1;
  }
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon + 1))) return false;
  const std::string name(host.substr(0, colon));
  in_addr ignored{};
  return same_letters(name, "localhost") || ::inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         (!own_name.empty() && same_letters(name, own_name));
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme) && same_letters(origin.substr(scheme.size()), host)) return true;
  return false;
}

}  // namespace palpate
