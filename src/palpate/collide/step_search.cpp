// Pairs of features that may touch in a step: see step_tree.h.
#include <algorithm>
#include <array>
#include <cstring>

#include <palpate/collide/step_tree.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/collide/step_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <palpate/collide/float_lanes-inl.h>
#include <palpate/collide/leaf_motion-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

// --- boxes ----------------------------------------------------------------------------------------

struct StepQuery {
  Query at[2];
  HWY_INLINE StepQuery(const StepBox& box, float reach)
      : at{query(box.at[0], reach), query(box.at[1], reach)} {}
};

// Bits of the boxes that are not apart from the query along one axis, on the same side at both ends.
template <std::size_t count>
HWY_INLINE unsigned meeting(const float* lo0, const float* hi0, const float* lo1, const float* hi1,
                            std::size_t stride, const StepQuery& q) {
  return gather_bits<count>([&](std::size_t i) {
    const auto axis = [&](std::size_t k) {
      const auto load = [&](const float* from) { return hn::LoadU(d, from + k * stride + i); };
      const auto above = hn::And(hn::Gt(load(lo0), q.at[0].hi[k]), hn::Gt(load(lo1), q.at[1].hi[k]));
      const auto below = hn::And(hn::Lt(load(hi0), q.at[0].lo[k]), hn::Lt(load(hi1), q.at[1].lo[k]));
      return hn::Or(above, below);
    };
    return hn::Not(hn::Or(hn::Or(axis(0), axis(1)), axis(2)));
  });
}
template <std::size_t n>
HWY_INLINE unsigned meeting(const Boxes<n> (&boxes)[2], const StepQuery& q) {
  return meeting<n>(boxes[0].lo[0], boxes[0].hi[0], boxes[1].lo[0], boxes[1].hi[0], n, q);
}

unsigned may_meet_of(const StepGroup& group, const StepBox& box, float reach) {
  return meeting(group.at, StepQuery(box, reach));
}

FloatBox refit_points_of(const Leaf& leaf, const Vec3* positions, const Frame& frame, StepLeaf& boxes,
                         std::size_t end) {
  auto& point = boxes.point[end];
  FloatBox all{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
  for (std::size_t i = 0; i < leaf.vertices; ++i) {
    const Vec3& p = positions[leaf.vertex[i]];
    for (std::size_t k = 0; k < 3; ++k) {
      const float at = frame.in_float(p[static_cast<Eigen::Index>(k)], k);
      point[k][i] = at;
      all.lo[k] = std::min(all.lo[k], at);
      all.hi[k] = std::max(all.hi[k], at);
    }
  }
  return all;
}

void refit_motion_of(const Leaf& leaf, const LeafRest& rest, const Frame& frame, const StepLeaf& boxes,
                     StepMotion& motion, std::size_t end) {
  refit_motion(leaf, rest, static_cast<float>(frame.scale), boxes.point[end], motion.at[end]);
}

void refit_features_of(const Leaf& leaf, StepLeaf& boxes, std::size_t end) {
  const auto& point = boxes.point[end];
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t t = 0; t < leaf.triangles; ++t) {
      const float a = point[k][leaf.corner[0][t]], b = point[k][leaf.corner[1][t]],
                  c = point[k][leaf.corner[2][t]];
      boxes.triangle[end].lo[k][t] = std::min(a, std::min(b, c));
      boxes.triangle[end].hi[k][t] = std::max(a, std::max(b, c));
    }
    for (std::size_t e = 0; e < leaf.edges; ++e) {
      const float a = point[k][leaf.end[0][e]], b = point[k][leaf.end[1][e]];
      boxes.middle[end][k][e] = a + b;
      boxes.along[end][k][e] = b - a;
    }
  }
}

// --- proofs ---------------------------------------------------------------------------------------

HWY_INLINE V between(V least, V most, V t) { return hn::Min(hn::Max(t, least), most); }
// Degenerate features have nothing to divide by: whatever comes out is clamped, and any direction is a proof.
HWY_INLINE V ratio(V a, V b) { return hn::Div(a, hn::Max(b, hn::Set(d, 1e-30f))); }

// Bits of the pairs that are not proven to be apart: `gap` is that of the features along a direction of this
// squared length, the smaller one of start and end.
HWY_INLINE unsigned not_apart(V gap, V squared, float limit) {
  const auto apart = hn::And(hn::Gt(gap, hn::Zero(d)),
                             hn::Gt(hn::Mul(gap, gap), hn::Mul(hn::Set(d, limit * limit), squared)));
  return ~bits_of(apart) & ((1u << lanes) - 1);
}

