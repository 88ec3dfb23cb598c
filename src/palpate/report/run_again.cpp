#include <palpate/report/run_again.h>

#include <filesystem>

#include <palpate/scene/live_world.h>
#include <palpate/scene/read_scene.h>

namespace palpate {

RunAgain run_again(const Recording& recording, const std::string& file,
                   FunctionRef<void(const StepReport&, const World&)> after_step) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  LiveWorld live(parse_scene(recording.scene(), file, {}, folder), file);
  live.world().restore(recording.snapshot());
  RunAgain result;
  std::size_t next = 0;
  for (const auto& state : recording.states()) {
    for (; next < recording.commands() && recording.command_step(next) <= state.step; ++next)
      live.perform(parse_command(recording.command(next)));
    const StepReport& report = live.step();
    if (live.world().hash() != state.hash || live.world().steps() != state.step) {
      result.difference = {state.step, state.hash, live.world().hash()};
      return result;
    }
    ++result.same;
    after_step(report, live.world());
  }
  return result;
}

}  // namespace palpate
