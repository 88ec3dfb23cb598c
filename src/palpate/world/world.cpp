#include <palpate/world/world.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/mass.h>

namespace palpate {

namespace {

void require_finite(const TriangleMesh& mesh, std::string_view name) {
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    if (!mesh.positions[i].allFinite())
      throw Error(Place::named("body", name).element("vertex", i), "it is not a finite point",
                  "Run `palpate mesh check` on the mesh.");
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t v : mesh.triangles[t])
      if (v >= mesh.positions.size())
        throw Error(Place::named("body", name).element("triangle", t),
                    fmt::format("its corner {} is none of the {} vertices", v, mesh.positions.size()),
                    "Run `palpate mesh check` on the mesh.");
}

// Bodies stay for many steps.
WorldOptions lasting(WorldOptions options) {
  options.contact.finder_options.lasting = true;
  return options;
}

}  // namespace

std::string_view name_of(BodyKind kind) {
  constexpr std::array<std::string_view, 4> names = {"static", "kinematic", "rigid", "soft"};
  return names[static_cast<std::size_t>(kind)];
}

World::World(const WorldOptions& options)
    : options_(lasting(options)),
      rigid_(options.rigid),
      detector_(options_.contact),
      response_(make_response(options.response)) {
  if (options.substeps < 1)
    throw Error(Place::named("world", "substeps"), fmt::format("there are {}", options.substeps),
                "At least 1 is needed.");
}

World::~World() = default;

// --- bodies ---------------------------------------------------------------------------------------

std::size_t World::require(BodyId id) const {
  if (!ids_.alive(id))
    throw Error(Place::named("world", fmt::format("body {}.{}", id.index, id.generation)),
                "it is not there (any more)", "Keep ids only as long as their bodies.");
  return id.index;
}

BodyId World::begin_body(BodyKind kind, const std::string& name) {
  if (!name.empty() && find(name))
    throw Error(Place::named("body", name), "there is a body of this name already", "Give it another name.");
  const BodyId id = ids_.create();
  bodies_.resize(ids_.slots());
  Body& one = bodies_[id.index];
  one = {};
  one.id = id;
  one.kind = kind;
  one.name = name;
  for (std::size_t k = id.index; one.name.empty(); ++k)
    if (std::string own = fmt::format("body {}", k); !find(own)) one.name = std::move(own);
  order_.push_back(id);
  return id;
}

// A body that cannot be made leaves nothing behind.
template <class Make>
BodyId World::add_body(BodyKind kind, const std::string& name, Make&& make) {
  const BodyId id = begin_body(kind, name);
  try {
    make(body(id));
  } catch (...) {
    remove(id);
    throw;
  }
  return id;
}

void World::add_unbending(Body& one, const TriangleMesh& surface, const RigidDescription& description,
                          bool collides, std::optional<bool> self_contacts, const ContactMaterial& touch) {
  rigid_.add(one.id, description);
  one.touch = touch;
  one.local = one.surface = surface;
  place_surface(one);
  add_surface(one, collides, self_contacts);
}

BodyId World::add_static(const TriangleMesh& surface, const BodyOptions& options) {
  require_finite(surface, options.name);
  return add_body(BodyKind::fixed, options.name, [&](Body& one) {
    add_unbending(one, surface, {.kind = RigidKind::fixed, .state = {.pose = options.pose}}, options.collides,
                  options.self_contacts, options.touch);
  });
}

BodyId World::add_kinematic(const TriangleMesh& surface, std::shared_ptr<const Script> script,
                            const BodyOptions& options) {
  require_finite(surface, options.name);
  return add_body(BodyKind::kinematic, options.name, [&](Body& one) {
    one.script = std::move(script);
    const Pose pose = one.script ? one.script->at(time_) : options.pose;
    add_unbending(one, surface, {.kind = RigidKind::kinematic, .state = {.pose = pose}}, options.collides,
                  options.self_contacts, options.touch);
  });
}

BodyId World::add_rigid(const TriangleMesh& surface, const RigidBodyOptions& options) {
  require_finite(surface, options.name);
  return add_body(BodyKind::rigid, options.name, [&](Body& one) {
    if (!options.mass) require_closed(surface, one.name);
    const RigidMass mass =
        options.mass ? *options.mass : RigidMass::of(enclosed_mass(surface, options.density));
    add_unbending(one, surface,
                  {.kind = RigidKind::dynamic,
                   .mass = mass,
                   .state = options.state,
                   .linear_damping = options.linear_damping,
                   .angular_damping = options.angular_damping,
                   .gravity = options.gravity},
                  options.collides, options.self_contacts, options.touch);
  });
}

