#include <palpate/report/world_stream.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/mesh/degenerate.h>

namespace palpate {

namespace {

constexpr std::array<std::string_view, 6> stage_names = {"inputs", "detect", "respond",
                                                         "solve",  "finish", "publish"};
constexpr std::array<std::string_view, 12> scalar_names = {
    "step_ms",  "contacts",   "pushing", "guarded", "parts",     "lost",
    "residual", "iterations", "kinetic", "elastic", "potential", "contact_energy"};

constexpr std::size_t most_boxes = 4096;

// Numbers as they are in memory: all machines that Palpate runs on put the low byte first.
class Put {
 public:
  explicit Put(std::vector<std::byte>& to) : to_(to) {}

  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes(&value, sizeof value);
  }
  template <class T>
  void list(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(values.data(), values.size_bytes());
  }
  void floats(const Vec3& v) {
    for (const double x : v) number(static_cast<float>(x));
  }
  // So that arrays of numbers begin where a browser can look at them without copying.
  void pad() { to_.resize((to_.size() + 3) & ~std::size_t{3}); }

 private:
  void bytes(const void* data, std::size_t size) {
    const std::size_t before = to_.size();
    to_.resize(before + size);
    if (size > 0) std::memcpy(to_.data() + before, data, size);
  }
  std::vector<std::byte>& to_;
};

// A section: its tag and how long it is, without what fills it up to a multiple of four.
class Section {
 public:
  Section(std::vector<std::byte>& to, FrameSection tag) : to_(to) {
    Put put(to);
    put.number(static_cast<std::uint32_t>(tag));
    put.number(std::uint32_t{0});
    begin_ = to.size();
  }
  ~Section() {
    const auto size = static_cast<std::uint32_t>(to_.size() - begin_);
    std::memcpy(to_.data() + begin_ - sizeof size, &size, sizeof size);
    Put(to_).pad();
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  std::vector<std::byte>& to_;
  std::size_t begin_;
};

bool bends(const World& world, BodyId id) { return world.kind(id) == BodyKind::soft; }

float milliseconds(std::int64_t nanoseconds) {
  return static_cast<float>(1e-6 * static_cast<double>(nanoseconds));
}

// Of the world's last step; where it has parts, of all of them.
std::array<float, stage_names.size()> stage_times(const World& world) {
  std::array<float, stage_names.size()> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::int64_t sum = 0;
    for (const Stage& stage : world.stages())
      if (stage.name == stage_names[i]) sum += stage.nanoseconds;
    times[i] = milliseconds(sum);
  }
  return times;
}

}  // namespace

std::span<const std::string_view> frame_scalars() { return scalar_names; }
std::span<const std::string_view> frame_stages() { return stage_names; }

StepCost cost_of(const World& world, const StepReport& report) {
  return {world.steps(), stage_times(world), milliseconds(report.nanoseconds)};
}

struct WorldStream::Grid {
  Vec3 low = Vec3::Zero(), size = Vec3::Zero(), scale = Vec3::Zero();

  std::array<std::uint16_t, 3> at(const Vec3& p) const {
    std::array<std::uint16_t, 3> out{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      out[k] = static_cast<std::uint16_t>(std::lround(std::clamp((p[i] - low[i]) * scale[i], 0.0, 65535.0)));
    }
    return out;
  }
};

bool WorldStream::same_bodies(const World& world) {
  seen_.clear();
  seen_fixed_.clear();
  for (const BodyId id : world.bodies()) {
    BodyFacts one{id, world.kind(id), world.points(id).size(), world.surface(id).triangles.size(), 0, 0};
    if (bends(world, id)) {
      const SoftBody& soft = world.soft(id);
      one.elements = soft.rest().tets.size();
      one.changes = soft.changes();
      seen_fixed_.push_back(0);
      const std::size_t count = seen_fixed_.size() - 1;
      for (std::uint32_t node = 0; node < soft.positions().size(); ++node)
        if (soft.is_fixed(node)) seen_fixed_.push_back(node);
      seen_fixed_[count] = static_cast<std::uint32_t>(seen_fixed_.size() - count - 1);
    }
    seen_.push_back(one);
  }
  return seen_ == bodies_ && seen_fixed_ == fixed_;
}

