// What VTK legacy files tell of their points and cells after the geometry: colours, normals, fields.
#pragma once

#include <string>
#include <vector>

#include <palpate/mesh/formats/mixed_cursor.h>

namespace palpate::detail {

// From POINT_DATA or CELL_DATA, which the cursor is at, to the end of the file. None of it is kept, but all
// of it has to be there: a file that is too short for what it announces was cut off, and is refused. What is
// not known has no length that could be checked: from there on everything is skipped, with a warning.
void skip_vtk_attributes(MixedCursor& in, std::vector<std::string>& warnings);

}  // namespace palpate::detail