struct Lines {
  V3 middle, along;
};
HWY_INLINE Lines lines_at(const StepLeaf& boxes, std::size_t end, const Places& at) {
  return {
      {at.of<true>(boxes.middle[end][0]), at.of<true>(boxes.middle[end][1]),
       at.of<true>(boxes.middle[end][2])},
      {at.of<true>(boxes.along[end][0]), at.of<true>(boxes.along[end][1]), at.of<true>(boxes.along[end][2])}};
}

// All in twice the lengths: the points of an edge are middle + s * along, s from -1 to 1. In the middle of
// the step everything is the sum of both ends, again twice.
HWY_INLINE unsigned judge_edges(const Lines (&a)[2], const Lines (&b)[2], float limit) {
  const V minus = hn::Set(d, -1.0f), plus = hn::Set(d, 1.0f);
  const V3 w0 = b[0].middle - a[0].middle, w1 = b[1].middle - a[1].middle;
  const V3 u = a[0].along + a[1].along, v = b[0].along + b[1].along, w = w0 + w1;
  const V uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), wu = dot(w, u), wv = dot(w, v);
  const V first =
      between(minus, plus,
              ratio(hn::Sub(hn::Mul(wu, vv), hn::Mul(wv, uv)), hn::Sub(hn::Mul(uu, vv), hn::Mul(uv, uv))));
  const V t = between(minus, plus, ratio(hn::Sub(hn::Mul(first, uv), wv), vv));
  const V s = between(minus, plus, ratio(hn::Add(hn::Mul(t, uv), wu), uu));
  const V3 n = (w + t * v) - s * u;
  const auto gap = [&](const V3& from, std::size_t end) {
    return hn::Sub(hn::Sub(dot(n, from), hn::Abs(dot(n, b[end].along))), hn::Abs(dot(n, a[end].along)));
  };
  return not_apart(hn::Min(gap(w0, 0), gap(w1, 1)), dot(n, n), 2 * limit);
}

struct Corners {
  V3 p, a, b, c;
};
// The direction from the triangle to the vertex, in the middle of the step.
HWY_INLINE unsigned judge_vertices(const Corners& start, const Corners& end, float limit) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const V3 w0 = start.p - start.a, ab0 = start.b - start.a, ac0 = start.c - start.a;
  const V3 w1 = end.p - end.a, ab1 = end.b - end.a, ac1 = end.c - end.a;
  const V3 w = w0 + w1, ab = ab0 + ab1, ac = ac0 + ac1;
  const V bb = dot(ab, ab), cc = dot(ac, ac), bc = dot(ab, ac), wb = dot(w, ab), wc = dot(w, ac);
  // On each side, and how near, but for |w|^2. (From b to c: |c - b|^2, and the way from b to p along it.)
  const V sides = hn::Sub(hn::Add(bb, cc), hn::Add(bc, bc));
  const V along = hn::Add(hn::Sub(wc, wb), hn::Sub(bb, bc));
  const V on_ab = between(zero, one, ratio(wb, bb)), on_ac = between(zero, one, ratio(wc, cc)),
          on_bc = between(zero, one, ratio(along, sides));
  const auto nearness = [](V t, V there, V length) {
    return hn::Mul(t, hn::Sub(hn::Mul(t, length), hn::Add(there, there)));
  };
  const V near_ab = nearness(on_ab, wb, bb), near_ac = nearness(on_ac, wc, cc),
          near_bc = hn::Add(nearness(on_bc, along, sides), hn::Sub(hn::Sub(bb, wb), wb));
  const auto second = hn::Lt(near_ac, near_ab);
  const auto third = hn::Lt(near_bc, hn::Min(near_ab, near_ac));
  V weight_b = hn::IfThenElse(third, hn::Sub(one, on_bc), hn::IfThenElse(second, zero, on_ab));
  V weight_c = hn::IfThenElse(third, on_bc, hn::IfThenElse(second, on_ac, zero));
  const V det = hn::Sub(hn::Mul(bb, cc), hn::Mul(bc, bc));
  const V foot_b = ratio(hn::Sub(hn::Mul(cc, wb), hn::Mul(bc, wc)), det),
          foot_c = ratio(hn::Sub(hn::Mul(bb, wc), hn::Mul(bc, wb)), det);
  const auto inside =
      hn::And(hn::And(hn::Ge(foot_b, zero), hn::Ge(foot_c, zero)), hn::Le(hn::Add(foot_b, foot_c), one));
  weight_b = hn::IfThenElse(inside, foot_b, weight_b);
  weight_c = hn::IfThenElse(inside, foot_c, weight_c);
  const V3 n = w - (weight_b * ab + weight_c * ac);
  const auto gap = [&](const V3& from, const V3& to_b, const V3& to_c) {
    return hn::Sub(dot(n, from), hn::Max(zero, hn::Max(dot(n, to_b), dot(n, to_c))));
  };
  return not_apart(hn::Min(gap(w0, ab0, ac0), gap(w1, ab1, ac1)), dot(n, n), limit);
}

