// `palpate run`: simulates a scene, and leaves a folder of results with a report.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <palpate/base/parallel.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/run_progress.h>
#include <palpate/cli/scene_files.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/formats/disk.h>
#include <palpate/report/force_arrows.h>
#include <palpate/report/frames.h>
#include <palpate/report/picture.h>
#include <palpate/report/recording.h>
#include <palpate/report/run_folder.h>
#include <palpate/report/run_page.h>
#include <palpate/report/run_summary.h>
#include <palpate/report/thinned_recording.h>
#include <palpate/report/web_files.h>
#include <palpate/scene/build_world.h>
#include <palpate/scene/read_scene.h>

namespace palpate::cli {

namespace {

constexpr int interrupted_by_user = 130;
constexpr std::size_t most_shown = 6'000'000;  // bytes on the page; with all else it stays below 10 MB
constexpr std::array<std::string_view, 10> stage_names = {"inputs", "detect",  "boxes", "pairs",  "tests",
                                                          "order",  "respond", "solve", "finish", "publish"};
std::atomic<bool> interrupted = false;

using StringEdge = std::array<std::uint32_t, 2>;

struct Settings {
  std::string scene, out, json, format, from, save, picture, record;
  std::vector<std::string> overrides;
  std::size_t steps = 0, every = 0;
  int threads = -1;
  bool overwrite = false, steps_given = false;
  std::string command_line;
};

// Without the holes that cutting leaves.
template <class Element>
std::size_t count_present(const std::vector<Element>& elements) {
  return static_cast<std::size_t>(
      std::count_if(elements.begin(), elements.end(), [](const Element& one) { return !is_hole(one); }));
}

// One run, from the scene to the last file.
class Run {
 public:
  explicit Run(const Settings& settings)
      : settings_(settings),
        file_(scene_file(settings.scene)),
        scene_(read_scene(file_, settings.overrides)),
        steps_(settings.steps_given ? settings.steps : scene_.run.steps) {}

  int go() {
    begun_ = Clock::now();
    const int threads = settings_.threads >= 0 ? settings_.threads : static_cast<int>(scene_.run.threads);
    const Threads pool(threads);
    facts_.threads = pool.count();
    pool.run([&] { world_ = build_world(scene_); });
    for (const std::string& remark : world_->remarks()) say("palpate: {}\n", remark);
    if (!settings_.from.empty()) world_->restore(read_snapshot(settings_.from));
    if (!settings_.json.empty() && settings_.json != "-") check_place(settings_.json);
    if (!settings_.save.empty()) check_place(settings_.save);
    if (!settings_.picture.empty()) check_place(settings_.picture);
    if (!settings_.record.empty()) check_place(settings_.record);
    open_folder();
    if (!settings_.record.empty())
      recording_.emplace(settings_.record, stream_hello(scene_, std::filesystem::path(file_).stem().string()),
                         scene_.text, world_->snapshot());
    if (!web_files().empty())
      shown_.emplace(stream_hello(scene_, std::filesystem::path(file_).stem().string()), most_shown);
    std::signal(SIGPIPE, SIG_IGN);  // whoever read along may be gone: the run goes on
    for (const int signal : {SIGINT, SIGTERM})
      std::signal(signal, [](int) {
        if (interrupted.exchange(true)) std::_Exit(interrupted_by_user);  // a second Ctrl-C means now
      });
    try {
      pool.run([&] { simulate(); });
    } catch (const Error& error) {  // what was done until then is not lost
      facts_.warnings.emplace_back(error.what());
    }
    finish();
    if (facts_.interrupted) return interrupted_by_user;
    return facts_.warnings.size() == harmless_ ? done : bad_input;
  }

