// Factors in blocks against dense ones, and what they cost.
#include <palpate/solve/block_factor.h>

#include <algorithm>
#include <numeric>

#include <Eigen/LU>

#include <support/allocation_counter.h>
#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

Block any_block(Random& random) {
  Block block;
  for (int i = 0; i < 36; ++i) block.data()[i] = random.uniform(-1, 1);
  return block;
}

struct Net {
  std::size_t things = 0;
  std::vector<BlockLink> rules;
  void link(std::size_t a, std::size_t b) {
    rules.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
  }
  void hold(std::size_t a) { rules.push_back({no_block, static_cast<std::uint32_t>(a)}); }
};

Net any_tree(Random& random, std::size_t things) {
  Net net{things, {}};
  for (std::size_t i = 1; i < things; ++i) net.link(random.below(i), i);
  if (random.chance(0.5)) net.hold(random.below(things));
  return net;
}
Net star(std::size_t leaves) {
  Net net{leaves + 1, {}};
  for (std::size_t i = 1; i <= leaves; ++i) net.link(0, i);
  return net;
}
Net any_net(Random& random, std::size_t things) {
  Net net = any_tree(random, things);
  for (std::size_t i = random.below(things); i > 0; --i) {
    const std::size_t a = random.below(things), b = random.below(things);
    if (a != b) net.link(a, b);
  }
  std::shuffle(net.rules.begin(), net.rules.end(), std::mt19937_64(random.bits()));
  return net;
}

// A net with numbers: few rules of few numbers each, so that they do not contradict each other.
struct Numbers {
  BlockFactor factor;
  Eigen::MatrixXd dense;
  Numbers(Random& random, const Net& net, int most_numbers, bool symmetric) {
    const auto things = static_cast<Eigen::Index>(net.things),
               rules = static_cast<Eigen::Index>(net.rules.size());
    dense.setZero(6 * (things + rules), 6 * (things + rules));
    factor.prepare(net.things, net.rules);
    factor.clear();
    for (Eigen::Index i = 0; i < things; ++i) {
      const Block root = any_block(random);
      const Block mass = root * root.transpose() + 0.5 * Block::Identity();
      factor.set_thing(static_cast<std::size_t>(i), mass);
      dense.block<6, 6>(6 * i, 6 * i) = mass;
    }
    for (Eigen::Index j = 0; j < rules; ++j) {
      const Eigen::Index row = 6 * (things + j);
      const int numbers = 1 + static_cast<int>(random.below(static_cast<std::size_t>(most_numbers)));
      std::array<Block, 2> g, p;
      BlockVector d = BlockVector::Constant(1e-9);
      d.tail(6 - numbers).setOnes();
      for (std::size_t k = 0; k < 2; ++k) {
        g[k] = Block::Identity() + 0.25 * any_block(random);  // never nearly singular
        p[k] = symmetric ? g[k] : Block(g[k] + 0.05 * any_block(random));
        g[k].bottomRows(6 - numbers).setZero();
        p[k].bottomRows(6 - numbers).setZero();
        const std::uint32_t thing = net.rules[static_cast<std::size_t>(j)][k];
        if (thing == no_block) continue;
        dense.block<6, 6>(row, 6 * thing) += g[k];
        dense.block<6, 6>(6 * thing, row) += p[k].transpose();
      }
      dense.block<6, 6>(row, row) = (-d).asDiagonal();
      factor.set_rule(static_cast<std::size_t>(j), g, p, d);
    }
  }
  void check(Random& random) {
    factor.factor();
    std::vector<BlockVector> x(factor.things()), y(factor.rules());
    Eigen::VectorXd right(dense.rows());
    for (Eigen::Index i = 0; i < right.size(); ++i) right[i] = random.uniform(-1, 1);
    for (std::size_t i = 0; i < x.size() + y.size(); ++i)
      (i < x.size() ? x[i] : y[i - x.size()]) = right.segment<6>(6 * static_cast<Eigen::Index>(i));
    factor.solve(x, y);
    Eigen::VectorXd found(dense.rows());
    for (std::size_t i = 0; i < x.size() + y.size(); ++i)
      found.segment<6>(6 * static_cast<Eigen::Index>(i)) = i < x.size() ? x[i] : y[i - x.size()];
    const Eigen::VectorXd exact = dense.fullPivLu().solve(right);
    EXPECT_LT((found - exact).norm(), 1e-7 * exact.norm());
    EXPECT_LT((dense * found - right).norm(), 1e-11 * dense.norm() * found.norm());
  }
};

