// Readers as one would write them in an afternoon: the C library's numbers, a buffer of lines, vectors. They
// trust the file. Frozen: references do not get faster.
#pragma once

#include <string>

#include <palpate/mesh/files.h>

namespace palpate::bench {

MeshFile plain_obj(const std::string& path);  // "v x y z" and "f a b c" only
MeshFile plain_ply(const std::string& path);  // ASCII, vertices of x y z, then triangles

}  // namespace palpate::bench
