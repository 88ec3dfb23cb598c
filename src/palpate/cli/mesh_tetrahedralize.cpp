// `palpate mesh tetrahedralize SURFACE OUT`: fills a closed surface with tetrahedra.
//
// The work is done by the program gmsh, called as a program: it is GPL, and Palpate is not. What goes in is
// checked (gmsh fails on open or crossing surfaces in ways that are hard to read) and so is what comes back.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <sstream>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>
#include <palpate/mesh/check.h>
#include <palpate/mesh/mass.h>
#include <palpate/mesh/repair.h>

namespace palpate::cli {

namespace {

struct Settings {
  Input input;
  std::string output;
  WriteOptions write;
  double size = 0;  // [m], 0: as the surface has it
};

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    folder += "/" + name;
    if (::access(folder.c_str(), X_OK) == 0) return folder;
  }
  throw Error(Place::named("program", name),
              "it is not installed, and it is what fills surfaces with tetrahedra",
              fmt::format("Install it: apt-get install {}", name));
}

// A folder that goes with us, whatever happens.
class Workplace {
 public:
  Workplace() {
    const char* const given = std::getenv("TMPDIR");
    const bool asked = given != nullptr && *given != '\0';
    const std::string folder = asked ? given : "/tmp";
    std::string name = folder + "/palpate-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(asked ? Place::named("TMPDIR", folder) : Place::file(folder),
                  fmt::format("cannot make a folder in it to work in: {}", std::strerror(errno)),
                  "Set TMPDIR to a folder that exists and that you may write to.");
    path_ = name;
  }
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// While it lives, signals that would end us only say so: there is a program to stop and a folder to remove
// first.
class SignalsHeld {
 public:
  SignalsHeld() {
    asked_ = 0;
    struct sigaction hold {};
    hold.sa_handler = [](int signal) { asked_ = signal; };
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], &hold, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) ::sigaction(signals[i], &before_[i], nullptr);  // nohup
    }
  }
  ~SignalsHeld() { restore(); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  void restore() const {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  static bool asked() { return asked_ != 0; }

 private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
  static inline volatile std::sig_atomic_t asked_ = 0;
  std::array<struct sigaction, 3> before_{};
};

// Runs a program in a folder with its words going to `log`; true if it ended well.
bool run_program(const std::string& program, const std::string& argument, const std::filesystem::path& log) {
  const SignalsHeld signals;
  const std::string folder = log.parent_path().string(), log_name = log.string();
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start " + program);
  if (child == 0) {
    signals.restore();
    ::signal(SIGXFSZ, SIG_DFL);  // which we ignore
    const int out = ::open(log_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0 || ::chdir(folder.c_str()) != 0) ::_exit(127);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execl(program.c_str(), program.c_str(), argument.c_str(), "-", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  const Progress progress("filling with tetrahedra");
  int status = -1;  // not a good end, should waiting fail
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (SignalsHeld::asked()) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (SignalsHeld::asked())
    throw Error(Place::named("program", program), "it was interrupted", "Nothing was written.");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

template <class Mesh>
void mend(Mesh& mesh, const std::string& what) {
  std::vector<std::string> messages;
  {
    const Progress progress("repairing " + what);
    messages = repair(mesh);
  }
  for (const std::string& message : messages) print("{}\n", message);
}

template <class Mesh>
CheckResult checked(const Mesh& mesh, const std::string& what, CheckOptions options = {}) {
  Progress progress("checking " + what);
  options.progress = progress.callback();
  return check(mesh, options);
}

void refuse_unfit(const TriangleMesh& mesh, const std::string& path) {
  const CheckResult result = checked(mesh, path);
  for (const Problem problem : {Problem::open_border, Problem::nonmanifold_edge, Problem::degenerate_element,
                                Problem::duplicate_element, Problem::self_intersection})
    if (result.count(problem) > 0)
      throw Error(Place::file(path),
                  fmt::format("it cannot be filled: it has {} × {}", with_commas(result.count(problem)),
                              name_of(problem)),
                  "See 'palpate mesh check'; 'palpate mesh repair' mends some of it.");
}

// gmsh would work for days on a size that was meant in another unit.
void refuse_tiny_size(const TriangleMesh& surface, const Settings& settings) {
  constexpr double most = 4294967294.0;  // what has an index
  if (settings.size <= 0) return;
  const double regular = std::pow(settings.size, 3) / (6 * std::numbers::sqrt2);
  const double count = enclosed_mass(surface, 1).measure / regular;
  if (count > most)
    throw Error(
        Place::file(settings.input.path),
        fmt::format("with edges of {:g} m it would have about {:.1g} tetrahedra", settings.size, count),
        "Give a larger --size; it is in metres.");
}

std::string last_error(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string found = "no reason was given";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("Error")) found = line;
  return found;
}

TetMesh fill(const TriangleMesh& surface, const Settings& settings) {
  const std::string gmsh = find_program("gmsh");
  const Workplace work;
  write_mesh((work / "surface.msh").string(), surface);
  {
    std::ofstream script(work / "fill.geo");
    script << "Merge \"surface.msh\";\nSurface Loop(1) = Surface{:};\nVolume(1) = {1};\nMesh.Optimize = 1;\n";
    // Without a size, edges grow inward from those of the surface.
    if (settings.size > 0) script << fmt::format("Mesh.MeshSizeMax = {};\n", settings.size);
    script
        << "Mesh.Binary = 1;\nMesh.MshFileVersion = 4.1;\nMesh.SaveAll = 1;\nMesh 3;\nSave \"filled.msh\";\n";
  }
  const bool ended_well = run_program(gmsh, "fill.geo", work / "log");
  if (!ended_well || !std::filesystem::exists(work / "filled.msh"))
    throw Error(Place::file(settings.input.path),
                fmt::format("gmsh could not fill it: {}", last_error(work / "log")),
                "Check and repair the surface first, or mesh it in another program.");
  try {
    Progress progress("reading what gmsh made");
    return read_tet_mesh((work / "filled.msh").string(), {MeshFormat::msh, progress.callback()});
  } catch (const Error& error) {
    throw Error(Place::file(settings.input.path), "gmsh left no tetrahedra: " + last_error(work / "log"),
                "Check and repair the surface first, or mesh it in another program.");
  }
}

void run(const Settings& settings) {
  if (!holds_tets(check_output(settings.output, settings.write)))
    throw BadCommandLine(Place::file(settings.output), "its format holds no tetrahedra",
                         "Write .vtu or .msh.");
  MeshFile file = read(settings.input);
  if (!file.tets.empty())
    throw Error(Place::file(settings.input.path), "it has tetrahedra already",
                "Convert it with 'palpate mesh convert'.");
  TriangleMesh surface{std::move(file.positions), std::move(file.triangles)};
  mend(surface, settings.input.path);
  refuse_unfit(surface, settings.input.path);
  refuse_tiny_size(surface, settings);
  TetMesh mesh = fill(surface, settings);
  mend(mesh, "what gmsh made");

  CheckOptions options;
  options.self_intersections = false;  // the surface was looked at
  const CheckResult result = checked(mesh, "what gmsh made", options);
  const double wanted = enclosed_mass(surface, 1).measure, got = solid_mass(mesh, 1).measure;
  if (result.count(Severity::error) > 0 || std::abs(got - wanted) > 1e-6 * wanted)
    throw Error(Place::file(settings.input.path),
                fmt::format("what gmsh made is not good: {} errors, volume {:.6g} m^3 instead of {:.6g}",
                            result.count(Severity::error), got, wanted),
                "Try another --size, or another surface.");
  if (const std::size_t slivers = result.count(Problem::sliver_tet); slivers > 0)
    print("{} slivers: 'palpate mesh repair --slivers' improves them\n", with_commas(slivers));
  write(settings.output, mesh, settings.write);
}

}  // namespace

void add_mesh_tetrahedralize(CLI::App& mesh) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command =
      mesh.add_subcommand("tetrahedralize", "Fill a closed surface with tetrahedra (needs gmsh)");
  add_input(*command, settings->input);
  command->add_option("OUT", settings->output, "File to write: .vtu or .msh")->required();
  command->add_option("--size", settings->size, "Largest edge inside [m] (default: as the surface has it)")
      ->check(positive_number());
  add_write_options(*command, settings->write);
  command->callback([settings] { run(*settings); });
}

}  // namespace palpate::cli