// --- proofs for what turns ------------------------------------------------------------------------

// As in crossing_stretch.h, for the whole step: Bernstein coefficients of one sign.
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
// What products may lose where floats end: they are of numbers of at most 4, so what is below counts for
// nothing, and a length that was found as the root of squares may have lost `lost_length`.
constexpr float lost = 1e-30f, lost_length = 1e-18f;
struct Ends {
  V3 begin, end;
};
HWY_INLINE Ends operator-(const Ends& a, const Ends& b) { return {a.begin - b.begin, a.end - b.end}; }
HWY_INLINE V longest(const Ends& e) {
  return hn::Add(hn::Sqrt(hn::Max(dot(e.begin, e.begin), dot(e.end, e.end))), hn::Set(d, lost_length));
}
struct Turning {
  V3 begin, middle, end;
};
HWY_INLINE Turning cross(const Ends& u, const Ends& v) {
  return {cross(u.begin, v.begin), hn::Set(d, 0.5f) * (cross(u.begin, v.end) + cross(u.end, v.begin)),
          cross(u.end, v.end)};
}
// Where a quadratic stays above or below a bound.
struct Sides {
  hn::Mask<D> above, below;
  HWY_INLINE Sides(const V3& along, const Turning& q, V bound) {
    const V a = dot(along, q.begin), b = dot(along, q.middle), c = dot(along, q.end);
    bound = hn::Add(bound, hn::Set(d, lost));
    above = hn::Gt(hn::Min(a, hn::Min(b, c)), bound);
    below = hn::Lt(hn::Max(a, hn::Max(b, c)), hn::Neg(bound));
  }
};
// Where the volume keeps its sign.
HWY_INLINE hn::Mask<D> never_in_one_plane(const Turning& normal, const Ends& a, V bound) {
  const V third = hn::Set(d, 1.0f / 3), two = hn::Set(d, 2.0f);
  bound = hn::Add(bound, hn::Set(d, lost));
  const V v0 = dot(normal.begin, a.begin), v3 = dot(normal.end, a.end);
  const V v1 = hn::Mul(third, hn::Add(dot(normal.begin, a.end), hn::Mul(two, dot(normal.middle, a.begin))));
  const V v2 = hn::Mul(third, hn::Add(dot(normal.end, a.begin), hn::Mul(two, dot(normal.middle, a.end))));
  return hn::Or(hn::Gt(hn::Min(hn::Min(v0, v1), hn::Min(v2, v3)), bound),
                hn::Lt(hn::Max(hn::Max(v0, v1), hn::Max(v2, v3)), hn::Neg(bound)));
}

