// Subdivisions by a number of elements, against all counts there are; and the table of generators.
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>
#include <support/cases.h>

#include "mesh_checks.h"

namespace palpate {
namespace {

using testing::expect_mentions;
using testing::refusal;

TEST(GenerateChoose, TorusAndKnotOfTheStudiesAreMetExactly) {
  for (const std::size_t wanted : {1600u, 6400u, 25600u}) {
    const TorusShape torus = with_triangles(TorusShape{}, wanted);
    EXPECT_EQ(make(torus).triangles.size(), wanted);
    // Cells nearly as long as wide.
    const double aspect = torus.major / double(torus.around) / (torus.minor / double(torus.across));
    EXPECT_NEAR(std::log(aspect), 0, 0.3) << torus.around << " x " << torus.across;
  }
  EXPECT_EQ(make(with_triangles(KnotShape{}, 3960)).triangles.size(), 3960u);
}

TEST(GenerateChoose, CellsAreAsLongAsWideWhereTheyCan) {
  EXPECT_EQ(with_triangles(PlaneShape{1, 1, 1, 1}, 800).cells_x, 20u);
  EXPECT_EQ(with_triangles(PlaneShape{2, 1, 1, 1}, 400).cells_x, 20u);
  EXPECT_EQ(with_triangles(PlaneShape{1, 1, 1, 1}, 4).cells_x, 1u);  // 1 x 2 and 2 x 1 are as good: the first
  EXPECT_EQ(with_triangles(BoxShape{1, 1, 1, 1, 1, 1}, 12 * 49).cells_y, 7u);
  EXPECT_EQ(with_triangles(IcosphereShape{}, 1000).frequency, 7u);
  EXPECT_EQ(with_tets(SolidBoxShape{2, 1, 3, 1, 1, 1}, 5 * 6 * 1000).cells_z, 30u);
  EXPECT_EQ(with_tets(SolidSphereShape{}, 20 * 27 + 3).layers, 3u);
}

TEST(GenerateChoose, BeamsOfTheStudies) {
  const struct {
    std::size_t tets, along, across;
    double cell;
  } known[] = {{460, 23, 2, 0.005}, {1395, 31, 3, 0.01 / 3}, {3120, 39, 4, 0.0025}};
  for (const auto& one : known) {
    const BeamShape beam = with_tets(BeamShape{0.005, 20, 2}, one.tets);
    EXPECT_EQ(beam.along, one.along);
    EXPECT_EQ(beam.across, one.across);
    EXPECT_NEAR(beam.cell, one.cell, 1e-17);
  }
}

TEST(GenerateChoose, LargeTargetsDoNotTakeForEver) {
  EXPECT_EQ(counts_of(with_triangles(TorusShape{}, 4'000'000'000)).elements, 4'000'000'000u);
  EXPECT_EQ(counts_of(with_triangles(BoxShape{}, 100'000'000)).elements, 100'000'000u);
  EXPECT_EQ(counts_of(with_tets(SolidBoxShape{}, 4'000'000'000)).elements, 4'000'000'000u);
  EXPECT_NEAR(double(counts_of(with_tets(BeamShape{}, 4'000'000'000)).elements), 4e9, 1e5);
  EXPECT_NEAR(double(counts_of(with_tets(SolidTorusShape{}, 4'000'000'000)).elements), 4e9, 18);
  EXPECT_NEAR(double(counts_of(with_tets(BlobShape{}, 4'000'000'000)).elements), 4e9, 2e7);
}

TEST(GenerateChoose, RefusesBadTargets) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  expect_mentions(refusal([] { with_triangles(TorusShape{}, 0); }), {"0 elements", "at least one"});
  expect_mentions(refusal([] { with_triangles(TorusShape{}, most); }),
                  {"elements are asked for", "at most 4294967294"});
  expect_mentions(refusal([] { with_tets(BeamShape{0.1, 0, 1}, 100); }), {"along is 0"});
  expect_mentions(refusal([] { with_tets(BlobShape{0.1, 2, 0, 1}, 100); }), {"lobe is 2"});
}

std::set<std::size_t> products(std::size_t factor, std::size_t least_a, std::size_t least_b,
                               std::size_t power_b = 1) {
  constexpr std::size_t most = 8000;
  std::set<std::size_t> result;
  for (std::size_t a = least_a; factor * a <= most; ++a)
    for (std::size_t b = least_b; factor * a * (power_b == 2 ? b * b : b) <= most; ++b)
      result.insert(factor * a * (power_b == 2 ? b * b : b));
  return result;
}

std::set<std::size_t> powers(std::size_t factor, int power) {
  std::set<std::size_t> result;
  for (int n = 1; n < 30; ++n) result.insert(factor * static_cast<std::size_t>(std::pow(n, power)));
  return result;
}

template <class Shape>
auto chosen(const Shape& shape, std::size_t target) {
  if constexpr (requires { with_triangles(shape, target); })
    return with_triangles(shape, target);
  else
    return with_tets(shape, target);
}

template <class Shape>
void expect_nearest(const Shape& shape, const std::set<std::size_t>& possible) {
  for (std::size_t target = 1; target <= 3000; ++target) {
    const std::size_t got = counts_of(chosen(shape, target)).elements;
    ASSERT_TRUE(possible.contains(got)) << target;
    const std::size_t away = got > target ? got - target : target - got;
    const auto above = possible.lower_bound(target);
    if (above != possible.end()) {
      ASSERT_LE(away, *above - target) << target;
    }
    if (above != possible.begin()) {
      ASSERT_LE(away, target - *std::prev(above)) << target;
    }
  }
}

TEST(GenerateChooseProperty, SurfacesAreExactOrNearest) {
  expect_nearest(TorusShape{}, products(2, 3, 3));
  expect_nearest(KnotShape{}, products(2, 36, 3));
  expect_nearest(SphereShape{}, products(2, 3, 1));
  expect_nearest(PlaneShape{}, products(2, 1, 1));
  expect_nearest(ClothShape{2, 1, 1, 1}, products(2, 1, 1));
  expect_nearest(CylinderShape{}, products(2, 3, 2));
  expect_nearest(CapsuleShape{}, products(2, 3, 2));
  expect_nearest(BowlShape{}, products(4, 3, 1));
  expect_nearest(IcosphereShape{}, powers(20, 2));
  std::set<std::size_t> boxes;
  for (std::size_t a = 1; a < 1000; ++a)
    for (std::size_t b = 1; a * b + a + b <= 1000; ++b)
      for (std::size_t c = 1; a * b + b * c + c * a <= 1000; ++c) boxes.insert(4 * (a * b + b * c + c * a));
  expect_nearest(BoxShape{1, 2, 3, 1, 1, 1}, boxes);
}

TEST(GenerateChooseProperty, SolidsAreExactOrNearest) {
  expect_nearest(SolidBoxShape{1, 2, 3, 1, 1, 1}, products(5, 1, 1));
  expect_nearest(SolidTorusShape{}, products(18, 3, 1, 2));
  expect_nearest(SolidKnotShape{}, products(18, 36, 1, 2));
  expect_nearest(SolidSphereShape{}, powers(20, 3));
  expect_nearest(BlobShape{}, powers(20, 3));
  // Beams keep their thickness and, to a factor of 1.5, their length.
  std::set<std::size_t> beams;
  for (std::size_t across = 1; across < 10; ++across)
    for (std::size_t along = 1; along < 400; ++along) {
      const double stretch = double(along) / double(across) / (23.0 / 2);
      if (stretch <= 1.5 && stretch >= 1 / 1.5) beams.insert(5 * along * across * across);
    }
  expect_nearest(BeamShape{}, beams);
}

TEST(GenerateTable, NamesAreThoseOfTheCommand) {
  std::vector<std::string_view> surfaces, solids;
  for (const Generator& one : generators())
    (one.kind == GeneratedKind::surface ? surfaces : solids).push_back(one.name);
  EXPECT_EQ(surfaces, (std::vector<std::string_view>{"torus", "knot", "icosphere", "sphere", "box", "plane",
                                                     "cloth", "cylinder", "capsule", "bowl"}));
  EXPECT_EQ(solids, (std::vector<std::string_view>{"solid-box", "beam", "solid-torus", "solid-knot",
                                                   "solid-sphere", "blob"}));
}

TEST(GenerateTable, StandardValuesMakeWhatTheStructsDo) {
  const auto values = [](const char* name) { return generator(name).standard_values(); };
  EXPECT_EQ(std::get<TriangleMesh>(generator("torus").make(values("torus"), {})), make(TorusShape{}));
  EXPECT_EQ(std::get<TetMesh>(generator("beam").make(values("beam"), {})), make(BeamShape{}));
  EXPECT_EQ(std::get<TetMesh>(generator("blob").make(values("blob"), {})), make(BlobShape{}));
  EXPECT_EQ(std::get<TriangleMesh>(generator("torus").make(values("torus"), 1600)).triangles.size(), 1600u);
  for (const Generator& one : generators()) {
    EXPECT_NO_THROW(one.make(one.standard_values(), {})) << one.name;
    EXPECT_FALSE(one.summary.empty());
    std::set<std::string_view> names;
    for (const GeneratorParameter& parameter : one.parameters) {
      EXPECT_FALSE(parameter.summary.empty()) << parameter.name;
      EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
      EXPECT_FALSE(parameter.integer && !parameter.unit.empty()) << parameter.name;
    }
  }
}

TEST(GenerateTable, RefusesWhatAShapeCannotHold) {
  const Generator& torus = generator("torus");
  const double few[] = {0.1, 0.03}, broken[] = {0.1, 0.03, 10.5, 9}, negative[] = {0.1, 0.03, 10, -9},
               nothing[] = {0.1, 0.03, std::nan(""), 9}, huge[] = {0.1, 0.03, 1e30, 9};
  expect_mentions(refusal([&] { torus.make(few, {}); }), {"2 values are given for 4 parameters"});
  expect_mentions(refusal([&] { torus.make(broken, {}); }),
                  {"shape 'torus'", "around is 10.5", "whole number"});
  expect_mentions(refusal([&] { torus.make(negative, {}); }), {"across is -9", "whole number"});
  expect_mentions(refusal([&] { torus.make(nothing, {}); }), {"around is nan", "whole number"});
  expect_mentions(refusal([&] { torus.choose(huge, 100); }), {"around is 1e+30", "whole number"});
  expect_mentions(refusal([] { generator("tours"); }), {"tours", "Did you mean 'torus'?"});
  expect_mentions(refusal([] { generator("elephant"); }), {"Choose one of torus, knot"});
}

}  // namespace
}  // namespace palpate
