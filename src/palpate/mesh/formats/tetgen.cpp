// TetGen's pair of files: NAME.node has the points, NAME.ele the tetrahedra. Numbers, a line each; '#' begins
// a comment. Both count from 0 or both from 1, which the first point's number decides.
#include <fmt/format.h>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/text_cursor.h>

namespace palpate::detail {

namespace {

constexpr std::int64_t most_points = no_index - 1;
constexpr std::int64_t most_tets = std::int64_t{1} << 40;
constexpr std::int64_t most_attributes = 1 << 20;

void expect_line_or_comment_end(TextCursor& in, std::string_view after) {
  if (in.at_line_end() || in.peek() == '#') return in.skip_line();
  in.expect_line_end(after);
}

// TetGen takes a missing number at the end of a header for 0.
std::int64_t count_or_zero(TextCursor& in, std::string_view what, std::int64_t most) {
  return in.at_line_end() || in.peek() == '#' ? 0 : in.integer(what, 0, most);
}

// Every line begins with a number, and they follow each other.
void read_line_number(TextCursor& in, std::string_view what, std::size_t expected) {
  in.skip_space_and_comments();
  if (in.at_end())
    in.refuse(fmt::format("the file ends where {} {} should be", what, expected),
              "It was cut off, or the count in its first line is wrong.");
  const std::size_t at = in.offset();
  const std::int64_t number = in.integer(fmt::format("number of a {}", what), 0, most_tets);
  if (number != static_cast<std::int64_t>(expected))
    in.refuse_at(at, fmt::format("{} {} should come here, not {}", what, expected, number),
                 "The lines have to be numbered one after the other.");
}

void skip_numbers(TextCursor& in, std::int64_t count, std::string_view what) {
  for (std::int64_t i = 0; i < count; ++i) in.number(what);
}

// Every number takes two bytes at least: a digit and what separates it from the next.
void need_lines(const TextCursor& in, std::int64_t lines, std::int64_t numbers, std::string_view what) {
  if (lines > static_cast<std::int64_t>((in.left() + 1) / 2) / numbers)
    in.refuse(fmt::format("{} {} do not fit in the {} bytes that are left", lines, what, in.left()),
              "The file was cut off, or this count is wrong.");
}

void expect_nothing_more(TextCursor& in, std::string_view what) {
  in.skip_space_and_comments();
  if (!in.at_end())
    in.refuse(fmt::format("there is more in the file than the {} it announces", what),
              "The count in its first line is wrong, or something was appended.");
}

// A part of the progress of the two files together.
void tell(const FileBytes& file, std::int64_t done, std::int64_t all, double from, double to) {
  if (done % 65536 == 0 && file.progress)
    file.progress(from + (to - from) * static_cast<double>(done) / static_cast<double>(all));
}

// Returns what the first node is called: 0 or 1.
std::size_t read_nodes(const FileBytes& file, MeshFile& mesh) {
  TextCursor in(file.bytes, file.name);
  in.skip_space_and_comments();
  const std::size_t begin = in.offset();
  const std::int64_t nodes = in.integer("number of nodes", 0, most_points);
  if (nodes == 0)
    in.refuse_at(begin, "the .node file has no nodes (TetGen then takes them from a .poly file)",
                 "Run TetGen on the .poly file: it writes a .node and an .ele file that belong together.");
  in.skip_blanks();
  const std::size_t dimension_at = in.offset();
  const std::int64_t dimension = in.integer("dimension", 0, 1000);
  if (dimension != 3)
    in.refuse_at(
        dimension_at, fmt::format("the nodes have {} coordinates and not 3", dimension),
        "Palpate reads meshes in space; this one is from a program for the plane, such as Triangle.");
  const std::int64_t attributes = count_or_zero(in, "number of attributes", most_attributes);
  const std::int64_t markers = count_or_zero(in, "number of boundary markers", 1);
  expect_line_or_comment_end(in, "the counts");
  need_lines(in, nodes, 4 + attributes + markers, "nodes");
  mesh.positions.reserve(static_cast<std::size_t>(nodes));
  in.skip_space_and_comments();
  const std::size_t first_at = in.offset();
  const auto first = static_cast<std::size_t>(in.integer("number of the first node", 0, 1));
  in.move_to(first_at);
  for (std::int64_t i = 0; i < nodes; ++i) {
    tell(file, i, nodes, 0, 0.4);
    read_line_number(in, "node", first + static_cast<std::size_t>(i));
    Vec3 p;
    for (double& c : p) c = in.number("coordinate");
    mesh.positions.push_back(p);
    skip_numbers(in, attributes, "attribute");
    skip_numbers(in, markers, "boundary marker");
    expect_line_or_comment_end(in, "the node");
  }
  expect_nothing_more(in, "nodes");
  in.warn_if_cut(mesh.warnings, "the .node file");
  return first;
}

void read_elements(const FileBytes& file, std::size_t first, MeshFile& mesh) {
  TextCursor in(file.bytes, file.name);
  in.skip_space_and_comments();
  if (in.at_end())
    in.refuse("there is nothing in the .ele file, which has the tetrahedra",
              "A TetGen mesh is two files: put NAME.ele beside NAME.node.");
  const std::int64_t tets = in.integer("number of tetrahedra", 0, most_tets);
  in.skip_blanks();
  const std::size_t nodes_at = in.offset();
  const std::int64_t nodes = in.integer("number of nodes of a tetrahedron", 0, 1000);
  if (nodes != 4 && nodes != 10)
    in.refuse_at(
        nodes_at, fmt::format("elements of {} nodes are no tetrahedra", nodes),
        "Tetrahedra have 4 nodes, or 10 of second order; a file of triangles is from another program.");
  const std::int64_t attributes = count_or_zero(in, "number of attributes", most_attributes);
  expect_line_or_comment_end(in, "the counts");
  need_lines(in, tets, 1 + nodes + attributes, "tetrahedra");
  mesh.tets.reserve(static_cast<std::size_t>(tets));
  const auto low = static_cast<std::int64_t>(first);
  const auto high = low + static_cast<std::int64_t>(mesh.positions.size()) - 1;
  for (std::int64_t i = 0; i < tets; ++i) {
    tell(file, i, tets, 0.4, 1);
    read_line_number(in, "tetrahedron", first + static_cast<std::size_t>(i));
    TetCorners tet;
    for (std::uint32_t& corner : tet)
      corner = static_cast<std::uint32_t>(in.integer("node number", low, high) - low);
    for (std::int64_t k = 4; k < nodes; ++k) in.integer("node number", low, high);
    mesh.tets.push_back(tet);
    skip_numbers(in, attributes, "attribute");
    expect_line_or_comment_end(in, "the tetrahedron");
  }
  expect_nothing_more(in, "tetrahedra");
  in.warn_if_cut(mesh.warnings, "the .ele file");
  if (nodes == 10 && tets > 0)
    mesh.warnings.push_back(fmt::format(
        "read {} quadratic tetrahedra by their corners only: nodes between corners stay as unused vertices",
        tets));
}

}  // namespace

MeshFile read_tetgen(const FileBytes& nodes, const FileBytes& elements) {
  MeshFile mesh;
  mesh.encoding = "ASCII";
  read_elements(elements, read_nodes(nodes, mesh), mesh);
  return mesh;
}

}  // namespace palpate::detail
