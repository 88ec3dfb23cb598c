#include <palpate/serve/token.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace palpate {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t length = 32;

// $XDG_STATE_HOME, or where that is if not set; empty: there is no home.
fs::path state_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty())
    return fs::path(state) / "palpate";
  if (const std::string home = variable("HOME"); !home.empty())
    return fs::path(home) / ".local" / "state" / "palpate";
  return {};
}

// Of a file that is the user's own and nobody else's to read.
std::string read_token(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about {};
  std::string text(length + 1, '\0');
  const bool own = ::fstat(file, &about) == 0 && about.st_uid == ::geteuid() && (about.st_mode & 077) == 0;
  const ssize_t got = own ? ::read(file, text.data(), text.size()) : -1;
  ::close(file);
  if (got != static_cast<ssize_t>(length)) return {};
  text.resize(length);
  return text.find_first_not_of("0123456789abcdef") == std::string::npos ? text : std::string();
}

}  // namespace

std::string random_token() {
  std::random_device device;  // of the system
  std::string token;
  while (token.size() < length) token += fmt::format("{:08x}", device());
  return token;
}

std::string kept_token() {
  const fs::path folder = state_folder();
  std::string fresh = random_token();
  if (folder.empty()) return fresh;
  const fs::path path = folder / "token";
  if (std::string kept = read_token(path); !kept.empty()) return kept;
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::remove(path, failed);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    // Another server may have been quicker.
    const std::string kept = read_token(path);
    return kept.empty() ? fresh : kept;
  }
  const ssize_t written = ::write(file, fresh.data(), fresh.size());
  ::close(file);
  if (written != static_cast<ssize_t>(fresh.size())) ::unlink(path.c_str());
  return fresh;
}

bool same_token(const std::string& a, const std::string& b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(i < b.size() ? b[i] : 0);
  return different == 0;
}

}  // namespace palpate
