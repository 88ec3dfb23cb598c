// The commands, a function and a file each. To add one: write command_NAME.cpp beside the others, declare its
// function here and call it in main.cpp.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace palpate::cli {

// Each adds its subcommand; when the command line has chosen it, its callback runs and leaves the exit code.
void add_mesh(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_study(CLI::App& app, int& exit_code);
// `command_line`: as it was typed, for reports.
void add_run(CLI::App& app, int& exit_code, const std::string& command_line);
void add_replay(CLI::App& app, int& exit_code);
void add_scenes(CLI::App& app);
void add_view(CLI::App& app, int& exit_code);

}  // namespace palpate::cli
