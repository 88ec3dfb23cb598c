// Frames of a run for other programs: ParaView (.vtu with a collection .pvd), or viewers of glTF (.glb).
//
// Each body and frame is a file of its own, written whole or not at all. The collection that names them is
// closed after every frame, so that an interrupted run can be opened as far as it came. When the disk refuses
// a frame, its files are taken away again, the export ends with it and failure() tells; the run goes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>
#include <palpate/report/stream_file.h>

namespace palpate {

enum class FrameFormat : std::uint8_t { vtu, gltf };

// "vtu" and "gltf", as on the command line.
std::optional<FrameFormat> frame_format_named(std::string_view name);

// A quantity at every vertex or cell, with one or more components; its name has letters, digits, '_', blanks.
struct FrameField {
  std::string_view name;
  std::span<const double> values;
  std::size_t components = 1;

  static FrameField scalars(std::string_view name, std::span<const double> values) {
    return {name, values, 1};
  }
  static FrameField vectors(std::string_view name, std::span<const Vec3> values) {
    return {name, {values.empty() ? nullptr : values[0].data(), 3 * values.size()}, 3};
  }
};

// A body as it is now: a view. It may have both tetrahedra and its surface as triangles: .vtu takes the first
// of tetrahedra, triangles and edges that it has, .glb the triangles, or else the tetrahedra's surface. Holes
// (mesh/degenerate.h) are left out, with what is told of them.
struct FrameBody {
  std::string_view name;
  std::span<const Vec3> positions;  // [m]
  std::span<const TetCorners> tets = {};
  std::span<const TriangleCorners> triangles = {};
  std::span<const std::array<std::uint32_t, 2>> edges = {};  // of a string
  std::span<const FrameField> point_data = {};               // .vtu only, as is the next
  std::span<const FrameField> cell_data = {};                // of what is written
};

class FrameExport {
 public:
  // Makes FOLDER/frames and FOLDER/frames.pvd (for glTF: frames.csv); FOLDER is there. Refuses what cannot
  // be. `options` are for .vtu: precision, compression.
  FrameExport(const std::string& folder, FrameFormat format, const WriteOptions& options = {});
  ~FrameExport();
  FrameExport(const FrameExport&) = delete;
  FrameExport& operator=(const FrameExport&) = delete;

  // The bodies at a simulated time [s]. False when it, or one before, could not be written.
  bool write(double time, std::span<const FrameBody> bodies);
  // Complete ones.
  std::size_t frames() const { return frames_; }
  // What ended the export too early.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Part;  // a body that was met: its name, and the one in file names
  std::size_t part_of(std::string_view name, std::size_t hint);
  std::string new_stem(std::string_view name) const;
  void write_vtu(double time, std::span<const FrameBody> bodies);
  void write_gltf(double time, std::span<const FrameBody> bodies);
  void put(const std::string& name, std::string_view bytes);

  std::string folder_;
  FrameFormat format_;
  WriteOptions options_;
  std::vector<Part> parts_;
  std::vector<std::string> written_;  // files of this frame
  std::size_t frames_ = 0;
  std::optional<Error> failure_;
  StreamFile index_;
};

}  // namespace palpate