bool WorldStream::update(const World& world) {
  if (number_ > 0 && same_bodies(world)) return false;
  if (number_ == 0) same_bodies(world);
  bodies_.swap(seen_);
  fixed_.swap(seen_fixed_);
  ++number_;
  write_topology(world);
  return true;
}

void WorldStream::write_topology(const World& world) {
  topology_.clear();
  Put put(topology_);
  put.number(static_cast<std::uint8_t>(MessageKind::topology));
  put.pad();
  put.number(number_);
  put.number(static_cast<std::uint32_t>(bodies_.size()));
  std::size_t next_fixed = 0;
  for (const BodyFacts& one : bodies_) {
    const TriangleMesh& surface = world.surface(one.id);
    const std::string& name = world.name(one.id);
    std::vector<TriangleCorners> triangles;
    for (const TriangleCorners& corners : surface.triangles)
      if (!is_hole(corners)) triangles.push_back(corners);
    std::vector<TetCorners> tets;
    std::span<const std::uint32_t> fixed;
    std::span<const Vec3> nodes;
    if (one.kind == BodyKind::soft) {
      const SoftBody& soft = world.soft(one.id);
      for (const TetCorners& corners : soft.rest().tets)
        if (!is_hole(corners)) tets.push_back(corners);
      nodes = soft.rest().positions;
      fixed = std::span(fixed_).subspan(next_fixed + 1, fixed_[next_fixed]);
      next_fixed += 1 + fixed.size();
    }
    for (const std::size_t count : {static_cast<std::size_t>(one.kind), name.size(), one.vertices,
                                    triangles.size(), nodes.size(), tets.size(), fixed.size()})
      put.number(static_cast<std::uint32_t>(count));
    put.list(std::span<const char>(name));
    put.pad();
    // Of what does not bend, where its points are before it is placed.
    if (one.kind != BodyKind::soft) {
      const Pose back = world.state(one.id).pose.inverse();
      for (const Vec3& p : surface.positions) put.floats(back.apply(p));
    }
    put.list(std::span<const TriangleCorners>(triangles));
    for (const Vec3& p : nodes) put.floats(p);
    put.list(std::span<const TetCorners>(tets));
    put.list(fixed);
  }
}

WorldStream::Grid WorldStream::grid_of(const World& world) const {
  Box box;
  for (const BodyFacts& one : bodies_) {
    for (const Vec3& p : world.points(one.id)) box.add(p);
    // Elements that carry a finer surface reach beyond it.
    if (wants_.nodes && one.kind == BodyKind::soft)
      for (const Vec3& p : world.soft(one.id).positions()) box.add(p);
  }
  Grid grid;
  if (box.empty()) return grid;
  grid.low = box.lo;
  grid.size = box.size();
  for (Eigen::Index k = 0; k < 3; ++k) grid.scale[k] = grid.size[k] > 0 ? 65535 / grid.size[k] : 0;
  return grid;
}

std::span<const std::byte> WorldStream::frame(World& world, const StepReport& report,
                                              std::span<const StepCost> since, std::uint32_t left_out) {
  const Grid grid = grid_of(world);
  frame_.clear();
  Put put(frame_);
  put.number(static_cast<std::uint8_t>(MessageKind::frame));
  put.pad();
  put.number(number_);
  put.number(world.steps());
  put.number(world.time());
  for (const Vec3& v : {grid.low, grid.size})
    for (const double x : v) put.number(x);
  put_poses(world);
  put_points(world, grid);
  put_contacts(world, grid);
  put_stages(world);
  put_scalars(world, report);
  put_hands(world);
  if (wants_.nodes) put_nodes(world, grid);
  if (wants_.strain) put_strain(world);
  if (wants_.boxes) put_boxes(world);
  if (!since.empty()) put_steps(world.steps(), since, left_out);
  return frame_;
}

