// `palpate mesh check FILE`: what is unusual about a mesh, as a table or as JSON. Leaves with 1 if it has
// errors.
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>
#include <palpate/mesh/check.h>

namespace palpate::cli {

namespace {

struct Settings {
  Input input;
  CheckOptions check;
  bool json = false, all = false, strict = false;
};

std::string place_of(const Finding& finding) {
  if (finding.kind == ElementKind::mesh) return {};
  if (finding.kind == ElementKind::edge) return "edge: ";
  return fmt::format("{} {}: ", name_of(finding.kind), finding.element);
}

void print_table(const CheckResult& result, const Settings& settings) {
  constexpr std::size_t few = 3;
  std::optional<Problem> last;
  std::size_t shown = 0;
  for (const Finding& finding : result.findings) {
    if (last != finding.problem) {
      last = finding.problem;
      shown = 0;
      print("{:<8} {:>9}  {}\n", name_of(finding.severity()), with_commas(result.count(finding.problem)),
            name_of(finding.problem));
    }
    if (settings.all || shown < few) {
      print("{:20}{}{}\n", "", place_of(finding), finding.message);
    } else if (shown == few) {
      print("{:20}...\n", "");
    }
    ++shown;
  }
}

nlohmann::json as_json(const CheckResult& result, const std::string& path) {
  nlohmann::json findings = nlohmann::json::array(), counts = nlohmann::json::object();
  for (const Finding& finding : result.findings)
    findings.push_back({{"severity", name_of(finding.severity())},
                        {"problem", name_of(finding.problem)},
                        {"kind", name_of(finding.kind)},
                        {"element", finding.element},
                        {"message", finding.message}});
  for (std::size_t p = 0; p < problem_count; ++p)
    if (result.counts[p] > 0) counts[std::string(name_of(static_cast<Problem>(p)))] = result.counts[p];
  return {{"file", path},
          {"errors", result.count(Severity::error)},
          {"warnings", result.count(Severity::warning)},
          {"notes", result.count(Severity::note)},
          {"counts", counts},
          {"findings", findings}};
}

CheckResult look_at(MeshFile&& file, const Settings& settings) {
  Progress progress("checking " + settings.input.path);
  CheckOptions options = settings.check;
  options.progress = progress.callback();
  if (settings.all) options.most_each = std::numeric_limits<std::size_t>::max();
  return file.tets.empty()
             ? check(TriangleMesh{std::move(file.positions), std::move(file.triangles)}, options)
             : check(TetMesh{std::move(file.positions), std::move(file.tets)}, options);
}

int run(const Settings& settings) {
  MeshFile file = read(settings.input);
  const CheckResult result = look_at(std::move(file), settings);
  const std::size_t errors = result.count(Severity::error), warnings = result.count(Severity::warning);
  if (settings.json) {
    fmt::print("{}\n", json_text(as_json(result, settings.input.path)));
  } else {
    print_table(result, settings);
    if (errors + warnings == 0) {
      print("{}: good\n", settings.input.path);
    } else {
      print("{}: {} errors, {} warnings. 'palpate mesh repair' mends most of them.\n", settings.input.path,
            with_commas(errors), with_commas(warnings));
    }
  }
  return errors > 0 || (settings.strict && warnings > 0) ? bad_input : done;
}

}  // namespace

void add_mesh_check(CLI::App& mesh, int& exit_code) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command =
      mesh.add_subcommand("check", "Say what is unusual about a mesh; leaves with 1 if it has errors");
  add_input(*command, settings->input);
  command->add_flag("--json", settings->json, "For programs");
  command->add_flag("--all", settings->all, "Every finding, not the first few of each kind");
  command->add_flag("--strict", settings->strict, "Leave with 1 on warnings too");
  command->add_flag("!--no-self-intersections", settings->check.self_intersections, "Skip the slowest part");
  command
      ->add_option("--slivers-below", settings->check.sliver_quality,
                   "Quality below which a tetrahedron is a sliver (1: regular)")
      ->capture_default_str()
      ->check(number_between(0, 1));
  command->callback([settings, &exit_code] { exit_code = run(*settings); });
}

}  // namespace palpate::cli