// Seen from the vertex: the corners.
HWY_INLINE unsigned judge_turning_vertices(const Ends& a, const Ends& b, const Ends& c, V gap) {
  const Ends ab = b - a, ac = c - a, bc = c - b;
  const V length_ab = longest(ab), length_ac = longest(ac);
  const Turning normal = cross(ab, ac);
  const auto apart = never_in_one_plane(normal, a, hn::Mul(hn::Mul(length_ab, length_ac), gap));
  const V3& m = normal.middle;
  const V per = hn::Mul(hn::Add(hn::Sqrt(dot(m, m)), hn::Set(d, lost_length)), gap);
  const Sides side_ab(m, cross(a, ab), hn::Mul(per, length_ab)),
      side_bc(m, cross(b, bc), hn::Mul(per, longest(bc))), side_ca(m, cross(ac, c), hn::Mul(per, length_ac));
  const auto beside = hn::And(hn::Or(hn::Or(side_ab.above, side_bc.above), side_ca.above),
                              hn::Or(hn::Or(side_ab.below, side_bc.below), side_ca.below));
  return ~bits_of(hn::Or(apart, beside)) & ((1u << lanes) - 1);
}
// Seen from one end of the second: the ends of the first, and its own other end.
HWY_INLINE unsigned judge_turning_edges(const Ends& a, const Ends& b, const Ends& c, V gap) {
  const Ends u = b - a;
  const V length_u = longest(u), length_c = longest(c);
  const Turning normal = cross(u, c);
  const auto apart = never_in_one_plane(normal, a, hn::Mul(hn::Mul(length_u, length_c), gap));
  const V3& m = normal.middle;
  const V per = hn::Mul(hn::Add(hn::Sqrt(dot(m, m)), hn::Set(d, lost_length)), gap),
          bound_c = hn::Mul(per, length_c), bound_u = hn::Mul(per, length_u);
  const Sides of_a(m, cross(c, a), bound_c), of_b(m, cross(c, b), bound_c);
  const Sides of_origin(m, cross(a, u), bound_u), of_c(m, cross(u, c - a), bound_u);
  const auto both = [](const Sides& one, const Sides& two) {
    return hn::Or(hn::And(one.above, two.above), hn::And(one.below, two.below));
  };
  return ~bits_of(hn::Or(apart, hn::Or(both(of_a, of_b), both(of_origin, of_c)))) & ((1u << lanes) - 1);
}

// What rounding may have done to features in a box of this size: see leaf_search.cpp.
HWY_INLINE float limit_for(float distance, float size) {
  return distance * (1 + 1e-6f) + (0x1p-20f + size * 0x1p-19f);
}

// Pairs that the first proof left, of many pairs of leaves: eight are judged at once.
template <ContactKind kind>
struct Left {
  static constexpr std::size_t room = 64;
  static constexpr bool triangle = kind == ContactKind::vertex_triangle;
  HWY_ALIGN float point[2][4][3][room];
  std::uint32_t first[room], second[room];
  std::size_t count = 0;
  float size = 0;

  // Four points at a time: at the ends of the step, or in its middle.
  struct Four {
    V3 x[4];
  };
  HWY_INLINE Four at(std::size_t end, std::size_t i) const {
    Four four;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto& x = point[end][k];
      four.x[k] = {hn::Load(d, x[0] + i), hn::Load(d, x[1] + i), hn::Load(d, x[2] + i)};
    }
    return four;
  }
  static HWY_INLINE Four middle_of(const Four& a, const Four& b) {
    Four four;
    for (std::size_t k = 0; k < 4; ++k) four.x[k] = hn::Set(d, 0.5f) * (a.x[k] + b.x[k]);
    return four;
  }
  static HWY_INLINE unsigned judge_turning(const Four& start, const Four& end, float gap) {
    const auto seen = [&](std::size_t k) {
      constexpr std::size_t origin = triangle ? 0 : 2;
      return Ends{start.x[k] - start.x[origin], end.x[k] - end.x[origin]};
    };
    return triangle ? judge_turning_vertices(seen(1), seen(2), seen(3), hn::Set(d, gap))
                    : judge_turning_edges(seen(0), seen(1), seen(3), hn::Set(d, gap));
  }
  static HWY_INLINE unsigned judge_straight(const Four& start, const Four& end, float limit) {
    if constexpr (triangle) {
      const auto corners = [](const Four& f) { return Corners{f.x[0], f.x[1], f.x[2], f.x[3]}; };
      return judge_vertices(corners(start), corners(end), limit);
    } else {
      const auto line = [](const V3& from, const V3& to) { return Lines{from + to, to - from}; };
      const Lines a[2] = {line(start.x[0], start.x[1]), line(end.x[0], end.x[1])},
                  b[2] = {line(start.x[2], start.x[3]), line(end.x[2], end.x[3])};
      return judge_edges(a, b, limit);
    }
  }

  void judge(float distance, Batch& batch) {
    const float limit = limit_for(distance, size);
    // Products of three and four numbers err by more than sums.
    const float gap = limit + size * 0x1p-18f;
    for (std::size_t i = 0; i < count; i += lanes) {
      const unsigned used = count - i < lanes ? (1u << (count - i)) - 1 : (1u << lanes) - 1;
      const Four start = at(0, i), end = at(1, i);
      unsigned left = judge_turning(start, end, gap) & used;
      if (left != 0) {
        // In two halves.
        const Four middle = middle_of(start, end);
        const auto half = [&](const Four& from, const Four& to) {
          const unsigned straight = judge_straight(from, to, limit) & left;
          return straight != 0 ? straight & judge_turning(from, to, gap) : 0;
        };
        left = half(start, middle) | half(middle, end);
      }
      for (; left != 0; left &= left - 1) {
        const auto k = i + static_cast<std::size_t>(__builtin_ctz(left));
        if constexpr (triangle)
          batch.vertex_triangle(first[k], second[k]);
        else
          batch.edge_edge(first[k], second[k]);
      }
    }
    count = 0;
    size = 0;
  }
};
using LeftVertices = Left<ContactKind::vertex_triangle>;
using LeftEdges = Left<ContactKind::edge_edge>;

