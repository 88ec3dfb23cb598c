#include <palpate/base/error.h>

#include <utility>

namespace palpate {

namespace {

std::string join(const std::string& where, const std::string& problem, const std::string& remedy) {
  std::string text = where.empty() ? problem : where + ": " + problem;
  if (!remedy.empty()) {
    if (!text.empty() && text.back() != '.' && text.back() != '?') text += '.';
    text += ' ' + remedy;
  }
  return text;
}

}  // namespace

Place Place::file(std::string_view path, std::size_t line, std::size_t column) {
  Place place;
  place.text_ = path;
  if (line > 0) place.text_ += ':' + std::to_string(line);
  if (line > 0 && column > 0) place.text_ += ':' + std::to_string(column);
  return place;
}

Place Place::named(std::string_view kind, std::string_view name) {
  Place place;
  place.text_.append(kind).append(" '").append(name).append("'");
  return place;
}

Place Place::element(std::string_view kind, std::size_t index) const {
  Place place = *this;
  if (!place.text_.empty()) place.text_ += ", ";
  place.text_.append(kind).append(" ").append(std::to_string(index));
  return place;
}

Error::Error(const Place& where, std::string what, std::string remedy)
    : std::runtime_error(join(where.text(), what, remedy)),
      where_(where.text()),
      problem_(std::move(what)),
      remedy_(std::move(remedy)) {}

}  // namespace palpate
