// A cursor over files that are text with numbers either in ASCII or in binary, as VTK's and Gmsh's are.
//
// The reader is written once: it asks for numbers with the type they would have in binary. Places in messages
// are line and column while the file is text and byte offsets from where it is binary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/number_type.h>
#include <palpate/mesh/formats/text_cursor.h>

namespace palpate::detail {

class MixedCursor {
 public:
  explicit MixedCursor(const FileBytes& file) : file_(file), text_(file.bytes, file.name) {}

  void become_binary(bool big_endian);
  bool binary() const { return binary_; }
  // The words and lines between the numbers.
  TextCursor& text() { return text_; }
  std::size_t offset() const { return text_.offset(); }

  // The next number. In ASCII line ends are skipped, except between begin_line() and end_line(), where all
  // numbers of a record have to be on one line.
  double real(NumberType type, std::string_view what);
  std::int64_t whole(NumberType type, std::string_view what, std::int64_t low, std::int64_t high);
  // Where the next number stands, what is before it skipped: for messages about it.
  std::size_t offset_of_number();
  void begin_line();
  void end_line(std::string_view after_what);
  // Refuses unless there can be `count` numbers in the rest of the file: before memory is taken for them.
  void need(std::uint64_t count, NumberType type, std::string_view what) const;
  void skip_numbers(std::uint64_t count, NumberType type, std::string_view what);
  void skip_bytes(std::uint64_t count, std::string_view what);

  // How a word of the file looks in a message.
  static std::string shown(std::string_view word);
  [[noreturn]] void refuse(const std::string& what,
                           const std::string& remedy = TextCursor::default_remedy) const {
    text_.refuse(what, remedy);
  }
  [[noreturn]] void refuse_at(std::size_t offset, const std::string& what,
                              const std::string& remedy = TextCursor::default_remedy) const {
    text_.refuse_at(offset, what, remedy);
  }

 private:
  const char* take(NumberType type, std::string_view what);
  void tell();

  const FileBytes& file_;
  TextCursor text_;
  bool binary_ = false, swap_ = false, in_line_ = false;
  std::size_t next_tell_ = 1 << 20;
};

}  // namespace palpate::detail
