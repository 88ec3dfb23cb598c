#include <palpate/collide/triangle_boxes.h>

#include <algorithm>
#include <bit>

#include <palpate/mesh/mesh.h>

#ifndef PALPATE_TRIANGLE_BOXES_TABLE
#define PALPATE_TRIANGLE_BOXES_TABLE
namespace palpate::pairs {
namespace {

// For each pattern of 8 bits, the lanes that are set, then zeros.
constexpr std::array<std::array<std::uint8_t, 8>, 256> make_lanes_set() {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::size_t count = 0;
    for (unsigned lane = 0; lane < 8; ++lane)
      if ((bits >> lane & 1) != 0) table[bits][count++] = static_cast<std::uint8_t>(lane);
  }
  return table;
}
alignas(64) constexpr auto lanes_set = make_lanes_set();

// Whether two triangles' boxes are within the distance, as it is defined: in double.
inline bool within(const Scene& scene, const LeafTriangles& a, std::size_t i, const LeafTriangles& b,
                   std::size_t j) {
  const auto box = [&](const LeafTriangles& leaf, std::size_t t) {
    const Vec3 &p = scene.positions[leaf.corner[0][t]], &q = scene.positions[leaf.corner[1][t]],
               &r = scene.positions[leaf.corner[2][t]];
    return Box{p.cwiseMin(q).cwiseMin(r), p.cwiseMax(q).cwiseMax(r)};
  };
  const Box one = box(a, i), two = box(b, j);
  return ((two.lo - one.hi).array() <= scene.distance).all() &&
         ((one.lo - two.hi).array() <= scene.distance).all();
}

}  // namespace
}  // namespace palpate::pairs
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/collide/triangle_boxes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palpate::pairs {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::size_t lanes = hn::MaxLanes(D());
constexpr std::size_t parts = 8 / lanes;

HWY_INLINE unsigned bits_of(hn::Mask<D> mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

// Eight boxes; gap(): how far each is from child i of another eight, along the axis where it is farthest.
struct Eight {
  V lo[parts][3], hi[parts][3];
  HWY_INLINE explicit Eight(const Group& boxes) {
    for (std::size_t h = 0; h < parts; ++h)
      for (std::size_t k = 0; k < 3; ++k) {
        lo[h][k] = hn::Load(d, boxes.lo[k] + h * lanes);
        hi[h][k] = hn::Load(d, boxes.hi[k] + h * lanes);
      }
  }
  HWY_INLINE V gap(std::size_t h, const Group& other, std::size_t i) const {
    const auto along = [&](std::size_t k) {
      return hn::Max(hn::Sub(lo[h][k], hn::Set(d, other.hi[k][i])),
                     hn::Sub(hn::Set(d, other.lo[k][i]), hi[h][k]));
    };
    return hn::Max(hn::Max(along(0), along(1)), along(2));
  }
  HWY_INLINE unsigned near(const Group& other, std::size_t i, float reach) const {
    unsigned bits = 0;
    for (std::size_t h = 0; h < parts; ++h)
      bits |= bits_of(hn::Le(gap(h, other, i), hn::Set(d, reach))) << (h * lanes);
    return bits;
  }
};

std::uint64_t near_children_of(const Group& a, const Group& b, float reach) {
  const Eight eight(b);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits |= std::uint64_t{eight.near(a, i, reach)} << (8 * i);
  return bits;
}

// Writes the pairs of one triangle with those of eight that have their bits set.
HWY_INLINE TrianglePair* put(std::uint32_t triangle, const std::uint32_t* others, unsigned bits,
                             TrianglePair* out) {
  const hn::CappedTag<std::uint32_t, 8> du;
  const hn::Rebind<std::uint8_t, decltype(du)> bytes;
  const auto one = hn::Set(du, triangle);
  for (std::size_t h = 0; h < parts; ++h) {
    const unsigned some = bits >> (h * lanes) & ((1u << lanes) - 1);
    const auto which = hn::IndicesFromVec(du, hn::PromoteTo(du, hn::LoadU(bytes, lanes_set[some].data())));
    const auto other = hn::TableLookupLanes(hn::LoadU(du, others + h * lanes), which);
    hn::StoreInterleaved2(hn::Min(one, other), hn::Max(one, other), du, &out->first);
    out += std::popcount(some);
  }
  return out;
}

// Rows are the triangles of a that come near the box of b; each is compared with all eight of b.
HWY_INLINE void search_leaves(const Scene& scene, std::uint32_t a, std::uint32_t b, unsigned rows,
                              Output& out) {
  const Group &one = scene.leaves[a], &two = scene.leaves[b];
  const LeafTriangles &ours = scene.triangles[a], &theirs = scene.triangles[b];
  const Eight eight(two);
  TrianglePair* end = out.room(72);
  for (; rows != 0; rows &= rows - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rows));
    unsigned near = 0, sure = 0;
    for (std::size_t h = 0; h < parts; ++h) {
      const V gap = eight.gap(h, one, i);
      near |= bits_of(hn::Le(gap, hn::Set(d, scene.reach))) << (h * lanes);
      sure |= bits_of(hn::Le(gap, hn::Set(d, scene.sure))) << (h * lanes);
    }
    if (a == b) {
      near &= 0xfeu << i;
      sure &= 0xfeu << i;
    }
    if (HWY_UNLIKELY(near != sure))
      for (unsigned open = near ^ sure; open != 0; open &= open - 1) {
        const auto j = static_cast<std::size_t>(std::countr_zero(open));
        if (within(scene, ours, i, theirs, j)) sure |= 1u << j;
      }
    if (sure != 0) end = put(ours.triangle[i], theirs.triangle.data(), sure, end);
  }
  out.written(end);
}

