// What a world is made of, as far as a snapshot needs it to be the same: bodies, their masses, materials and
// shapes at rest, and what joins them. Of what has many numbers there is a hash, so that looking costs less
// than a step.
#include <array>
#include <bit>

#include <fmt/format.h>

#include <palpate/world/world.h>

namespace palpate {

namespace {

StateHash hash_of_numbers(std::span<const double> numbers) {
  StateHash hash;
  hash.add(numbers);
  return hash;
}

StateHash hash_of_inertia(const RigidMass& mass) {
  StateHash hash;
  hash.add(numbers_of({&mass.moments, 1}));
  hash.add(numbers_of({&mass.frame.position, 1}));
  hash.add(std::span<const double>(mass.frame.rotation.coeffs().data(), 4));
  return hash;
}

StateHash hash_of_surface(const TriangleMesh& surface) {
  StateHash hash = hash_of_numbers(numbers_of(surface.positions));
  hash.add_bytes(surface.triangles.data(), surface.triangles.size() * sizeof surface.triangles[0]);
  return hash;
}

StateHash hash_of_rest(const TetMesh& rest) {
  StateHash hash = hash_of_numbers(numbers_of(rest.positions));
  hash.add_bytes(rest.tets.data(), rest.tets.size() * sizeof rest.tets[0]);
  return hash;
}

// Elements next to each other are mostly of the same.
StateHash hash_of_materials(std::span<const Material> materials) {
  StateHash hash;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    const Material& one = materials[i];
    if (i > 0 && one == materials[i - 1]) continue;
    const std::array<double, 5> numbers = {static_cast<double>(i), one.density, one.young, one.poisson,
                                           one.damping};
    hash.add(std::span<const double>(numbers));
    hash.add(one.model);
  }
  hash.add(std::uint64_t{materials.size()});
  return hash;
}

}  // namespace

// What a body is made of, one thing at a time: a count, the bits of a number, or a hash of many.
struct World::Fact {
  enum class Kind : std::uint8_t { count, number, hash };
  std::string_view name;
  Kind kind;
  std::uint64_t value;
};
struct World::BodyFacts {
  std::array<Fact, 16> fact;  // room for all of them
  std::size_t count = 0;

  void add(std::string_view name, std::size_t number) { fact[count++] = {name, Fact::Kind::count, number}; }
  void add(std::string_view name, double number) {
    fact[count++] = {name, Fact::Kind::number, std::bit_cast<std::uint64_t>(number)};
  }
  void add(std::string_view name, const StateHash& hash) {
    fact[count++] = {name, Fact::Kind::hash, hash.value()};
  }
};

World::BodyFacts World::facts_of(const Body& one) const {
  BodyFacts facts;
  if (one.soft) {
    const SoftBody& soft = *one.soft;
    const Material first = soft.materials().empty() ? Material{} : soft.materials()[0];
    facts.add("number of nodes", soft.positions().size());
    facts.add("number of elements", soft.rest().tets.size());
    facts.add("number of changes", static_cast<std::size_t>(soft.changes()));
    facts.add("number of scripts", one.scripts.size());
    facts.add("density", first.density);
    facts.add("Young's modulus", first.young);
    facts.add("Poisson's ratio", first.poisson);
    facts.add("damping", first.damping);
    facts.add("material in some elements, or model of it", hash_of_materials(soft.materials()));
    facts.add("shape at rest", hash_of_rest(soft.rest()));
    facts.add("mass of some nodes", hash_of_numbers(soft.masses()));
    return facts;
  }
  facts.add("number of vertices", one.local.positions.size());
  facts.add("number of scripts", std::size_t{one.script ? 1u : 0u});
  facts.add("shape", hash_of_surface(one.local));
  if (one.kind != BodyKind::rigid) return facts;
  const RigidMass& mass = rigid_.mass(one.id);
  facts.add("mass", mass.mass);
  facts.add("inertia or centre of mass", hash_of_inertia(mass));
  return facts;
}

// On rigid bodies, without those of hands, which are no part of a snapshot.
std::size_t World::lasting_forces() const {
  std::size_t count = rigid_.forces();
  for (const Hand& hand : hands_)
    if (hand.force) --count;
  return count;
}

void World::write_joint(ByteWriter& to, const RigidConstraint& joint) const {
  to.put(joint.kind());
  to.put(std::uint64_t{joint.rows()});
  to.put(joint.compliance());
  for (const BodyId id : joint.bodies()) to.put(contains(id) ? std::string_view(name(id)) : "the world");
}