void WorldStream::put_poses(const World& world) {
  const Section section(frame_, FrameSection::poses);
  Put put(frame_);
  for (const BodyFacts& one : bodies_) {
    if (one.kind == BodyKind::soft) continue;
    const Pose pose = world.state(one.id).pose;
    for (const double x : pose.rotation.coeffs()) put.number(static_cast<float>(x));  // x, y, z, w
    put.floats(pose.position);
  }
}

void WorldStream::put_points(const World& world, const Grid& grid) {
  const Section section(frame_, FrameSection::points);
  for (const BodyFacts& one : bodies_) {
    if (one.kind != BodyKind::soft) continue;
    put_on_grid(world.points(one.id), grid);
  }
}

void WorldStream::put_on_grid(std::span<const Vec3> points, const Grid& grid) {
  const std::size_t before = frame_.size();
  frame_.resize(before + points.size() * 3 * sizeof(std::uint16_t));
  std::byte* to = frame_.data() + before;
  for (const Vec3& p : points) {
    const std::array<std::uint16_t, 3> at = grid.at(p);
    std::memcpy(to, at.data(), sizeof at);
    to += sizeof at;
  }
  Put(frame_).pad();
}

// From feature to feature, where they are now.
void WorldStream::put_contacts(World& world, const Grid& grid) {
  const Section section(frame_, FrameSection::contacts);
  const Surfaces& surfaces = world.detector().surfaces();
  points_of_.assign(surfaces.slots().size(), {});
  for (const BodyFacts& one : bodies_)
    if (const SurfaceId id = world.surface_id(one.id); id) points_of_[id.index] = world.points(one.id);
  const auto point = [&](std::uint32_t slot, std::uint32_t vertex) {
    return points_of_[slot][vertex - surfaces[slot].first_vertex];
  };
  const auto edge = [&](std::uint32_t slot, std::uint32_t side, double at) {
    return Vec3((1 - at) * point(slot, surfaces.side_begin(side)) +
                at * point(slot, surfaces.side_end(side)));
  };
  std::size_t count = 0;
  Put put(frame_);
  for (const Contact& contact : world.contacts()) {
    if (contact.in_margin != 0) continue;
    const std::uint32_t a = contact.first_surface, b = contact.second_surface;
    if (count++ == options_.most_contacts) break;
    Vec3 first, second = Vec3::Zero();
    if (contact.kind() == ContactKind::edge_edge) {
      first = edge(a, contact.first(), contact.at[0]);
      second = edge(b, contact.second(), contact.at[1]);
    } else {
      first = point(a, contact.first());
      const TriangleCorners& corners = surfaces.triangles()[contact.second()];
      for (std::size_t k = 0; k < 3; ++k) second += contact.second_weights()[k] * point(b, corners[k]);
    }
    StreamContact out{grid.at(first), grid.at(second), {}, static_cast<std::uint8_t>(contact.kind())};
    for (std::size_t k = 0; k < 3; ++k)
      out.normal[k] =
          static_cast<std::int8_t>(std::lround(127 * contact.normal[static_cast<Eigen::Index>(k)]));
    put.list(std::span<const StreamContact>(&out, 1));
  }
}

void WorldStream::put_stages(const World& world) {
  const Section section(frame_, FrameSection::stages);
  Put put(frame_);
  for (const float time : stage_times(world)) put.number(time);
}

void WorldStream::put_scalars(World& world, const StepReport& report) {
  const Energies energies = world.energies();
  const auto contacts = static_cast<double>(std::count_if(world.contacts().begin(), world.contacts().end(),
                                                          [](const Contact& c) { return c.in_margin == 0; }));
  const std::array<double, scalar_names.size()> values = {milliseconds(report.nanoseconds),
                                                          contacts,
                                                          static_cast<double>(report.touching.pushing),
                                                          static_cast<double>(report.touching.guarded),
                                                          static_cast<double>(report.touching.parts),
                                                          report.touching.lost,
                                                          report.soft.residual,
                                                          static_cast<double>(report.soft.iterations),
                                                          energies.kinetic,
                                                          energies.elastic,
                                                          energies.potential,
                                                          energies.contact};
  const Section section(frame_, FrameSection::scalars);
  Put put(frame_);
  for (const double value : values) put.number(static_cast<float>(value));
}