void search_groups(const Scene& scene, std::uint32_t a, std::uint32_t b, Output& out) {
  const Group &one = scene.groups[a], &two = scene.groups[b];
  const std::uint32_t first = scene.child[a], second = scene.child[b];
  const Eight eight(two);
  for (std::uint32_t i = 0; i < 8; ++i) {
    unsigned bits = eight.near(one, i, scene.reach);
    if (a == b) bits &= 0xffu << i;
    if (bits == 0) continue;
    const Eight triangles(scene.leaves[first + i]);
    for (; bits != 0; bits &= bits - 1) {
      const auto j = static_cast<std::uint32_t>(std::countr_zero(bits));
      const unsigned rows = triangles.near(two, j, scene.reach);
      if (rows != 0) search_leaves(scene, first + i, second + j, rows, out);
    }
  }
}

// --- boxes ----------------------------------------------------------------------------------------

using D4 = hn::CappedTag<float, 4>;
using V4 = hn::Vec<D4>;
constexpr D4 d4;

static_assert(hn::MaxLanes(D4()) == 4);

struct PointBox {
  V4 lo, hi;
};

HWY_INLINE FloatBox stored(const PointBox& box) {
  HWY_ALIGN float lo[4], hi[4];
  hn::Store(box.lo, d4, lo);
  hn::Store(box.hi, d4, hi);
  return {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

// Four points as rows of x, y and z.
HWY_INLINE void store_rows(const V4 (&p)[4], float* x, float* y, float* z) {
  const V4 a = hn::InterleaveLower(d4, p[0], p[2]), b = hn::InterleaveLower(d4, p[1], p[3]),
           c = hn::InterleaveUpper(d4, p[0], p[2]), e = hn::InterleaveUpper(d4, p[1], p[3]);
  hn::Store(hn::InterleaveLower(d4, a, b), d4, x);
  hn::Store(hn::InterleaveUpper(d4, a, b), d4, y);
  hn::Store(hn::InterleaveLower(d4, c, e), d4, z);
}

HWY_INLINE PointBox refit_leaf(const Point* points, const LeafTriangles& leaf, Group& boxes) {
  PointBox all = {hn::Zero(d4), hn::Zero(d4)};
  for (std::size_t h = 0; h < 8; h += 4) {
    V4 lo[4], hi[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const V4 p = hn::Load(d4, points[leaf.corner[0][h + i]].x),
               q = hn::Load(d4, points[leaf.corner[1][h + i]].x),
               r = hn::Load(d4, points[leaf.corner[2][h + i]].x);
      lo[i] = hn::Min(hn::Min(p, q), r);
      hi[i] = hn::Max(hn::Max(p, q), r);
    }
    store_rows(lo, boxes.lo[0] + h, boxes.lo[1] + h, boxes.lo[2] + h);
    store_rows(hi, boxes.hi[0] + h, boxes.hi[1] + h, boxes.hi[2] + h);
    const PointBox four = {hn::Min(hn::Min(lo[0], lo[1]), hn::Min(lo[2], lo[3])),
                           hn::Max(hn::Max(hi[0], hi[1]), hn::Max(hi[2], hi[3]))};
    all = h == 0 ? four : PointBox{hn::Min(all.lo, four.lo), hn::Max(all.hi, four.hi)};
  }
  return all;
}

void to_points_of(const Vec3* positions, std::size_t n, const Frame& frame, Point* points) {
  const Vec3 origin = frame.origin;
  const double scale = frame.scale;
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) points[i].x[k] = static_cast<float>((positions[i][k] - origin[k]) * scale);
    points[i].x[3] = 0;
  }
}

