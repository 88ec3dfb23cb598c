// A cursor over the text of a mesh file: numbers and words, strictly.
//
// Fast, because it is only a pointer; line and column are counted when something is wrong and not before. A
// number is what fast_float takes whole: "1.5abc", "nan", "inf" and what overflows are refused, never guessed
// at. A number has to end at white space or the end of the text (a reader may allow other ends, as OBJ does
// with '/').
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/error.h>

namespace palpate::detail {

// "a coordinate", "an index".
std::string with_article(std::string_view what);

class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view name, std::size_t from = 0)
      : text_(text), name_(name), at_(text.data() + from), end_(text.data() + text.size()) {}

  bool at_end() const { return at_ == end_; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - text_.data()); }
  void move_to(std::size_t offset) { at_ = text_.data() + offset; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  const char* here() const { return at_; }

  // Over blanks and tabs (and a carriage return before a line feed); stays on the line.
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\v' || *at_ == '\f'))
      ++at_;
  }
  // Over blanks and line ends.
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || (*at_ >= '\t' && *at_ <= '\r'))) ++at_;
  }
  // Over blanks, line ends and comments that begin with `mark` and end with the line.
  void skip_space_and_comments(char mark = '#');
  // To the first character of the next line.
  void skip_line();
  // True at a line end or the end of the text, blanks skipped.
  bool at_line_end() {
    skip_blanks();
    return at_ == end_ || *at_ == '\n';
  }
  // The rest of the line without its end; the cursor moves to the next line.
  std::string_view rest_of_line();
  // The next word on this line; empty at its end.
  std::string_view word();
  // The next word, line ends skipped; empty at the end of the text.
  std::string_view word_anywhere() {
    skip_space();
    return word();
  }

  // A finite number, on this line / line ends skipped. `what` names it in the message: "coordinate".
  double number(std::string_view what);
  double number_anywhere(std::string_view what) {
    skip_space();
    return number(what);
  }
  // An integer in [low, high]. A count that is written as "3.0" or "-1" where none may be is refused.
  std::int64_t integer(std::string_view what, std::int64_t low, std::int64_t high) {
    skip_blanks();
    // Nearly every integer of a mesh is a few plain digits; anything else is looked at with care.
    const char* at = at_;
    const char* const stop = left() > 18 ? at_ + 18 : end_;
    std::int64_t value = 0;
    while (at != stop && *at >= '0' && *at <= '9') value = 10 * value + (*at++ - '0');
    const bool whole = at != at_ && at != end_ && (*at == ' ' || (*at >= '\t' && *at <= '\r'));
    if (!whole || value < low || value > high) [[unlikely]]
      return integer_with_care(what, low, high);
    at_ = at;
    return value;
  }
  std::int64_t integer_anywhere(std::string_view what, std::int64_t low, std::int64_t high) {
    skip_space();
    return integer(what, low, high);
  }
  // For formats whose end is told by counts alone. A number that ends where the text ends may be the
  // beginning of a longer one, cut off with the rest of the file; but many a file that is written by hand has
  // no line end at its end either. So it is read, with a warning, unless a longer number could not be there.
  void warn_if_cut(std::vector<std::string>& warnings, std::string_view file = "the file") const;
  // Nothing but blanks may follow on this line; moves to the next.
  void expect_line_end(std::string_view after_what);

  // Refuses, at the cursor or at an offset: file:line:column, what, what to do.
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy = default_remedy) const {
    refuse_at(offset(), what, remedy);
  }
  [[noreturn]] void refuse_at(std::size_t offset, const std::string& what,
                              const std::string& remedy = default_remedy) const;
  std::size_t line_of(std::size_t offset) const;  // 1-based
  std::size_t line() const { return line_of(offset()); }

  // From here on places in messages are byte offsets, for files whose text goes over into binary.
  void name_places_by_bytes() { by_bytes_ = true; }

  static inline const std::string default_remedy = "Export the mesh again, or correct this place.";

  // The word under the cursor, shortened and with odd bytes masked, for messages.
  std::string shown_word() const;
  // For a reader that changes the text before it reads it, without moving anything: lines and columns of
  // messages are counted in the text as it was.
  void count_lines_in(std::string_view original) { text_for_lines_ = original; }

 private:
  std::int64_t integer_with_care(std::string_view what, std::int64_t low, std::int64_t high);

  std::string_view text_, name_;
  std::string_view text_for_lines_ = text_;
  const char* at_;
  const char* end_;
  bool by_bytes_ = false;
  bool may_be_cut_ = false;  // the last number read ends with the text, and could have gone on
};

}  // namespace palpate::detail
