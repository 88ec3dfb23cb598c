// The table of generators. A row names the fields of a shape once; reading values into it, choosing and
// making follow from that.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>
#include <palpate/mesh/generate_parts.h>

namespace palpate {

namespace {

template <class Shape>
struct Field {
  std::string_view name, unit, summary;
  double Shape::*real = nullptr;
  std::size_t Shape::*whole = nullptr;
};

template <class Shape>
Field<Shape> length(std::string_view name, double Shape::*field, std::string_view summary) {
  return {name, "m", summary, field, nullptr};
}
template <class Shape>
Field<Shape> number(std::string_view name, double Shape::*field, std::string_view summary) {
  return {name, "", summary, field, nullptr};
}
template <class Shape>
Field<Shape> count(std::string_view name, std::size_t Shape::*field, std::string_view summary) {
  return {name, "", summary, nullptr, field};
}

template <class Shape>
double value_of(const Shape& shape, const Field<Shape>& field) {
  return field.real ? shape.*field.real : static_cast<double>(shape.*field.whole);
}

// Lengths are checked by make(); here only what a struct cannot hold.
template <class Shape>
Shape shape_from(std::string_view name, const std::vector<Field<Shape>>& fields,
                 std::span<const double> values) {
  const Place place = Place::named("shape", name);
  if (values.size() != fields.size())
    throw Error(place, fmt::format("{} values are given for {} parameters", values.size(), fields.size()),
                "Give one for each, in their order.");
  Shape shape;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].real) {
      shape.*fields[i].real = values[i];
    } else {
      if (!(values[i] >= 0 && values[i] < 4294967295.0 && values[i] == std::floor(values[i])))
        throw Error(place, fmt::format("{} is {}", fields[i].name, values[i]),
                    "Give a whole number from 0 to 4294967294.");
      shape.*fields[i].whole = static_cast<std::size_t>(values[i]);
    }
  }
  return shape;
}

template <class Shape>
auto chosen(const Shape& shape, std::size_t target) {
  if constexpr (requires { with_triangles(shape, target); })
    return with_triangles(shape, target);
  else
    return with_tets(shape, target);
}

template <class Shape>
Generator row(std::string_view name, std::string_view summary, const std::vector<Field<Shape>>& fields) {
  Generator generator;
  generator.name = name;
  generator.summary = summary;
  constexpr bool solid = std::is_same_v<decltype(make(Shape{})), TetMesh>;
  generator.kind = solid ? GeneratedKind::solid : GeneratedKind::surface;
  for (const Field<Shape>& f : fields)
    generator.parameters.push_back({f.name, f.unit, f.summary, value_of(Shape{}, f), f.whole != nullptr});
  generator.make = [=](std::span<const double> values,
                       std::optional<std::size_t> target) -> std::variant<TriangleMesh, TetMesh> {
    const Shape shape = shape_from(name, fields, values);
    return make(target ? chosen(shape, *target) : shape);
  };
  generator.choose = [=](std::span<const double> values, std::size_t target) {
    const Shape shape = chosen(shape_from(name, fields, values), target);
    std::vector<double> result;
    for (const Field<Shape>& f : fields) result.push_back(value_of(shape, f));
    return result;
  };
  return generator;
}

constexpr std::string_view edge_x = "size along x", edge_y = "size along y", edge_z = "size along z";
constexpr std::string_view in_x = "cells along x", in_y = "cells along y", in_z = "cells along z";