BodyId World::add_soft(SoftBody soft, const SoftOptions& options) {
  return add_body(BodyKind::soft, options.name, [&](Body& one) {
    const TetMesh& rest = soft.rest();
    if (responds() && options.collides)
      if (const std::string why = response_->refuses(soft); !why.empty())
        throw Error(Place::named("body", one.name),
                    fmt::format("the response {} does not work with it", options_.response.name), why);
    if (options.surface && rest.tets.empty()) {  // of a shell: its nodes are the vertices
      one.local = *options.surface;
      one.nodes.resize(one.local.positions.size());
      for (std::uint32_t i = 0; i < one.nodes.size(); ++i) one.nodes[i] = i;
      if (one.nodes.size() > rest.positions.size())
        throw Error(Place::named("body", one.name), "its surface has more vertices than it has nodes",
                    "Give the triangles that the shell was made of.");
    } else if (options.surface) {
      one.local = *options.surface;
      require_finite(one.local, one.name);
      one.embedding = Embedding(rest, one.local.positions);
    } else if (!rest.tets.empty()) {
      BoundarySurface boundary = boundary_surface(rest);
      one.local = std::move(boundary.mesh);
      one.nodes = std::move(boundary.nodes);
      one.surface_is_boundary = true;
    }
    require_finite(one.local, one.name);
    one.soft = std::make_unique<SoftBody>(std::move(soft));
    one.changes = one.soft->changes();
    one.gravity = options.gravity;
    one.touch = options.touch;
    one.soft->set_gravity(options.gravity ? options_.rigid.gravity : Vec3(Vec3::Zero()));
    one.surface = one.local;
    follow_nodes(one);
    add_surface(one, options.collides, options.self_contacts);
  });
}

void World::remove(BodyId id) {
  Body& one = body(id);
  for (const HandId own : hands())
    if (hands_[own.index].body == id) release(own);
  if (one.touching) detector_.remove(one.touching);
  if (rigid_.contains(id)) rigid_.remove(id);
  for (std::size_t i = 0; i < soft_forces_.size(); ++i)
    if (soft_forces_[i].body == id) remove(soft_force_ids_.at(i));
  for (std::size_t i = 0; i < colliders_.size(); ++i)
    if (colliders_[i] && colliders_[i]->knows(id)) remove(collider_ids_.at(i));
  std::erase_if(excluded_, [&](const BodyPair& pair) { return pair[0] == id || pair[1] == id; });
  one = {};
  order_.erase(std::find(order_.begin(), order_.end(), id));
  ids_.release(id);
  contacts_ = {};
  if (response_) response_->forget();  // features may be numbered anew
}

BodyId World::find(std::string_view name) const {
  for (const BodyId id : order_)
    if (bodies_[id.index].name == name) return id;
  return {};
}

BodyKind World::kind(BodyId id) const { return body(id).kind; }
const std::string& World::name(BodyId id) const { return body(id).name; }
const TriangleMesh& World::surface(BodyId id) const { return body(id).surface; }
SurfaceId World::surface_id(BodyId id) const { return body(id).touching; }

RigidState World::state(BodyId id) const {
  require(id);
  return rigid_.state(id);
}

void World::set_state(BodyId id, const RigidState& state) {
  Body& one = body(id);
  if (one.kind != BodyKind::rigid)
    throw Error(Place::named("body", one.name), fmt::format("it is {}, not rigid", name_of(one.kind)),
                "Scripts move kinematic bodies; soft() gives nodes.");
  rigid_.set_state(id, state);
  ++one.placed;
  place_surface(one);
  if (one.touching) detector_.set_pose(one.touching, rigid_.state(id).pose);
}

SoftBody& World::soft(BodyId id) {
  Body& one = body(id);
  if (one.kind != BodyKind::soft)
    throw Error(Place::named("body", one.name), fmt::format("it is {}, not soft", name_of(one.kind)),
                "state() tells of bodies that do not bend.");
  return *one.soft;
}
const SoftBody& World::soft(BodyId id) const { return const_cast<World*>(this)->soft(id); }

void World::move_nodes(BodyId id, std::span<const std::uint32_t> nodes,
                       std::shared_ptr<const Script> script) {
  SoftBody& soft_body = soft(id);
  if (!script) throw Error(Place::named("body", name(id)), "the script of its nodes is null", "Give one.");
  soft_body.fix(nodes);
  NodeScript one{{nodes.begin(), nodes.end()}, {}, std::move(script)};
  for (const std::uint32_t v : nodes) one.from.push_back(soft_body.positions()[v]);
  body(id).scripts.push_back(std::move(one));
}

// --- what is between them -------------------------------------------------------------------------

