#include <palpate/report/run_folder.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <palpate/mesh/formats/disk.h>
#include <palpate/report/run_tables.h>
#include <palpate/report/safe_name.h>

namespace palpate {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view room = ".palpate-room";  // held free until the end
constexpr std::size_t room_bytes = 1 << 19;
constexpr std::string_view names[] = {"timings.csv", "contacts.csv", "energies.csv", "summary.json",
                                      "report.html", "frames.pvd",   "frames.csv",   room};

[[noreturn]] void refuse_making(const fs::path& path, const std::error_code& error) {
  throw Error(Place::file(path.string()), fmt::format("cannot make this folder: {}", error.message()),
              "Give another with --out.");
}

// True if it was not there.
bool make_folder(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    throw Error(Place::file(path.string()), "this is a file, not a folder", "Give another name with --out.");
  error.clear();
  const bool made = fs::create_directories(path, error);
  if (error) refuse_making(path, error);
  return made;
}

// Two runs that begin at once get a folder each: only one of them can make it.
std::string make_new_folder(const fs::path& parent, std::string_view scene) {
  make_folder(parent);
  const std::string name = safe_name(scene);
  for (std::size_t i = 1;; ++i) {
    const fs::path path = parent / (i == 1 ? name : fmt::format("{}-{}", name, i));
    std::error_code error;
    if (fs::create_directory(path, error)) return path.string();
    std::error_code ignored;
    if (error && !fs::exists(fs::symlink_status(path, ignored))) refuse_making(path, error);
  }
}

// Does it look like what FrameExport writes: NAME-000012.vtu or .glb?
bool is_frame(const fs::path& path) {
  if (path.extension() != ".vtu" && path.extension() != ".glb") return false;
  const std::string stem = path.stem().string();
  const std::size_t dash = stem.rfind('-');
  return dash != std::string::npos && stem.size() - dash > 6 &&
         std::all_of(stem.begin() + static_cast<std::ptrdiff_t>(dash) + 1, stem.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// What cannot be removed is found again when it cannot be written.
void remove_earlier_run(const fs::path& path) {
  std::error_code ignored;
  for (const std::string_view name : names) fs::remove(path / name, ignored);
  std::vector<fs::path> frames;
  for (auto at = fs::directory_iterator(path / "frames", ignored); at != fs::directory_iterator();
       at.increment(ignored))
    if (is_frame(at->path())) frames.push_back(at->path());
  for (const fs::path& frame : frames) fs::remove(frame, ignored);
  fs::remove(path / "frames", ignored);  // unless something else is in it
}

void check_empty(const fs::path& path) {
  std::error_code error;
  const bool empty = fs::is_empty(path, error);
  if (error)
    throw Error(Place::file(path.string()), fmt::format("cannot look into it: {}", error.message()),
                "May you read it?");
  if (!empty)
    throw Error(Place::file(path.string()), "there is something in this folder already",
                "Give another with --out, or replace the results in it with --overwrite.");
}

std::string size_text(std::uintmax_t bytes) {
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", 1e-3 * static_cast<double>(bytes));
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(bytes));
  return fmt::format("{:.1f} GB", 1e-9 * static_cast<double>(bytes));
}

// Room by what the disk says, then by trying: quotas and some network disks say nothing before. Returns a
// warning, or nothing.
std::string check_room(const fs::path& path, const RunFolderOptions& options) {
  std::error_code error;
  const fs::space_info space = fs::space(path, error);
  const bool known = !error && space.available != static_cast<std::uintmax_t>(-1);
  if (known && space.available < options.needed_bytes)
    throw Error(Place::file(path.string()),
                fmt::format("the disk has {} left, and the run needs {}", size_text(space.available),
                            size_text(options.needed_bytes)),
                "Make room, or give a folder on another disk with --out.");
  const std::string probe = (path / ".palpate-probe").string();
  detail::write_bytes(probe, std::string(4096, '\n'));
  fs::remove(probe, error);
  if (!known || space.available >= options.expected_bytes) return "";
  return fmt::format("{}: the disk has {} left, and the run may leave {}.", path.string(),
                     size_text(space.available), size_text(options.expected_bytes));
}

}  // namespace

RunFolder::RunFolder(const RunFolderOptions& options) : path_(options.path) {
  bool is_new = true;
  if (path_.empty()) {
    path_ = make_new_folder(options.parent, options.scene);
  } else {
    is_new = make_folder(path_);
    if (!is_new && !options.overwrite) check_empty(path_);
  }
  try {
    std::string warning = check_room(path_, options);
    if (!warning.empty()) warnings_.push_back(std::move(warning));
    if (!is_new) remove_earlier_run(path_);
    tables_ = std::make_unique<RunTables>(path_, options.stages);
    hold_room();
  } catch (...) {
    std::error_code ignored;
    if (is_new) fs::remove_all(path_, ignored);
    throw;
  }
}

RunFolder::~RunFolder() { free_room(); }

// Where not even that much can be written, the run is done without.
void RunFolder::hold_room() const {
  try {
    detail::write_bytes(file(room), std::string(room_bytes, '\n'));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what then fails is told when it does
  }
}

void RunFolder::free_room() const {
  std::error_code ignored;
  fs::remove(file(room), ignored);
}

void RunFolder::add(const StepRecord& step) { tables_->add(step); }

bool RunFolder::write(std::string_view name, std::string_view bytes) {
  try {
    detail::write_bytes(file(name), bytes);
    return true;
  } catch (const Error& error) {
    failures_.push_back(error);
    return false;
  }
}

void RunFolder::close() {
  free_room();
  tables_->close();
}

std::vector<Error> RunFolder::failures() const {
  std::vector<Error> all = tables_->failures();
  all.insert(all.end(), failures_.begin(), failures_.end());
  return all;
}

std::vector<std::string> RunFolder::warnings() const {
  std::vector<std::string> all = warnings_;
  if (!tables_->warning().empty()) all.push_back(tables_->warning());
  for (const Error& error : failures()) all.emplace_back(error.what());
  return all;
}

std::uintmax_t expected_table_bytes(std::size_t steps, std::size_t stages) {
  return static_cast<std::uintmax_t>(steps) * (195 + 9 * static_cast<std::uintmax_t>(stages));
}

}  // namespace palpate
