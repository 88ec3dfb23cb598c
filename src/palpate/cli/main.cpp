#include <csignal>
#include <string>
#include <thread>

#include <commit.h>
#include <fmt/core.h>

#include <palpate/base/build_facts.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>

namespace {

using namespace palpate;

std::string version_text() {
  const BuildFacts facts = build_facts();
  return fmt::format(
      "palpate {} ({})\n"
      "build      {}, {}\n"
      "built for  {}\n"
      "kernels    {} on this machine\n"
      "threads    {}",
      facts.version, PALPATE_COMMIT, facts.build_type, facts.compiler, facts.built_for, facts.kernels,
      std::thread::hardware_concurrency());
}

int run(int argc, char** argv) {
  CLI::App app{"Palpate: a real-time engine for things that touch.", "palpate"};
  app.set_version_flag("--version", version_text, "Show the version and facts about this build");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer("Exit codes: 0 done, 1 the input is bad, 2 the command line is bad, 3 an internal error.\n");
  int exit_code = cli::done;
  std::string command_line = "palpate";
  for (int i = 1; i < argc; ++i) command_line += fmt::format(" {}", argv[i]);
  cli::add_run(app, exit_code, command_line);
  cli::add_view(app, exit_code);
  cli::add_replay(app, exit_code);
  cli::add_scenes(app);
  cli::add_mesh(app, exit_code);
  cli::add_bench(app, exit_code);
  cli::add_study(app, exit_code);
  if (const auto ended = cli::parse(app, argc, argv)) return *ended;
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that grows beyond what is allowed (ulimit -f) then fails to be written, with words, like any
  // other.
  std::signal(SIGXFSZ, SIG_IGN);
  return palpate::cli::guarded("palpate", [&] { return run(argc, argv); });
}
