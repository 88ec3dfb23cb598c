// glTF binary (.glb), for looking at meshes in other programs. Written only: its meshes have floats, and its
// vertices are split where normals or textures are, so that it is no format to keep meshes in.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <tiny_gltf.h>
#include <Eigen/Geometry>

#include <palpate/mesh/formats/formats.h>

namespace palpate::detail {

namespace {

// The sum of the triangles' normals at every vertex, weighted by their areas.
std::vector<Vec3f> vertex_normals(const MeshView& mesh) {
  std::vector<Vec3> sums(mesh.positions.size(), Vec3::Zero());
  for (const TriangleCorners& triangle : mesh.triangles) {
    const auto [a, b, c] = triangle_at(mesh.positions, triangle);
    const Vec3 normal = (b - a).cross(c - a);
    for (const std::uint32_t v : triangle) sums[v] += normal;
  }
  std::vector<Vec3f> normals(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // glTF wants unit normals everywhere, also where no triangle is or their normals cancel out.
    const double size = sums[i].stableNorm();
    normals[i] = size > 0 && std::isfinite(size) ? Vec3f((sums[i] / size).cast<float>()) : Vec3f(0, 0, 1);
  }
  return normals;
}

// Appends values to the only buffer and makes an accessor for them; returns its number.
template <class T>
int add_values(tinygltf::Model& model, const std::vector<T>& values, int target, int component, int type) {
  std::vector<unsigned char>& data = model.buffers[0].data;
  tinygltf::BufferView view;
  view.buffer = 0;
  view.byteOffset = data.size();
  view.byteLength = values.size() * sizeof(T);
  view.target = target;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(values.data());
  data.insert(data.end(), bytes, bytes + view.byteLength);
  model.bufferViews.push_back(view);
  tinygltf::Accessor accessor;
  accessor.bufferView = static_cast<int>(model.bufferViews.size()) - 1;
  accessor.componentType = component;
  accessor.type = type;
  accessor.count = values.size() * sizeof(T) / (type == TINYGLTF_TYPE_VEC3 ? sizeof(Vec3f) : 4);
  model.accessors.push_back(accessor);
  return static_cast<int>(model.accessors.size()) - 1;
}

// Soft grey; both sides, because open surfaces are looked at from behind, too.
tinygltf::Material plain_material() {
  tinygltf::Material material;
  material.name = "plain";
  material.doubleSided = true;
  material.pbrMetallicRoughness.baseColorFactor = {0.7, 0.7, 0.7, 1};
  material.pbrMetallicRoughness.metallicFactor = 0;
  material.pbrMetallicRoughness.roughnessFactor = 0.8;
  return material;
}

tinygltf::Mesh add_mesh(tinygltf::Model& model, const MeshView& mesh) {
  std::vector<Vec3f> positions(mesh.positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = mesh.positions[i].cast<float>();
  tinygltf::Primitive primitive;
  primitive.mode = TINYGLTF_MODE_TRIANGLES;
  primitive.material = 0;
  const int at = add_values(model, positions, TINYGLTF_TARGET_ARRAY_BUFFER, TINYGLTF_COMPONENT_TYPE_FLOAT,
                            TINYGLTF_TYPE_VEC3);
  // Viewers place their camera by these, and the standard wants them to fit the floats exactly.
  Vec3f low = positions[0], high = positions[0];
  for (const Vec3f& p : positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
  tinygltf::Accessor& accessor = model.accessors[static_cast<std::size_t>(at)];
  for (int axis = 0; axis < 3; ++axis) {
    accessor.minValues.push_back(static_cast<double>(low[axis]));
    accessor.maxValues.push_back(static_cast<double>(high[axis]));
  }
  primitive.attributes["POSITION"] = at;
  primitive.attributes["NORMAL"] = add_values(model, vertex_normals(mesh), TINYGLTF_TARGET_ARRAY_BUFFER,
                                              TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3);
  primitive.indices = add_values(
      model, std::vector<TriangleCorners>(mesh.triangles.begin(), mesh.triangles.end()),
      TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, TINYGLTF_TYPE_SCALAR);
  tinygltf::Mesh result;
  result.primitives.push_back(primitive);
  return result;
}

}  // namespace

// glTF's y points up; positions are written as they are, since only the user knows where up is in a mesh.
std::string write_gltf(const MeshView& mesh, const WriteOptions&) {
  const Place place = Place::named("mesh", "for glTF binary");
  if (mesh.triangles.empty())
    throw Error(place, "it has no triangles, and glTF cannot hold a mesh without", "Write OBJ or PLY.");
  const std::size_t bytes = mesh.positions.size() * 2 * sizeof(Vec3f) + mesh.triangles.size_bytes();
  if (bytes > std::numeric_limits<std::uint32_t>::max() - 65536)
    throw Error(place, "it is larger than the 4 GB that a .glb file can hold", "Write PLY.");
  tinygltf::Model model;
  model.asset.version = "2.0";
  model.asset.generator = "Palpate";
  model.buffers.emplace_back();
  model.buffers[0].data.reserve(bytes);
  model.materials.push_back(plain_material());
  model.meshes.push_back(add_mesh(model, mesh));
  tinygltf::Node node;
  node.mesh = 0;
  model.nodes.push_back(node);
  tinygltf::Scene scene;
  scene.nodes.push_back(0);
  model.scenes.push_back(scene);
  model.defaultScene = 0;
  std::ostringstream out;
  tinygltf::TinyGLTF writer;
  if (!writer.WriteGltfSceneToStream(&model, out, false, true))
    throw Error(place, "glTF could not be written", "Write PLY.");
  return std::move(out).str();
}

}  // namespace palpate::detail
