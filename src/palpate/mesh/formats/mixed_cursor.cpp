#include <palpate/mesh/formats/mixed_cursor.h>

#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace palpate::detail {

namespace {

const std::string cut_off = "It was cut off, or a count in it is wrong: get the file again.";

}  // namespace

void MixedCursor::become_binary(bool big_endian) {
  binary_ = true;
  text_.name_places_by_bytes();
  swap_ = big_endian == (std::endian::native == std::endian::little);
}

double MixedCursor::real(NumberType type, std::string_view what) {
  if (offset() >= next_tell_) tell();
  if (!binary_) return in_line_ ? text_.number(what) : text_.number_anywhere(what);
  const double value = real_at(type, take(type, what), swap_);
  if (!std::isfinite(value))
    refuse_at(offset() - size_of(type),
              fmt::format("{} is {}, which is not a finite number", with_article(what), value));
  return value;
}

std::int64_t MixedCursor::whole(NumberType type, std::string_view what, std::int64_t low, std::int64_t high) {
  if (offset() >= next_tell_) tell();
  if (!binary_) return in_line_ ? text_.integer(what, low, high) : text_.integer_anywhere(what, low, high);
  const std::int64_t value = whole_at(type, take(type, what), swap_);
  if (value >= low && value <= high) return value;
  const std::size_t at = offset() - size_of(type);
  if (high < low) refuse_at(at, fmt::format("{} {} cannot be: there are none", what, value));
  refuse_at(at, fmt::format("{} {} is out of range: it has to be from {} to {}", what, value, low, high));
}

std::size_t MixedCursor::offset_of_number() {
  if (!binary_) in_line_ ? text_.skip_blanks() : text_.skip_space();
  return offset();
}

void MixedCursor::begin_line() {
  if (binary_) return;
  text_.skip_space();
  in_line_ = true;
}

void MixedCursor::end_line(std::string_view after_what) {
  if (binary_) return;
  text_.expect_line_end(after_what);
  in_line_ = false;
}

void MixedCursor::need(std::uint64_t count, NumberType type, std::string_view what) const {
  // A number in ASCII takes a digit and what separates it from the next; the last may lack the latter.
  const std::uint64_t room = binary_ ? text_.left() / size_of(type) : (text_.left() + 1) / 2;
  if (count > room)
    refuse(fmt::format("the file ends too early: {} numbers for {} do not fit in the {} bytes that are left",
                       count, what, text_.left()),
           cut_off);
}

void MixedCursor::skip_numbers(std::uint64_t count, NumberType type, std::string_view what) {
  need(count, type, what);
  if (binary_) return text_.move_to(offset() + static_cast<std::size_t>(count) * size_of(type));
  for (std::uint64_t i = 0; i < count; ++i)
    if (text_.word_anywhere().empty()) refuse(fmt::format("{} is missing", with_article(what)), cut_off);
}

void MixedCursor::skip_bytes(std::uint64_t count, std::string_view what) {
  if (count > text_.left()) refuse(fmt::format("the file ends within {}", what), cut_off);
  text_.move_to(offset() + static_cast<std::size_t>(count));
}

const char* MixedCursor::take(NumberType type, std::string_view what) {
  if (text_.left() < size_of(type))
    refuse(fmt::format("the file ends where {} should be", with_article(what)), cut_off);
  const char* const bytes = text_.here();
  text_.move_to(offset() + size_of(type));
  return bytes;
}

void MixedCursor::tell() {
  next_tell_ = offset() + (1 << 20);
  if (file_.progress) file_.progress(static_cast<double>(offset()) / static_cast<double>(file_.bytes.size()));
}

std::string MixedCursor::shown(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

}  // namespace palpate::detail
