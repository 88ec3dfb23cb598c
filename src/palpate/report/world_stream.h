// A running world as messages: what the live page shows, and what recordings keep.
//
// docs/protocol.md has every byte. A topology (which bodies there are, their triangles and elements) is a
// message of its own and comes again only when something of it changed; a frame is where everything is after
// a step. Points of what bends take six bytes: 16 bits a coordinate, inside the frame's own box. What does
// not bend is a pose. Whatever else a frame tells is in sections with a tag and a length, so that readers
// pass over those they do not know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/scene/scene.h>
#include <palpate/world/world.h>

namespace palpate {

inline constexpr std::uint32_t stream_version = 1;

// The first byte of a message.
enum class MessageKind : std::uint8_t {
  hello = 1,     // JSON: what this is, and the names of stages and scalars
  topology = 2,  // see below
  frame = 3,
  answer = 4,    // JSON: to a command
  state = 5,     // the hash of the world after a step
  command = 6,   // JSON: what was asked for, and before which step
  scene = 7,     // TOML
  snapshot = 8,  // of the world before the first step
  status = 9,    // JSON, of the server (serve/)
  parameters = 10,
  gallery = 11,
};

// Sections of frames, in this order.
enum class FrameSection : std::uint32_t {
  poses = 1,     // of what does not bend
  points = 2,    // of what bends
  contacts = 3,  // as segments
  stages = 4,    // [ms]
  scalars = 5,
  hands = 6,  // where there are some
  nodes = 7,  // the rest when wanted
  strain = 8,
  boxes = 9,
  steps = 10,  // since the frame before, when told
};

// What frames tell besides places: the names, in the order of the numbers.
std::span<const std::string_view> frame_scalars();
std::span<const std::string_view> frame_stages();

// What a step took, whether it is shown or not [ms].
struct StepCost {
  std::uint64_t step = 0;            // its number, from 1
  std::array<float, 6> stages = {};  // in the order of frame_stages()
  float whole = 0;
};
StepCost cost_of(const World& world, const StepReport& report);  // of its last step

struct StreamOptions {
  std::size_t most_contacts = 20000;  // of a frame; how many there were is a scalar
};

// What frames tell besides, when somebody looks at it.
struct StreamWants {
  bool nodes = false;                       // of what bends
  bool strain = false;                      // energy densities at its vertices
  std::optional<std::uint32_t> boxes = {};  // of the finder, at this depth
  friend bool operator==(const StreamWants&, const StreamWants&) = default;
};

// What is kept has them: nobody can be asked for them when it is watched.
inline constexpr StreamWants wants_of_films = {.nodes = true, .strain = true};

class WorldStream {
 public:
  explicit WorldStream(const StreamOptions& options = {}) : options_(options) {}

  void want(const StreamWants& wants) { wants_ = wants; }
  // The next update() has a topology to tell, whatever it knows: it may be another world.
  void begin_anew() { bodies_.clear(), fixed_.clear(); }
  // Looks for what has changed; true: topology() is a new message, and frames that follow are its.
  bool update(const World& world);
  std::span<const std::byte> topology() const { return topology_; }
  std::uint32_t topology_number() const { return number_; }  // from 1

  // The world after a step, with the topology of the last update(). Valid until the next call. `since`: the
  // steps up to this one that are told, ascending; before them `left_out` are not.
  std::span<const std::byte> frame(World& world, const StepReport& report,
                                   std::span<const StepCost> since = {}, std::uint32_t left_out = 0);

 private:
  struct BodyFacts {
    BodyId id;
    BodyKind kind;
    std::size_t vertices, triangles, elements;
    std::uint64_t changes;
    friend bool operator==(const BodyFacts&, const BodyFacts&) = default;
  };
  struct Grid;  // of the points of a frame
  bool same_bodies(const World& world);
  void write_topology(const World& world);
  Grid grid_of(const World& world) const;
  void put_poses(const World& world);
  void put_points(const World& world, const Grid& grid);
  void put_on_grid(std::span<const Vec3> points, const Grid& grid);
  void put_contacts(World& world, const Grid& grid);
  void put_stages(const World& world);
  void put_scalars(World& world, const StepReport& report);
  void put_hands(const World& world);
  void put_nodes(const World& world, const Grid& grid);
  void put_strain(const World& world);
  void put_boxes(World& world);
  void put_steps(std::uint64_t now, std::span<const StepCost> since, std::uint32_t left_out);

  StreamOptions options_;
  StreamWants wants_;
  std::uint32_t number_ = 0;
  std::vector<BodyFacts> bodies_, seen_;
  std::vector<std::uint32_t> fixed_, seen_fixed_;  // nodes, of one body after the other
  std::vector<std::byte> topology_, frame_;
  std::vector<std::span<const Vec3>> points_of_;  // by slots of the detector
  std::vector<Box> boxes_;
};

// What a frame says of a contact; for readers of streams, and tests.
struct StreamContact {
  std::array<std::uint16_t, 3> first, second;  // where, in the grid of the frame
  std::array<std::int8_t, 3> normal;           // from the first to the second, of length 127
  std::uint8_t kind;                           // 0: vertex and triangle; 1: two edges
};
static_assert(sizeof(StreamContact) == 16);

// What a stream begins with, for people and programs: JSON. `name`: of the scene.
std::string stream_hello(const Scene& scene, std::string_view name);

// A kind and what follows it; the hash after a step.
std::vector<std::byte> text_message(MessageKind kind, std::string_view text);
std::vector<std::byte> state_message(std::uint64_t step, std::uint64_t hash);

}  // namespace palpate
