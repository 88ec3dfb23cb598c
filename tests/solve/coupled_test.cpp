// Systems solved together: the short way through the nodes that are pulled at, against the long one through
// all.
#include <palpate/solve/coupled.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/soft/soft_body.h>

#include <gtest/gtest.h>
#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

Vec3 any(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
  return {x, y, z};
}

// Springs of all stiffnesses, some slack.
class Springs final : public CouplingLaw {
 public:
  std::vector<Mat3> matrices;

  double value(std::span<const Vec3> vectors, std::span<Vec3> gradient) override {
    double sum = 0;
    for (std::size_t c = 0; c < vectors.size(); ++c) {
      gradient[c] = matrices[c] * vectors[c];
      sum += 0.5 * vectors[c].dot(gradient[c]);
    }
    return sum;
  }
  void stiffness(std::span<const Vec3>, std::span<Mat3> out) override {
    std::copy(matrices.begin(), matrices.end(), out.begin());
  }
};

// Two or three blocks, some held at a face, and a few pairs, pulled together at some of their nodes.
struct Case {
  std::vector<std::unique_ptr<SoftBody>> bodies;
  Coupled coupled;
  Couplings couplings;
  Springs springs;

  explicit Case(Random& random, std::size_t most_springs) {
    const double step = 1.0 / 60;
    coupled.clear(step);
    std::vector<std::uint32_t> first, size;
    const std::size_t count = random.below(4);
    for (std::size_t b = 0; b < count; ++b) {
      SolidBoxShape box{.size_x = 1, .size_y = 1, .size_z = 1};
      for (std::size_t* const cells : {&box.cells_x, &box.cells_y, &box.cells_z})
        *cells = 1 + random.below(4);
      bodies.push_back(std::make_unique<SoftBody>(
          make(box),
          Material{.density = 1000, .young = std::pow(10.0, random.uniform(3, 7)), .poisson = 0.4}));
      SoftBody& body = *bodies.back();
      std::vector<std::uint32_t> held;
      if (random.chance(0.5))
        for (std::uint32_t i = 0; i < body.unknowns().size(); ++i)
          if (body.unknowns()[i].x() < 0.1) held.push_back(i);
      body.fix(held);
      body.begin_step(step);
      body.coupled_solver().begin(body.equations(), body.unknowns(), true, Deadline(0));
      first.push_back(coupled.add(body.equations(), body.coupled_solver(), body.unknowns()));
      size.push_back(static_cast<std::uint32_t>(body.unknowns().size()));
    }
    const std::size_t pairs = count == 0 ? 2 : random.below(3);
    for (std::size_t p = 0; p < pairs; ++p) {
      const double mass = std::pow(10.0, random.uniform(0, 4));
      const Vec3 centre = any(random);
      first.push_back(coupled.add_pair(mass, centre, Vec3::Zero()));
      size.push_back(2);
    }
    for (std::size_t c = random.below(most_springs + 1); c > 0; --c) {
      couplings.begin_vector(0.1 * any(random));
      const std::size_t sides = 1 + random.below(2), one = random.below(first.size());
      for (std::size_t s = 0; s < sides; ++s) {
        const std::size_t at = (one + s) % first.size();
        if (at < count) {
          for (int k = 0; k < 4; ++k)
            couplings.add(first[at] + static_cast<std::uint32_t>(random.below(size[at])),
                          random.uniform(-1, 1));
        } else {
          Mat3 arm;
          arm << any(random), any(random), any(random);
          couplings.add(first[at], random.uniform(-1, 1));
          couplings.add(first[at] + 1, arm);
        }
      }
      const Vec3 along = any(random);
      const double stiffness = random.chance(0.2) ? 0 : std::pow(10.0, random.uniform(2, 9));
      springs.matrices.push_back(stiffness * along * along.transpose());
    }
    couplings.finish(coupled.size());
  }
};

