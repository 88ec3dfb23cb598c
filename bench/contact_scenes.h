// Scenes for the benchmark of contacts: surfaces and a few frames of their motion.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate::bench {

struct ContactScene {
  std::vector<TriangleMesh> surfaces;
  bool self = true;                                    // contacts inside surfaces
  std::vector<std::vector<std::vector<Vec3>>> frames;  // [frame][surface]: positions
  double edge = 0;                                     // mean length of the edges [m]

  std::size_t triangles() const;
};

// Two tori: one stands upright, the other has fallen over it, rests on its shoulders and slides off.
ContactScene tori(std::size_t triangles);
// A torus knot that is pressed flat, so that its strands come to lie on each other.
ContactScene knot(std::size_t triangles);
// A thousand small balls in a heap.
ContactScene balls(std::size_t count);
// Two wavy sheets, one lying on the other: as many contacts for each triangle, however many there are.
ContactScene sheets(std::size_t triangles);
// A sheet of cloth just over a table of two triangles.
ContactScene table(std::size_t triangles);
// Two frames of a real surface, if the data is there: "cloth-ball-92" and "cloth-ball-93".
bool has_data(const std::string& name);
ContactScene real(const std::string& first, const std::string& second);

// The last frame of a scene, from where everything sways by this many edges a frame: twelve frames there, and
// back again.
ContactScene slowly(ContactScene scene, double edges);

// The scenes that every method is measured on, with a contact distance in mean edges.
struct ListedScene {
  std::string name;
  double edges;
  std::size_t triangles;
  std::function<ContactScene()> make;
};
std::vector<ListedScene> listed_scenes(bool quick);

}  // namespace palpate::bench