// --- pairs ----------------------------------------------------------------------------------------

struct Side {
  const Leaf& leaf;
  const StepLeaf& boxes;
  const StepView& view;
  std::uint32_t vertex(std::size_t place) const { return view.first_vertex + leaf.vertex[place]; }
};

// Pairs of places in two leaves; judged eight at a time.
struct Places8 {
  static constexpr std::size_t room = 64;
  std::uint8_t low[room + 8], high[room + 8];
  std::size_t count = 0;
};

HWY_INLINE void judge_edge_list(Places8& list, const Side& low, const Side& high, float distance, float size,
                                LeftEdges& out, Batch& batch) {
  const float limit = limit_for(distance, size);
  batch.counters.culled += list.count;
  std::memset(list.low + list.count, 0, 8);
  std::memset(list.high + list.count, 0, 8);
  for (std::size_t i = 0; i < list.count; i += lanes) {
    const Places at_low(list.low + i), at_high(list.high + i);
    const Lines a[2] = {lines_at(low.boxes, 0, at_low), lines_at(low.boxes, 1, at_low)},
                b[2] = {lines_at(high.boxes, 0, at_high), lines_at(high.boxes, 1, at_high)};
    unsigned left = judge_edges(a, b, limit);
    if (list.count - i < lanes) left &= (1u << (list.count - i)) - 1;
    for (; left != 0; left &= left - 1) {
      const auto k = i + static_cast<std::size_t>(__builtin_ctz(left));
      if (out.count == LeftEdges::room) out.judge(distance, batch);
      const std::size_t n = out.count++, e = list.low[k], f = list.high[k];
      const std::size_t place[4] = {low.leaf.end[0][e], low.leaf.end[1][e], high.leaf.end[0][f],
                                    high.leaf.end[1][f]};
      for (std::size_t end = 0; end < 2; ++end)
        for (std::size_t p = 0; p < 4; ++p)
          for (std::size_t c = 0; c < 3; ++c)
            out.point[end][p][c][n] = (p < 2 ? low : high).boxes.point[end][c][place[p]];
      out.first[n] = 3 * low.view.first_triangle + low.leaf.edge[e];
      out.second[n] = 3 * high.view.first_triangle + high.leaf.edge[f];
      out.size = std::max(out.size, size);
    }
  }
  list.count = 0;
}