void WorldStream::put_hands(const World& world) {
  const std::vector<HandId> hands = world.hands();
  if (hands.empty()) return;
  const Section section(frame_, FrameSection::hands);
  Put put(frame_);
  for (const HandId id : hands) {
    const HandState hand = world.hand_state(id);
    for (const Vec3& v : {hand.at, hand.target, hand.force}) put.floats(v);
  }
}

void WorldStream::put_nodes(const World& world, const Grid& grid) {
  const Section section(frame_, FrameSection::nodes);
  for (const BodyFacts& one : bodies_)
    if (one.kind == BodyKind::soft) put_on_grid(world.soft(one.id).positions(), grid);
}

void WorldStream::put_strain(const World& world) {
  const Section section(frame_, FrameSection::strain);
  Put put(frame_);
  for (const BodyFacts& one : bodies_) {
    if (one.kind != BodyKind::soft) continue;
    const std::vector<double> densities = world.energy_densities(one.id);
    const double most = densities.empty() ? 0 : *std::max_element(densities.begin(), densities.end());
    put.number(static_cast<float>(most));
    for (const double density : densities)
      put.number(static_cast<std::uint16_t>(most > 0 ? std::lround(65535 * density / most) : 0));
    put.pad();
  }
}

void WorldStream::put_boxes(World& world) {
  boxes_.clear();
  world.detector().show_boxes(*wants_.boxes, boxes_);
  if (boxes_.size() > most_boxes) boxes_.resize(most_boxes);
  const Section section(frame_, FrameSection::boxes);
  Put put(frame_);
  for (const Box& box : boxes_)
    for (const Vec3& corner : {box.lo, box.hi}) put.floats(corner);
}

void WorldStream::put_steps(std::uint64_t now, std::span<const StepCost> since, std::uint32_t left_out) {
  const Section section(frame_, FrameSection::steps);
  Put put(frame_);
  put.number(left_out);
  put.number(static_cast<std::uint32_t>(since.size()));
  for (const StepCost& one : since) {
    put.number(static_cast<std::uint32_t>(now - one.step));
    put.list(std::span<const float>(one.stages));
    put.number(one.whole);
  }
}

std::string stream_hello(const Scene& scene, std::string_view name) {
  using nlohmann::ordered_json;
  ordered_json strings = ordered_json::array();  // which are rings: triangles do not tell
  for (const SceneBody& body : scene.bodies)
    if (body.kind == SceneBodyKind::string) strings.push_back({{"name", body.name}, {"closed", body.closed}});
  const ordered_json hello = {{"protocol", stream_version},
                              {"palpate", build_facts().version},
                              {"scene", name},
                              {"title", scene.title},
                              {"description", scene.description},
                              {"step", scene.run.step},
                              {"steps", scene.run.steps},
                              {"contact_distance", scene.contact.distance},
                              {"stages", stage_names},
                              {"scalars", scalar_names},
                              {"strings", strings}};
  return hello.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::vector<std::byte> text_message(MessageKind kind, std::string_view text) {
  std::vector<std::byte> message;
  Put put(message);
  put.number(static_cast<std::uint8_t>(kind));
  put.list(std::span<const char>(text));
  return message;
}

std::vector<std::byte> state_message(std::uint64_t step, std::uint64_t hash) {
  std::vector<std::byte> message;
  Put put(message);
  put.number(static_cast<std::uint8_t>(MessageKind::state));
  put.pad();
  put.number(step);
  put.number(hash);
  return message;
}

}  // namespace palpate
