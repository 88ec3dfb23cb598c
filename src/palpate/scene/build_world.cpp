#include <palpate/scene/build_world.h>

#include <algorithm>
#include <utility>

#include <palpate/base/error.h>
#include <palpate/mesh/mass.h>
#include <palpate/rigid/forces.h>
#include <palpate/scene/scene_mesh.h>
#include <palpate/scene/scene_scripts.h>

namespace palpate {

namespace {

// Whatever is wrong with something of the scene is told with its line.
template <class Work>
auto placed(const SceneOrigin& origin, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string& place = origin.place.text();
    // What knows its own line of the same file says it better.
    const std::string file = place.substr(0, place.find(':'));
    if (place.empty() || error.where().starts_with(file)) throw;
    std::string problem = error.where().empty() ? error.problem() : error.where() + ": " + error.problem();
    throw Error(origin.place, std::move(problem), error.remedy());
  }
}

SoftBodyOptions solver_options(const Scene& scene) {
  SoftBodyOptions options;
  options.solver = scene.solver.name;
  options.acceleration = scene.solver.acceleration;
  options.substeps = scene.solver.substeps;
  options.solve.iterations = scene.solver.iterations;
  options.solve.tolerance = scene.solver.tolerance;
  options.solve.budget = scene.solver.budget;
  options.untangle = scene.solver.untangle;
  options.gravity = scene.world.gravity;
  return options;
}

std::vector<Vec3> placed_points(const Pose& pose, std::span<const Vec3> points) {
  std::vector<Vec3> result;
  result.reserve(points.size());
  for (const Vec3& p : points) result.push_back(pose.apply(p));
  return result;
}

class Builder {
 public:
  explicit Builder(const Scene& scene)
      : scene_(scene), world_(std::make_unique<World>(world_options(scene))) {}

  std::unique_ptr<World> build() {
    for (const SceneBody& body : scene_.bodies) placed(body.origin, [&] { add(body); });
    for (const SceneForce& force : scene_.forces) placed(force.origin, [&] { add(force); });
    for (const SceneJoint& joint : scene_.joints) placed(joint.origin, [&] { add(joint); });
    for (const auto& [a, b] : scene_.contact.exclude) world_->exclude(world_->find(a), world_->find(b));
    return std::move(world_);
  }

 private:
  void add(const SceneBody& body) {
    const BodyOptions options{body.name, body.pose(), body.collide, body.self_contacts, body.touch};
    switch (body.kind) {
      case SceneBodyKind::fixed:
        world_->add_static(triangle_mesh(body.mesh), options);
        break;
      case SceneBodyKind::kinematic:
        world_->add_kinematic(triangle_mesh(body.mesh), tool_script(body), options);
        break;
      case SceneBodyKind::rigid:
        add_rigid(body);
        break;
      default:
        add_soft(body);
    }
  }

  void add_rigid(const SceneBody& body) {
    const TriangleMesh mesh = triangle_mesh(body.mesh);
    MassProperties mass;
    if (body.mass && body.inertia) {  // of any surface, open ones too
      mass.mass = *body.mass;
      mass.inertia = *body.inertia;
      for (const Vec3& p : mesh.positions) mass.centre += p / static_cast<double>(mesh.positions.size());
      if (!mesh.triangles.empty()) {
        try {
          mass.centre = enclosed_mass(mesh, 1).centre;
        } catch (const Error&) {  // open: the middle of its vertices will do
        }
      }
    } else {
      require_closed(mesh, body.name);
      mass = enclosed_mass(mesh, body.density);
      const double times = body.mass ? *body.mass / mass.mass : 1;
      mass.mass *= times;
      mass.inertia *= times;
    }
    RigidBodyOptions options;
    options.name = body.name;
    options.state = {body.pose(), body.velocity, body.angular_velocity};
    options.mass = RigidMass::of(mass);
    options.linear_damping = body.linear_damping;
    options.angular_damping = body.angular_damping;
    options.gravity = body.gravity;
    options.collides = body.collide;
    options.self_contacts = body.self_contacts;
    options.touch = body.touch;
    world_->add_rigid(mesh, options);
  }

  void add_soft(const SceneBody& body) {
    SoftOptions options;
    options.name = body.name;
    options.gravity = body.gravity;
    options.collides = body.collide;
    options.self_contacts = body.self_contacts;
    options.touch = body.touch;
    const SoftBodyOptions solver = solver_options(scene_);
    std::vector<Vec3> own;  // the nodes, in the mesh's own coordinates
    BodyId id;
    if (body.kind == SceneBodyKind::string) {
      own = string_points(body);
      id = world_->add_soft(
          SoftBody::string(placed_points(body.pose(), own), body.radius, body.material, solver, body.closed),
          options);
    } else if (body.kind == SceneBodyKind::shell) {
      TriangleMesh mesh = triangle_mesh(body.mesh);
      own = mesh.positions;
      mesh.positions = placed_points(body.pose(), own);
      options.surface = mesh;
      id = world_->add_soft(SoftBody::shell(mesh, body.thickness, body.material, solver), options);
    } else {
      TetMesh mesh = tet_mesh(body.mesh);
      own = mesh.positions;
      mesh.positions = placed_points(body.pose(), own);
      if (body.surface) {
        options.surface = triangle_mesh(*body.surface);
        options.surface->positions = placed_points(body.pose(), options.surface->positions);
      }
      SoftBody soft(mesh, body.material, solver);
      if (body.deform) {
        mesh.positions = own;
        soft.set_positions(
            placed_points(body.pose(), deformed_positions(*body.deform, mesh, scene_.run.seed)));
      }
      id = world_->add_soft(std::move(soft), options);
    }
    set_motion(body, id);
    fix(body, id, own);
  }

