// A small world of everything, and a reader of its messages that was written from docs/protocol.md.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <palpate/report/world_stream.h>
#include <palpate/scene/build_world.h>
#include <palpate/scene/read_scene.h>

namespace palpate::testing {

inline Scene stream_scene() {
  return parse_scene(R"(
title = "Everything"
[contact]
distance = 0.01
[[body]]
name = "floor"
kind = "static"
mesh = { shape = "box", size-x = 4, size-y = 4, size-z = 0.2 }
position = [0, 0, -0.1]
[[body]]
name = "stone"
kind = "rigid"
mesh = { shape = "box", size-x = 0.2, size-y = 0.2, size-z = 0.2 }
position = [1, 0, 0.105]
[[body]]
name = "jelly"
kind = "soft"
mesh = { shape = "solid-box", size-x = 0.2, size-y = 0.2, size-z = 0.2, cells-x = 2, cells-y = 2, cells-z = 2 }
material = { density = 1000, young = 1e5, poisson = 0.4 }
position = [0, 0, 0.105]
[[body]]
name = "thread"
kind = "string"
points = [[0, 1, 1], [0.3, 1, 1]]
segments = 6
radius = 0.002
material = { density = 1000, young = 1e6, poisson = 0.4 }
)",
                     "everything.toml");
}

// Whoever reads past the end is told so.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value{};
    copy(&value, sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> list(std::size_t count) {
    std::vector<T> values(count);
    copy(values.data(), count * sizeof(T));
    return values;
  }
  void pad() { at_ = (at_ + 3) & ~std::size_t{3}; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::span<const std::byte> take(std::size_t size) {
    if (size > left()) throw std::runtime_error("the message is too short");
    const auto part = bytes_.subspan(at_, size);
    at_ += size;
    return part;
  }

 private:
  void copy(void* to, std::size_t size) {
    const auto from = take(size);
    if (size > 0) std::memcpy(to, from.data(), size);
  }
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

using Three = std::array<float, 3>;

struct TopologyBody {
  std::uint32_t kind = 0, vertices = 0;
  std::string name;
  std::vector<Three> points, nodes;
  std::vector<TriangleCorners> triangles;
  std::vector<TetCorners> tets;
  std::vector<std::uint32_t> fixed;
};
struct TopologyMessage {
  std::uint32_t number = 0;
  std::vector<TopologyBody> bodies;
};

inline TopologyMessage read_topology(std::span<const std::byte> bytes) {
  MessageReader from(bytes);
  if (from.number<std::uint8_t>() != 2) throw std::runtime_error("no topology");
  from.pad();
  TopologyMessage message;
  message.number = from.number<std::uint32_t>();
  message.bodies.resize(from.number<std::uint32_t>());
  for (TopologyBody& body : message.bodies) {
    body.kind = from.number<std::uint32_t>();
    const auto name = from.number<std::uint32_t>();
    body.vertices = from.number<std::uint32_t>();
    const auto triangles = from.number<std::uint32_t>(), nodes = from.number<std::uint32_t>(),
               tets = from.number<std::uint32_t>(), fixed = from.number<std::uint32_t>();
    const std::vector<char> letters = from.list<char>(name);
    body.name.assign(letters.begin(), letters.end());
    from.pad();
    if (body.kind != 3) body.points = from.list<Three>(body.vertices);
    body.triangles = from.list<TriangleCorners>(triangles);
    body.nodes = from.list<Three>(nodes);
    body.tets = from.list<TetCorners>(tets);
    body.fixed = from.list<std::uint32_t>(fixed);
  }
  if (from.left() != 0) throw std::runtime_error("the topology is too long");
  return message;
}

struct FrameMessage {
  std::uint32_t topology = 0;
  std::uint64_t step = 0;
  double time = 0;
  std::array<double, 3> low{}, size{};
  std::map<std::uint32_t, std::span<const std::byte>> sections;

  // Where a point of the grid is.
  Vec3 place(const std::array<std::uint16_t, 3>& at) const {
    Vec3 p;
    for (std::size_t k = 0; k < 3; ++k) p[static_cast<Eigen::Index>(k)] = low[k] + size[k] * at[k] / 65535;
    return p;
  }
};

// What steps took that a frame tells of.
struct StepsMessage {
  std::uint32_t left_out = 0;
  std::vector<StepCost> list;
};

inline StepsMessage read_steps(const FrameMessage& frame) {
  StepsMessage message;
  const auto at = frame.sections.find(10);
  if (at == frame.sections.end()) return message;
  MessageReader from(at->second);
  message.left_out = from.number<std::uint32_t>();
  message.list.resize(from.number<std::uint32_t>());
  for (StepCost& one : message.list) {
    one.step = frame.step - from.number<std::uint32_t>();
    for (float& stage : one.stages) stage = from.number<float>();
    one.whole = from.number<float>();
  }
  if (from.left() != 0) throw std::runtime_error("the section of steps is too long");
  return message;
}

inline FrameMessage read_frame(std::span<const std::byte> bytes) {
  MessageReader from(bytes);
  if (from.number<std::uint8_t>() != 3) throw std::runtime_error("no frame");
  from.pad();
  FrameMessage message;
  message.topology = from.number<std::uint32_t>();
  message.step = from.number<std::uint64_t>();
  message.time = from.number<double>();
  for (double& x : message.low) x = from.number<double>();
  for (double& x : message.size) x = from.number<double>();
  while (from.left() > 0) {
    const auto tag = from.number<std::uint32_t>(), size = from.number<std::uint32_t>();
    message.sections[tag] = from.take(size);
    from.pad();
  }
  return message;
}

}  // namespace palpate::testing