HWY_INLINE void search_edges(const Side& low, unsigned there, const Side& high, unsigned live,
                             const LeafMask* mask, bool same, float reach, float distance, float size,
                             LeftEdges& out, Batch& batch) {
  Places8 list;
  const StepLeaf& others = low.boxes;
  for (; live != 0; live &= live - 1) {
    const auto f = static_cast<unsigned>(__builtin_ctz(live));
    const unsigned open = mask != nullptr ? there & ~unsigned{mask->edges[f]} : there;
    if (open == 0) continue;
    V middle[2][3], length[2][3];
    for (std::size_t end = 0; end < 2; ++end)
      for (std::size_t k = 0; k < 3; ++k) {
        middle[end][k] = hn::Set(d, high.boxes.middle[end][k][f]);
        length[end][k] = hn::Set(d, std::abs(high.boxes.along[end][k][f]) + 2 * reach);
      }
    unsigned bits = gather_bits<leaf_features>([&](std::size_t i) {
      const auto axis = [&](std::size_t k) {
        const auto by = [&](std::size_t end) {
          return hn::Sub(hn::Load(d, others.middle[end][k] + i), middle[end][k]);
        };
        const auto far = [&](std::size_t end) {
          return hn::Add(hn::Abs(hn::Load(d, others.along[end][k] + i)), length[end][k]);
        };
        const V by0 = by(0), by1 = by(1), far0 = far(0), far1 = far(1);
        return hn::Or(hn::And(hn::Gt(by0, far0), hn::Gt(by1, far1)),
                      hn::And(hn::Lt(by0, hn::Neg(far0)), hn::Lt(by1, hn::Neg(far1))));
      };
      return hn::Not(hn::Or(hn::Or(axis(0), axis(1)), axis(2)));
    });
    bits &= open;
    if (same) bits &= (1u << f) - 1;
    const std::uint32_t f0 = high.vertex(high.leaf.end[0][f]), f1 = high.vertex(high.leaf.end[1][f]);
    for (; bits != 0; bits &= bits - 1) {
      const auto e = static_cast<std::uint8_t>(__builtin_ctz(bits));
      const std::uint32_t e0 = low.vertex(low.leaf.end[0][e]), e1 = low.vertex(low.leaf.end[1][e]);
      if (e0 == f0 || e0 == f1 || e1 == f0 || e1 == f1) continue;
      if (list.count == Places8::room) judge_edge_list(list, low, high, distance, size, out, batch);
      list.low[list.count] = e;
      list.high[list.count++] = static_cast<std::uint8_t>(f);
    }
  }
  judge_edge_list(list, low, high, distance, size, out, batch);
}

// Vertices and triangles of several pairs of leaves: a pair has few, and eight are judged at once.
struct Vertices {
  static constexpr std::size_t room = 64;
  HWY_ALIGN float point[2][4][3][room];  // the vertex, the corners of the triangle
  std::uint32_t vertex[room], triangle[room];
  std::size_t count = 0;
  float size = 0;

  void judge(float distance, LeftVertices& out, Batch& batch) {
    const float limit = limit_for(distance, size);
    batch.counters.culled += count;
    for (std::size_t i = 0; i < count; i += lanes) {
      const auto corners = [&](std::size_t end) {
        const auto at = [&](std::size_t k) {
          const auto& x = point[end][k];
          return V3{hn::Load(d, x[0] + i), hn::Load(d, x[1] + i), hn::Load(d, x[2] + i)};
        };
        return Corners{at(0), at(1), at(2), at(3)};
      };
      unsigned left = judge_vertices(corners(0), corners(1), limit);
      if (count - i < lanes) left &= (1u << (count - i)) - 1;
      for (; left != 0; left &= left - 1) {
        const auto k = i + static_cast<std::size_t>(__builtin_ctz(left));
        if (out.count == LeftVertices::room) out.judge(distance, batch);
        const std::size_t n = out.count++;
        for (std::size_t end = 0; end < 2; ++end)
          for (std::size_t p = 0; p < 4; ++p)
            for (std::size_t c = 0; c < 3; ++c) out.point[end][p][c][n] = point[end][p][c][k];
        out.first[n] = vertex[k];
        out.second[n] = triangle[k];
        out.size = std::max(out.size, size);
      }
    }
    count = 0;
    size = 0;
  }
};

// The vertices that one leaf owns, and the triangles of the other.
HWY_INLINE void search_vertices(const Side& one, unsigned live, const Side& other, unsigned there,
                                const std::array<std::uint8_t, leaf_features>* closed, float reach,
                                float distance, float size, Vertices& out, LeftVertices& left, Batch& batch) {
  for (; live != 0; live &= live - 1) {
    const auto v = static_cast<std::size_t>(__builtin_ctz(live));
    const unsigned open = closed != nullptr ? there & ~unsigned{(*closed)[v]} : there;
    if (open == 0) continue;
    StepBox point;
    for (std::size_t end = 0; end < 2; ++end)
      for (std::size_t k = 0; k < 3; ++k)
        point.at[end].lo[k] = point.at[end].hi[k] = one.boxes.point[end][k][v];
    unsigned bits = meeting(other.boxes.triangle, StepQuery(point, reach)) & open;
    const std::uint32_t own = one.vertex(v);
    for (; bits != 0; bits &= bits - 1) {
      const auto t = static_cast<std::size_t>(__builtin_ctz(bits));
      const std::size_t corner[3] = {other.leaf.corner[0][t], other.leaf.corner[1][t],
                                     other.leaf.corner[2][t]};
      if (own == other.vertex(corner[0]) || own == other.vertex(corner[1]) || own == other.vertex(corner[2]))
        continue;
      if (out.count == Vertices::room) out.judge(distance, left, batch);
      const std::size_t n = out.count++;
      for (std::size_t end = 0; end < 2; ++end)
        for (std::size_t k = 0; k < 3; ++k) {
          out.point[end][0][k][n] = one.boxes.point[end][k][v];
          for (std::size_t c = 0; c < 3; ++c)
            out.point[end][c + 1][k][n] = other.boxes.point[end][k][corner[c]];
        }
      out.vertex[n] = own;
      out.triangle[n] = other.view.first_triangle + other.leaf.triangle[t];
      out.size = std::max(out.size, size);
    }
  }
}

