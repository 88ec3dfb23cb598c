// What the parts of `palpate mesh` have in common, and the parts themselves, a file each.
#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <palpate/mesh/files.h>

namespace palpate::cli {

void add_mesh_info(CLI::App& mesh);
void add_mesh_check(CLI::App& mesh, int& exit_code);
void add_mesh_make(CLI::App& mesh);
void add_mesh_convert(CLI::App& mesh);
void add_mesh_repair(CLI::App& mesh);
void add_mesh_tetrahedralize(CLI::App& mesh);
void add_mesh_picture(CLI::App& mesh);

// How a file is to be read: its format if the name does not say, and its unit.
struct Input {
  std::string path, format, unit;
  double scale = 1;
};
void add_input(CLI::App& command, Input& input);
// The option --from alone; `whose` begins its help: "Its".
void add_from(CLI::App& command, std::string& format, const char* whose);
// Reads with a progress bar, says the warnings on stderr, and brings the coordinates to metres.
MeshFile read(const Input& input);

// For options: finite numbers only, which CLI11's own checks do not ask for.
CLI::Validator positive_number();
CLI::Validator any_number();
CLI::Validator number_between(double low, double high);  // both included
CLI::Validator number_inside(double low, double high);   // neither
CLI::Validator whole_number(double least);

bool holds_tets(MeshFormat format);
// Refuses a target that is a folder, or in one that does not exist or is not to be written to.
void check_place(const std::string& path);
// The same, and names without a format that is written, and options that the format does not have.
MeshFormat check_output(const std::string& path, const WriteOptions& options);
void add_write_options(CLI::App& command, WriteOptions& options);
// Writes, and says on stderr what and where.
void write(const std::string& path, const MeshView& mesh, const WriteOptions& options);

// JSON for programs; file names may have bytes that are not UTF-8, which are replaced.
std::string json_text(const nlohmann::json& json);

// 25600 -> "25,600"
std::string with_commas(std::size_t number);
// 0.0123 -> "12.3 mm"
std::string with_unit(double metres);

}  // namespace palpate::cli