 private:
  void open_folder() {
    RunFolderOptions options;
    options.path = settings_.out;
    options.scene = std::filesystem::path(file_).stem().string();
    options.overwrite = settings_.overwrite;
    options.stages.assign(stage_names.begin(), stage_names.end());
    options.expected_bytes = expected_table_bytes(steps_, stage_names.size());
    std::error_code ignored;
    if (!settings_.out.empty() && std::filesystem::equivalent(settings_.out + "/scene.toml", file_, ignored))
      throw Error(Place::file(file_), "the scene as run would be written over it",
                  "Give another folder with --out.");
    folder_.emplace(options);
    folder_->write("scene.toml", scene_.text);
    every_ = settings_.every > 0           ? settings_.every
             : scene_.run.record_every > 0 ? scene_.run.record_every
                                           : steps_between_frames(scene_.run.step);
    const bool wants_frames = !settings_.format.empty() || scene_.run.record_every > 0;
    if (!wants_frames) return;
    const FrameFormat format =
        settings_.format.empty() ? FrameFormat::vtu : *frame_format_named(settings_.format);
    frames_.emplace(folder_->path(), format);
  }

  void simulate() {
    RunRecord& record = record_.emplace(stage_names, steps_, world_->time());
    RunProgress progress(steps_);
    if (frames_) export_frame();
    if (recording_) recording_->add_frame(*world_, {});
    if (shown_) shown_->add(*world_, {});
    for (std::size_t i = 0; i < steps_ && !interrupted; ++i) {
      const StepReport& report = world_->step(scene_.run.step);
      const Energies energies = world_->energies();
      StepRecord one;
      one.step = report.step;
      one.time = report.time;
      one.nanoseconds = report.nanoseconds;
      one.stages = world_->stages();
      for (const Contact& contact : world_->contacts()) {
        if (contact.in_margin != 0) continue;
        (contact.kind() == ContactKind::edge_edge ? one.edge_edge : one.vertex_triangle) += 1;
        one.nearest = std::min(one.nearest, contact.distance);
      }
      one.pushing = report.touching.pushing;
      one.guarded = static_cast<std::size_t>(report.touching.guarded);
      one.parts = static_cast<std::size_t>(std::max(1, report.touching.parts));
      one.lost = report.touching.lost;
      one.kinetic = energies.kinetic;
      one.elastic = energies.elastic;
      one.potential = energies.potential;
      one.contact = energies.contact;
      one.total = energies.total();
      one.residual = report.soft.residual;
      one.iterations = static_cast<std::size_t>(report.soft.iterations);
      one.failures = report.failures;
      record.add(one);
      folder_->add(one);
      if (recording_) recording_->add_state(world_->steps(), world_->hash());
      if (frames_ && (i + 1) % every_ == 0) export_frame();
      if (recording_ && (i + 1) % every_ == 0) recording_->add_frame(*world_, report);
      if (shown_ && ((i + 1) % steps_between_frames(scene_.run.step) == 0 || i + 1 == steps_))
        shown_->add(*world_, report);
      progress.show(i + 1, static_cast<double>(report.nanoseconds) * 1e-6, one.contacts());
    }
  }

  void export_frame() {
    std::vector<FrameBody> bodies;
    std::vector<FrameField> fields;
    fields.reserve(world_->size());
    for (const BodyId id : world_->bodies()) {
      FrameBody one{};
      one.name = world_->name(id);
      if (world_->kind(id) == BodyKind::soft && !world_->soft(id).rest().tets.empty()) {
        const SoftBody& soft = world_->soft(id);
        one.positions = soft.positions();
        one.tets = soft.rest().tets;
        fields.push_back(FrameField::vectors("velocity", soft.velocities()));
        one.point_data = {&fields.back(), 1};
      } else if (world_->kind(id) == BodyKind::soft && world_->surface(id).triangles.empty()) {  // a string
        one.positions = world_->soft(id).positions();
        one.edges = edges_of(world_->name(id), static_cast<std::uint32_t>(one.positions.size()));
      } else {
        one.positions = world_->surface(id).positions;
        one.triangles = world_->surface(id).triangles;
      }
      bodies.push_back(one);
    }
    frames_->write(world_->time(), bodies);
  }

