// How every program of Palpate ends: 0 done, 1 the input is bad, 2 the command line is bad, 3 an internal
// error.
#pragma once

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <palpate/base/error.h>

namespace palpate::cli {

inline constexpr int done = 0, bad_input = 1, bad_command_line = 2, internal_error = 3;

// A line for people on stderr. That stderr cannot be written to is no reason to fail.
template <class... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::fputs(fmt::format(text, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

// Runs `work` and turns whatever it throws into one message on stderr and an exit code.
template <class Work>
int guarded(const char* program, Work&& work) {
  try {
    const int code = work();
    std::cout.flush();
    if (std::fflush(stdout) != 0 || !std::cout)
      throw Error(Place::named("output", "stdout"), "it cannot be written to", "Is the disk full?");
    return code;
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
