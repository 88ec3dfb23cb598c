// The state of a world: its hash, snapshots of it, and files of those.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/mesh/formats/disk.h>
#include <palpate/world/world.h>

namespace palpate {

namespace {

constexpr std::string_view mark = "palpate snapshot\n";
constexpr std::uint32_t version = 4;

std::uint64_t checksum(std::span<const std::byte> bytes) {
  StateHash hash;
  hash.add_bytes(bytes.data(), bytes.size());
  return hash.value();
}

[[noreturn]] void refuse(const std::string& what, std::string problem) {
  throw Error(Place::named("snapshot", what), std::move(problem),
              "Take another one, of this scene and this version of Palpate.");
}

// What is between the mark and the checksum; refuses what is damaged.
std::span<const std::byte> contents(const Snapshot& snapshot, const std::string& what) {
  const std::span<const std::byte> all(snapshot.bytes);
  if (all.size() < mark.size() || std::memcmp(all.data(), mark.data(), mark.size()) != 0)
    refuse(what, "it is no snapshot of Palpate");
  std::uint32_t written = 0;
  std::uint64_t sum = 0;
  if (all.size() < mark.size() + sizeof written + sizeof sum) refuse(what, "it is cut off");
  std::memcpy(&written, all.data() + mark.size(), sizeof written);
  if (written != version) refuse(what, fmt::format("it is of version {}, not {}", written, version));
  const std::size_t end = all.size() - sizeof sum;
  std::memcpy(&sum, all.data() + end, sizeof sum);
  if (checksum(all.first(end)) != sum) refuse(what, "it is cut off or damaged");
  return all.subspan(mark.size() + sizeof written, end - mark.size() - sizeof written);
}

}  // namespace

std::uint64_t World::hash() const {
  StateHash hash;
  hash.add(steps_);
  hash.add(time_);
  rigid_.hash(hash);
  for (const BodyId id : order_) {
    hash.add(id.index);
    hash.add(id.generation);
    if (bodies_[id.index].soft) bodies_[id.index].soft->hash(hash);
  }
  if (response_) response_->hash(hash);
  return hash.value();
}

void World::snapshot(Snapshot& into) const {
  into.bytes.clear();
  ByteWriter to(into.bytes);
  for (const char c : mark) to.put(c);
  to.put(version);
  write_structure(to);
  to.put(steps_);
  to.put(time_);
  rigid_.save(to);
  for (const BodyId id : order_)
    if (bodies_[id.index].soft) bodies_[id.index].soft->save(to);
  if (response_) response_->save(to);
  to.put(checksum(into.bytes));
}

Snapshot World::snapshot() const {
  Snapshot result;
  snapshot(result);
  return result;
}

void World::restore(const Snapshot& snapshot) {
  const std::string what = "world";
  ByteReader from(contents(snapshot, what), what);
  require_structure(from);  // all that could be refused comes first
  steps_ = from.get<std::uint64_t>();
  time_ = from.get<double>();
  rigid_.load(from);
  options_.rigid.gravity = rigid_.options().gravity;
  for (const BodyId id : order_) {
    Body& one = bodies_[id.index];
    if (!one.soft) continue;
    one.soft->load(from);
    follow_changes(one);
  }
  if (response_) response_->load(from);
  if (from.left() != 0) refuse(what, "there is more in it than there should be");
  contacts_ = {};
  settle(0);
}

void World::go_on_from(const World& other) {
  steps_ = other.steps_;
  time_ = other.time_;
  rigid_.set_time(time_);
  for (const BodyId id : order_) {
    Body& one = bodies_[id.index];
    const BodyId there = other.find(one.name);
    if (!there || other.kind(there) != one.kind) continue;
    if (!one.soft) {
      if (one.kind != BodyKind::fixed) rigid_.set_state(id, other.state(there));
      continue;
    }
    const SoftBody& then = other.soft(there);
    if (then.positions().size() != one.soft->positions().size()) continue;
    for (std::uint32_t node = 0; node < then.positions().size(); ++node) {
      if (then.is_fixed(node) && !one.soft->is_fixed(node)) one.soft->fix({&node, 1});
      if (!then.is_fixed(node) && one.soft->is_fixed(node)) one.soft->release({&node, 1});
    }
    one.soft->set_positions(then.positions());
    one.soft->set_velocities(then.velocities());
  }
  if (response_) response_->forget();
  contacts_ = {};
  settle(0);
}

void write_snapshot(const std::string& path, const Snapshot& snapshot) {
  detail::write_bytes(path, {reinterpret_cast<const char*>(snapshot.bytes.data()), snapshot.bytes.size()});
}

Snapshot read_snapshot(const std::string& path) {
  const detail::Bytes bytes = detail::read_bytes(path);
  Snapshot result;
  result.bytes.resize(bytes.size);
  if (bytes.size > 0) std::memcpy(result.bytes.data(), bytes.data.get(), bytes.size);
  contents(result, path);
  return result;
}

}  // namespace palpate