  // From point to point of a string, and back to the first one of a ring.
  std::span<const StringEdge> edges_of(const std::string& name, std::uint32_t points) {
    std::vector<StringEdge>& edges = edges_[name];
    if (!edges.empty()) return edges;
    for (std::uint32_t i = 0; i + 1 < points; ++i) edges.push_back({i, i + 1});
    const SceneBody* body = scene_.find_body(name);
    if (body != nullptr && body->closed) edges.push_back({points - 1, 0});
    return edges;
  }

  void list_bodies() {
    for (const BodyId id : world_->bodies()) {
      BodyFacts one;
      one.name = world_->name(id);
      one.kind = name_of(world_->kind(id));
      one.triangles = count_present(world_->surface(id).triangles);
      one.vertices = world_->surface(id).positions.size();
      if (world_->kind(id) == BodyKind::soft) {
        const SoftBody& soft = world_->soft(id);
        one.vertices = soft.positions().size();
        one.elements = count_present(soft.rest().tets);
        one.mass = 0;
        for (const double mass : soft.masses()) one.mass += mass;
        if (const SceneBody* body = scene_.find_body(one.name)) one.material = body->material_name;
      } else if (world_->kind(id) == BodyKind::rigid) {
        one.mass = world_->rigid().mass(id).mass;
      }
      facts_.bodies.push_back(std::move(one));
    }
  }

  void finish() {
    facts_.scene = scene_.title.empty() ? std::filesystem::path(file_).stem().string() : scene_.title;
    facts_.scene_text = scene_.text;
    facts_.command_line = settings_.command_line;
    facts_.state_hash = world_->hash();
    facts_.interrupted = interrupted;
    facts_.frames = frames_ ? frames_->frames() : 0;
    list_bodies();
    folder_->close();
    if (recording_) {
      recording_->close();
      if (recording_->failure()) facts_.warnings.emplace_back(recording_->failure()->what());
    }
    if (frames_ && frames_->failure()) facts_.warnings.emplace_back(frames_->failure()->what());
    if (!settings_.save.empty()) {
      try {
        write_snapshot(settings_.save, world_->snapshot());
      } catch (const Error& error) {
        facts_.warnings.emplace_back(error.what());
      }
    }
    if (!settings_.picture.empty()) draw();
    for (const Error& failure : folder_->failures()) facts_.warnings.emplace_back(failure.what());
    facts_.wall_seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    pack_player();
    const std::string json = run_json(facts_, *record_);
    bool written = folder_->write("summary.json", json);
    written = folder_->write("report.html", run_page(facts_, *record_)) && written;
    // Where the disk is full, it is told without being shown.
    if (!written && !facts_.recording.bytes.empty()) {
      facts_.recording = {};
      facts_.no_player = "The player is not here: it could not be written.";
      folder_->write("report.html", run_page(facts_, *record_));
    }
    if (settings_.json == "-") {
      std::fputs(json.c_str(), stdout);
    } else {
      if (!settings_.json.empty()) detail::write_bytes(settings_.json, json);
      std::fputs(
          (plain_text(run_table(facts_, *record_)) + "\n" + plain_text(run_stages_table(*record_))).c_str(),
          stdout);
    }
    for (const std::string& warning : folder_->warnings()) say("palpate: {}\n", warning);
    for (const std::string& warning : facts_.warnings) say("palpate: {}\n", warning);
    if (facts_.interrupted) say("palpate: interrupted; all steps until then are there\n");
    if (written) say("palpate: wrote {}\n", folder_->file("report.html"));
    if (recording_ && !recording_->failure())
      say("palpate: wrote {} with {} frames\n", settings_.record, recording_->frames());
    if (!written) facts_.warnings.emplace_back("not all could be written");
  }