// Of the vertices that a leaf owns, and of its edges, those that may meet something in a box.
HWY_INLINE unsigned points_meeting(const Side& side, const StepQuery& q) {
  const auto& x = side.boxes.point;
  return meeting<leaf_features>(x[0][0], x[0][0], x[1][0], x[1][0], leaf_corners, q) &
         ((1u << side.leaf.own_vertices) - 1);
}
HWY_INLINE unsigned edges_meeting(const Side& side, const StepQuery& q) {
  const unsigned bits = gather_bits<leaf_features>([&](std::size_t i) {
    const auto axis = [&](std::size_t k) {
      auto above = hn::Eq(hn::Zero(d), hn::Zero(d)), below = above;
      for (std::size_t end = 0; end < 2; ++end) {
        const V middle = hn::Load(d, side.boxes.middle[end][k] + i),
                length = hn::Abs(hn::Load(d, side.boxes.along[end][k] + i));
        const V hi = hn::Add(q.at[end].hi[k], q.at[end].hi[k]),
                lo = hn::Add(q.at[end].lo[k], q.at[end].lo[k]);
        above = hn::And(above, hn::Gt(hn::Sub(middle, length), hi));
        below = hn::And(below, hn::Lt(hn::Add(middle, length), lo));
      }
      return hn::Or(above, below);
    };
    return hn::Not(hn::Or(hn::Or(axis(0), axis(1)), axis(2)));
  });
  return bits & ((1u << side.leaf.edges) - 1);
}

// The longest side of a box around both, at both ends of the step.
HWY_INLINE float size_of_both(const StepBox& a, const StepBox& b) {
  float size = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    float lo = 1e30f, hi = -1e30f;
    for (const StepBox* box : {&a, &b})
      for (const FloatBox& at : box->at) {
        lo = std::min(lo, at.lo[k]);
        hi = std::max(hi, at.hi[k]);
      }
    size = std::max(size, hi - lo);
  }
  return size;
}

// True if the two leaves change so little, but for how both are moved and turned, that no pair which counts
// can meet on the way. At rest such a pair is |v| >= gap apart; at both ends it is turned by nearly the same
// R0 and R1, and in between by ((1 - t) R0 + t R1), which makes it shorter by no more than the cosine of half
// the angle between the two.
HWY_INLINE bool stay_apart(const StepView& view, const NearLeaf& near, std::uint32_t low, std::uint32_t high,
                           float reach) {
  const StepMotion &one = view.motions[low], &two = view.motions[high];
  float trace = 0;
  for (std::size_t i = 0; i < 9; ++i) trace += one.at[0].turn[i] * one.at[1].turn[i];
  const float cosine = 0.5f * std::sqrt(std::max(0.0f, 1 + trace)) - 1e-5f;
  const float far = near.gap * view.scale * cosine - reach;
  for (std::size_t end = 0; end < 2; ++end) {
    const float left = far - one.at[end].strain - two.at[end].strain;
    if (!(left > 0) || !(left > disagreement(one.at[end], two.at[end]))) return false;
  }
  return true;
}

