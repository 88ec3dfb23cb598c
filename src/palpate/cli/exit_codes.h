// How every program of Palpate ends: 0 done, 1 the input is bad, 2 the command line is bad, 3 an internal
// error.
#pragma once

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <palpate/base/error.h>
#include <palpate/cli/printable.h>

namespace palpate::cli {

inline constexpr int done = 0, bad_input = 1, bad_command_line = 2, internal_error = 3;

// A command line that parses and still cannot be meant: a shape that cannot be, a file name without a format.
class BadCommandLine : public Error {
 public:
  using Error::Error;
  explicit BadCommandLine(const Error& error) : Error(error) {}
};

// What is written out is ours, what is put in may be a file's name: only the latter is made printable.
template <class Argument>
decltype(auto) shown(const Argument& argument) {
  if constexpr (std::is_convertible_v<const Argument&, std::string_view>) {
    return printable(argument);
  } else {
    return (argument);
  }
}
template <class... Arguments>
std::string shown_text(fmt::string_view text, const Arguments&... arguments) {
  return fmt::vformat(text, fmt::make_format_args(arguments...));
}

// A line for people on stderr. That stderr cannot be written to is no reason to fail.
template <class... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::fputs(shown_text(text, shown(arguments)...).c_str(), stderr);
}

// The same on stdout, for tables; that it cannot be written to is found at the end (guarded).
template <class... Arguments>
void print(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::fputs(shown_text(text, shown(arguments)...).c_str(), stdout);
}

// Runs `work` and turns whatever it throws into one message on stderr and an exit code.
template <class Work>
int guarded(const char* program, Work&& work) {
  try {
    const int code = work();
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
      throw Error(Place::named("output", "stdout"), "it cannot be written to", "Is the disk full?");
    return code;
  } catch (const BadCommandLine& error) {
    say("{}: {}\n", program, error.what());
    return bad_command_line;
  } catch (const Error& error) {
    say("{}: {}\n", program, error.what());
    return bad_input;
  } catch (const std::system_error& error) {  // the system refused: a full disk, no more threads
    say("{}: {}\n", program, error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    say("{}: there is not enough memory for this\n", program);
    return bad_input;
  } catch (const std::exception& error) {
    say("{}: internal error: {}. This is a bug in Palpate; please report it with the command line.\n",
        program, error.what());
    return internal_error;
  }
}

// Parses; on --help and the like, or on a bad command line, answers and returns the exit code.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace palpate::cli
