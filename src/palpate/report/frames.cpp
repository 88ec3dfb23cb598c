#include <palpate/report/frames.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include <palpate/mesh/boundary.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/formats/disk.h>
#include <palpate/mesh/formats/vtu_write.h>
#include <palpate/report/plot.h>
#include <palpate/report/safe_name.h>

namespace palpate {

namespace {

constexpr std::string_view pvd_head =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
    "<Collection>\n";
constexpr std::string_view pvd_tail = "</Collection>\n</VTKFile>\n";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return result;
}

// XML readers refuse a file with a name that is not UTF-8: only plain ones are shown as they are.
bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

template <class Element>
void check_corners(const Place& place, const char* kind, std::span<const Element> elements,
                   std::size_t vertices) {
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (const std::uint32_t v : elements[i])
      if (v >= vertices && !is_hole(elements[i]))
        throw Error(place.element(kind, i), fmt::format("there is no vertex {}", v),
                    "Check how this element was made.");
}

void check(const FrameBody& body) {
  const Place place = Place::named("body", body.name);
  for (std::size_t i = 0; i < body.positions.size(); ++i)
    if (!body.positions[i].allFinite())
      throw Error(place.element("vertex", i), "a coordinate is not finite",
                  "Frames end here. Take shorter steps, or a softer material.");
  check_corners(place, "tetrahedron", body.tets, body.positions.size());
  check_corners(place, "triangle", body.triangles, body.positions.size());
  check_corners(place, "edge", body.edges, body.positions.size());
}

// A body without the holes that cutting leaves in its elements, nor what is told of those.
class WithoutHoles {
 public:
  explicit WithoutHoles(const FrameBody& body) : body_(body) {
    const bool solid = !body.tets.empty();
    const std::vector<std::size_t> there = solid ? take(body.tets, tets_) : take(body.triangles, triangles_);
    const std::size_t cells = solid ? body.tets.size() : body.triangles.size();
    if (there.size() == cells) return;
    body_.tets = tets_;
    body_.triangles = triangles_;
    for (const FrameField& field : body.cell_data) {
      if (field.values.size() != cells * field.components) return;  // refused by who writes it
      std::vector<double>& values = values_.emplace_back();
      for (const std::size_t i : there)
        for (std::size_t k = 0; k < field.components; ++k)
          values.push_back(field.values[i * field.components + k]);
    }
    for (std::size_t i = 0; i < values_.size(); ++i)
      fields_.push_back({body.cell_data[i].name, values_[i], body.cell_data[i].components});
    body_.cell_data = fields_;
  }
  WithoutHoles(const WithoutHoles&) = delete;
  WithoutHoles& operator=(const WithoutHoles&) = delete;
  const FrameBody& body() const { return body_; }

 private:
  template <class Element>
  static std::vector<std::size_t> take(std::span<const Element> from, std::vector<Element>& to) {
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (is_hole(from[i])) continue;
      there.push_back(i);
      to.push_back(from[i]);
    }
    return there;
  }

  FrameBody body_;
  std::vector<TetCorners> tets_;
  std::vector<TriangleCorners> triangles_;
  std::vector<std::vector<double>> values_;
  std::vector<FrameField> fields_;
};

std::vector<detail::VtuField> vtu_fields(std::span<const FrameField> fields) {
  std::vector<detail::VtuField> result;
  for (const FrameField& field : fields) result.push_back({field.name, field.values, field.components});
  return result;
}

std::string vtu_of(const FrameBody& whole, const WriteOptions& options) {
  const WithoutHoles present(whole);
  const FrameBody& body = present.body();
  MeshView mesh{TriangleMesh{}};
  mesh.positions = body.positions;
  mesh.tets = body.tets;
  mesh.triangles = body.tets.empty() ? body.triangles : std::span<const TriangleCorners>();
  detail::VtuExtras extras;
  if (mesh.tets.empty() && mesh.triangles.empty()) extras.lines = body.edges;
  const auto point_data = vtu_fields(body.point_data), cell_data = vtu_fields(body.cell_data);
  extras.point_data = point_data;
  extras.cell_data = cell_data;
  return detail::write_vtu(mesh, options, extras);
}

// Adds a surface to what will be one mesh.
void append(TriangleMesh& all, std::span<const Vec3> positions, std::span<const TriangleCorners> triangles) {
  if (all.positions.size() + positions.size() >= no_index)
    throw Error(Place::named("frame", "for glTF"), "the bodies have too many vertices together",
                "Export .vtu.");
  const auto first = static_cast<std::uint32_t>(all.positions.size());
  all.positions.insert(all.positions.end(), positions.begin(), positions.end());
  for (TriangleCorners triangle : triangles) {
    if (is_hole(triangle)) continue;
    for (std::uint32_t& corner : triangle) corner += first;
    all.triangles.push_back(triangle);
  }
}

