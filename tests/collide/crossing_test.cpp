// Two features that move, against exact arithmetic.
#include <palpate/collide/crossing.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <collide/crossing_cases.h>
#include <collide/exact_crossing.h>
#include <support/cases.h>
#include <support/data.h>

#include <palpate/base/error.h>
#include <palpate/collide/kernel.h>

namespace palpate {
namespace {

using testing::CrossingCase;
using testing::each_case;
using testing::exact_crossing;
using testing::ExactCrossing;
using testing::Random;
using testing::Rational;

constexpr int most_stretches = 64 + 200;  // of one query

// How far the two move against each other in the step, and how large all of it is.
struct Extent {
  double travel = 0, size = 0;
};
Extent extent_of(const CrossingCase& c) {
  Extent result;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const Vec3 a = c.start[i] - c.start[k], b = c.end[i] - c.end[k];
      result.travel = std::max(result.travel, (b - a).norm());
      result.size = std::max(result.size, std::max(a.norm(), b.norm()));
    }
  return result;
}
double distance_at(const CrossingCase& c, double t) {
  FourPoints x;
  // Seen from one of them: far away, places are not told as well as what is between them.
  for (std::size_t i = 0; i < 4; ++i) x[i] = (1 - t) * (c.start[i] - c.start[0]) + t * (c.end[i] - c.end[0]);
  return std::sqrt(c.kind == ContactKind::vertex_triangle
                       ? vertex_triangle(x[0], {x[1], x[2], x[3]}).squared_distance
                       : edge_edge({x[0], x[1]}, {x[2], x[3]}).squared_distance);
}

// It is proven that they stay farther apart than that between two times: nothing comes nearer faster than the
// fastest two points do.
bool stay_beyond(const CrossingCase& c, double distance, double from, double to, int halvings = 6) {
  const double middle = 0.5 * (from + to), there = distance_at(c, middle);
  if (!(there > distance)) return false;
  if (there - 0.5 * (to - from) * extent_of(c).travel > distance) return true;
  return halvings > 0 && stay_beyond(c, distance, from, middle, halvings - 1) &&
         stay_beyond(c, distance, middle, to, halvings - 1);
}

// What a search may get wrong: to see something where nothing is, and to see it long before it comes.
struct Doubts {
  bool alarm = false;
  bool early = false;  // by more than the tolerance, rounding and what they move in the meantime explain
};

// Never a miss, never late; not earlier than promised where it is sure.
Doubts check(const CrossingCase& c, const ExactCrossing& truth, const CrossingOptions& options) {
  const CrossingTime found = find_crossing(c.kind, c.start, c.end, options);
  if (truth.hit) {
    EXPECT_TRUE(found.hit) << "a miss: " << c.what;
    EXPECT_LE(Rational(found.time), truth.high) << "late: " << c.what;
  }
  const Rational latest = Rational(found.time) + Rational(options.tolerance * (1 + 1e-6));
  if (found.sure) {
    EXPECT_TRUE(truth.hit) << "sure of what is not: " << c.what;
    EXPECT_LE(truth.low, latest) << c.what;
  }
  EXPECT_LE(found.stretches, most_stretches) << c.what;
  EXPECT_TRUE(found.time >= 0 && found.time <= 1);
  Doubts doubts{found.hit && !truth.hit, false};
  if (truth.hit && !found.sure && truth.low > latest) {
    const auto [travel, size] = extent_of(c);
    doubts.early = distance_at(c, std::min(1.0, found.time + options.tolerance)) >
                   2 * options.tolerance * travel + 1e-12 * size;
  }
  return doubts;
}

// With a separation, it is sure of what comes nearer, and when.
TEST(Crossing, ASeparationIsReachedWhenItIs) {
  const FourPoints start{Vec3(0.2, 0.2, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  FourPoints end = start;
  end[0].z() = -1;
  for (const double tolerance : {1e-2, 1e-6, 1e-9, 1e-12}) {
    const CrossingTime found =
        find_crossing(ContactKind::vertex_triangle, start, end, {.separation = 0.1, .tolerance = tolerance});
    EXPECT_TRUE(found.hit && found.sure) << tolerance;
    EXPECT_LE(found.time, 0.45);
    EXPECT_GE(found.time, 0.45 - tolerance - 1e-14);
  }
  const FourPoints from{Vec3(-1, 0, 0.5), Vec3(1, 0, 0.5), Vec3(0, -1, 0), Vec3(0, 1, 0)};
  FourPoints to = from;
  for (const std::size_t i : {0, 1}) to[i].z() = -0.5;
  const CrossingTime found = find_crossing(ContactKind::edge_edge, from, to, {.separation = 0.25});
  EXPECT_TRUE(found.hit && found.sure);
  EXPECT_LE(found.time, 0.25);
  EXPECT_GE(found.time, 0.25 - 1e-9 - 1e-14);
}

// A triangle that is nearly a line: the foot on its plane is not told well, and must not be taken for near.
TEST(CrossingProperty, SureIsSureOfSlivers) {
  each_case(2000, [](Random& random) {
    const auto any = [&] {
      return Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    };
    const Vec3 a = any(), b = a + any();
    const double thin = std::pow(10, random.uniform(-7, -2));
    const Vec3 c = 0.5 * (a + b) + thin * any();
    const Vec3 normal = (b - a).cross(c - a);
    if (normal.norm() < 0.1 * thin) return;
    const Vec3 p = 0.25 * a + 0.25 * b + 0.5 * c + 1e-3 * normal.normalized();
    using Long = Eigen::Matrix<long double, 3, 1>;
    const Long from = a.cast<long double>(),
               across = (b.cast<long double>() - from).cross(c.cast<long double>() - from);
    const long double distance = std::abs(across.dot(p.cast<long double>() - from)) / across.norm();
    const FourPoints x{p, a, b, c};
    CrossingOptions options;
    options.separation = static_cast<double>(distance * (1 - 1e-9L));
    EXPECT_FALSE(find_crossing(ContactKind::vertex_triangle, x, x, options).sure);
    options.separation = static_cast<double>(distance * (1 + 1e-9L));
    EXPECT_TRUE(find_crossing(ContactKind::vertex_triangle, x, x, options).sure);
  });
}

TEST(CrossingProperty, NothingIsMissedAndNothingIsLate) {
  std::size_t alarms = 0, apart = 0, early = 0;
  const std::size_t wanted = testing::long_run() ? 1'000'000 : 100'000;  // each_case takes ten times as many
  const std::size_t cases = each_case(wanted, [&](Random& random) {
    const CrossingCase c = testing::random_crossing(random);
    const ExactCrossing truth = exact_crossing(c.kind, c.start, c.end);
    CrossingOptions options;
    options.likely = random.chance(0.5);
    if (random.chance(0.2)) options.tolerance = std::pow(10, random.uniform(-12, -1));
    apart += truth.hit ? 0 : 1;
    const Doubts doubts = check(c, truth, options);
    alarms += doubts.alarm ? 1 : 0;
    early += doubts.early ? 1 : 0;
  });
  ::testing::Test::RecordProperty("false_alarms", std::to_string(alarms));
  ::testing::Test::RecordProperty("stay_apart", std::to_string(apart));
  ::testing::Test::RecordProperty("early", std::to_string(early));
  if (cases > 0) {
    EXPECT_LT(static_cast<double>(alarms), 0.05 * static_cast<double>(apart));
    EXPECT_LT(static_cast<double>(early), 1e-3 * static_cast<double>(cases - apart));
  }
}

// In brief: still never a miss and never late; what counts without touching comes as near as it moves within
// the tolerance.
TEST(CrossingProperty, InBriefWhatIsInDoubtCounts) {
  std::size_t alarms = 0;
  const std::size_t cases = each_case(20000, [&](Random& random) {
    const CrossingCase c = testing::random_crossing(random);
    const ExactCrossing truth = exact_crossing(c.kind, c.start, c.end);
    CrossingOptions options;
    options.brief = true;
    options.likely = random.chance(0.5);
    options.tolerance = std::pow(10, random.uniform(-6, -1));
    if (!check(c, truth, options).alarm) return;
    ++alarms;
    const auto [hit, sure, time, stretches] = find_crossing(c.kind, c.start, c.end, options);
    if (stretches == most_stretches) return;  // as many as there may be
    const auto [travel, size] = extent_of(c);
    double least = HUGE_VAL;
    for (int n = 0; n <= 20; ++n)
      least = std::min(least, distance_at(c, std::min(1.0, time + 0.05 * n * options.tolerance)));
    EXPECT_LE(least, 4 * options.tolerance * travel + 1e-12 * size) << c.what;
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(alarms, 0u) << "nothing was in doubt: the cases are too easy";
}

// With a separation: whoever comes nearer than that at some moment is found, and not after that moment.
TEST(CrossingProperty, WhatComesNearerThanTheSeparationIsFound) {
  std::size_t apart = 0, alarms = 0, hits = 0, early = 0;  // early: by a thousandth of the step
  const std::size_t cases = each_case(20000, [&](Random& random) {
    const CrossingCase c = testing::random_crossing(random);
    double size = 0;
    for (const auto* x : {&c.start, &c.end})
      for (std::size_t k = 1; k < 4; ++k) size = std::max(size, ((*x)[k] - (*x)[0]).norm());
    if (!(size > 1e-100) || !(size < 1e70)) return;
    CrossingOptions options;
    options.separation = size * std::pow(10, random.uniform(-12, 0));
    options.tolerance = 1e-6;
    const CrossingTime found = find_crossing(c.kind, c.start, c.end, options);
    const auto distance_at = [&](double t) {
      FourPoints x;
      for (std::size_t k = 0; k < 4; ++k) x[k] = (1 - t) * c.start[k] + t * c.end[k];
      return std::sqrt(c.kind == ContactKind::vertex_triangle
                           ? vertex_triangle(x[0], {x[1], x[2], x[3]}).squared_distance
                           : edge_edge({x[0], x[1]}, {x[2], x[3]}).squared_distance);
    };
    double far = 0;  // what positions between are rounded by
    for (const auto* x : {&c.start, &c.end})
      for (const Vec3& p : *x) far = std::max(far, p.cwiseAbs().maxCoeff());
    const double noise = 1e-15 * far;
    for (int i = 0; i <= 20; ++i) {
      const double t = i / 20.0;
      if (distance_at(t) + noise < options.separation * (1 - 1e-12)) {
        EXPECT_TRUE(found.hit) << c.what;
        EXPECT_LE(found.time, t) << c.what;
      }
    }
    if (found.sure) {
      EXPECT_LE(distance_at(std::min(1.0, found.time)),
                options.separation + 2 * size * options.tolerance + noise + 1e-12 * size)
          << c.what;
    }
    const double beyond = 1.001 * options.separation + noise + 1e-11 * size;
    if (stay_beyond(c, beyond, 0, 1)) {
      ++apart;
      alarms += found.hit ? 1 : 0;
    } else if (found.hit) {
      ++hits;
      early += found.time < 0.999 && stay_beyond(c, beyond, found.time, found.time + 0.001) ? 1 : 0;
    }
  });
  ::testing::Test::RecordProperty("false_alarms", std::to_string(alarms));
  ::testing::Test::RecordProperty("stay_apart", std::to_string(apart));
  ::testing::Test::RecordProperty("early", std::to_string(early));
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(apart, cases / 10) << "too easy";
  EXPECT_LE(alarms, apart / 1000);
  EXPECT_LE(early, hits / 1000);
}

// A triangle that is a line, and a vertex on that line, far off at first: rounding made that near.
TEST(Crossing, TrianglesThatAreLinesAreNoPlanes) {
  const auto on_line = [](double s) { return Vec3(s * 0x1.8p-30, s * -0x1.2p-30, s * -0x1.8p-30); };
  const FourPoints start{on_line(-0x1.7ap+1 * 1.0), on_line(1), on_line(0x1.5ap+1), on_line(2)},
      end{on_line(0x1.ep0), on_line(-0x1.2ap+1), on_line(0x1.0dp+2), on_line(0x1.555555p+2)};
  for (const double separation : {1e-20, 1e-12, 1e-11}) {
    const CrossingTime found = find_crossing(ContactKind::vertex_triangle, start, end,
                                             {.separation = separation, .tolerance = 1e-6});
    EXPECT_TRUE(found.hit);
    EXPECT_FALSE(found.sure && found.time < 0.1) << separation;
  }
}

TEST(Crossing, WhatIsNotFiniteMayTouch) {
  FourPoints x{Vec3(0, 0, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, y = x;
  EXPECT_FALSE(find_crossing(ContactKind::vertex_triangle, x, y).hit);
  for (const double bad : {std::nan(""), HUGE_VAL, 1e308}) {
    y[2].y() = bad;
    x[2].y() = -bad;
    const CrossingTime found = find_crossing(ContactKind::vertex_triangle, x, y);
    EXPECT_TRUE(found.hit);
    EXPECT_FALSE(found.sure);
    EXPECT_EQ(found.time, 0);
  }
  EXPECT_THROW(require(CrossingOptions{.separation = -1}), Error);
  EXPECT_THROW(require(CrossingOptions{.separation = std::nan("")}), Error);
  EXPECT_THROW(require(CrossingOptions{.tolerance = 0}), Error);
  EXPECT_THROW(require(CrossingOptions{.tolerance = 1e-15}), Error) << "times are not told that finely";
  EXPECT_THROW(require(CrossingOptions{.tolerance = 1}), Error);
}

// A vertex just farther from a plane than the separation is not surely nearer.
TEST(CrossingProperty, SureIsSureWithASeparation) {
  each_case(2000, [](Random& random) {
    const auto any = [&] {
      return Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    };
    const Vec3 a = any(), b = any(), c = any();
    const Vec3 normal = (b - a).cross(c - a);
    if (normal.norm() < 0.3) return;
    const Vec3 p = (a + b + c) / 3 + 1e-6 * normal.normalized();
    using Long = Eigen::Matrix<long double, 3, 1>;
    const Long u = (b.cast<long double>() - a.cast<long double>()),
               v = (c.cast<long double>() - a.cast<long double>()),
               w = (p.cast<long double>() - a.cast<long double>());
    const Long n = u.cross(v);
    const long double distance = std::abs(n.dot(w)) / n.norm();
    const FourPoints x{p, a, b, c};
    CrossingOptions options;
    options.separation = static_cast<double>(distance * (1 - 5e-12L));
    EXPECT_FALSE(find_crossing(ContactKind::vertex_triangle, x, x, options).sure);
    options.separation = static_cast<double>(distance * (1 + 1e-9L));
    EXPECT_TRUE(find_crossing(ContactKind::vertex_triangle, x, x, options).hit);
  });
}

TEST(Crossing, TinyAndHugeFeaturesAreWhatTheyAre) {
  const FourPoints tiny{Vec3(0, 0, 0.05), Vec3(0, 0, 0), Vec3(1e-85, 0, 0), Vec3(0, 1e-85, 0)};
  EXPECT_TRUE(find_crossing(ContactKind::vertex_triangle, tiny, tiny, {.separation = 0.1}).hit);
  for (const double scale : {1.0, 1e-200, 1e-250}) {
    const FourPoints start{Vec3(1e299, 1e299, 1e280) * scale, Vec3(0, 0, 0), Vec3(1e300, 0, 0) * scale,
                           Vec3(0, 1e300, 0) * scale};
    FourPoints end = start;
    end[0].z() = -1e305 * scale;
    EXPECT_TRUE(find_crossing(ContactKind::vertex_triangle, start, end).hit) << scale;
  }
}

// Queries with exact coordinates and the truth beside them: eight lines each.
struct Query {
  FourPoints start = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, end = start;
  bool truth = false;
};
std::vector<Query> read_queries(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Query> queries;
  std::string line;
  for (std::size_t row = 0; std::getline(in, line); ++row) {
    std::stringstream cells(line);
    std::array<double, 7> number{};
    for (double& n : number) {
      std::string cell;
      std::getline(cells, cell, ',');
      n = std::strtod(cell.c_str(), nullptr);
    }
    if (row % 8 == 0) queries.emplace_back().truth = number[6] != 0;
    Query& q = queries.back();
    // Denominators are powers of two.
    (row % 8 < 4 ? q.start : q.end)[row % 4] = {number[0] / number[1], number[2] / number[3],
                                                number[4] / number[5]};
  }
  return queries;
}

TEST(Crossing, AgreesWithQueriesWhoseTruthIsKnown) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  std::size_t hits = 0, apart = 0, alarms = 0, early = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(*folder / "ccd")) {
    if (file.path().extension() != ".csv") continue;
    const bool edges = file.path().parent_path().filename() == "edge-edge";
    for (const Query& q : read_queries(file.path())) {
      const CrossingCase c{edges ? ContactKind::edge_edge : ContactKind::vertex_triangle, q.start, q.end,
                           file.path().string()};
      const ExactCrossing truth = exact_crossing(c.kind, c.start, c.end);
      EXPECT_EQ(truth.hit, q.truth) << "exact arithmetic is not what it seems: " << c.what;
      const Doubts doubts = check(c, truth, {});
      alarms += doubts.alarm ? 1 : 0;
      early += doubts.early ? 1 : 0;
      (q.truth ? hits : apart) += 1;
    }
  }
  EXPECT_GT(hits, 100u);
  EXPECT_GT(apart, 1000u);
  ::testing::Test::RecordProperty("false_alarms", std::to_string(alarms));
  ::testing::Test::RecordProperty("early", std::to_string(early));
  EXPECT_LT(static_cast<double>(alarms), 0.01 * static_cast<double>(apart));
  EXPECT_LE(100 * early, hits);
}

}  // namespace
}  // namespace palpate
