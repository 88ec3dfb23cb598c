// Whole files from and to the disk.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace palpate::detail {

// Memory that is not cleared first, which for a large file would cost as much as reading it.
struct Bytes {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  operator std::string_view() const { return {data.get(), size}; }  // NOLINT: a view
};

// The whole file; also from pipes, whose size is not known before. Refuses what cannot be read.
Bytes read_bytes(const std::string& path);

// Writes beside the target and renames: whoever looks at the target sees the old file or the new one, never
// half of it. A device or a pipe is written to as it is. Refuses what cannot be written.
void write_bytes(const std::string& path, std::string_view bytes);

}  // namespace palpate::detail