std::vector<Generator> surfaces() {
  using T = TorusShape;
  using K = KnotShape;
  using I = IcosphereShape;
  using S = SphereShape;
  using B = BoxShape;
  using P = PlaneShape;
  using C = ClothShape;
  using Y = CylinderShape;
  using A = CapsuleShape;
  using W = BowlShape;
  return {
      row<T>("torus", "a torus about the z axis",
             {length("major", &T::major, "radius of the centre circle"),
              length("minor", &T::minor, "radius of the tube"),
              count("around", &T::around, "cells along the centre circle"),
              count("across", &T::across, "cells around the tube")}),
      row<K>(
          "knot", "a tube along a torus knot; p = 2, q = 3 is the trefoil",
          {count("p", &K::p, "turns around the z axis"), count("q", &K::q, "turns around the torus"),
           length("size", &K::size, "radius of the centre circle of the torus wound around"),
           length("tube", &K::tube, "radius of the tube"), count("along", &K::along, "cells along the knot"),
           count("across", &K::across, "cells around the tube")}),
      row<I>("icosphere", "a sphere of nearly equal triangles, from the icosahedron",
             {length("radius", &I::radius, "radius"),
              count("frequency", &I::frequency, "cuts of each edge of the icosahedron")}),
      row<S>("sphere", "a sphere of meridians and parallels",
             {length("radius", &S::radius, "radius"), count("around", &S::around, "meridians"),
              count("bands", &S::bands, "bands from pole to pole")}),
      row<B>("box", "the surface of a box, each side a grid",
             {length("size-x", &B::size_x, edge_x), length("size-y", &B::size_y, edge_y),
              length("size-z", &B::size_z, edge_z), count("cells-x", &B::cells_x, in_x),
              count("cells-y", &B::cells_y, in_y), count("cells-z", &B::cells_z, in_z)}),
      row<P>("plane", "a flat grid with parallel diagonals, open",
             {length("size-x", &P::size_x, edge_x), length("size-y", &P::size_y, edge_y),
              count("cells-x", &P::cells_x, in_x), count("cells-y", &P::cells_y, in_y)}),
      row<C>("cloth", "a flat grid with alternating diagonals, open",
             {length("size-x", &C::size_x, edge_x), length("size-y", &C::size_y, edge_y),
              count("cells-x", &C::cells_x, in_x), count("cells-y", &C::cells_y, in_y)}),
      row<Y>("cylinder", "a closed cylinder about the z axis",
             {length("radius", &Y::radius, "radius"), length("length", &Y::length, "length"),
              count("around", &Y::around, "cells around"), count("along", &Y::along, "cells along"),
              count("rings", &Y::rings, "rings of each cap")}),
      row<A>("capsule", "a cylinder with half spheres at its ends",
             {length("radius", &A::radius, "radius"),
              length("length", &A::length, "length of the straight part"),
              count("around", &A::around, "cells around"), count("along", &A::along, "cells along"),
              count("rings", &A::rings, "rings of each half sphere")}),
      row<W>("bowl", "half a ball, hollow, open to the top",
             {length("radius", &W::radius, "radius outside"),
              length("thickness", &W::thickness, "thickness of the wall"),
              count("around", &W::around, "cells around"), count("rings", &W::rings, "rings of each side")})};
}

std::vector<Generator> solids() {
  using B = SolidBoxShape;
  using M = BeamShape;
  using T = SolidTorusShape;
  using K = SolidKnotShape;
  using S = SolidSphereShape;
  using O = BlobShape;
  return {
      row<B>("solid-box", "a box of cubes, five tetrahedra each",
             {length("size-x", &B::size_x, edge_x), length("size-y", &B::size_y, edge_y),
              length("size-z", &B::size_z, edge_z), count("cells-x", &B::cells_x, in_x),
              count("cells-y", &B::cells_y, in_y), count("cells-z", &B::cells_z, in_z)}),
      row<M>("beam", "a beam of square section along x, made of cubes",
             {length("cell", &M::cell, "edge of a cube"), count("along", &M::along, "cubes along the beam"),
              count("across", &M::across, "cubes across, in both directions")}),
      row<T>("solid-torus", "a solid torus about the z axis",
             {length("major", &T::major, "radius of the centre circle"),
              length("minor", &T::minor, "radius of the tube"),
              count("around", &T::around, "cells along the centre circle"),
              count("rings", &T::rings, "rings of the section")}),
      row<K>(
          "solid-knot", "a solid tube along a torus knot",
          {count("p", &K::p, "turns around the z axis"), count("q", &K::q, "turns around the torus"),
           length("size", &K::size, "radius of the centre circle of the torus wound around"),
           length("tube", &K::tube, "radius of the tube"), count("along", &K::along, "cells along the knot"),
           count("rings", &K::rings, "rings of the section")}),
      row<S>("solid-sphere", "a ball of layers, from the icosahedron",
             {length("radius", &S::radius, "radius"), count("layers", &S::layers, "layers")}),
      row<O>("blob", "an organ somewhat like a liver, with a lobe and a notch",
             {length("width", &O::width, "size along x, about"),
              number("lobe", &O::lobe, "how marked the lobe is, 0 to 1"),
              number("notch", &O::notch, "how marked the notch is, 0 to 1"),
              count("layers", &O::layers, "layers from the centre outward")})};
}

}  // namespace

std::vector<double> Generator::standard_values() const {
  std::vector<double> values;
  for (const GeneratorParameter& parameter : parameters) values.push_back(parameter.standard);
  return values;
}

std::span<const Generator> generators() {
  static const std::vector<Generator> all = [] {
    std::vector<Generator> rows = surfaces(), more = solids();
    std::move(more.begin(), more.end(), std::back_inserter(rows));
    return rows;
  }();
  return all;
}

const Generator& generator(std::string_view name) {
  std::vector<std::string> names;
  for (const Generator& one : generators()) {
    if (one.name == name) return one;
    names.emplace_back(one.name);
  }
  const auto near = nearest_name(name, names);
  throw Error(Place::named("shape", name), "there is no such shape",
              near ? fmt::format("Did you mean '{}'?", *near)
                   : fmt::format("Choose one of {}.", fmt::join(names, ", ")));
}

}  // namespace palpate
