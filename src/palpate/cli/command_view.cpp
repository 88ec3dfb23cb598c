// `palpate view`: a scene to watch, touch and measure in the browser; a recording; or a gallery of scenes.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <palpate/base/error.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/scene_files.h>
#include <palpate/report/recording.h>
#include <palpate/report/web_files.h>
#include <palpate/scene/read_scene.h>
#include <palpate/serve/server.h>
#include <palpate/serve/token.h>

namespace palpate::cli {

namespace fs = std::filesystem;

namespace {

struct Settings {
  std::string what, host = ServerOptions{}.host;
  int port = ServerOptions{}.port;
  bool open = false, paused = false;
  int threads = -1;
  std::vector<std::string> overrides;
};

std::vector<GalleryScene> gallery() {
  std::vector<GalleryScene> all;
  const fs::path folder = scenes_folder();
  for (const std::string& name : scene_names()) {
    GalleryScene one{name, name, {}, (folder / (name + ".toml")).string(), {}};
    try {
      const Scene scene = read_scene(one.file);
      one.title = scene.title.empty() ? name : scene.title;
      one.description = scene.description;
    } catch (const Error& error) {
      one.description = error.what();
    }
    std::error_code ignored;
    if (const fs::path picture = folder / "pictures" / (name + ".png"); fs::exists(picture, ignored))
      one.picture = picture.string();
    all.push_back(std::move(one));
  }
  if (all.empty())
    throw Error(Place::named("scenes", folder.string()), "there are none here",
                "Set PALPATE_SCENES to the folder that has them, or give a scene.");
  return all;
}

// By its first bytes, whatever it is called; or by its name, to be told what is wrong with it.
bool is_recording(const std::string& file) {
  std::error_code ignored;
  if (fs::path(file).extension() == ".palpate" && fs::exists(file, ignored)) return true;
  constexpr std::array<char, 8> magic = {'\x89', 'P', 'L', 'P', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> begin{};
  std::ifstream in(file, std::ios::binary);
  return in.read(begin.data(), begin.size()) && begin == magic;
}

// Whatever the desktop opens addresses with; nothing of it is waited for.
void open_browser(const std::string& address) {
  const ::pid_t child = ::fork();
  if (child < 0) return;
  if (child > 0) {
    int ignored = 0;
    ::waitpid(child, &ignored, 0);
    return;
  }
  if (::fork() == 0) {
    ::setsid();
    if (const int nowhere = ::open("/dev/null", O_RDWR); nowhere >= 0)
      for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
    ::execlp("xdg-open", "xdg-open", address.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::_exit(0);
}

int view(const Settings& settings) {
  if (web_files().empty())
    throw Error(Place::named("command", "view"), "this Palpate was built without its page",
                "Build it with PALPATE_WEB=ON; it needs npm.");
  ShowOptions options;
  options.session.playing = !settings.paused;
  options.overrides = settings.overrides;
  if (settings.threads >= 0) options.overrides.push_back(fmt::format("run.threads={}", settings.threads));
  std::unique_ptr<LiveWorld> live;
  std::string name;
  if (settings.what.empty()) {
    options.gallery = gallery();
  } else if (is_recording(settings.what)) {
    if (!settings.overrides.empty())
      throw BadCommandLine(
          Error(Place::named("option", "--set"), "a recording is as it was", "Give its scene to change it."));
    const Recording checked(settings.what);
    if (!checked.ended()) say("palpate: {} was cut off; it plays to its end\n", settings.what);
    options.recording = settings.what;
  } else {
    const std::string file = scene_file(settings.what);
    name = fs::path(file).stem().string();
    live = std::make_unique<LiveWorld>(read_scene(file, options.overrides), file);
    for (const std::string& remark : live->world().remarks()) say("palpate: {}\n", remark);
  }
  Show show(std::move(options));
  if (live) show.play(std::move(live), name);
  Server server(
      show,
      {.host = settings.host, .port = static_cast<std::uint16_t>(settings.port), .token = kept_token()});
  server.stop_on_signals();
  if (server.port() != settings.port && settings.port != 0)
    say("palpate: port {} is taken; using {}\n", settings.port, server.port());
  if (!server.is_loopback())
    say("palpate: warning: others on the network can reach this. Whoever has the address can watch and "
        "touch; it is not encrypted.\n");
  say("palpate: open this address in a browser (Ctrl-C ends):\n");
  print("{}\n", server.address());
  std::fflush(stdout);
  if (settings.open) open_browser(server.address());
  server.run();
  say("\npalpate: ended\n");
  return done;
}

}  // namespace

void add_view(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("view", "Watch, touch and measure a scene in the browser, or watch a recording");
  auto settings = std::make_shared<Settings>();
  command->add_option(
      "SCENE", settings->what,
      "A TOML file, a name from `palpate scenes`, or a recording; none: all scenes to choose from");
  command
      ->add_option("--port", settings->port,
                   fmt::format("To listen on, or the next one that is free (default: {}; 0: any)",
                               ServerOptions{}.port))
      ->check(CLI::Range(0, 65535));
  command->add_option(
      "--host", settings->host,
      fmt::format("Address to listen on, 0.0.0.0 for all networks (default: {}, this machine only)",
                  ServerOptions{}.host));
  command->add_flag("--open", settings->open, "Open it in the browser");
  command->add_flag("--paused", settings->paused, "Begin with a pause");
  command->add_option("--threads", settings->threads, "At most so many (0: all)")->check(CLI::Range(0, 1024));
  command->add_option("--set", settings->overrides, "KEY=VALUE of the scene, like contact.distance=0.002")
      ->allow_extra_args(false);
  command->callback([settings, &exit_code] { exit_code = view(*settings); });
  command->footer(
      "The address has a token: whoever knows it can watch and touch. docs/view.md tells the rest.\n");
}

}  // namespace palpate::cli