void search_step_of(const StepView& low, const StepView& high, std::uint32_t low_group,
                    std::uint32_t high_group, bool self, float reach, float distance, Batch& batch) {
  const StepGroup &a = low.groups[low_group], &b = high.groups[high_group];
  const bool same_group = self && low_group == high_group;
  const auto leaves = std::min<std::size_t>(8, low.shape->leaves().size() - 8 * std::size_t{low_group});
  Vertices vertices;
  LeftVertices left_vertices;
  LeftEdges left_edges;
  for (std::uint32_t i = 0; i < leaves; ++i) {
    const StepBox low_box = box_in(a, i);
    unsigned bits = meeting(b.at, StepQuery(low_box, reach));
    if (same_group) bits &= ~0u << i;
    const std::uint32_t low_leaf = 8 * low_group + i;
    if (bits == 0) continue;
    std::span<const NearLeaf> near;
    if (self && low.motions != nullptr) near = low.shape->near_from(low_leaf, 8 * high_group);
    batch.counters.candidates += static_cast<unsigned>(__builtin_popcount(bits));
    for (; bits != 0; bits &= bits - 1) {
      const auto j = static_cast<std::uint32_t>(__builtin_ctz(bits));
      const std::uint32_t high_leaf = 8 * high_group + j;
      while (!near.empty() && near.front().leaf < high_leaf) near = near.subspan(1);
      const NearLeaf* const masked = near.empty() || near.front().leaf != high_leaf ? nullptr : &near.front();
      if (masked != nullptr && (masked->closed() || stay_apart(low, *masked, low_leaf, high_leaf, reach)))
        continue;
      const LeafMask* const mask = masked != nullptr ? &low.shape->mask(*masked) : nullptr;
      const bool same = self && low_leaf == high_leaf;
      const float size = size_of_both(low_box, box_in(b, j));
      const Side one{low.shape->leaves()[low_leaf], low.leaves[low_leaf], low},
          two{high.shape->leaves()[high_leaf], high.leaves[high_leaf], high};
      // First what of each leaf may meet anything of the other at all.
      const StepQuery of_low(low_box, reach), of_high(box_in(b, j), reach);
      const unsigned triangles_low = meeting(one.boxes.triangle, of_high) & ((1u << one.leaf.triangles) - 1),
                     triangles_high = meeting(two.boxes.triangle, of_low) & ((1u << two.leaf.triangles) - 1);
      if (triangles_low == 0 || triangles_high == 0) continue;
      const unsigned all = ~0u;
      const unsigned low_open = masked != nullptr ? masked->low_open : all,
                     high_open = masked != nullptr ? masked->high_open : all,
                     edges_open = masked != nullptr ? masked->edges_open : all;
      if (low_open != 0)
        search_vertices(one, points_meeting(one, of_high) & low_open, two, triangles_high,
                        mask != nullptr ? &mask->vertices_low : nullptr, reach, distance, size, vertices,
                        left_vertices, batch);
      if (!same && high_open != 0)
        search_vertices(two, points_meeting(two, of_low) & high_open, one, triangles_low,
                        mask != nullptr ? &mask->vertices_high : nullptr, reach, distance, size, vertices,
                        left_vertices, batch);
      if (edges_open == 0) continue;
      search_edges(one, edges_meeting(one, of_high), two, edges_meeting(two, of_low) & edges_open, mask, same,
                   reach, distance, size, left_edges, batch);
    }
  }
  vertices.judge(distance, left_vertices, batch);
  left_vertices.judge(distance, batch);
  left_edges.judge(distance, batch);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(may_meet_of);
HWY_EXPORT(refit_points_of);
HWY_EXPORT(refit_motion_of);
HWY_EXPORT(refit_features_of);
HWY_EXPORT(search_step_of);

unsigned may_meet(const StepGroup& group, const StepBox& box, float reach) {
  return HWY_DYNAMIC_DISPATCH(may_meet_of)(group, box, reach);
}

void clear(StepLeaf& boxes) { boxes = {}; }

FloatBox refit_points(const Leaf& leaf, const Vec3* positions, const Frame& frame, StepLeaf& boxes,
                      std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(refit_points_of)(leaf, positions, frame, boxes, end);
}

void refit_motion(const Leaf& leaf, const LeafRest& rest, const Frame& frame, const StepLeaf& boxes,
                  StepMotion& motion, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(refit_motion_of)(leaf, rest, frame, boxes, motion, end);
}

void refit_features(const Leaf& leaf, StepLeaf& boxes, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(refit_features_of)(leaf, boxes, end);
}

void search_step(const StepView& low, const StepView& high, std::uint32_t low_group, std::uint32_t high_group,
                 bool self, float reach, float distance, Batch& batch) {
  HWY_DYNAMIC_DISPATCH(search_step_of)(low, high, low_group, high_group, self, reach, distance, batch);
}

}  // namespace palpate
#endif
