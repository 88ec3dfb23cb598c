#include <palpate/soft/tet_blocks.h>

#include <algorithm>
#include <array>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;  // nodes

// The nodes of a block, four numbers each.
struct Points {
  alignas(32) std::array<double, 4 * 4 * block_size> of;
};

void gather(const TetPacks& packs, const TetBlock& block, std::span<const Vec3> x, Points& points) {
  for (std::size_t i = 0; i < block.nodes; ++i) {
    const Vec3& at = x[packs.slots[block.first_slot + i]];
    for (std::size_t k = 0; k < 3; ++k) points.of[4 * i + k] = at[static_cast<int>(k)];
    points.of[4 * i + 3] = 0;
  }
}

}  // namespace

TetBlocks::TetBlocks(std::span<const Vec3> rest, std::span<const TetCorners> tets,
                     std::span<const TetShape> shapes, TetLaws laws)
    : packs_(rest, tets, shapes, laws), pulls_(4 * packs_.slots.size()) {}

void TetBlocks::update(std::size_t nodes, std::span<const TetCorners> tets, std::span<const TetShape> shapes,
                       TetLaws laws, std::span<const std::uint32_t> changed) {
  packs_.update(nodes, tets, shapes, laws, changed);
  pulls_.resize(4 * packs_.slots.size());
}

double TetBlocks::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  const double total = energy(x, true);
  parallel_for(gradient.size(), grain, [&](std::size_t v) {
    Vec3 sum = Vec3::Zero();
    for (std::uint32_t i = packs_.begin[v]; i < packs_.begin[v + 1]; ++i)
      sum += Eigen::Map<const Vec3>(pulls_.data() + 4 * std::size_t{packs_.slots_of_node[i]});
    gradient[v] += sum;
  });
  return total;
}

// The energy; with `pulling`, what each block pulls at its nodes with as well.
double TetBlocks::energy(std::span<const Vec3> x, bool pulling) {
  return parallel_reduce(
      packs_.blocks.size(), 1, 0.0, partial_,
      [&](Chunk chunk) {
        const TetBlock& block = packs_.blocks[chunk.index];
        Points points;
        gather(packs_, block, x, points);
        if (!pulling) return block_energy(packs_, block, points.of.data(), nullptr);
        Points pulls;
        std::fill_n(pulls.of.begin(), 4 * std::size_t{block.nodes}, 0.0);
        const double sum = block_energy(packs_, block, points.of.data(), pulls.of.data());
        std::copy_n(pulls.of.begin(), 4 * std::size_t{block.nodes},
                    pulls_.begin() + static_cast<std::ptrdiff_t>(4 * std::size_t{block.first_slot}));
        return sum;
      },
      [](double a, double b) { return a + b; });
}

void TetBlocks::begin_step(std::span<const Vec3> x, double step) {
  packs_.rate = 1 / step;
  parallel_for(packs_.blocks.size(), 1, [&](std::size_t b) {
    Points points;
    gather(packs_, packs_.blocks[b], x, points);
    find_strains(packs_, packs_.blocks[b], points.of.data());
  });
}

std::array<double, 6> TetBlocks::strain_before(std::uint32_t element) const {
  const std::size_t place = packs_.place_of(element);
  std::array<double, 6> strain{};
  for (std::size_t k = 0; k < 6; ++k) strain[k] = packs_.strains[place / pack_size].of[k][place % pack_size];
  return strain;
}

}  // namespace palpate
