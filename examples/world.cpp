#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>
#include <cstdio>
using namespace palpate;

int main() {
  World world;
  world.add_static(make(PlaneShape{}), {.name = "table"});
  world.add_rigid(make(BoxShape{}), {.name = "box", .state = {.pose = {Quat::Identity(), Vec3(0, 0, 0.3)}}});
  SoftBody beam(make(BeamShape{.cell = 0.01, .along = 20, .across = 3}), Material{.young = 7e3});
  const BodyId soft = world.add_soft(std::move(beam), {.name = "beam"});
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);  // detect, respond, solve, ...
  std::printf("%zu contacts, hash %llx\n", world.contacts().size(), (unsigned long long)world.hash());
  std::printf("the beam's first node is at z = %.3f m\n", world.soft(soft).positions()[0].z());
}