  // As a whole: velocities, and a spin about the centre of mass.
  void set_motion(const SceneBody& body, BodyId id) {
    SoftBody& soft = world_->soft(id);
    Vec3 centre = Vec3::Zero();
    double mass = 0;
    for (std::size_t i = 0; i < soft.masses().size(); ++i) {
      centre += soft.masses()[i] * soft.positions()[i];
      mass += soft.masses()[i];
    }
    centre /= mass;
    std::vector<Vec3> velocities;
    for (const Vec3& p : soft.positions())
      velocities.emplace_back(body.velocity + body.angular_velocity.cross(p - centre));
    soft.set_velocities(velocities);
  }

  void fix(const SceneBody& body, BodyId id, std::span<const Vec3> own) {
    for (const SceneFix& one : body.fixes)
      placed(one.origin, [&] {
        const std::vector<std::uint32_t> nodes = fixed_nodes(one, own);
        if (!one.motion) {
          world_->soft(id).fix(nodes);
        } else {
          const Vec3 centre = one.motion->centre.value_or(body.position);
          world_->move_nodes(id, nodes, node_script(*one.motion, centre));
        }
      });
  }

  BodyId find(const std::string& name) const { return name == world_name ? BodyId{} : world_->find(name); }

  void add(const SceneForce& force) {
    std::vector<BodyId> bodies;
    for (const std::string& name : force.bodies) {
      bodies.push_back(find(name));
      const bool bends = bodies.back() && world_->kind(bodies.back()) == BodyKind::soft;
      if (bends && (force.kind == SceneForceKind::spring || force.kind == SceneForceKind::torque))
        throw Error(Place::named("force on", name), "springs and torques pull at bodies that do not bend",
                    "Fix nodes of a soft body and move them, or name another.");
    }
    switch (force.kind) {
      case SceneForceKind::spring: {
        const auto at = [&](std::size_t k) {
          return world_->rigid().view().point(bodies[k], force.points[k]);
        };
        world_->add_force(std::make_shared<SpringForce>(
            SpringForce::Options{.a = bodies[0],
                                 .b = bodies[1],
                                 .at_a = force.points[0],
                                 .at_b = force.points[1],
                                 .stiffness = force.stiffness,
                                 .damping = force.damping,
                                 .length = force.length.value_or((at(1) - at(0)).norm())}));
        break;
      }
      case SceneForceKind::constant:
      case SceneForceKind::torque:
        if (world_->kind(bodies[0]) == BodyKind::soft) {
          world_->add_force(bodies[0], std::make_shared<SoftConstantForce>(force.force));
          break;
        }
        world_->add_force(std::make_shared<ConstantForce>(ConstantForce::Options{
            .body = bodies[0], .force = force.force, .at = force.points[0], .torque = force.torque}));
        break;
      case SceneForceKind::drag:
      case SceneForceKind::wind:
        add_air(force, bodies);
    }
  }

  void add_air(const SceneForce& force, std::vector<BodyId> bodies) {
    if (bodies.empty())
      for (const BodyId id : world_->bodies())
        if (world_->kind(id) == BodyKind::rigid) bodies.push_back(id);
    const bool wind = force.kind == SceneForceKind::wind;
    for (const BodyId id : bodies) {
      const DragForce::Options options{.body = id,
                                       .linear = wind ? force.coefficient : force.linear,
                                       .quadratic = wind ? 0 : force.quadratic,
                                       .wind = wind ? force.velocity : Vec3(Vec3::Zero()),
                                       .period = wind ? force.period : 0,
                                       .axis = force.axis};
      if (world_->kind(id) == BodyKind::soft)
        world_->add_force(id, std::make_shared<SoftDragForce>(options));
      else
        world_->add_force(std::make_shared<DragForce>(options));
    }
  }

  void add(const SceneJoint& joint) {
    world_->add_joint(find(joint.bodies[0]), find(joint.bodies[1]),
                      {.kind = static_cast<JointKind>(joint.kind),
                       .point = joint.point,
                       .other = joint.other_point,
                       .axis = joint.axis,
                       .length = joint.length,
                       .compliance = joint.compliance},
                      joint.collide);
  }

  const Scene& scene_;
  std::unique_ptr<World> world_;
};

}  // namespace

WorldOptions world_options(const Scene& scene) {
  WorldOptions options;
  options.rigid.gravity = scene.world.gravity;
  options.rigid.sleep_speed = scene.world.sleep_speed;
  options.contact.contact_distance = scene.contact.distance;
  options.contact.neighbour_distance = scene.contact.neighbour_distance;
  options.contact.margin = scene.contact.margin;
  options.contact.finder = scene.contact.finder;
  options.detects = scene.contact.enabled;
  options.response = scene.contact.response;
  options.substeps = scene.run.substeps;
  return options;
}

std::unique_ptr<World> build_world(const Scene& scene) { return Builder(scene).build(); }

}  // namespace palpate
