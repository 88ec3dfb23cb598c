// What a contact is, drawn: a band lies on a table and is folded over itself; both are seen from the side.
//   contact_picture docs/pictures/contact.svg
// Detected twice: as it should be, and without the neighbour filter, to show what that takes away.
#include <cmath>
#include <fstream>
#include <iostream>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <palpate/collide/detector.h>

namespace {

using palpate::Contact;
using palpate::ContactKind;
using palpate::Detector;
using palpate::TriangleMesh;
using palpate::Vec3;

constexpr double contact_distance = 0.7, neighbour_distance = 1.5, margin = 0.25;

// A line drawn in the plane of x and z, and given some width along y.
TriangleMesh ribbon(std::span<const Vec3> line) {
  TriangleMesh mesh;
  for (const Vec3& p : line)
    for (const double y : {0.0, 1.0}) mesh.positions.push_back(p + Vec3(0, y, 0));
  for (std::uint32_t i = 0; i + 3 < mesh.positions.size(); i += 2) {
    mesh.triangles.push_back({i, i + 2, i + 1});
    mesh.triangles.push_back({i + 1, i + 2, i + 3});
  }
  return mesh;
}

std::vector<Vec3> table_line() {
  std::vector<Vec3> line;
  for (int i = 0; i <= 14; ++i) line.emplace_back(i, 0, 0);
  return line;
}

// Down to the table, along it, around, and back over itself.
std::vector<Vec3> band_line() {
  std::vector<Vec3> line;
  const auto add = [&](int count, double from, double step, auto&& point) {
    for (int i = 0; i < count; ++i) line.push_back(point(from + i * step));
  };
  add(4, 1, 0.5, [](double x) { return Vec3(x, 0, 0.45 + 2.2 * std::pow((3 - x) / 2, 2)); });
  add(12, 3, 0.5, [](double x) { return Vec3(x, 0, 0.45); });
  add(6, 0, 0.6, [](double turn) { return Vec3(9 + 0.3 * std::sin(turn), 0, 0.75 - 0.3 * std::cos(turn)); });
  add(10, 9, -0.5, [](double x) { return Vec3(x, 0, 1.05 + 0.012 * std::pow(9 - x, 2)); });
  add(4, 4, -0.4, [](double x) { return Vec3(x, 0, 1.35 + 0.9 * std::pow(4.4 - x, 1.5)); });
  return line;
}

class Picture {
 public:
  explicit Picture(const std::string& file) : out_(file) {
    if (!out_) throw std::runtime_error(file + ": cannot be written");
    fmt::print(out_,
               "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 900 272' font-family='sans-serif' "
               "font-size='15'>\n<rect width='900' height='272' fill='white'/>\n");
  }
  void line(const Vec3& from, const Vec3& to, const std::string& style) {
    const std::string words = fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' {}/>\n",
                                          x(from), y(from), x(to), y(to), style);
    if (drawn_.insert(words).second) out_ << words;  // what lies behind another looks the same
  }
  void path(std::span<const Vec3> points, const std::string& style) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i) line(points[i], points[i + 1], style);
    for (const Vec3& p : points)
      fmt::print(out_, "<circle cx='{:.1f}' cy='{:.1f}' r='3' fill='#444'/>\n", x(p), y(p));
  }
  void text(double at_x, double at_y, const std::string& words, const std::string& colour) {
    fmt::print(out_, "<text x='{}' y='{}' fill='{}'>{}</text>\n", at_x, at_y, colour, words);
  }
  void key(double at_y, const std::string& words, const std::string& style) {
    fmt::print(out_, "<line x1='470' y1='{0}' x2='500' y2='{0}' {1}/>\n", at_y - 5, style);
    text(510, at_y, words, "#222");
  }
  void end() {
    fmt::print(out_, "</svg>\n");
    out_.close();
    if (!out_) throw std::runtime_error("the picture could not be written to its end");
  }

 private:
  static double x(const Vec3& p) { return 30 + 60 * p.x(); }
  static double y(const Vec3& p) { return 232 - 60 * p.z(); }
  std::ofstream out_;
  std::set<std::string> drawn_;
};

// The two points of a contact.
std::pair<Vec3, Vec3> points_of(const Detector& detector, const Contact& contact) {
  const palpate::Surfaces& all = detector.surfaces();
  const auto sum = [&](std::span<const std::uint32_t> vertices, const std::array<double, 3>& weights) {
    Vec3 p = Vec3::Zero();
    for (std::size_t i = 0; i < vertices.size(); ++i) p += weights[i] * all.positions()[vertices[i]];
    return p;
  };
  const auto edge = [&](std::uint32_t side) { return std::array{all.side_begin(side), all.side_end(side)}; };
  if (contact.kind() == ContactKind::edge_edge)
    return {sum(edge(contact.first()), contact.first_weights()),
            sum(edge(contact.second()), contact.second_weights())};
  return {sum(std::array{contact.first()}, contact.first_weights()),
          sum(all.triangles()[contact.second()], contact.second_weights())};
}

void draw(const std::string& file) {
  const std::vector<Vec3> table = table_line(), band = band_line();
  Detector detector({contact_distance, neighbour_distance, margin}), unfiltered({contact_distance, 0.0, 0});
  for (Detector* each : {&detector, &unfiltered}) {
    each->add(ribbon(table), {.name = "table", .motion = palpate::Motion::fixed});
    each->add(ribbon(band), {.name = "band"});
  }
  const std::string between = "stroke='#2563eb' stroke-width='1.6'",
                    inside = "stroke='#d97706' stroke-width='1.6'",
                    later = "stroke='#93a3b8' stroke-width='1.1' stroke-dasharray='3 3'",
                    filtered = "stroke='#dc2626' stroke-width='1' stroke-dasharray='1 3'";
  Picture picture(file);
  std::set<std::uint64_t> kept;
  for (const Contact& contact : detector.detect()) kept.insert(contact.key);
  for (const Contact& contact : unfiltered.detect())
    if (kept.count(contact.key) == 0) {
      const auto [from, to] = points_of(unfiltered, contact);
      picture.line(from, to, filtered);
    }
  for (const bool near : {false, true})
    for (const Contact& contact : detector.detect()) {
      const auto [from, to] = points_of(detector, contact);
      if (near == (contact.in_margin != 0)) continue;
      picture.line(from, to,
                   !near                                             ? later
                   : contact.first_surface == contact.second_surface ? inside
                                                                     : between);
    }
  picture.path(table, "stroke='#111' stroke-width='3'");
  picture.path(band, "stroke='#111' stroke-width='3'");
  picture.key(30, "contacts between two surfaces: nearer than d", between);
  picture.key(54, "contacts inside one surface: nearer than d ...", inside);
  picture.key(78, "... but nearer than g along it: filtered", filtered);
  picture.key(102, "in the motion margin: nearer than d + m", later);
  const auto scale = [&](double at_x, double at_z, const std::string& name, double length) {
    picture.line(Vec3(at_x, 0, at_z), Vec3(at_x, 0, at_z + length), "stroke='#111' stroke-width='2'");
    picture.text(30 + 60 * at_x + 6, 232 - 60 * (at_z + length / 2) + 5, name, "#111");
  };
  scale(11.4, 0.3, "d", contact_distance);
  scale(12.2, 0.3, "d + m", contact_distance + margin);
  scale(13.4, 0.3, "g", neighbour_distance);
  picture.text(30, 256, "table", "#111");
  picture.text(56, 132, "band", "#111");
  picture.end();
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::invalid_argument("usage: contact_picture FILE.svg");
  draw(arguments[1]);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
