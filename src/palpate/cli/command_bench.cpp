// `palpate bench`: hands over to palpate-bench beside it. Benchmarks are a program of their own, because they
// link the peers that they compare with, and those never come near the library or the command.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>

namespace palpate::cli {

namespace {

[[noreturn]] void become_bench(const std::vector<std::string>& arguments) {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "palpate-bench";
  std::vector<char*> argv{const_cast<char*>("palpate bench")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  throw Error(Place::file(program.string()),
              "the benchmarks are not here (" + std::string(std::strerror(errno)) + ")",
              "They are part of the source tree: run './palpate bench' there.");
}

}  // namespace

void add_bench(CLI::App& app, int& /*exit_code*/) {
  CLI::App* bench = app.add_subcommand("bench", "Measure: ours beside references and peers, in one run");
  bench->set_help_flag();  // palpate-bench has its own
  bench->prefix_command();
  bench->callback([bench] { become_bench(bench->remaining()); });
}

}  // namespace palpate::cli