FloatBox box_of_some(const Point* points, const std::uint32_t* which, std::size_t n) {
  PointBox box;
  box.lo = box.hi = hn::Load(d4, points[which[0]].x);
  for (std::size_t i = 1; i < n; ++i) {
    const V4 p = hn::Load(d4, points[which[i]].x);
    box = {hn::Min(box.lo, p), hn::Max(box.hi, p)};
  }
  return stored(box);
}

FloatBox refit_some(const Point* points, const LeafTriangles* triangles, std::size_t n, Group* leaves,
                    Group& group) {
  PointBox all = {hn::Zero(d4), hn::Zero(d4)};
  for (std::size_t i = 0; i < n; ++i) {
    const PointBox box = refit_leaf(points, triangles[i], leaves[i]);
    const FloatBox one = stored(box);
    for (std::size_t k = 0; k < 3; ++k) {
      group.lo[k][i] = one.lo[k];
      group.hi[k][i] = one.hi[k];
    }
    for (std::size_t j = 1; j < 8; ++j)
      if (HWY_UNLIKELY(triangles[i].triangle[j] == no_index))
        for (std::size_t k = 0; k < 3; ++k) {
          leaves[i].lo[k][j] = 1e30f;
          leaves[i].hi[k][j] = -1e30f;
        }
    all = i == 0 ? box : PointBox{hn::Min(all.lo, box.lo), hn::Max(all.hi, box.hi)};
  }
  return stored(all);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate::pairs
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate::pairs {

HWY_EXPORT(near_children_of);
HWY_EXPORT(search_groups);
HWY_EXPORT(to_points_of);
HWY_EXPORT(refit_some);
HWY_EXPORT(box_of_some);

void set_distance(Scene& scene, const Frame& frame, double distance) {
  // Coordinates reach 4 at worst, where floats err by 2^-23; the gap of two by three times as much.
  constexpr double slack = 0x1p-19;
  const double scaled = std::min(distance * frame.scale, 1e20);
  scene.distance = distance;
  scene.sure = static_cast<float>(scaled * (1 - 1e-6) - slack);
  scene.reach = static_cast<float>(scaled * (1 + 1e-6) + slack);
}

void Output::grow(std::size_t more) { pairs_.resize(std::max(2 * pairs_.size(), count_ + more + 1024)); }

void to_points(const Vec3* positions, std::size_t n, const Frame& frame, Point* points) {
  HWY_DYNAMIC_DISPATCH(to_points_of)(positions, n, frame, points);
}
FloatBox refit_leaves(const Point* points, const LeafTriangles* triangles, std::size_t n, Group* leaves,
                      Group& group) {
  return HWY_DYNAMIC_DISPATCH(refit_some)(points, triangles, n, leaves, group);
}
FloatBox box_of(const Point* points, std::span<const std::uint32_t> which) {
  return HWY_DYNAMIC_DISPATCH(box_of_some)(points, which.data(), which.size());
}
std::uint64_t near_children(const Group& a, const Group& b, float reach) {
  return HWY_DYNAMIC_DISPATCH(near_children_of)(a, b, reach);
}
void search(const Scene& scene, std::uint32_t a, std::uint32_t b, Output& out) {
  HWY_DYNAMIC_DISPATCH(search_groups)(scene, a, b, out);
}

}  // namespace palpate::pairs
#endif
