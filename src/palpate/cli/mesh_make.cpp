// `palpate mesh make SHAPE -o FILE`: every generator of the library, with its parameters as options.
#include <memory>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/generate.h>

namespace palpate::cli {

namespace {

struct Settings {
  std::vector<double> values;
  std::optional<std::size_t> elements;
  std::string output;
  WriteOptions write;
  bool surface = false;
};

// "a torus", "an icosphere"
std::string with_article(std::string_view name) {
  const bool vowel = std::string_view("aeiou").find(name[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", name);
}

// Whatever the generator refuses came from the command line.
std::variant<TriangleMesh, TetMesh> make_mesh(const Generator& generator, const Settings& settings) {
  const Progress progress(fmt::format("making {}", with_article(generator.name)));
  try {
    return generator.make(settings.values, settings.elements);
  } catch (const Error& error) {
    throw BadCommandLine(error);
  }
}

void check_target(const Generator& generator, const Settings& settings) {
  const MeshFormat format = check_output(settings.output, settings.write);
  if (generator.kind == GeneratedKind::solid && !settings.surface && !holds_tets(format))
    throw BadCommandLine(Place::file(settings.output),
                         fmt::format("its format, {}, holds triangles only, and {} is made of tetrahedra",
                                     name_of(format), with_article(generator.name)),
                         "Give --surface to write its boundary surface, or write .vtu or .msh.");
}

void run(const Generator& generator, const Settings& settings) {
  check_target(generator, settings);
  const auto made = make_mesh(generator, settings);
  const std::size_t count = std::visit(
      [](const auto& mesh) { return MeshView(mesh).triangles.size() + MeshView(mesh).tets.size(); }, made);
  if (settings.elements && count != *settings.elements)
    say("palpate: {} cannot have {} element{}; the nearest it can have is {}\n", with_article(generator.name),
        with_commas(*settings.elements), *settings.elements == 1 ? "" : "s", with_commas(count));
  if (const auto* solid = std::get_if<TetMesh>(&made); solid != nullptr && settings.surface) {
    write(settings.output, boundary_surface(*solid).mesh, settings.write);
  } else {
    std::visit([&](const auto& mesh) { write(settings.output, mesh, settings.write); }, made);
  }
}

}  // namespace

void add_mesh_make(CLI::App& mesh) {
  CLI::App* make = mesh.add_subcommand("make", "Make a mesh from a few numbers");
  make->require_subcommand(1);
  for (const Generator& generator : generators()) {
    auto settings = std::make_shared<Settings>();
    settings->values = generator.standard_values();
    CLI::App* command = make->add_subcommand(std::string(generator.name), std::string(generator.summary));
    command->add_option("-o,--output", settings->output, "File to write; its ending says the format")
        ->required();
    const bool solid = generator.kind == GeneratedKind::solid;
    command
        ->add_option(solid ? "--tets" : "--triangles", settings->elements,
                     solid ? "Choose the subdivision for this many tetrahedra"
                           : "Choose the subdivision for this many triangles")
        ->transform(whole_number(1));
    for (std::size_t i = 0; i < generator.parameters.size(); ++i) {
      const GeneratorParameter& parameter = generator.parameters[i];
      std::string summary(parameter.summary);
      if (!parameter.unit.empty()) summary += fmt::format(" [{}]", parameter.unit);
      command->add_option(fmt::format("--{}", parameter.name), settings->values[i], summary)
          ->capture_default_str()
          ->transform(parameter.integer ? whole_number(0) : any_number());
    }
    if (solid) command->add_flag("--surface", settings->surface, "Write its boundary surface");
    add_write_options(*command, settings->write);
    command->callback([&generator, settings] { run(generator, *settings); });
  }
}

}  // namespace palpate::cli