double largest(std::span<const Vec3> x) {
  double most = 0;
  for (const Vec3& one : x) most = std::max(most, one.norm());
  return most;
}
double largest_difference(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

struct Compared {
  bool reduced = false;  // it went the short way
  bool strictly = false;
};

// One iteration from the same start: what is left is what the gradients made of a slope.
Compared expect_the_same(Coupled& coupled, const Couplings& couplings, Springs& springs,
                         std::span<const Vec3> start, int most) {
  SolveOptions options;
  options.iterations = 1;
  std::array<std::vector<Vec3>, 2> end;
  std::array<int, 2> gradients = {};
  bool reduced = false;
  for (const bool reduces : {false, true}) {
    std::copy(start.begin(), start.end(), coupled.positions().begin());
    coupled.solve(couplings, springs, options,
                  {.most_gradients = most, .gradients_until = 1e-3, .reduces = reduces});
    end[reduces ? 1 : 0].assign(coupled.positions().begin(), coupled.positions().end());
    gradients[reduces ? 1 : 0] = coupled.gradients();
    reduced = coupled.reduced();
  }
  EXPECT_EQ(gradients[0], gradients[1]);
  // Springs may be so stiff that the long way itself is not sure of what hardly matters: it is taken once
  // more, from within rounding. Where it is not, both go down by as much all the same.
  for (std::size_t i = 0; i < start.size(); ++i)
    coupled.positions()[i] = start[i] + 1e-15 * start[i].norm() * Vec3(1, i % 2 == 0 ? 1 : -1, -1);
  coupled.solve(couplings, springs, options,
                {.most_gradients = most, .gradients_until = 1e-3, .reduces = false});
  const double unsure = largest_difference(end[0], coupled.positions());
  const double moved = largest_difference(end[0], start) + 1e-6 * largest(start);
  EXPECT_LT(largest_difference(end[0], end[1]), 1e-8 * moved + 200 * unsure);
  return {reduced, 200 * unsure < 1e-5 * moved};
}

Compared expect_the_same(Case& c, std::span<const Vec3> start, int most) {
  return expect_the_same(c.coupled, c.couplings, c.springs, start, most);
}

TEST(CoupledProperty, TheShortWayIsTheLongWay) {
  int all = 0, reduced = 0, strictly = 0;
  each_case(200, [&](Random& random) {
    Case c(random, 40);
    const std::vector<Vec3> start(c.coupled.positions().begin(), c.coupled.positions().end());
    const Compared one = expect_the_same(c, start, 1 + static_cast<int>(random.below(8)));
    ++all;
    reduced += one.reduced ? 1 : 0;
    strictly += one.strictly ? 1 : 0;
  });
  EXPECT_GT(reduced, 0);  // or nothing was compared
  EXPECT_GT(strictly, 0.8 * all);
}

// Nodes are fixed and released: the metric changes at once, and once more when its new factor is made.
TEST(CoupledProperty, ColumnsFollowTheirMetric) {
  int reduced = 0;
  each_case(50, [&](Random& random) {
    Case c(random, 30);
    if (c.bodies.empty()) return;
    const std::vector<Vec3> start(c.coupled.positions().begin(), c.coupled.positions().end());
    for (int round = 0; round < 8; ++round) {
      if (round == 1 || random.chance(0.3)) {
        SoftBody& body = *c.bodies[random.below(c.bodies.size())];
        const std::vector<std::uint32_t> nodes = {
            static_cast<std::uint32_t>(random.below(body.unknowns().size()))};
        if (body.is_fixed(nodes[0]))
          body.release(nodes);
        else
          body.fix(nodes);
      }
      for (const auto& body : c.bodies) {
        body->begin_step(1.0 / 60);
        body->coupled_solver().begin(body->equations(), body->unknowns(), true, Deadline(0));
      }
      reduced += expect_the_same(c, start, 4).reduced ? 1 : 0;
    }
  });
  EXPECT_GT(reduced, 0);
}

// What is pulled at changes from solve to solve, and with it the columns that are kept.
TEST(CoupledProperty, WhatWasSolvedBeforeChangesNothing) {
  each_case(50, [](Random& random) {
    const std::uint64_t seed = random.below(1'000'000);
    const auto solved = [&](bool before) {
      Random same(seed);
      Case c(same, 40);
      const std::vector<Vec3> start(c.coupled.positions().begin(), c.coupled.positions().end());
      SolveOptions options;
      options.iterations = 3;
      if (before && c.coupled.size() > 0) {
        for (int k = 0; k < 3; ++k) {
          Couplings others;
          Springs law;
          for (int i = 0; i < 20; ++i) {
            others.begin_vector(Vec3::Zero());
            others.add(static_cast<std::uint32_t>(same.below(c.coupled.size())), 1.0);
            law.matrices.push_back(1e6 * Mat3::Identity());
          }
          others.finish(c.coupled.size());
          c.coupled.solve(others, law, options);
        }
        std::copy(start.begin(), start.end(), c.coupled.positions().begin());
      }
      c.coupled.solve(c.couplings, c.springs, options);
      return std::vector<Vec3>(c.coupled.positions().begin(), c.coupled.positions().end());
    };
    EXPECT_EQ(solved(false), solved(true));
  });
}

// More nodes than there is room for columns, pulled at a hundred at a time: columns come and go. And so many
// at once that the long way is taken.
TEST(CoupledProperty, ColumnsMakeRoomForOthers) {
  int reduced = 0, whole = 0;
  each_case(4, [&](Random& random) {
    SoftBody body(
        make(SolidBoxShape{.size_x = 1, .size_y = 1, .size_z = 1, .cells_x = 9, .cells_y = 8, .cells_z = 7}),
        Material{.density = 1000, .young = 1e5, .poisson = 0.4});
    const double step = 1.0 / 60;
    body.begin_step(step);
    body.coupled_solver().begin(body.equations(), body.unknowns(), true, Deadline(0));
    const std::size_t nodes = body.unknowns().size();
    ASSERT_GT(nodes, 2 * MetricColumns::most(nodes));
    Coupled coupled;
    coupled.clear(step);
    coupled.add(body.equations(), body.coupled_solver(), body.unknowns());
    const std::vector<Vec3> start(coupled.positions().begin(), coupled.positions().end());
    for (const std::size_t springs : {60, 120, 140, 100, 144, 400, 120, 30, 140}) {
      Couplings couplings;
      Springs law;
      const std::size_t first = random.below(nodes);
      for (std::size_t i = 0; i < springs; ++i) {
        couplings.begin_vector(0.1 * any(random));
        couplings.add(static_cast<std::uint32_t>((first + 7 * i) % nodes), 1.0);
        const Vec3 along = any(random);
        law.matrices.push_back(std::pow(10.0, random.uniform(2, 7)) * along * along.transpose());
      }
      couplings.finish(coupled.size());
      const bool short_way = expect_the_same(coupled, couplings, law, start, 4).reduced;
      (short_way ? reduced : whole) += 1;
      EXPECT_TRUE(springs <= MetricColumns::most(nodes) || !short_way);
    }
  });
  EXPECT_GT(reduced, 0);
  EXPECT_GT(whole, 0);
}

// As long as there are free places, nothing has to make room.
TEST(Coupled, ColumnsStayWhileThereIsRoom) {
  SoftBody body(make(SolidBoxShape{.cells_x = 9, .cells_y = 8, .cells_z = 7}),
                Material{.density = 1000, .young = 1e5, .poisson = 0.4});
  body.begin_step(1.0 / 60);
  QuasiNewton& solver = body.coupled_solver();
  solver.begin(body.equations(), body.unknowns(), true, Deadline(0));
  const std::size_t nodes = body.unknowns().size();
  std::vector<double> out(100 * 100);
  const auto ask = [&](std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> list(count);
    for (std::uint32_t i = 0; i < count; ++i) list[i] = first + i;
    solver.gather_columns(nodes, list, std::span(out).first(std::size_t{count} * count));
    return solver.columns_found();
  };
  EXPECT_EQ(ask(0, 60), 60u);
  for (std::uint32_t k = 0; k < 60; ++k) EXPECT_EQ(ask(100 + k, 1), 61u + k);
  EXPECT_EQ(ask(0, 60), 120u) << "some of the first were thrown out";
  EXPECT_EQ(ask(100, 60), 120u);
}

TEST(CoupledProperty, AnyNumberOfThreadsIsTheSame) {
  each_case(20, [](Random& random) {
    const std::uint64_t seed = random.below(1'000'000);
    const auto solved = [&](int threads) {
      std::vector<Vec3> end;
      Threads(threads).run([&] {
        Random same(seed);
        Case c(same, 40);
        SolveOptions options;
        options.iterations = 5;
        c.coupled.solve(c.couplings, c.springs, options);
        end.assign(c.coupled.positions().begin(), c.coupled.positions().end());
      });
      return end;
    };
    const std::vector<Vec3> one = solved(1);
    EXPECT_EQ(one, solved(2));
    EXPECT_EQ(one, solved(4));
  });
}

// To the least of it all, by the one way and by the other.
TEST(CoupledProperty, BothWaysEndInTheSamePlace) {
  each_case(20, [](Random& random) {
    Case c(random, 20);
    for (Mat3& one : c.springs.matrices) one *= 1e-2;  // within reach of a few hundred iterations
    const std::vector<Vec3> start(c.coupled.positions().begin(), c.coupled.positions().end());
    SolveOptions options;
    options.iterations = 1000;
    options.tolerance = 1e-12;
    std::array<std::vector<Vec3>, 2> end;
    for (const bool reduces : {false, true}) {
      std::copy(start.begin(), start.end(), c.coupled.positions().begin());
      c.coupled.solve(c.couplings, c.springs, options, {.reduces = reduces});
      end[reduces ? 1 : 0].assign(c.coupled.positions().begin(), c.coupled.positions().end());
    }
    EXPECT_LT(largest_difference(end[0], end[1]), 1e-6 * (1 + largest_difference(end[0], start)));
  });
}

}  // namespace
}  // namespace palpate
