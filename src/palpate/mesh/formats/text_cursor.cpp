#include <palpate/mesh/formats/text_cursor.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace palpate::detail {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string with_article(std::string_view what) {
  const bool vowel = !what.empty() && std::string_view("aeiou").find(what[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", what);
}

void TextCursor::skip_line() {
  const void* end = at_ == end_ ? nullptr : std::memchr(at_, '\n', left());
  at_ = end ? static_cast<const char*>(end) + 1 : end_;
}

void TextCursor::skip_space_and_comments(char mark) {
  for (skip_space(); at_ != end_ && *at_ == mark; skip_space()) skip_line();
}

std::string_view TextCursor::rest_of_line() {
  const char* const from = at_;
  skip_line();
  const char* to = at_;
  while (to != from && (to[-1] == '\n' || to[-1] == '\r')) --to;
  return {from, static_cast<std::size_t>(to - from)};
}

std::string_view TextCursor::word() {
  skip_blanks();
  const char* const from = at_;
  while (at_ != end_ && !is_space(*at_)) ++at_;
  return {from, static_cast<std::size_t>(at_ - from)};
}

double TextCursor::number(std::string_view what) {
  skip_blanks();
  const char* from = at_;
  if (from != end_ && *from == '+') ++from;  // fast_float follows the standard, which has no plus sign
  double value = 0;
  const auto [to, error] = fast_float::from_chars(from, end_, value);
  if (error != std::errc() || (to != end_ && !is_space(*to)) || !std::isfinite(value) ||
      (from != at_ && from != end_ && *from == '-')) {
    if (at_line_end()) refuse(fmt::format("{} is missing", with_article(what)));
    refuse(fmt::format("'{}' is not a finite number, which {} has to be", shown_word(), with_article(what)));
  }
  at_ = to;
  may_be_cut_ = to == end_;
  return value;
}

std::int64_t TextCursor::integer_with_care(std::string_view what, std::int64_t low, std::int64_t high) {
  const char* from = at_;
  if (from != end_ && *from == '+') ++from;
  std::int64_t value = 0;
  const auto [to, error] = std::from_chars(from, end_, value);
  if (error != std::errc() || (to != end_ && !is_space(*to)) ||
      (from != at_ && from != end_ && *from == '-')) {
    if (at_line_end()) refuse(fmt::format("{} is missing", with_article(what)));
    refuse(fmt::format("'{}' is not a whole number, which {} has to be", shown_word(), with_article(what)));
  }
  if (value < low || value > high) {
    if (high < low) refuse(fmt::format("{} {} cannot be: there are none", what, value));
    refuse(fmt::format("{} {} is out of range: it has to be from {} to {}", what, value, low, high));
  }
  at_ = to;
  // With a digit more it would be ten times as large. (Nobody writes 0 before other digits.)
  may_be_cut_ = to == end_ && (value > 0 ? value <= high / 10 : value < 0 && value >= low / 10);
  return value;
}

void TextCursor::warn_if_cut(std::vector<std::string>& warnings, std::string_view file) const {
  if (!may_be_cut_) return;
  const std::size_t before = text_.find_last_of(" \t\n\v\f\r");  // npos + 1 == 0
  warnings.push_back(
      fmt::format("{} ends in the middle of a line, right after {} (line {}): it may have been cut off", file,
                  text_.substr(before + 1, 40), line_of(text_.size())));
}

void TextCursor::expect_line_end(std::string_view after_what) {
  if (!at_line_end()) refuse(fmt::format("'{}' is unexpected after {}", shown_word(), after_what));
  skip_line();
}

std::string TextCursor::shown_word() const {
  std::string word;
  for (const char* c = at_; c != end_ && !is_space(*c) && word.size() < 40; ++c)
    word += *c >= ' ' && *c < 127 ? *c : '?';
  return word;
}

void TextCursor::refuse_at(std::size_t offset, const std::string& what, const std::string& remedy) const {
  if (by_bytes_) throw Error(Place::file(name_).element("byte", offset), what, remedy);
  const std::size_t begin = offset == 0 ? 0 : text_for_lines_.rfind('\n', offset - 1) + 1;  // npos + 1 == 0
  throw Error(Place::file(name_, line_of(offset), offset - begin + 1), what, remedy);
}

std::size_t TextCursor::line_of(std::size_t offset) const {
  const char* const begin = text_for_lines_.data();
  return 1 + static_cast<std::size_t>(std::count(begin, begin + offset, '\n'));
}

}  // namespace palpate::detail
