#include <palpate/cli/exit_codes.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include <palpate/base/suggest.h>

namespace palpate::cli {

namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool has_letter(const CLI::App& app, char letter) {
  const auto options = app.get_options();
  return std::any_of(options.begin(), options.end(),
                     [&](const CLI::Option* option) { return option->check_sname(std::string(1, letter)); });
}

std::string did_you_mean(const std::string& given, const std::vector<std::string>& names) {
  const auto name = nearest_name(given, names);
  return name ? fmt::format(" Did you mean '{}'?", *name) : std::string();
}

// The command that was being parsed, as deep as the words went, and the index of the first word after its
// name.
std::pair<const CLI::App*, int> innermost(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  int next = 1;
  for (; next < argc; ++next) {
    const auto inner = at->get_subcommands([&](const CLI::App* one) { return one->check_name(argv[next]); });
    if (inner.empty()) break;
    at = inner[0];
  }
  return {at, next};
}

// What is wrong with a command line that did not parse, in words that help.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto [inner, next] = innermost(app, argc, argv);
  const auto commands = commands_of(*inner);
  const std::string first = next < argc ? argv[next] : "";
  if (!commands.empty() && !first.starts_with("-")) {
    if (first.empty()) return fmt::format("give a command: {}", fmt::join(commands, ", "));
    return fmt::format("there is no command '{}'.{} There are: {}.", first, did_you_mean(first, commands),
                       fmt::join(commands, ", "));
  }
  const auto known = options_of(*inner);
  for (int i = next; i < argc && argv[i] != std::string_view("--"); ++i) {
    // "-5" may be the value of an option.
    const std::string_view word = argv[i];
    if (word.size() > 1 && word[0] == '-' && word[1] != '-' && !(word[1] >= '0' && word[1] <= '9') &&
        word[1] != '.' && !has_letter(*inner, word[1]))
      return fmt::format("there is no option '{}'. If it is a file's name, write './{}'.", word, word);
    const std::string option = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (option.starts_with("--") && std::find(known.begin(), known.end(), option) == known.end())
      return fmt::format("there is no option '{}'.{}", option, did_you_mean(option, known));
  }
  return error.what();
}

// "palpate mesh check", for the hint at its help.
std::string words_to(const CLI::App& app, int argc, char** argv) {
  std::string words = app.get_name();
  const int end = innermost(app, argc, argv).second;
  for (int i = 1; i < end; ++i) words += fmt::format(" {}", argv[i]);
  return words;
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked) == 0 ? done : internal_error;
  } catch (const CLI::ParseError& error) {
    say("{}: {}\nSee '{} --help'.\n", app.get_name(), explain(app, error, argc, argv),
        words_to(app, argc, argv));
    return bad_command_line;
  }
}

}  // namespace palpate::cli
