// Frames of real simulations: all finders and thread counts alike, and on a sample of features the
// independent oracle, which looks at every triangle and every edge of the mesh.
#include <palpate/collide/detector.h>

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include <palpate/base/parallel.h>
#include <palpate/mesh/files.h>
#include <support/cases.h>
#include <support/contact_oracle.h>
#include <support/contact_scenes.h>
#include <support/data.h>

namespace palpate {
namespace {

using testing::ContactOracle;
using testing::EdgeEnds;
using testing::long_run;
using testing::Random;

struct Frames {
  std::string name;
  TriangleMesh first;
  std::vector<Vec3> then;  // where its vertices are in the next frame, if there is one
};

// In a long run each frame is also the first once.
std::vector<Frames> real_frames(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "surfaces"))
    if (format_of_path(entry.path().string())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Frames> all;
  for (const auto& file : files) {
    TriangleMesh mesh = read_triangle_mesh(file.string());
    const bool follows = !all.empty() && all.back().first.triangles == mesh.triangles;
    if (follows) all.back().then = mesh.positions;
    if (!follows || long_run()) all.push_back({file.stem().string(), std::move(mesh), {}});
  }
  return all;
}

double mean_edge(const TriangleMesh& mesh) {
  double sum = 0;
  for (const TriangleCorners& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) sum += (mesh.positions[t[k]] - mesh.positions[t[(k + 1) % 3]]).norm();
  return sum / (3 * static_cast<double>(mesh.triangles.size()));
}

// The contacts of the first frame, and then of the next.
std::vector<std::vector<Contact>> contacts_of(const Frames& frames, double d, std::string_view finder) {
  std::vector<std::vector<Contact>> all;
  Detector detector({.contact_distance = d, .finder = std::string(finder)});
  const SurfaceId id = detector.add(frames.first);
  const auto detect = [&] {
    const ContactSet found = detector.detect();
    all.emplace_back(found.begin(), found.end());
  };
  detect();
  if (frames.then.empty()) return all;
  detector.set_positions(id, frames.then);
  detect();
  return all;
}

bool same(const std::vector<std::vector<Contact>>& a, const std::vector<std::vector<Contact>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), testing::same_bits);
  });
}

TEST(RealFramesProperty, FindersAndThreadsAgree) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  for (const Frames& frames : real_frames(*folder))
    for (const double part : {0.05, 0.2, 0.5}) {
      const bool is_large = frames.first.triangles.size() > 50'000;
      if (part > 0.1 && (testing::fewer_cases() || (is_large && !long_run()))) continue;
      const double d = part * mean_edge(frames.first);
      std::vector<std::vector<Contact>> expected;
      for (const FinderEntry& entry : finders()) {
        if (entry.name == "brute") continue;
        const bool is_ours = !entry.name.starts_with("classic");
        for (const int threads : {1, 2}) {
          if (threads == 2 && !is_ours && !long_run()) continue;
          Threads(threads).run([&] {
            auto found = contacts_of(frames, d, entry.name);
            if (expected.empty())
              expected = std::move(found);
            else
              EXPECT_TRUE(same(found, expected))
                  << entry.name << " with " << threads << " threads on " << frames.name << ", d = " << d;
          });
        }
      }
    }
}

struct Sample {
  std::vector<std::uint32_t> vertices;
  std::vector<EdgeEnds> edges;

  bool has(const testing::PairName& name) const {
    if (name.kind == ContactKind::vertex_triangle)
      return std::binary_search(vertices.begin(), vertices.end(), name.first[0]);
    return std::binary_search(edges.begin(), edges.end(), name.first) ||
           std::binary_search(edges.begin(), edges.end(), name.second);
  }
};

template <class T>
void sort_once(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// Half of it anywhere, half where there are contacts.
Sample random_sample(Random& random, std::size_t size, const ContactOracle& oracle, const Detector& detector,
                     std::span<const Contact> found) {
  Sample sample;
  const auto edges = oracle.edges(0);
  for (std::size_t i = 0; i < size / 2; ++i) {
    sample.vertices.push_back(
        static_cast<std::uint32_t>(random.below(oracle.surfaces()[0].mesh.positions.size())));
    sample.edges.push_back(edges[random.below(edges.size())]);
    if (found.empty()) continue;
    const auto name = oracle.name_of(detector, found[random.below(found.size())]);
    if (name.kind == ContactKind::vertex_triangle)
      sample.vertices.push_back(name.first[0]);
    else
      sample.edges.push_back(random.chance(0.5) ? name.first : name.second);
  }
  sort_once(sample.vertices);
  sort_once(sample.edges);
  return sample;
}

TEST(RealFramesProperty, ASampleEqualsTheOracle) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  constexpr std::uint64_t seed = 20211;
  Random random(seed);
  std::size_t contacts = 0;
  for (const Frames& frames : real_frames(*folder))
    for (const double part : {0.05, 0.2, 0.5})
      for (const bool rest_declared : {false, true}) {
        if (rest_declared && part != 0.5) continue;
        if (frames.first.triangles.size() > 50'000 && part != 0.2 && !long_run()) continue;
        testing::OracleSurface surface = testing::oracle_surface(frames.first, rest_declared);
        if (!frames.then.empty()) surface.mesh.positions = frames.then;
        const double d = part * mean_edge(frames.first);
        Detector detector({.contact_distance = d});
        SurfaceOptions options;
        if (rest_declared) options.rest = frames.first.positions;
        const SurfaceId id = detector.add(frames.first, options);
        detector.set_positions(id, surface.mesh.positions);
        const ContactSet found = detector.detect();
        ContactOracle oracle({surface}, {.distance = d});
        const Sample sample =
            random_sample(random, long_run() ? 5000 : 2000, oracle, detector, found.contacts);
        std::vector<Contact> some;
        for (const Contact& contact : found)
          if (sample.has(oracle.name_of(detector, contact))) some.push_back(contact);
        contacts += some.size();
        EXPECT_EQ(oracle.disagreement(detector, some, oracle.of(0, sample.vertices, sample.edges)), "")
            << frames.name << ", d = " << d << (rest_declared ? ", with a rest shape" : "") << ", seed "
            << seed;
      }
  EXPECT_GT(contacts, 1000u);
}

}  // namespace
}  // namespace palpate
