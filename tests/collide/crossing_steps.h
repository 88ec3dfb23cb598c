// Whole steps of scenes: surfaces at their start and end, and what a detector finds in them.
//
// Whatever is asked of crossings() is asked here of every set: its order, and that the fractions of the step
// that are safe, for all, for each surface and for each vertex, follow from the features that touch.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include <support/cases.h>
#include <support/contact_scenes.h>

#include <palpate/collide/detector.h>

namespace palpate::testing {

struct Turn {
  Pose from, to;
};

struct Step {
  std::vector<TriangleMesh> start;
  std::vector<std::vector<Vec3>> end;
  // Of surfaces that are rigid; without, all are deformable. `start` is then before the pose, and `end` not
  // looked at.
  std::vector<std::optional<Turn>> turns = {};
};

// Things that fly about, turn, are squashed, or shake: all points in straight lines.
inline Step random_step(Random& random) {
  const ContactScene scene = random_scene(random);
  Step step{scene.meshes, {}};
  const std::size_t how = random.below(4);
  const double far = std::abs(random.magnitude(1e-3, how == 3 ? 1e3 : 3));
  for (const TriangleMesh& mesh : scene.meshes) {
    const Vec3 by = random_point(random, far);
    Vec3 axis = random_point(random, 1);
    if (!(axis.norm() > 0.1)) axis = Vec3(0, 0, 1);
    const Mat3 turn = Eigen::AngleAxisd(random.uniform(-3, 3), axis.normalized()).toRotationMatrix();
    const double shake = random.chance(0.5) ? 0 : 0.3;
    std::vector<Vec3> end;
    for (const Vec3& p : mesh.positions) {
      Vec3 q = p + by;
      if (how == 1) q = turn * p + by;
      if (how == 2) q = Vec3(p.x(), p.y(), -0.5 * p.z()) + by;
      end.push_back(q + random_point(random, shake));
    }
    step.end.push_back(std::move(end));
  }
  return step;
}

// Most of the surfaces are rigid, and turn about a place of their own, or about one that is some way off.
inline Step random_turning_step(Random& random) {
  Step step = random_step(random);
  step.turns.resize(step.start.size());
  const auto rotation = [&](double most) {
    const Vec3 axis = random_point(random, 1) + Vec3(0, 0, 0.01);
    return Quat(Eigen::AngleAxisd(random.uniform(-most, most), axis.normalized()));
  };
  for (std::size_t i = 0; i < step.start.size(); ++i) {
    std::vector<Vec3>& points = step.start[i].positions;
    if (points.empty() || random.chance(0.3)) continue;
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
    double size = 0;
    for (const Vec3& p : points) size = std::max(size, (p - middle).norm());
    if (random.chance(0.3)) middle += random_point(random, 3 * size);
    for (Vec3& p : points) p -= middle;
    const Quat turned = random.chance(0.5) ? Quat(Quat::Identity()) : rotation(3);
    const double most = random.chance(0.5) ? 3 : 0.1;
    const Vec3 by = random.chance(0.2) ? Vec3(Vec3::Zero()) : random_point(random, 2 * size);
    step.turns[i] = Turn{{turned, middle}, {(rotation(most) * turned).normalized(), middle + by}};
  }
  return step;
}

inline std::vector<SurfaceId> add(Detector& detector, const Step& step) {
  std::vector<SurfaceId> ids;
  for (std::size_t i = 0; i < step.start.size(); ++i) {
    const bool turns = i < step.turns.size() && step.turns[i];
    ids.push_back(detector.add(step.start[i], {.motion = turns ? Motion::rigid : Motion::deformable}));
    if (turns) {
      detector.set_pose(ids[i], step.turns[i]->from);
      detector.set_end_pose(ids[i], step.turns[i]->to);
    } else {
      detector.set_end_positions(ids[i], step.end[i]);
    }
  }
  return ids;
}

// The set is in order, and its fractions follow from its features, by the numbers of the meshes, as far as it
// is whole.
inline void expect_order_and_fractions(const Detector& detector, const std::vector<SurfaceId>& ids,
                                       const std::vector<TriangleMesh>& meshes, const CrossingSet& found) {
  double least = 1;
  std::vector<double> of_surface(meshes.size(), found.whole_until);
  std::vector<std::vector<double>> of_vertex;
  for (const TriangleMesh& mesh : meshes) of_vertex.emplace_back(mesh.positions.size(), found.whole_until);
  std::uint64_t last = 0;
  bool ascends = true;
  for (const Crossing& one : found) {
    ascends = ascends && (&one == &*found.begin() || last < one.key);
    last = one.key;
    least = std::min(least, one.time);
    const auto take = [&](std::uint32_t slot, std::uint32_t vertex) {
      of_surface[slot] = std::min(of_surface[slot], one.time);
      of_vertex[slot][vertex] = std::min(of_vertex[slot][vertex], one.time);
    };
    const auto take_side = [&](std::uint32_t slot, std::uint32_t side) {
      side -= 3 * detector.surfaces()[slot].first_triangle;
      const TriangleCorners& corners = meshes[slot].triangles[side / 3];
      take(slot, corners[side % 3]);
      take(slot, corners[(side + 1) % 3]);
    };
    if (one.kind() == ContactKind::vertex_triangle) {
      const Surface &first = detector.surfaces()[one.first_surface],
                    &second = detector.surfaces()[one.second_surface];
      take(one.first_surface, one.first() - first.first_vertex);
      for (const std::uint32_t v : meshes[one.second_surface].triangles[one.second() - second.first_triangle])
        take(one.second_surface, v);
    } else {
      take_side(one.first_surface, one.first());
      take_side(one.second_surface, one.second());
    }
  }
  EXPECT_TRUE(ascends);
  EXPECT_EQ(found.safe_fraction, least);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(detector.safe_fraction(ids[i], found), of_surface[i]) << "surface " << i;
    std::vector<double> vertices(meshes[i].positions.size(), -1);
    detector.safe_fractions(ids[i], found, vertices);
    EXPECT_EQ(vertices, of_vertex[i]) << "surface " << i;
  }
}

inline std::vector<Crossing> crossings_of(const Step& step, std::string_view finder,
                                          const CrossingOptions& options) {
  DetectorOptions detector_options;
  detector_options.finder = finder;
  Detector detector(detector_options);
  const std::vector<SurfaceId> ids = add(detector, step);
  const CrossingSet found = detector.crossings(options);
  expect_order_and_fractions(detector, ids, step.start, found);
  return {found.begin(), found.end()};
}

// The same to the last bit.
inline bool same_crossing(const Crossing& a, const Crossing& b) {
  return a.key == b.key && std::bit_cast<std::uint64_t>(a.time) == std::bit_cast<std::uint64_t>(b.time) &&
         a.first_surface == b.first_surface && a.second_surface == b.second_surface && a.sure == b.sure;
}

// A surface whose points go straight, at a part of the step.
inline TriangleMesh at(TriangleMesh mesh, const std::vector<Vec3>& end, double t) {
  for (std::size_t i = 0; i < end.size(); ++i)
    mesh.positions[i] = t == 1 ? end[i] : Vec3((1 - t) * mesh.positions[i] + t * end[i]);
  return mesh;
}

}  // namespace palpate::testing
