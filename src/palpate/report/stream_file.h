// A file that grows while a run goes on, and is good to read at any moment.
//
// Lines are collected and written now and then, so that a step costs no call to the system. What stands
// behind the last line (the closing tags of XML) is written with every flush and overwritten by the next:
// whatever ends the program, the file is whole. A disk that fills up ends the file after its last whole line
// and is told once; the run and its other files go on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <palpate/base/error.h>
#include <palpate/base/timing.h>

namespace palpate {

class StreamFile {
 public:
  // Makes the file, empty. Refuses a place where that cannot be done.
  explicit StreamFile(std::string path, std::string tail = "");
  ~StreamFile();
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;

  // Put whole lines at the end of this, then call line_done(). It does not allocate for lines of usual
  // length.
  std::string& buffer() { return buffer_; }
  // Writes if much has come together, or a second has passed.
  void line_done();
  void flush();
  // Flushes; nothing may be added later.
  void close();

  // What went wrong first; nothing is written since.
  const std::optional<Error>& failure() const { return failure_; }
  const std::string& path() const { return path_; }

 private:
  void fail(std::size_t put);

  std::string path_, tail_, buffer_;
  int file_ = -1;
  std::size_t written_ = 0;  // without the tail [bytes]
  Clock::time_point flushed_ = Clock::now();
  std::optional<Error> failure_;
};

}  // namespace palpate
