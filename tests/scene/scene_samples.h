// Scenes that are right, as texts: for tests, and to begin fuzzing with. Together they have every key.
#pragma once

#include <string>
#include <vector>

namespace palpate::testing {

inline const std::string small_scene = R"(title = "A ball"
[[body]]
name = "ball"
kind = "rigid"
mesh = { shape = "icosphere", radius = 0.1 }
)";

inline const std::string rigid_scene = R"(# Things that fall
title = "Things that fall"
description = """
Several lines,
with "quotes" and a \\ in them."""

[run]
step = 0.01
substeps = 2
duration = 3
seed = 7
threads = 2
record_every = 10

[world]
gravity = [0, 0, -1.62]
linear_damping = 0.1
angular_damping = 0.2
sleep_speed = 0

[contact]
enabled = true
distance = 0.002
neighbour_distance = 0.01
margin = 0.001
finder = "grid"
exclude = [["floor", "door"]]
response = "constraint"
friction = 0.4
static_friction = 0.5
restitution = 0.1
stiffness = 2
compliance = 1e-9
damping = 1
easing_speed = 0.02
iterations = 20

[[body]]
name = "floor"
kind = "static"
mesh = { shape = "plane", size-x = 2, size-y = 2.0, triangles = 200 }
self_contacts = false
friction = 0.9
restitution = 0.25

[[body]]
name = "door"
kind = "rigid"
mesh = { shape = "box", size-x = 0.05, cells-x = 1, scale = [1, 2, 3] }
position = [0, 0, 1]
rotation = { axis = [0, 0, 2], angle = 90 }
velocity = [1, 0, 0]
angular_velocity = [0, 0, 3]
density = 700
linear_damping = 0
angular_damping = 0.5
collide = true
gravity = false

[[body]]
name = "cube"
kind = "rigid"
mesh = { file = "${PALPATE_DATA}/surfaces/cube.ply", unit = "mm", scale = 2 }
rotation = [2, 0, 0, 0]
mass = 2
inertia = [1, 1, 1, 0.1, 0, 0]

[[body]]
name = "mixer"
kind = "kinematic"
mesh = { shape = "capsule" }
[body.motion]
keyframes = [
  { time = 0, position = [0, 0, 0] },
  { time = 0.5, position = [0, 0, 1], rotation = { axis = [1, 0, 0], angle = 180 } },
]
interpolation = "smooth"
repeat = true

[[body]]
name = "wheel"
kind = "kinematic"
mesh = { shape = "cylinder" }
motion = { velocity = [0.1, 0, 0], angular_velocity = [0, 1, 0] }

[[body]]
name = "pebble"
kind = "rigid"
mesh = { shape = "icosphere", radius = 0.01, frequency = 1 }
position = [5, 0, 0]
copies = { counts = [2, 1, 3], spacing = [0.1, 0, 0.2], shake = 0.01 }

[[force]]
kind = "spring"
name = "pull"
bodies = ["door", "cube"]
points = [[0.5, 0, 0], [-0.5, 0, 0]]
stiffness = 5
damping = 0.5
length = 0.8

[[force]]
kind = "drag"
linear = 0.1
quadratic = 0.2

[[force]]
kind = "wind"
bodies = ["door"]
velocity = [3, 0, 0]
period = 4
axis = [0, 0, 1]
coefficient = 1.2

[[force]]
kind = "constant"
body = "cube"
force = [0, 0, 1]
point = [0.1, 0, 0]

[[force]]
kind = "torque"
body = "cube"
torque = [0, 0, 1]

[[joint]]
kind = "hinge"
name = "hinge"
bodies = ["door", "world"]
point = [0, 0, 1]
axis = [0, 0, 1]
compliance = 1e-6
collide = true

[[joint]]
kind = "distance"
bodies = ["cube", "door"]
point = [0, 0, 0]
other_point = [0, 0, 1]
length = 1.5
)";

inline const std::string soft_scene = R"(
folder = "/meshes"

[run]
steps = 100

[solver]
name = "xpbd_coloured"
substeps = 4
iterations = 20
tolerance = 1e-6
budget = 0.01
untangle = false

[solver.acceleration]
kind = "chebyshev"
omega = 1
radius = 0.9
window = 3
condition_limit = 100
safeguard = false

[materials.tissue]
like = "muscle"
young = 5e3

[materials.stiff]
density = 1200
young = 1e6
poisson = 0.3
damping = 0.01
model = "corotated"

[[body]]
name = "organ"
kind = "soft"
mesh = { shape = "blob", tets = 500 }
surface = { file = "liver.obj", unit = "cm" }
material = "tissue"
self_contacts = true
deform = { stretch = 1.5, twist = 90, axis = "y", shake = 0.1 }
[[body.fix]]
box = [[-1, -1, -1], [0, 1, 1]]
motion = { keyframes = [{ time = 1, position = [0, 0, 0.1] }], centre = [0, 0, 0] }
[[body.fix]]
plane = { point = [0, 0, 0], normal = [0, 0, 2] }
[[body.fix]]
sphere = { centre = [0, 0, 0], radius = 0.1 }
[[body.fix]]
vertices = [0, 5, 7]

[[body]]
name = "sheet"
kind = "shell"
mesh = { shape = "cloth" }
thickness = 0.001
material = { like = "stiff", damping = 0.02 }
fix = [{ all = true }]

[[body]]
name = "thread"
kind = "string"
points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
segments = 20
closed = true
radius = 0.002
material = "nylon"
)";

inline const std::vector<std::string> scene_samples = {small_scene, rigid_scene, soft_scene};

}  // namespace palpate::testing