  // A run too large to be watched on a page is a good run: it is told, and that is all.
  void pack_player() {
    if (!shown_) return;
    facts_.recording = shown_->packed();
    if (!facts_.recording.bytes.empty()) return;
    facts_.no_player =
        "There is no player here: not even two frames of this run have room on a page. "
        "`palpate run --record FILE` keeps them, and `palpate view FILE` shows them.";
    facts_.warnings.emplace_back("the report has no player: two frames of this run have no room on a page");
    ++harmless_;
  }

  // All surfaces as they are at the end, and what contacts push with.
  void draw() {
    std::vector<TriangleMesh> meshes;
    Box all;
    for (const BodyId id : world_->bodies()) {
      meshes.push_back(world_->surface(id));
      for (const Vec3& p : meshes.back().positions) all.add(p);
    }
    const double longest = all.empty() ? 1 : 0.15 * all.size().maxCoeff();
    meshes.push_back(force_arrows(world_->contact_forces(), longest));
    const PictureView view{.edges = false, .on_top = 1};
    try {
      detail::write_bytes(settings_.picture, png(draw_picture(meshes, view), view.width, view.height));
    } catch (const Error& error) {
      facts_.warnings.emplace_back(error.what());
    }
  }

  const Settings& settings_;
  std::string file_;
  Scene scene_;
  std::size_t steps_, every_ = 1;
  std::size_t harmless_ = 0;  // of the warnings
  Clock::time_point begun_;
  RunFacts facts_;
  std::unique_ptr<World> world_;
  std::optional<RunFolder> folder_;
  std::optional<FrameExport> frames_;
  std::optional<RecordingWriter> recording_;
  std::optional<ThinnedRecording> shown_;  // on the page
  std::optional<RunRecord> record_;
  std::map<std::string, std::vector<StringEdge>> edges_;  // of each string
};

}  // namespace

void add_run(CLI::App& app, int& exit_code, const std::string& command_line) {
  CLI::App* run = app.add_subcommand("run", "Simulate a scene; leaves a folder with a report");
  auto settings = std::make_shared<Settings>();
  settings->command_line = command_line;
  run->add_option("SCENE", settings->scene, "A TOML file, or a name from `palpate scenes`")->required();
  run->add_option("--steps", settings->steps, "So many, whatever the scene says")->check(whole_number(0));
  run->add_option("--threads", settings->threads, "At most so many (0: all)")->check(CLI::Range(0, 1024));
  run->add_option("--out", settings->out, "Folder for the results (default: results/SCENE, or SCENE-2, ...)");
  run->add_flag("--overwrite", settings->overwrite, "Replace what an earlier run left in that folder");
  run->add_option("--set", settings->overrides,
                  "Change the scene: run.step=0.01, body.liver.material.young=1e4");
  run->add_option("--export", settings->format, "Frames for ParaView (vtu) or anything else (gltf)")
      ->check(CLI::IsMember({"vtu", "gltf"}));
  run->add_option("--every", settings->every, "Steps from frame to frame (default: 30 frames a second)")
      ->check(whole_number(1));
  run->add_option("--from", settings->from, "Begin with the state in this file, of the same scene");
  run->add_option("--save", settings->save, "Write the state at the end to this file");
  run->add_option("--record", settings->record,
                  "Keep the run in this file: it can be watched, and run again (palpate replay)");
  run->add_option("--picture", settings->picture,
                  "Draw the end of it to this PNG file, with arrows where contacts push");
  run->add_option("--json", settings->json, "Write the summary as JSON to this file (- for stdout)");
  run->callback([settings, run, &exit_code] {
    settings->steps_given = run->count("--steps") > 0;
    if (run->count("--every") > 0 && settings->format.empty() && settings->record.empty())
      throw BadCommandLine(Error(Place::named("option", "--every"), "there are no frames to leave out",
                                 "Say --export vtu, or gltf, or --record FILE, too."));
    exit_code = Run(*settings).go();
  });
  run->footer(
      "The folder: summary.json, timings.csv, contacts.csv, energies.csv, scene.toml, report.html.\n");
}

}  // namespace palpate::cli