TriangleMesh surfaces_of(std::span<const FrameBody> bodies) {
  TriangleMesh all;
  for (const FrameBody& body : bodies) {
    if (!body.triangles.empty()) {
      append(all, body.positions, body.triangles);
    } else if (!body.tets.empty()) {
      const TetMesh mesh{{body.positions.begin(), body.positions.end()},
                         {body.tets.begin(), body.tets.end()}};
      const TriangleMesh surface = boundary_surface(mesh).mesh;
      append(all, surface.positions, surface.triangles);
    }
  }
  return all;
}

// The folder is made before the file beside it is.
std::string index_path(const std::string& folder, FrameFormat format) {
  std::error_code error;
  std::filesystem::create_directories(folder + "/frames", error);
  if (error)
    throw Error(Place::file(folder + "/frames"), fmt::format("cannot make this folder: {}", error.message()),
                "Is something else in its place?");
  return folder + (format == FrameFormat::vtu ? "/frames.pvd" : "/frames.csv");
}

}  // namespace

struct FrameExport::Part {
  std::string name, stem;
  std::size_t next_frame = 0;  // it is not in this one yet
};

std::optional<FrameFormat> frame_format_named(std::string_view name) {
  if (name == "vtu") return FrameFormat::vtu;
  if (name == "gltf") return FrameFormat::gltf;
  return std::nullopt;
}

FrameExport::FrameExport(const std::string& folder, FrameFormat format, const WriteOptions& options)
    : folder_(folder),
      format_(format),
      options_(options),
      index_(index_path(folder, format), std::string(format == FrameFormat::vtu ? pvd_tail : "")) {
  index_.buffer() += format == FrameFormat::vtu ? pvd_head : "frame,time_s,file\n";
  index_.flush();
  if (index_.failure()) throw Error(*index_.failure());
}

FrameExport::~FrameExport() = default;

// Another part with this name may have a file of its own; disks may not tell capitals from small letters.
std::string FrameExport::new_stem(std::string_view name) const {
  const std::string stem = safe_name(name);
  for (std::size_t i = 1;; ++i) {
    std::string candidate = i == 1 ? stem : fmt::format("{}-{}", stem, i);
    const auto taken = [&](const Part& part) { return lower(part.stem) == lower(candidate); };
    if (std::none_of(parts_.begin(), parts_.end(), taken)) return candidate;
  }
}

// Bodies come in the same order nearly always: `hint` is the place in this frame.
std::size_t FrameExport::part_of(std::string_view name, std::size_t hint) {
  const auto fits = [&](const Part& part) { return part.name == name && part.next_frame <= frames_; };
  std::size_t at = hint;
  if (hint >= parts_.size() || !fits(parts_[hint]))
    at = static_cast<std::size_t>(std::find_if(parts_.begin(), parts_.end(), fits) - parts_.begin());
  if (at == parts_.size()) parts_.push_back({std::string(name), new_stem(name)});
  parts_[at].next_frame = frames_ + 1;
  return at;
}

void FrameExport::put(const std::string& name, std::string_view bytes) {
  detail::write_bytes(folder_ + "/" + name, bytes);
  written_.push_back(name);
}

void FrameExport::write_vtu(double time, std::span<const FrameBody> bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t part = part_of(bodies[i].name, i);
    const std::string file = fmt::format("frames/{}-{:06}.vtu", parts_[part].stem, frames_);
    put(file, vtu_of(bodies[i], options_));
    fmt::format_to(std::back_inserter(index_.buffer()),
                   "<DataSet timestep=\"{}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", time, part,
                   escaped(is_ascii(bodies[i].name) ? bodies[i].name : parts_[part].stem), file);
  }
}

void FrameExport::write_gltf(double time, std::span<const FrameBody> bodies) {
  const std::string file = fmt::format("frames/frame-{:06}.glb", frames_);
  put(file, format_mesh(MeshFormat::gltf, surfaces_of(bodies)));
  fmt::format_to(std::back_inserter(index_.buffer()), "{},{},{}\n", frames_, time, file);
}

bool FrameExport::write(double time, std::span<const FrameBody> bodies) {
  if (failure_) return false;
  written_.clear();
  try {
    if (!std::isfinite(time))
      throw Error(Place::named("frame", fmt::format("{}", frames_)), "its time is not finite", "Give one.");
    std::for_each(bodies.begin(), bodies.end(), check);
    format_ == FrameFormat::vtu ? write_vtu(time, bodies) : write_gltf(time, bodies);
    index_.flush();
    if (index_.failure()) throw Error(*index_.failure());
    ++frames_;
    return true;
  } catch (const Error& error) {
    failure_ = error;
    index_.buffer().clear();
    std::error_code ignored;
    for (const std::string& name : written_) std::filesystem::remove(folder_ + "/" + name, ignored);
    return false;
  }
}

}  // namespace palpate
