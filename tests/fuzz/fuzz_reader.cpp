// A libFuzzer target for one mesh format (PALPATE_FUZZ_FORMAT): whatever the bytes are, the reader returns a
// mesh or throws Error, in memory that is a small multiple of their number, and what it returns survives
// being written and read again. (Time is libFuzzer's own -timeout.)
#include <sanitizer/allocator_interface.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>

namespace {

using namespace palpate;

constexpr MeshFormat format = MeshFormat::PALPATE_FUZZ_FORMAT;

// Bytes in use since the count began, and their peak. One thread: readers of small files start none.
std::size_t used = 0, peak = 0;
bool counting = false;

void count_malloc(const volatile void*, std::size_t size) {
  if (counting && (used += size) > peak) peak = used;
}
void count_free(const volatile void* memory) {
  if (!counting || memory == nullptr) return;
  const std::size_t size = __sanitizer_get_allocated_size(const_cast<const void*>(memory));
  used -= size < used ? size : used;
}

[[noreturn]] void stop(const char* what, std::size_t size, std::size_t amount) {
  std::fprintf(stderr, "%s: %zu bytes of input, %zu\n", what, size, amount);
  std::abort();
}

// TetGen has two files: the second follows a byte 1.
MeshFile parse(std::string_view bytes) {
  if (format != MeshFormat::tetgen) return parse_mesh(format, bytes, "fuzz");
  const std::size_t split = bytes.find('\1');
  const std::string_view elements =
      split == std::string_view::npos ? std::string_view() : bytes.substr(split + 1);
  return parse_mesh(format, bytes.substr(0, split), "fuzz", elements);
}

// Independent of what the reader and parse_mesh() have looked at.
void look_again(const MeshFile& mesh) {
  const std::size_t vertices = mesh.positions.size();
  for (std::size_t v = 0; v < vertices; ++v)
    for (const double x : mesh.positions[v])
      if (!std::isfinite(x)) stop("a coordinate is not finite", vertices, v);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t v : mesh.triangles[t])
      if (v >= vertices) stop("a triangle has a corner that is not there", vertices, t);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (const std::uint32_t v : mesh.tets[t])
      if (v >= vertices) stop("a tetrahedron has a corner that is not there", vertices, t);
}

void write_and_read(const MeshFile& mesh) {
  if (!can_write(format) || format == MeshFormat::stl)
    return;  // STL has floats, and merges what falls together
  for (const bool ascii : {false, true}) {
    WriteOptions options;
    options.ascii = ascii;
    const MeshFile again = parse(format_mesh(format, mesh, options));
    if (again.positions != mesh.positions || again.triangles != mesh.triangles || again.tets != mesh.tets)
      stop("written and read again, the mesh differs", mesh.positions.size(), mesh.triangles.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  used = peak = 0;
  try {
    counting = true;
    const MeshFile mesh = parse(bytes);
    counting = false;
    look_again(mesh);
    write_and_read(mesh);
  } catch (const Error&) {
    counting = false;  // refused, as it may be
  }
  if (peak > PALPATE_FUZZ_MULTIPLE * size + (1 << 20)) stop("too much memory for the input", size, peak);
  return 0;
}