// What the bodies are, as far as it has to be the same.
void World::write_structure(ByteWriter& to) const {
  to.put(std::uint64_t{order_.size()});
  for (const BodyId id : order_) {
    const Body& one = bodies_[id.index];
    to.put(id.index);
    to.put(id.generation);
    to.put(one.kind);
    to.put(std::string_view(one.name));
    const BodyFacts facts = facts_of(one);
    for (std::size_t i = 0; i < facts.count; ++i) to.put(facts.fact[i].value);
    to.put(one.soft ? std::string_view(one.soft->options().solver) : std::string_view());
  }
  to.put(std::uint64_t{rigid_.joints()});
  for (const auto& joint : rigid_.joint_list())
    if (joint) write_joint(to, *joint);
  to.put(std::uint64_t{lasting_forces()});
  to.put(std::uint64_t{soft_force_ids_.size()});
  to.put(std::string_view(options_.response.name));
}

void World::require_body(ByteReader& from, std::size_t place) const {
  const BodyId id{from.get<std::uint32_t>(), from.get<std::uint32_t>()};
  const auto kind_then = from.get<BodyKind>();
  const std::string then = from.get_text();
  if (place >= order_.size() || order_[place] != id || bodies_[id.index].name != then ||
      bodies_[id.index].kind != kind_then)
    from.fail(fmt::format("its body {}, '{}', is not the one in this world", place + 1, then));
  const Body& one = bodies_[id.index];
  const BodyFacts facts = facts_of(one);
  for (std::size_t i = 0; i < facts.count; ++i) {
    const auto& [fact, kind, now] = facts.fact[i];
    const auto before = from.get<std::uint64_t>();
    if (before == now) continue;
    std::string values;
    if (kind == Fact::Kind::count) values = fmt::format(": {}, not {}", before, now);
    if (kind == Fact::Kind::number)
      values = fmt::format(": {}, not {}", std::bit_cast<double>(before), std::bit_cast<double>(now));
    from.fail(fmt::format("its body '{}' has another {}{}", then, fact, values));
  }
  const std::string solver = from.get_text();
  if (one.soft && solver != one.soft->options().solver)
    from.fail(fmt::format("its body '{}' was solved by {}", then, solver));
}

void World::require_joints(ByteReader& from) const {
  if (const auto then = from.get<std::uint64_t>(); then != rigid_.joints())
    from.fail(fmt::format("it has {} joints, not {}", then, rigid_.joints()));
  std::size_t number = 0;
  for (const auto& joint : rigid_.joint_list()) {
    if (!joint) continue;
    ++number;
    const std::string kind = from.get_text();
    const auto rows = from.get<std::uint64_t>();
    const auto compliance = from.get<double>();
    const std::array<std::string, 2> ends = {from.get_text(), from.get_text()};
    std::array<std::string, 2> ends_now;
    for (std::size_t k = 0; k < 2; ++k)
      ends_now[k] = contains(joint->bodies()[k]) ? name(joint->bodies()[k]) : "the world";
    if (kind != joint->kind() || ends != ends_now)
      from.fail(fmt::format("its joint {} is a {} of {} and {}, not a {} of {} and {}", number, kind, ends[0],
                            ends[1], joint->kind(), ends_now[0], ends_now[1]));
    if (rows != joint->rows() || compliance != joint->compliance())
      from.fail(
          fmt::format("its joint {}, a {} of {} and {}, has {} rows and a compliance of {}, not {} and {}",
                      number, kind, ends[0], ends[1], rows, compliance, joint->rows(), joint->compliance()));
  }
}

void World::require_structure(ByteReader& from) const {
  const auto count = from.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) require_body(from, i);
  if (count != order_.size())
    from.fail(
        fmt::format("the world has a body '{}' that it does not know", bodies_[order_[count].index].name));
  require_joints(from);
  if (const auto then = from.get<std::uint64_t>(); then != lasting_forces())
    from.fail(fmt::format("it has {} forces on rigid bodies, not {}", then, lasting_forces()));
  if (const auto then = from.get<std::uint64_t>(); then != soft_force_ids_.size())
    from.fail(fmt::format("it has {} forces on soft bodies, not {}", then, soft_force_ids_.size()));
  if (const std::string then = from.get_text(); then != options_.response.name)
    from.fail(fmt::format("its contacts were answered by {}, not by {}", then, options_.response.name));
}

}  // namespace palpate