SoftForceId World::add_force(BodyId id, std::shared_ptr<const SoftForce> force) {
  soft(id);  // refuses others
  if (!force) throw Error(Place::named("body", name(id)), "the force on it is null", "Give one.");
  const SoftForceId made = soft_force_ids_.create();
  soft_forces_.resize(soft_force_ids_.slots());
  soft_forces_[made.index] = {id, std::move(force)};
  return made;
}

void World::remove(SoftForceId id) {
  if (!soft_force_ids_.release(id))
    throw Error(Place::named("world", "force on a soft body"), "it is not there (any more)",
                "Remove each one once.");
  soft_forces_[id.index] = {};
}

JointId World::add_joint(BodyId a, BodyId b, const JointOptions& options, bool collide) {
  const auto side = [&](BodyId id) -> ConstraintSide {
    if (!id) return {{}, Vec3::Zero()};
    if (body(id).kind == BodyKind::soft)
      throw Error(Place::named("body", body(id).name), "joints hold bodies that do not bend",
                  "Fix nodes of a soft body, or move them by a script.");
    return {rigid_.state(id).pose, rigid_.centre(id)};
  };
  return add_joint(make_joint(a, side(a), b, side(b), options), collide);
}

JointId World::add_joint(std::shared_ptr<RigidConstraint> joint, bool collide) {
  BodyPair pair = {};
  if (joint && !collide) pair = joint->bodies();
  const JointId id = rigid_.add(std::move(joint));
  if (joined_.size() <= id.index) joined_.resize(id.index + std::size_t{1});
  std::sort(pair.begin(), pair.end());
  joined_[id.index] = pair;
  update_exclusion(pair);
  return id;
}

void World::remove(JointId id) {
  rigid_.remove(id);
  const BodyPair pair = std::exchange(joined_[id.index], {});
  update_exclusion(pair);
}

void World::exclude(BodyId a, BodyId b, bool excluded) {
  BodyPair pair = {body(a).id, body(b).id};
  std::sort(pair.begin(), pair.end());
  const auto at = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
  const bool was = at != excluded_.end() && *at == pair;
  if (excluded && !was) excluded_.insert(at, pair);
  if (!excluded && was) excluded_.erase(at);
  update_exclusion(pair);
}

// Two bodies pass through each other if a user says so, or a joint.
void World::update_exclusion(const BodyPair& pair) {
  if (!pair[0] || !pair[1] || !contains(pair[0]) || !contains(pair[1])) return;
  const SurfaceId one = body(pair[0]).touching, other = body(pair[1]).touching;
  if (!one || !other) return;
  ++body(pair[0]).placed;  // where nothing was looked at so far
  detector_.exclude(one, other,
                    std::binary_search(excluded_.begin(), excluded_.end(), pair) ||
                        std::find(joined_.begin(), joined_.end(), pair) != joined_.end());
}

ColliderId World::add_collider(std::shared_ptr<const Collider> collider) {
  if (options_.response.name != "impulse")
    throw Error(Place::named("world", "collider"),
                fmt::format("the response {} does not ask colliders", options_.response.name),
                "Use the response impulse.");
  if (!collider) throw Error(Place::named("world", "collider"), "it is null", "Give one.");
  const ColliderId made = collider_ids_.create();
  colliders_.resize(collider_ids_.slots());
  colliders_[made.index] = std::move(collider);
  return made;
}

void World::remove(ColliderId id) {
  if (!collider_ids_.release(id))
    throw Error(Place::named("world", "collider"), "it is not there (any more)", "Remove each one once.");
  colliders_[id.index] = nullptr;
}

void World::set_gravity(const Vec3& gravity) {
  rigid_.set_gravity(gravity);
  options_.rigid.gravity = gravity;
  for (Body& one : bodies_)
    if (one.soft && one.gravity) one.soft->set_gravity(gravity);
}

Energies World::energies() {
  Energies sum{rigid_.kinetic_energy(), 0, rigid_.potential_energy()};
  for (const BodyId id : order_) {
    Body& one = bodies_[id.index];
    if (!one.soft) continue;
    sum.elastic += one.soft->elastic_energy();
    const std::span<const double> masses = one.soft->masses();
    const std::span<const Vec3> x = one.soft->positions(), v = one.soft->velocities();
    for (std::size_t i = 0; i < masses.size(); ++i) {
      sum.kinetic += 0.5 * masses[i] * v[i].squaredNorm();
      sum.potential -= masses[i] * one.soft->options().gravity.dot(x[i]);
    }
  }
  for (const SoftPull& pull : soft_forces_)
    if (pull.force) sum.potential += pull.force->energy(*body(pull.body).soft);
  if (response_) sum.contact = response_->energy();
  return sum;
}

}  // namespace palpate
