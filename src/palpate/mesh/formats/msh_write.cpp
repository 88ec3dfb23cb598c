// Gmsh's MSH 4.1: one surface entity for the triangles, one volume entity for the tetrahedra.
#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include <palpate/mesh/formats/formats.h>

namespace palpate::detail {

namespace {

class MshWriter {
 public:
  explicit MshWriter(bool ascii) : ascii_(ascii) {}

  std::string write(const MeshView& mesh) && {
    out_.reserve(256 + mesh.positions.size() * 40 + (mesh.triangles.size() + mesh.tets.size()) * 40);
    out_ += ascii_ ? "$MeshFormat\n4.1 0 8\n" : "$MeshFormat\n4.1 1 8\n";
    if (!ascii_) put_int(1), out_ += '\n';
    out_ += "$EndMeshFormat\n";
    write_entities(mesh);
    write_nodes(mesh);
    write_elements(mesh);
    return std::move(out_);
  }

 private:
  template <class T>
  void put_number(T value) {
    if (ascii_) {
      fmt::format_to(std::back_inserter(out_), "{} ", value);  // doubles as short as they can be read back
    } else {
      char bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof(T));
      out_.append(bytes, sizeof(T));
    }
  }
  void put_int(std::int32_t value) { put_number(value); }
  void put_size(std::uint64_t value) { put_number(value); }
  void put_real(double value) { put_number(value); }
  void end_line() {
    if (ascii_) out_.back() = '\n';  // in place of the blank after the last number
  }
  void end_section(std::string_view name) {
    if (!ascii_) out_ += '\n';
    fmt::format_to(std::back_inserter(out_), "$End{}\n", name);
  }

  // Gmsh wants to know the entities that elements belong to, each with its box.
  void write_entities(const MeshView& mesh) {
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    if (!mesh.positions.empty()) low = high = mesh.positions[0];
    for (const Vec3& p : mesh.positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
    out_ += "$Entities\n";
    const bool surface = has_surface(mesh), volume = !mesh.tets.empty();
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{surface}, std::uint64_t{volume}})
      put_size(count);
    end_line();
    for (int i = 0; i < static_cast<int>(surface) + static_cast<int>(volume); ++i) {
      put_int(1);
      for (const double c : low) put_real(c);
      for (const double c : high) put_real(c);
      put_size(0);  // no physical groups
      put_size(0);  // nothing known that bounds it
      end_line();
    }
    end_section("Entities");
  }

  // Nodes have to be on an entity even where there are no elements.
  static bool has_surface(const MeshView& mesh) { return !mesh.triangles.empty() || mesh.tets.empty(); }

  void put_counts(std::size_t blocks, std::size_t all) {
    put_size(blocks);
    put_size(all);
    put_size(all > 0 ? 1 : 0);  // the lowest number
    put_size(all);              // the highest
    end_line();
  }
  void put_block(int dimension, int parametric_or_type, std::size_t count) {
    put_int(dimension);
    put_int(1);
    put_int(parametric_or_type);
    put_size(count);
    end_line();
  }

  void write_nodes(const MeshView& mesh) {
    const std::size_t nodes = mesh.positions.size();
    out_ += "$Nodes\n";
    put_counts(nodes > 0 ? 1 : 0, nodes);
    if (nodes > 0) put_block(mesh.tets.empty() ? 2 : 3, 0, nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      put_size(i + 1);
      end_line();
    }
    for (const Vec3& p : mesh.positions) {
      for (const double c : p) put_real(c);
      end_line();
    }
    end_section("Nodes");
  }

  template <class Elements>
  void put_elements(const Elements& elements, int dimension, int type) {
    if (elements.empty()) return;
    put_block(dimension, type, elements.size());
    for (const auto& element : elements) {
      put_size(++element_);
      for (const std::uint32_t v : element) put_size(std::uint64_t{v} + 1);
      end_line();
    }
  }

  void write_elements(const MeshView& mesh) {
    out_ += "$Elements\n";
    put_counts((mesh.triangles.empty() ? 0U : 1U) + (mesh.tets.empty() ? 0U : 1U),
               mesh.triangles.size() + mesh.tets.size());
    put_elements(mesh.triangles, 2, 2);
    put_elements(mesh.tets, 3, 4);
    end_section("Elements");
  }

  bool ascii_;
  std::string out_;
  std::uint64_t element_ = 0;
};

}  // namespace

std::string write_msh(const MeshView& mesh, const WriteOptions& options) {
  return MshWriter(options.ascii).write(mesh);
}

}  // namespace palpate::detail
