// What the sources of generate.h share: the door where numbers are refused, and tubes swept along frames.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/mesh/generate.h>

namespace palpate::detail {

inline constexpr double pi = 3.141592653589793;

// Refuses what a shape cannot be made from; messages name the shape and the parameter as generators() does.
class ShapeDoor {
 public:
  explicit ShapeDoor(std::string_view shape) : shape_(shape) {}

  // A length [m] that arithmetic in double has room around.
  void size(std::string_view name, double value) const;
  // A number without unit between two others.
  void between(std::string_view name, double value, double least, double most) const;
  void count(std::string_view name, std::size_t value, std::size_t least) const;
  void target(std::size_t elements) const;
  // Given as doubles, which cannot wrap around; exact for every number that is let through.
  MeshCounts counts(double vertices, double elements) const;
  // The last look at a mesh: sizes that are too different for double make elements collapse.
  void finished(const TriangleMesh& mesh) const;
  void finished(const TetMesh& mesh) const;
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const;

 private:
  std::string_view shape_;
};

// The sizes alone, without the subdivisions.
void refuse_bad_sizes(const TorusShape& shape);
void refuse_bad_sizes(const KnotShape& shape);
void refuse_bad_sizes(const IcosphereShape& shape);
void refuse_bad_sizes(const SphereShape& shape);
void refuse_bad_sizes(const BoxShape& shape);
void refuse_bad_sizes(const PlaneShape& shape);
void refuse_bad_sizes(const ClothShape& shape);
void refuse_bad_sizes(const CylinderShape& shape);
void refuse_bad_sizes(const CapsuleShape& shape);
void refuse_bad_sizes(const BowlShape& shape);
void refuse_bad_sizes(const SolidBoxShape& shape);
void refuse_bad_sizes(const BeamShape& shape);
void refuse_bad_sizes(const SolidTorusShape& shape);
void refuse_bad_sizes(const SolidKnotShape& shape);
void refuse_bad_sizes(const SolidSphereShape& shape);
void refuse_bad_sizes(const BlobShape& shape);

// A place on a curve; first x second is the direction of travel, all of unit length.
struct Frame {
  Vec3 centre, first, second;
};
std::vector<Frame> circle_frames(double radius, std::size_t around);
std::vector<Frame> knot_frames(const KnotShape& shape);
double knot_length(std::size_t p, std::size_t q, double size);
std::size_t least_knot_steps(std::size_t p, std::size_t q);

// Vertices ring by ring; a closed curve.
TriangleMesh tube_surface(std::span<const Frame> frames, double radius, std::size_t across);
// Vertices disc by disc, each from its centre outward.
TetMesh tube_solid(std::span<const Frame> frames, double radius, std::size_t rings);

// Three tetrahedra of a prism; `top` lies where the normal of `bottom` points. Every side is cut through its
// lowest index, so that neighbours agree without knowing each other.
void split_prism(TriangleCorners bottom, TriangleCorners top, std::vector<TetCorners>& tets);

// Layers of the ball, without its centre, from least to most, each an icosphere of radius k / most.
void add_icosphere_layers(std::size_t least, std::size_t most, std::vector<Vec3>& positions);

inline std::uint32_t as_index(std::size_t i) { return static_cast<std::uint32_t>(i); }
inline double as_double(std::size_t n) { return static_cast<double>(n); }

}  // namespace palpate::detail
