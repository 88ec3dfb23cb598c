// What touches in a step, drawn: two vertices and a triangle that tilts, all seen from the side.
//   crossing_picture docs/pictures/crossing.svg
// One vertex swaps sides with the triangle, though it touches it neither at the start nor at the end; the
// other passes close by. Times are what find_crossing() answers.
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <palpate/collide/crossing.h>

namespace {

using palpate::CrossingTime;
using palpate::FourPoints;
using palpate::Vec3;

constexpr double panel = 440;

struct Motion {
  std::string title;
  FourPoints start, end;  // the vertex, and the corners: the third lies behind the others
};

FourPoints at(const Motion& motion, double t) {
  FourPoints x;
  for (std::size_t k = 0; k < 4; ++k) x[k] = (1 - t) * motion.start[k] + t * motion.end[k];
  return x;
}

void draw(const Motion& motion, double left, std::ostream& out) {
  const CrossingTime found =
      palpate::find_crossing(palpate::ContactKind::vertex_triangle, motion.start, motion.end);
  const auto x = [&](const Vec3& p) { return left + 40 + 60 * p.x(); };
  const auto y = [](const Vec3& p) { return 250 - 60 * p.z(); };
  const auto line = [&](const Vec3& a, const Vec3& b, const std::string& style) {
    fmt::print(out, "<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' {}/>\n", x(a), y(a), x(b), y(b),
               style);
  };
  const auto dot = [&](const Vec3& p, double radius, const std::string& colour) {
    fmt::print(out, "<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='{}'/>\n", x(p), y(p), radius, colour);
  };
  const auto place = [&](double t, const std::string& colour, double width) {
    const FourPoints now = at(motion, t);
    line(now[1], now[2], fmt::format("stroke='{}' stroke-width='{}'", colour, width));
    dot(now[0], width + 2, colour);
  };
  line(motion.start[0], motion.end[0], "stroke='#93a3b8' stroke-width='1' stroke-dasharray='4 4'");
  for (const double t : {0.2, 0.4, 0.6, 0.8}) place(t, "#c3ccd8", 1.5);
  place(0, "#2563eb", 3);
  place(1, "#111", 3);
  if (found.hit) place(found.time, "#dc2626", 3);
  const std::string verdict =
      found.hit ? fmt::format("they touch at {:.4f} of the step", found.time) : "proven: they never touch";
  fmt::print(out, "<text x='{}' y='26' fill='#111' font-weight='bold'>{}</text>\n", left + 30, motion.title);
  fmt::print(out, "<text x='{}' y='48' fill='{}'>{}</text>\n", left + 30, found.hit ? "#dc2626" : "#15803d",
             verdict);
}

void draw_all(const std::string& file) {
  std::ofstream out(file);
  if (!out) throw std::runtime_error(file + ": cannot be written");
  fmt::print(out,
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} 320' font-family='sans-serif' "
             "font-size='15'>\n<rect width='{0}' height='320' fill='white'/>\n",
             2 * panel);
  const auto motion = [](const std::string& title, const Vec3& from, const Vec3& to) {
    return Motion{title,
                  {from, Vec3(1, -1, 0.2), Vec3(5, -1, 0.6), Vec3(3, 2, 0.4)},
                  {to, Vec3(1.6, -1, 2.6), Vec3(5, -1, 0.2), Vec3(3, 2, 1.4)}};
  };
  draw(motion("a vertex that swaps sides", Vec3(2.2, 0, 2.9), Vec3(3.4, 0, 0.3)), 0, out);
  draw(motion("a vertex that passes close by", Vec3(4.9, 0, 2.6), Vec3(3.7, 0, 1.3)), panel, out);
  fmt::print(
      out,
      "<text x='30' y='306' fill='#2563eb'>at the start</text>\n<text x='140' y='306' fill='#111'>at the "
      "end</text>\n<text x='240' y='306' fill='#64748b'>in between, at every fifth of the "
      "step</text>\n</svg>\n");
  out.close();
  if (!out) throw std::runtime_error(file + ": could not be written to its end");
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 2) throw std::runtime_error("usage: crossing_picture FILE.svg");
    draw_all(words[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
