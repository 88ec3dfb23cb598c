// A moment of a world, as bytes: to go back to, or to keep in a file.
//
// It has states, not what bodies are made of: it is restored into a world that was built in the same way, and
// it says of which bodies it is, and has a few numbers of what they are made of, so that another world can
// refuse it by name. A checksum at its end finds what was damaged on the way.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace palpate {

struct Snapshot {
  std::vector<std::byte> bytes;
};

// Throw Error for what cannot be written or read, and for files that are no snapshots, of another version, or
// damaged.
void write_snapshot(const std::string& path, const Snapshot& snapshot);
Snapshot read_snapshot(const std::string& path);

}  // namespace palpate
