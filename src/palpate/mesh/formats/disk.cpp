#include <palpate/mesh/formats/disk.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/error.h>

namespace palpate::detail {

namespace {

[[noreturn]] void refuse_system(const std::string& path, const char* doing, const char* remedy) {
  throw Error(Place::file(path), fmt::format("cannot {} it: {}", doing, std::strerror(errno)), remedy);
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void write_all(const Descriptor& file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.number, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) refuse_system(path, "write", "Is the disk full?");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

// Some disks say only now that they are full.
void close_checked(Descriptor& file, const std::string& path) {
  if (::close(std::exchange(file.number, -1)) != 0) refuse_system(path, "write", "Is the disk full?");
}

void write_in_place(const std::string& path, std::string_view bytes) {
  Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.number < 0) refuse_system(path, "write", "May you write to it?");
  write_all(file, path, bytes);
  close_checked(file, path);
}

// A file without a name, where the disk can do that: whatever ends us while it is written, nothing is left
// behind.
Descriptor open_nameless(const std::string& beside) {
  const std::filesystem::path folder = std::filesystem::path(beside).parent_path();
  return {::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)};
}

// `old` is the file that will be replaced, where there is one: its permissions are kept.
void write_and_rename(const std::string& path, const std::string& part, const struct stat* old,
                      std::string_view bytes) {
  Descriptor file = open_nameless(path);
  const bool nameless = file.number >= 0;
  if (!nameless) file.number = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.number < 0) refuse_system(path, "write", "Is there such a folder, and may you write to it?");
  try {
    write_all(file, path, bytes);
    // Where the disk has no permissions there are none to keep.
    if (old != nullptr) (void)::fchmod(file.number, old->st_mode & 07777);
    if (nameless) {
      const std::string link = fmt::format("/proc/self/fd/{}", file.number);
      ::unlink(part.c_str());  // of an earlier process with our number
      if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, part.c_str(), AT_SYMLINK_FOLLOW) != 0)
        refuse_system(path, "write", "May you write to its folder?");
    }
    close_checked(file, path);
    if (std::rename(part.c_str(), path.c_str()) != 0) refuse_system(path, "replace", "May you write to it?");
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
}

}  // namespace

Bytes read_bytes(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) refuse_system(path, "open", "Is the name right, and may you read it?");
  struct stat status {};
  if (::fstat(file.number, &status) != 0) refuse_system(path, "read", "Is the disk all right?");
  if (S_ISDIR(status.st_mode))
    throw Error(Place::file(path), "this is a folder, not a file", "Name a mesh file in it.");
  std::size_t room = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 1 << 16;
  Bytes bytes{std::make_unique_for_overwrite<char[]>(room)};
  for (;;) {
    if (bytes.size == room) {
      Bytes larger{std::make_unique_for_overwrite<char[]>(room *= 2), bytes.size};
      std::memcpy(larger.data.get(), bytes.data.get(), bytes.size);
      bytes = std::move(larger);
    }
    const ssize_t got = ::read(file.number, bytes.data.get() + bytes.size, room - bytes.size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_system(path, "read", "Is the disk all right?");
    if (got == 0) return bytes;
    bytes.size += static_cast<std::size_t>(got);
  }
}

void write_bytes(const std::string& path, std::string_view bytes) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, bytes);
  // A folder may allow to replace a file that itself is not to be written.
  if (exists && ::access(path.c_str(), W_OK) != 0) refuse_system(path, "write", "May you write to it?");
  // A link stays a link: what it leads to is replaced.
  std::error_code ignored;
  const std::string target = exists ? std::filesystem::canonical(path, ignored).string() : path;
  const std::string& found = target.empty() ? path : target;
  write_and_rename(found, fmt::format("{}.part{}", found, ::getpid()), exists ? &status : nullptr, bytes);
}

}  // namespace palpate::detail
