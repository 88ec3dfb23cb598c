// Triangles and vertices come and go for hundreds of rounds: the answer is that of a detector that starts
// afresh, for every finder, and that of the independent oracle.
#include <palpate/collide/detector.h>

#include <algorithm>
#include <cmath>

#include <support/cases.h>
#include <support/contact_oracle.h>
#include <support/contact_scenes.h>

namespace palpate {
namespace {

using testing::ContactOracle;
using testing::each_case;
using testing::OracleRules;
using testing::OracleSurface;
using testing::Random;

constexpr TriangleCorners hole = {no_index, no_index, no_index};

struct Body {
  TriangleMesh loaded;
  OracleSurface now;  // positions, triangles with holes, what of them was loaded
  Motion motion = Motion::deformable;
  std::vector<TriangleCorners> removed = {};  // some come back
};

Body loaded_body(const TriangleMesh& mesh, bool rest_declared, Motion motion = Motion::deformable) {
  Body body{mesh, testing::oracle_surface(mesh, rest_declared), motion};
  body.now.self_contacts = motion == Motion::deformable;
  return body;
}

SurfaceId add(Detector& detector, const TriangleMesh& mesh, const Body& body) {
  SurfaceOptions options{.motion = body.motion};
  if (body.now.rest_declared) options.rest = mesh.positions;
  return detector.add(mesh, options);
}

TriangleMesh two_layers(double gap) {
  const TriangleMesh one =
      testing::bent(testing::sheet(5, 4), [](const Vec3& p) { return Vec3(0.4 * p.x(), 0.4 * p.y(), 0); });
  TriangleMesh mesh = one;
  const auto first = static_cast<std::uint32_t>(one.positions.size());
  for (const Vec3& p : one.positions) mesh.positions.emplace_back(p.x() + 0.1, p.y() + 0.05, gap);
  for (const TriangleCorners& t : one.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return mesh;
}

TriangleMesh wave(double height) {
  return testing::bent(testing::sheet(6, 5), [&](const Vec3& p) {
    return Vec3(0.4 * p.x() - 0.1, 0.4 * p.y(), height + 0.4 * std::sin(3 * p.x()));
  });
}

// A detector for each finder, changed alike, and what they should have become.
class Changing {
 public:
  explicit Changing(Random& random) : random_(random) {
    bodies_ = {loaded_body(wave(0.2), false), loaded_body(two_layers(0.2), true),
               loaded_body(wave(-0.2), true),
               loaded_body(testing::random_soup(random, 12, 1, 0.4), false, Motion::rigid)};
    for (const FinderEntry& entry : finders())
      if (entry.name != "brute")  // keeps nothing; it is among those that start afresh
        detectors_.emplace_back(
            DetectorOptions{.contact_distance = rules_.distance, .finder = std::string(entry.name)});
    for (const Body& body : bodies_) {
      ids_.emplace_back();
      for (Detector& detector : detectors_) ids_.back() = add(detector, body.loaded, body);
    }
  }

  void change() {
    for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
      if (bodies_[b].motion == Motion::deformable) {
        if (random_.chance(0.8)) remove_some(b);
        if (random_.chance(0.3)) add_vertices(b);
        if (random_.chance(0.7)) add_some(b);
      }
      if (random_.chance(0.01)) load_again(b);
      move(b);
    }
    if (random_.chance(0.1)) change_rules();
  }

  // What a detector that starts now says, with one finder after the other.
  std::vector<Contact> fresh(std::size_t round) const {
    Detector detector({rules_.distance, rules_.neighbour_distance, rules_.margin,
                       std::string(finders()[round % finders().size()].name)});
    std::vector<SurfaceId> ids;
    for (const Body& body : bodies_) ids.push_back(add_as_it_is(detector, body));
    for (const OracleRules::Pair& pair : rules_.pairs) {
      if (pair.distance) detector.set_contact_distance(ids[pair.first], ids[pair.second], *pair.distance);
      detector.exclude(ids[pair.first], ids[pair.second], pair.excluded);
    }
    const ContactSet found = detector.detect();
    return {found.begin(), found.end()};
  }

  std::span<Detector> detectors() { return detectors_; }
  ContactOracle oracle() const {
    std::vector<OracleSurface> surfaces;
    for (const Body& body : bodies_) surfaces.push_back(body.now);
    return {surfaces, rules_};
  }

 private:
  std::uint32_t pick(std::size_t n) { return static_cast<std::uint32_t>(random_.below(n)); }

  void remove_some(std::uint32_t b) {
    OracleSurface& now = bodies_[b].now;
    std::vector<std::uint32_t> gone;
    for (std::size_t i = random_.below(8); i > 0; --i) {
      const std::uint32_t t = pick(now.mesh.triangles.size());
      // Those that were loaded go slowly, so that some are left after hundreds of rounds.
      if (now.mesh.triangles[t] == hole || (now.is_loaded[t] != 0 && random_.chance(0.8))) continue;
      bodies_[b].removed.push_back(now.mesh.triangles[t]);
      now.mesh.triangles[t] = hole;
      now.is_loaded[t] = 0;
      gone.push_back(t);
    }
    for (Detector& detector : detectors_) detector.remove_triangles(ids_[b], gone);
  }

  // As a cut does: beside vertices that are there.
  void add_vertices(std::uint32_t b) {
    OracleSurface& now = bodies_[b].now;
    std::vector<Vec3> more;
    for (std::size_t i = 1 + random_.below(3); i > 0; --i)
      more.push_back(now.rest[pick(now.rest.size())] +
                     testing::random_point(random_, random_.chance(0.5) ? 0 : 0.2));
    now.rest.insert(now.rest.end(), more.begin(), more.end());
    now.mesh.positions.insert(now.mesh.positions.end(), more.begin(), more.end());
    for (Detector& detector : detectors_) detector.add_vertices(ids_[b], more);
  }

  void add_some(std::uint32_t b) {
    Body& body = bodies_[b];
    TriangleMesh& mesh = body.now.mesh;
    std::vector<TriangleCorners> made;
    for (std::size_t i = random_.below(4); i > 0; --i) {
      TriangleCorners t{pick(mesh.positions.size()), pick(mesh.positions.size()),
                        pick(mesh.positions.size())};
      if (!body.removed.empty() && random_.chance(0.8)) t = body.removed[pick(body.removed.size())];
      if (random_.chance(0.4)) t[random_.below(3)] = static_cast<std::uint32_t>(mesh.positions.size()) - 1;
      made.push_back(t);
    }
    std::vector<std::uint32_t> places;
    for (Detector& detector : detectors_) {
      places.clear();
      detector.add_triangles(ids_[b], made, places);
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (places[i] >= mesh.triangles.size()) {
        mesh.triangles.resize(places[i] + 1, hole);
        body.now.is_loaded.resize(places[i] + 1, 0);
      }
      mesh.triangles[places[i]] = made[i];
    }
  }

  void load_again(std::uint32_t b) {
    bodies_[b] = loaded_body(bodies_[b].loaded, bodies_[b].now.rest_declared, bodies_[b].motion);
    std::erase_if(rules_.pairs, [&](const auto& pair) { return pair.first == b || pair.second == b; });
    SurfaceId id;
    for (Detector& detector : detectors_) {
      detector.remove(ids_[b]);
      id = add(detector, bodies_[b].loaded, bodies_[b]);
    }
    ids_[b] = id;
  }

  // Near to the rest shape and squashed, so that thresholds at rest matter.
  void move(std::uint32_t b) {
    Body& body = bodies_[b];
    Pose pose;
    pose.rotation =
        Quat(random_.uniform(-1, 1), random_.uniform(-1, 1), random_.uniform(-1, 1), 1.1).normalized();
    pose.position = Vec3(1, 0.8, 0) + testing::random_point(random_, 0.3);
    const double squash = random_.uniform(0.2, 1.2), shake = random_.uniform(0, 0.03);
    for (std::size_t i = 0; i < body.now.rest.size(); ++i) {
      const Vec3& p = body.now.rest[i];
      body.now.mesh.positions[i] =
          body.motion == Motion::rigid
              ? Vec3(pose.rotation.toRotationMatrix() * p + pose.position)
              : Vec3(Vec3(p.x(), p.y(), squash * p.z()) + testing::random_point(random_, shake));
    }
    body.now.mesh.positions.resize(body.now.rest.size());
    poses_.resize(bodies_.size());
    poses_[b] = pose;
    for (Detector& detector : detectors_) place(detector, ids_[b], b);
  }

  void place(Detector& detector, SurfaceId id, std::size_t b) const {
    if (bodies_[b].motion == Motion::rigid)
      detector.set_pose(id, poses_[b]);
    else
      detector.set_positions(id, bodies_[b].now.mesh.positions);
  }

  void change_rules() {
    rules_.distance = random_.uniform(0.1, 0.4);
    rules_.neighbour_distance.reset();
    if (random_.chance(0.5)) rules_.neighbour_distance = random_.chance(0.2) ? 0 : random_.uniform(0, 1.2);
    rules_.margin = random_.chance(0.5) ? 0 : random_.uniform(0, 0.1);
    const std::uint32_t a = pick(bodies_.size()), b = pick(bodies_.size());
    std::erase_if(rules_.pairs,
                  [&](const auto& p) { return std::minmax(p.first, p.second) == std::minmax(a, b); });
    rules_.pairs.push_back({a, b, random_.uniform(0.1, 0.5), random_.chance(0.3)});
    for (Detector& detector : detectors_) {
      detector.set_contact_distance(rules_.distance);
      detector.set_neighbour_distance(rules_.neighbour_distance);
      detector.set_margin(rules_.margin);
      detector.set_contact_distance(ids_[a], ids_[b], *rules_.pairs.back().distance);
      detector.exclude(ids_[a], ids_[b], rules_.pairs.back().excluded);
    }
  }

  // Without a rest shape nobody asks what was loaded. With one, all changes are made at once: places that
  // should be holes are filled as the others, and emptied again.
  SurfaceId add_as_it_is(Detector& detector, const Body& body) const {
    const OracleSurface& now = body.now;
    const std::size_t b = static_cast<std::size_t>(&body - bodies_.data());
    if (!now.rest_declared) {
      const SurfaceId id = add(detector, {now.rest, now.mesh.triangles}, body);
      place(detector, id, b);
      return id;
    }
    const SurfaceId id = add(detector, body.loaded, body);
    std::vector<std::uint32_t> gone, holes, places;
    std::vector<TriangleCorners> made;
    for (std::uint32_t t = 0; t < now.mesh.triangles.size(); ++t) {
      if (now.is_loaded[t] != 0) continue;
      if (t < body.loaded.triangles.size()) gone.push_back(t);
      const bool is_hole = now.mesh.triangles[t] == hole;
      made.push_back(is_hole ? TriangleCorners{0, 0, 0} : now.mesh.triangles[t]);
      if (is_hole) holes.push_back(t);
    }
    detector.remove_triangles(id, gone);
    detector.add_vertices(id, std::span(now.rest).subspan(body.loaded.positions.size()));
    detector.add_triangles(id, made, places);
    detector.remove_triangles(id, holes);
    place(detector, id, b);
    return id;
  }

  Random& random_;
  OracleRules rules_{.distance = 0.3};
  std::vector<Body> bodies_;
  std::vector<Pose> poses_;
  std::vector<Detector> detectors_;
  std::vector<SurfaceId> ids_;
};

TEST(ChangeProperty, ChangedEqualsFreshAndOracle) {
  std::size_t contacts = 0;
  each_case(1, [&](Random& random) {
    Changing changing(random);
    for (std::size_t round = 0; round < 300; ++round) {
      changing.change();
      const std::vector<Contact> expected = changing.fresh(round);
      contacts += expected.size();
      for (Detector& detector : changing.detectors()) {
        const ContactSet found = detector.detect();
        ASSERT_TRUE(
            std::equal(found.begin(), found.end(), expected.begin(), expected.end(), testing::same_bits))
            << "finder " << &detector - changing.detectors().data() << " in round " << round << ": "
            << found.size() << " contacts, afresh " << expected.size();
      }
      if (round % 20 == 19) {
        ASSERT_EQ(changing.oracle().disagreement(changing.detectors()[0], expected), "") << "round " << round;
      }
    }
  });
  EXPECT_GT(contacts, 100'000u);
}

}  // namespace
}  // namespace palpate
