#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>

namespace palpate::testing {
namespace {

// An open box corner, a vertex without triangles at the end.
TriangleMesh corner() {
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {0.1, -7, 0.3}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}};
  return mesh;
}

struct Read {
  tinygltf::Model model;
  std::string warning, error;
};

Read read_back(const std::string& bytes) {
  Read read;
  tinygltf::TinyGLTF reader;
  EXPECT_TRUE(reader.LoadBinaryFromMemory(&read.model, &read.error, &read.warning,
                                          reinterpret_cast<const unsigned char*>(bytes.data()),
                                          static_cast<unsigned>(bytes.size())));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.warning, "");
  return read;
}

template <class T>
std::vector<T> values(const tinygltf::Model& model, int accessor) {
  const tinygltf::Accessor& a = model.accessors.at(static_cast<std::size_t>(accessor));
  const tinygltf::BufferView& view = model.bufferViews.at(static_cast<std::size_t>(a.bufferView));
  const auto& data = model.buffers.at(0).data;
  EXPECT_LE(view.byteOffset + view.byteLength, data.size());
  EXPECT_EQ(view.byteOffset % 4, 0U);
  std::vector<T> out(view.byteLength / sizeof(T));
  std::memcpy(static_cast<void*>(out.data()), data.data() + view.byteOffset, view.byteLength);
  return out;
}

TEST(FormatGltf, IsReadBackByTinygltf) {
  const TriangleMesh mesh = corner();
  const std::string bytes = format_mesh(MeshFormat::gltf, mesh);
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  const tinygltf::Model model = read_back(bytes).model;
  ASSERT_EQ(model.meshes.size(), 1U);
  ASSERT_EQ(model.meshes[0].primitives.size(), 1U);
  EXPECT_EQ(model.scenes.size(), 1U);
  EXPECT_EQ(model.asset.version, "2.0");
  const tinygltf::Primitive& primitive = model.meshes[0].primitives[0];
  EXPECT_EQ(primitive.mode, TINYGLTF_MODE_TRIANGLES);

  const auto positions = values<Vec3f>(model, primitive.attributes.at("POSITION"));
  ASSERT_EQ(positions.size(), mesh.positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_EQ(positions[i], mesh.positions[i].cast<float>());
  const tinygltf::Accessor& accessor =
      model.accessors[static_cast<std::size_t>(primitive.attributes.at("POSITION"))];
  EXPECT_EQ(accessor.count, mesh.positions.size());
  EXPECT_EQ(accessor.minValues, (std::vector<double>{0, -7, 0}));
  EXPECT_EQ(accessor.maxValues, (std::vector<double>{1, 2, 3}));

  EXPECT_EQ(values<TriangleCorners>(model, primitive.indices), mesh.triangles);
  const tinygltf::Accessor& indices = model.accessors[static_cast<std::size_t>(primitive.indices)];
  EXPECT_EQ(indices.componentType, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT);
  EXPECT_EQ(indices.count, 9U);
  ASSERT_EQ(model.materials.size(), 1U);
  EXPECT_TRUE(model.materials[0].doubleSided);
}

TEST(FormatGltf, NormalsAreUnitVectorsWeightedByArea) {
  const tinygltf::Model model = read_back(format_mesh(MeshFormat::gltf, corner())).model;
  const auto normals = values<Vec3f>(model, model.meshes[0].primitives[0].attributes.at("NORMAL"));
  ASSERT_EQ(normals.size(), 5U);
  for (const Vec3f& normal : normals) EXPECT_NEAR(normal.norm(), 1, 1e-6);
  // Areas of the three triangles at vertex 0: 1 towards -z, 1.5 towards -y, 3 towards -x.
  EXPECT_NEAR((normals[0] - Vec3f(-3, -1.5F, -1) / std::sqrt(12.25F)).norm(), 0, 1e-6);
  EXPECT_EQ(normals[4], Vec3f(0, 0, 1));
}

TEST(FormatGltf, DegenerateAndTinyTrianglesHaveNormalsToo) {
  TriangleMesh mesh = corner();
  mesh.triangles = {{0, 0, 1}, {2, 3, 2}};
  for (Vec3& p : mesh.positions) p *= 1e-30;
  const tinygltf::Model model = read_back(format_mesh(MeshFormat::gltf, mesh)).model;
  for (const Vec3f& normal : values<Vec3f>(model, model.meshes[0].primitives[0].attributes.at("NORMAL")))
    EXPECT_EQ(normal, Vec3f(0, 0, 1));
}

TEST(FormatGltf, RefusesWhatItCannotHold) {
  TriangleMesh empty;
  EXPECT_THROW(format_mesh(MeshFormat::gltf, empty), Error);
  TetMesh tets;
  tets.positions = corner().positions;
  tets.tets = {{0, 1, 2, 3}};
  EXPECT_THROW(format_mesh(MeshFormat::gltf, tets), Error);
  TriangleMesh huge = corner();
  huge.positions[0].x() = 1e39;
  EXPECT_THROW(format_mesh(MeshFormat::gltf, huge), Error);
  EXPECT_THROW(parse_mesh(MeshFormat::gltf, "glTF", "f.glb"), Error);
}

}  // namespace
}  // namespace palpate::testing
