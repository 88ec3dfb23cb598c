#include <palpate/report/stream_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace palpate {

namespace {

constexpr std::size_t much = 65536;   // [bytes]
constexpr std::size_t a_line = 4096;  // longer ones may allocate
constexpr std::chrono::seconds interval(1);

// How many bytes got to the disk before it refused more; all of them if it took them.
std::size_t put_at(int file, std::string_view bytes, std::size_t at) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put =
        ::pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  return done;
}

}  // namespace

StreamFile::StreamFile(std::string path, std::string tail) : path_(std::move(path)), tail_(std::move(tail)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0)
    throw Error(Place::file(path_), fmt::format("cannot write it: {}", std::strerror(errno)),
                "Is there such a folder, and may you write to it?");
  buffer_.reserve(much + a_line + tail_.size());
}

StreamFile::~StreamFile() { close(); }

void StreamFile::line_done() {
  if (failure_ || file_ < 0)
    buffer_.clear();
  else if (buffer_.size() >= much || Clock::now() - flushed_ >= interval)
    flush();
}

void StreamFile::flush() {
  if (failure_ || file_ < 0 || buffer_.empty()) return;
  const std::size_t lines = buffer_.size();
  buffer_ += tail_;
  const std::size_t put = put_at(file_, buffer_, written_);
  if (put < buffer_.size()) {
    fail(put);
  } else {
    written_ += lines;
  }
  buffer_.clear();
  flushed_ = Clock::now();
}

// The file ends with its last whole line; with a tail, where it ended before: that place on the disk is ours.
void StreamFile::fail(std::size_t put) {
  failure_.emplace(Place::file(path_), fmt::format("cannot write it any further: {}", std::strerror(errno)),
                   "What was written is kept. Is the disk full?");
  if (tail_.empty()) {
    const std::size_t end = std::string_view(buffer_).substr(0, put).rfind('\n');
    written_ += end == std::string_view::npos ? 0 : end + 1;
  } else {
    put_at(file_, tail_, written_);
  }
  if (::ftruncate(file_, static_cast<off_t>(written_ + tail_.size())) != 0) return;  // it is told already
}

void StreamFile::close() {
  if (file_ < 0) return;
  flush();
  if (::close(std::exchange(file_, -1)) != 0 && !failure_)  // some disks say only now that they are full
    failure_.emplace(Place::file(path_), fmt::format("cannot write all of it: {}", std::strerror(errno)),
                     "Is the disk full?");
}

}  // namespace palpate
