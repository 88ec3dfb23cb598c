#include <palpate/collide/classic_pairs.h>

#include <algorithm>

#include <palpate/collide/classic_kernel.h>
#include <palpate/geometry/sphere.h>

namespace palpate {

ClassicTriangle classic_triangle(const Surfaces& all, std::uint32_t triangle, double half, bool spheres) {
  const Triangle corners = all.triangle(triangle);
  Box box;
  if (spheres && !all.moving()) {
    const Sphere sphere = Sphere::around(corners);
    box = {sphere.center.array() - sphere.radius, sphere.center.array() + sphere.radius};
  } else {
    box = all.triangle_box(triangle);
  }
  return {grown(box, half), triangle, is_thin(corners)};
}

namespace {

bool boxes_meet(const Segment& a, const Segment& b, double reach) {
  const auto box = [&](const Segment& s) {
    return grown(Box{s[0].cwiseMin(s[1]), s[0].cwiseMax(s[1])}, classic_half(reach));
  };
  return box(a).overlaps(box(b));
}

// The vertices that one owns against the other.
void test_vertices(const Surfaces& all, const ClassicTriangle& one, const ClassicTriangle& other,
                   double reach, bool feature_boxes, Batch& batch) {
  const unsigned owned = all.owned()[one.triangle] & 7u;
  if (owned == 0) return;
  const TriangleCorners &corners = all.triangles()[one.triangle], &others = all.triangles()[other.triangle];
  const Triangle t = all.triangle(other.triangle);
  for (unsigned k = 0; k < 3; ++k) {
    if ((owned >> k & 1) == 0 || std::find(others.begin(), others.end(), corners[k]) != others.end())
      continue;
    const Vec3& p = all.positions()[corners[k]];
    if (all.moving()) {
      batch.vertex_triangle(corners[k], other.triangle);
      continue;
    }
    if (feature_boxes && !grown(Box{p, p}, classic_half(reach)).overlaps(other.box)) continue;
    if (other.thin || !plainly_apart(p, t, reach * reach)) batch.vertex_triangle(corners[k], other.triangle);
  }
}

}  // namespace

void test_triangles(const Surfaces& all, const ClassicTriangle& a, const ClassicTriangle& b, double reach,
                    bool feature_boxes, Batch& batch) {
  test_vertices(all, a, b, reach, feature_boxes, batch);
  test_vertices(all, b, a, reach, feature_boxes, batch);
  const unsigned owned_a = all.owned()[a.triangle] >> 3u, owned_b = all.owned()[b.triangle] >> 3u;
  for (unsigned k = 0; k < 3; ++k) {
    if ((owned_a >> k & 1) == 0) continue;
    const std::uint32_t e = 3 * a.triangle + k, e0 = all.side_begin(e), e1 = all.side_end(e);
    const Segment edge = all.edge(e);
    for (unsigned l = 0; l < 3; ++l) {
      if ((owned_b >> l & 1) == 0) continue;
      const std::uint32_t f = 3 * b.triangle + l, f0 = all.side_begin(f), f1 = all.side_end(f);
      if (e0 == f0 || e0 == f1 || e1 == f0 || e1 == f1) continue;
      if (all.moving()) {
        batch.edge_edge(e, f);
        continue;
      }
      const Segment other = all.edge(f);
      if (feature_boxes && !boxes_meet(edge, other, reach)) continue;
      if (!plainly_apart(edge, other, reach * reach)) batch.edge_edge(e, f);
    }
  }
}

}  // namespace palpate