TEST(BlockFactorProperty, TreesAreSolvedAsDenseMatricesAre) {
  each_case(40, [](Random& random) {
    Numbers(random, any_tree(random, 1 + random.below(15)), 6, true).check(random);
    Numbers(random, any_tree(random, 1 + random.below(15)), 4, false).check(random);
  });
}

TEST(BlockFactorProperty, StarsAreSolvedAsDenseMatricesAre) {
  each_case(10, [](Random& random) { Numbers(random, star(1 + random.below(20)), 6, true).check(random); });
}

TEST(BlockFactorProperty, LoopsAreSolvedAsDenseMatricesAre) {
  each_case(40, [](Random& random) {
    Numbers(random, any_net(random, 2 + random.below(12)), 2, random.chance(0.5)).check(random);
    Net ring = star(0);
    ring.things = 3 + random.below(10);
    for (std::size_t i = 0; i < ring.things; ++i) ring.link(i, (i + 1) % ring.things);
    Numbers(random, ring, 5, true).check(random);
  });
}

// Both numbers of one thing, and nothing at all.
TEST(BlockFactor, OddNetsAreNoHarm) {
  Random random(3);
  Net self{1, {}};
  self.link(0, 0);
  self.hold(0);
  Numbers(random, self, 2, true).check(random);
  BlockFactor nothing;
  nothing.prepare(0, {});
  nothing.clear();
  nothing.factor();
  nothing.solve({}, {});
}

// Every rule goes after something that it links; of a tree nothing fills in.
TEST(BlockFactorProperty, TreesDoNotFillIn) {
  each_case(50, [](Random& random) {
    Net net = random.chance(0.2) ? star(1 + random.below(300)) : any_tree(random, 1 + random.below(300));
    std::vector<std::uint32_t> numbers(net.things);
    std::iota(numbers.begin(), numbers.end(), 0u);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(random.bits()));
    std::size_t links = 0;
    for (BlockLink& link : net.rules)
      for (std::uint32_t& thing : link)
        if (thing != no_block) {
          thing = numbers[thing];
          ++links;
        }
    BlockFactor factor;
    factor.prepare(net.things, net.rules);
    EXPECT_EQ(factor.blocks(), links);
  });
}

TEST(BlockFactorProperty, RulesGoAfterSomethingTheyLink) {
  each_case(50, [](Random& random) {
    const Net net = any_net(random, 2 + random.below(30));
    const BlockOrder order = find_block_order(net.things, net.rules);
    ASSERT_EQ(order.order.size(), net.things + net.rules.size());
    std::vector<std::size_t> place(order.order.size());
    for (std::size_t k = 0; k < place.size(); ++k) place[order.order[k]] = k;
    for (std::size_t j = 0; j < net.rules.size(); ++j) {
      std::size_t first = place.size();
      for (const std::uint32_t thing : net.rules[j])
        if (thing != no_block) first = std::min(first, place[thing]);
      EXPECT_LT(first, place[net.things + j]);
    }
  });
}

// Rules that leave nothing free, in a row between what does not move: exact only if each waits for its turn.
TEST(BlockFactor, ARowOfStiffLinksIsExact) {
  Random random(7);
  Net net{40, {}};
  for (std::size_t i = 1; i < net.things; ++i) net.link(i - 1, i);
  BlockFactor factor;
  factor.prepare(net.things, net.rules);
  factor.clear();
  for (std::size_t i = 0; i < net.things; ++i) factor.set_thing(i, Block::Identity());
  const std::array<Block, 2> stiff = {-Block::Identity(), Block::Identity()};
  for (std::size_t j = 0; j < net.rules.size(); ++j)
    factor.set_rule(j, stiff, stiff, BlockVector::Constant(1e-12));
  factor.factor();
  std::vector<BlockVector> x(net.things, BlockVector::Zero()), y(net.rules.size(), BlockVector::Zero());
  x[17].setConstant(1);  // shared by all
  factor.solve(x, y);
  for (const BlockVector& one : x) EXPECT_LT((one - BlockVector::Constant(1.0 / 40)).norm(), 1e-9);
}

TEST(BlockFactor, AllocatesNothingOnceItIsPrepared) {
  Random random(1);
  Numbers numbers(random, any_net(random, 20), 2, true);
  std::vector<BlockVector> x(numbers.factor.things(), BlockVector::Ones()),
      y(numbers.factor.rules(), BlockVector::Ones());
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  EXPECT_EQ(testing::allocations_in([&] {
              numbers.factor.factor();
              numbers.factor.solve(x, y);
            }),
            0u);
}

}  // namespace
}  // namespace palpate
