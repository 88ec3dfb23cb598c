// Errors that a person can act on.
//
// Whatever enters Palpate is checked where it enters, and what is wrong is refused with one message that
// says what, where and what to do:
//
//   liver.obj:12:7: coordinate 'nan' is not a number. Export the mesh again, or remove this vertex.
//   |---- where --| |------------- what ------------| |------------------ remedy -----------------|
//
// The three parts stay apart in the exception, so that a program or a page can show them in its own way.
// Inner loops never throw: they run on data that has passed the door.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace palpate {

// Where something is wrong; an empty place is allowed for things that have none.
class Place {
 public:
  Place() = default;
  // A file, with 1-based line and column where they are known (0 = unknown).
  static Place file(std::string_view path, std::size_t line = 0, std::size_t column = 0);
  // Something with a name: body 'liver', option '--threads'.
  static Place named(std::string_view kind, std::string_view name);
  // An element of this place: surface 'cloth', vertex 17.
  Place element(std::string_view kind, std::size_t index) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Bad input. The command leaves with 1 on it; anything else that is thrown is an internal error and leaves
// with 3.
class Error : public std::runtime_error {
 public:
  Error(const Place& where, std::string what, std::string remedy);
  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string where_, problem_, remedy_;
};

}  // namespace palpate
