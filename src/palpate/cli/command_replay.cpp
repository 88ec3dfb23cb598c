// `palpate replay`: what is in a recording, and whether it runs the same again.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/base/parallel.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/run_progress.h>
#include <palpate/report/recording.h>
#include <palpate/report/run_again.h>

namespace palpate::cli {

namespace {

struct ReplaySettings {
  std::string file;
  bool verify = false;
  int threads = 0;
};

// A text in what a recording says of itself; it is anybody's file.
std::string told(const nlohmann::json& hello, const char* key) {
  const auto at = hello.find(key);
  return at != hello.end() && at->is_string() ? at->get<std::string>() : std::string("?");
}

void describe(const Recording& recording, const nlohmann::json& hello) {
  print("scene       {}\n", told(hello, "scene"));
  print("title       {}\n", told(hello, "title"));
  print("made by     Palpate {}\n", told(hello, "palpate"));
  print("steps       {}\n", recording.states().size());
  print("frames      {}\n", recording.frames());
  print("commands    {}\n", recording.commands());
  print("size        {:.1f} MB\n", 1e-6 * static_cast<double>(recording.bytes()));
  print("whole       {}\n",
        recording.ended() ? "yes" : "no: it was cut off, and has what was written until then");
}

int verify(const Recording& recording, const ReplaySettings& settings) {
  RunAgain result;
  const Threads pool(settings.threads);
  pool.run([&] {
    RunProgress progress(recording.states().size());
    std::uint64_t gone = 0;
    result = run_again(recording, settings.file, [&](const StepReport& report, const World& world) {
      progress.show(++gone, static_cast<double>(report.nanoseconds) * 1e-6, world.contacts().size());
    });
  });
  if (result.difference) {
    print("step {} differs: {:016x} was recorded, and now it is {:016x}\n", result.difference->step,
          result.difference->recorded, result.difference->now);
    return bad_input;
  }
  print("{} steps are the same\n", result.same);
  return done;
}

int replay(const ReplaySettings& settings) {
  const Recording recording(settings.file);
  const nlohmann::json hello = nlohmann::json::parse(recording.hello(), nullptr, false);
  if (!hello.is_object())
    throw Error(Place::file(settings.file), "it does not say what it is", "Record it again.");
  if (!settings.verify) {
    describe(recording, hello);
    return done;
  }
  if (told(hello, "palpate") != build_facts().version)
    say("palpate: {} was made by Palpate {}, and this is {}: steps may differ\n", settings.file,
        told(hello, "palpate"), build_facts().version);
  return verify(recording, settings);
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("replay", "What is in a recording, and whether it runs the same again");
  auto settings = std::make_shared<ReplaySettings>();
  command->add_option("FILE", settings->file, "A recording of `palpate run --record`")->required();
  command->add_flag("--verify", settings->verify,
                    "Run it again, and compare the world after every step; names the first that differs");
  command->add_option("--threads", settings->threads, "At most so many (0: all)")->check(CLI::Range(0, 1024));
  command->callback([settings, &exit_code] { exit_code = replay(*settings); });
  command->footer("Exit codes with --verify: 0 all steps are the same, 1 one differs.\n");
}

}  // namespace palpate::cli
