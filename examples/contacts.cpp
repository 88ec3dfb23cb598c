// The contacts of two meshes: contacts liver.ply tool.ply 0.002
#include <iostream>
#include <stdexcept>
#include <string>

#include <palpate/collide/detector.h>
#include <palpate/mesh/files.h>

int main(int count, char** arguments) try {
  if (count != 4) throw std::invalid_argument("usage: contacts FIRST SECOND DISTANCE");
  palpate::Detector detector({.contact_distance = std::stod(arguments[3])});  // [m]
  detector.add(palpate::read_triangle_mesh(arguments[1]), {.name = arguments[1]});
  detector.add(palpate::read_triangle_mesh(arguments[2]), {.name = arguments[2]});
  for (const palpate::Contact& c : detector.detect())
    std::cout << (c.kind() == palpate::ContactKind::edge_edge ? "edge " : "vertex ")
              << detector.first_feature(c) << " and " << detector.second_feature(c) << ": " << c.distance
              << " m\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
