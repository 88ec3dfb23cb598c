#include <gtest/gtest.h>

#include <palpate/mesh/formats/vtu_write.h>
#include <support/mangled.h>
#include <support/vtu_samples.h>

namespace palpate::testing {
namespace {

MeshFile parse(const std::string& bytes) { return parse_mesh(MeshFormat::vtu, bytes, "f"); }

void expect_sample(const MeshFile& mesh) {
  const MeshFile expected = sample_mesh();
  EXPECT_EQ(mesh.positions, expected.positions);
  EXPECT_EQ(mesh.triangles, expected.triangles);
  EXPECT_EQ(mesh.tets, expected.tets);
}

std::string name_of(const VtuStyle& style) {
  constexpr std::array names = {"ASCII", "inline base64", "appended base64", "appended raw"};
  std::string name = names[style.format];
  if (style.format != VtuStyle::ascii && style.zlib) name += ", zlib";
  if (style.format != VtuStyle::ascii && style.big_endian) name += ", big-endian";
  return name;
}

// To a float and back. Through memory: GCC 12 at -O3 takes both casts together for none.
double rounded(double value) {
  volatile const float single = static_cast<float>(value);
  return static_cast<double>(single);
}

// A file of one array of points and cells without types etc.: what stands between <Piece> and </Piece>.
std::string ascii_file(std::string_view points, std::string_view connectivity, std::string_view offsets,
                       std::string_view types,
                       std::string_view counts = "NumberOfPoints=\"4\" NumberOfCells=\"1\"") {
  return fmt::format(
      "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece {}>\n"
      "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">\n{}\n</DataArray></Points>\n<Cells>\n"
      "<DataArray type=\"Int32\" Name=\"connectivity\">\n{}\n</DataArray>\n"
      "<DataArray type=\"Int32\" Name=\"offsets\">\n{}\n</DataArray>\n"
      "<DataArray type=\"UInt8\" Name=\"types\">\n{}\n</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n"
      "</VTKFile>\n",
      counts, points, connectivity, offsets, types);
}
constexpr std::string_view four = "0 0 0 1 0 0 0 1 0 0 0 1";

TEST(FormatVtu, EveryWayToStoreArrays) {
  for (const VtuStyle& style : all_vtu_styles()) {
    SCOPED_TRACE(name_of(style));
    const MeshFile mesh = parse(vtu_sample(style));
    expect_sample(mesh);
    EXPECT_EQ(mesh.encoding, name_of(style));
    EXPECT_EQ(mesh.warnings, (std::vector<std::string>{"skipped 1 lines"}));
  }
}

TEST(FormatVtu, BlocksThatFitExactly) {
  for (const std::size_t block : {1U, 3U, 8U, 144U, 100'000U}) {
    VtuStyle style{VtuStyle::appended_raw, true, true, false};
    style.block = block;
    expect_sample(parse(vtu_sample(style)));
  }
}

TEST(FormatVtu, WhatIsWrittenIsReadBack) {
  MeshFile mesh = sample_mesh();
  Random random(7);
  for (int i = 0; i < 5000; ++i)
    mesh.positions.emplace_back(random.uniform(-1, 1), -0.0, random.magnitude(1e-9, 1e9));
  for (const bool ascii : {false, true})
    for (const bool compressed : {false, true})
      for (const bool single : {false, true}) {
        WriteOptions options;
        options.ascii = ascii;
        options.compressed = compressed;
        options.single_precision = single;
        const MeshFile back = parse(format_mesh(MeshFormat::vtu, mesh, options));
        MeshFile expected = mesh;
        if (single)
          for (Vec3& p : expected.positions)
            for (double& c : p) c = rounded(c);
        EXPECT_EQ(back.positions, expected.positions);
        EXPECT_TRUE(std::signbit(back.positions.back().y()));
        EXPECT_EQ(back.triangles, mesh.triangles);
        EXPECT_EQ(back.tets, mesh.tets);
        EXPECT_TRUE(back.warnings.empty());
        EXPECT_EQ(back.encoding, ascii ? "ASCII" : compressed ? "appended raw, zlib" : "appended raw");
      }
  EXPECT_LT(format_mesh(MeshFormat::vtu, sample_mesh()).size(), 2000U);
}

TEST(FormatVtu, SeveralPiecesAreOneMesh) {
  VtuSample sample({VtuStyle::appended_raw, true, true, true});
  const std::string first = sample.piece(sample_mesh(), {{0, 1, 2, 3}}, {10}),
                    none = sample.piece(MeshFile{}, {}, {}),
                    second = sample.piece(sample_mesh(), {{3, 2, 1, 0}, {0, 1, 5}}, {10, 5});
  const MeshFile mesh = parse(sample.file(first + none + second));
  EXPECT_EQ(mesh.positions.size(), 12U);
  EXPECT_EQ(mesh.positions[11], sample_mesh().positions[5]);
  EXPECT_EQ(mesh.tets, (std::vector<TetCorners>{{0, 1, 2, 3}, {9, 8, 7, 6}}));
  EXPECT_EQ(mesh.triangles, (std::vector<TriangleCorners>{{6, 7, 11}}));
}

TEST(FormatVtu, EveryNumberType) {
  const auto file = [](auto zero, std::string_view type, bool big_endian) {
    VtuSample sample({VtuStyle::inline_base64, false, false, big_endian});
    using T = decltype(zero);
    std::string cells =
        "<Points>" + sample.array<T>(type, "p", {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}) + "</Points><Cells>";
    const bool whole = std::is_integral_v<T>;
    cells += whole ? sample.array<T>(type, "connectivity", {0, 1, 2, 3})
                   : sample.array<std::int32_t>("Int32", "connectivity", {0, 1, 2, 3});
    cells +=
        whole ? sample.array<T>(type, "offsets", {4}) : sample.array<std::int32_t>("Int32", "offsets", {4});
    cells +=
        whole ? sample.array<T>(type, "types", {10}) : sample.array<std::int32_t>("Int32", "types", {10});
    return sample.file("<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">" + cells + "</Cells></Piece>");
  };
  for (const bool big : {false, true})
    for (const std::string& bytes : {file(std::int8_t{}, "Int8", big), file(std::uint8_t{}, "UInt8", big),
                                     file(std::int16_t{}, "Int16", big), file(std::uint16_t{}, "UInt16", big),
                                     file(std::int32_t{}, "Int32", big), file(std::uint32_t{}, "UInt32", big),
                                     file(std::int64_t{}, "Int64", big), file(std::uint64_t{}, "UInt64", big),
                                     file(float{}, "Float32", big), file(double{}, "Float64", big)}) {
      const MeshFile mesh = parse(bytes);
      EXPECT_EQ(mesh.tets, (std::vector<TetCorners>{{0, 1, 2, 3}}));
      EXPECT_EQ(mesh.positions[3], Vec3(0, 0, 1));
    }
}

TEST(FormatVtu, PolyhedraAreSkippedAndPolydataRead) {
  const MeshFile grid =
      parse(ascii_file(four, "0 1 2 3 0 1 2 3", "4 8", "42 10", "NumberOfPoints=\"4\" NumberOfCells=\"2\""));
  EXPECT_EQ(grid.tets.size(), 1U);
  EXPECT_EQ(grid.warnings, (std::vector<std::string>{"skipped 1 polyhedra"}));
  VtuSample sample({VtuStyle::appended_base64, true});
  std::string inside = sample.points(sample_mesh());
  for (const char* const group : {"Strips", "Polys"})
    inside += fmt::format("<{0}>{1}{2}</{0}>", group,
                          sample.array<std::int32_t>("Int32", "connectivity", {0, 1, 2, 3, 1, 2, 4}),
                          sample.array<std::int32_t>("Int32", "offsets", {4, 7}));
  const MeshFile surface = parse(sample.file(
      "<Piece NumberOfPoints=\"6\" NumberOfStrips=\"2\" NumberOfPolys=\"2\">" + inside + "</Piece>",
      "PolyData"));
  EXPECT_EQ(surface.triangles.size(), 6U);
  EXPECT_EQ(surface.triangles[1], (TriangleCorners{1, 3, 2}));
}

TEST(FormatVtu, BrokenTextIsRefusedWithItsPlace) {
  const std::string good = ascii_file(four, "0 1 2 3", "4", "10");
  ASSERT_NO_THROW(parse(good));
  const struct {
    std::string bytes;
    const char *where, *reason;
  } cases[] = {
      {"", "f:1:1", "the XML is wrong"},
      {"<x/>", "f:1:1", "no <VTKFile>"},
      {good.substr(0, 300), "f:11:24", "the XML is wrong"},
      {with(good, "\"UnstructuredGrid\"", "\"ImageData\""), "f:1:1", "type 'ImageData'"},
      {with(good, "\"UnstructuredGrid\"", "\"PolyData\""), "f:1:1", "no <PolyData>"},
      {with(good, ">", " byte_order=\"Middle\">"), "f:1:1", "byte_order 'Middle'"},
      {with(good, ">", " header_type=\"Int8\">"), "f:1:1", "header_type 'Int8'"},
      {with(good, "NumberOfPoints=\"4\"", "NumberOfPoints=\"x\""), "f:3:1", "NumberOfPoints 'x'"},
      {with(good, "NumberOfPoints=\"4\"", "NumberOfPoints=\"-4\""), "f:3:1", "NumberOfPoints '-4'"},
      {with(good, "NumberOfPoints=\"4\"", "NumberOfPoints=\"5\""), "f:4:9", "too short for 15 numbers"},
      {with(good, "NumberOfPoints=\"4\"", "NumberOfPoints=\"4000000000\""), "f:4:9", "too short"},
      {with(good, "NumberOfPoints=\"4\"", "NumberOfPoints=\"3\""), "f:5:19", "more than the 9 numbers"},
      {with(good, "NumberOfCells=\"1\"", ""), "f:3:1", "NumberOfCells ''"},
      {with(good, "Components=\"3\"", "Components=\"2\""), "f:4:9", "2 coordinates and not 3"},
      {with(good, "Float32", "String"), "f:4:9", "not a type of numbers"},
      {with(good, "\"Int32\"", "\"Float32\""), "f:8:1", "has to be of whole numbers"},
      {with(good, "\"offsets\"", "\"offset\""), "f:7:1", "no <DataArray> named 'offsets'"},
      {with(good, "1 0 0 0 1 0", "1 0 0 0 nan 0"), "f:5:15", "'nan' is not a finite number"},
      {with(good, "0 1 2 3", "0 1 2 4"), "f:9:7", "value 4 is out of range"},
      {with(good, "0 1 2 3", "0 1 2 x"), "f:9:7", "not a whole number"},
      {with(good, "\n4\n", "\n5\n"), "f:10:1", "a value is missing"},
      {with(good, "\n4\n", "\n3\n"), "f:9:7", "more than the 3 numbers"},
      {with(good, "\n10\n", "\n5\n"), "f:7:1", "cell 0 has 4 nodes"},
      {with(good, "type=\"Float32\"", "type=\"Float32\" format=\"morse\""), "f:4:9", "format 'morse'"},
      {with(good, "type=\"Float32\"", "type=\"Float32\" format=\"appended\" offset=\"0\""), "f:4:9",
       "no appended data"},
      {ascii_file(four, "0 1 2 3 0 1 2", "4 3", "10 5", "NumberOfPoints=\"4\" NumberOfCells=\"2\""), "f:11:1",
       "offset 3 comes after the larger 4"},
  };
  for (const auto& [bytes, where, reason] : cases) {
    SCOPED_TRACE(bytes);
    expect_refused(MeshFormat::vtu, bytes, where, reason);
  }
}

TEST(FormatVtu, OtherCompressorsAreRefusedByNameUnlessNothingIsCompressed) {
  const std::string raw = with(vtu_sample({VtuStyle::appended_raw, true}), "vtkZLib", "vtkLZ4");
  expect_refused(MeshFormat::vtu, raw, "f:7:1", "vtkLZ4DataCompressor");
  expect_sample(parse(with(vtu_sample({VtuStyle::ascii, true}), "vtkZLib", "vtkLZMA")));
}

TEST(FormatVtu, BrokenBase64IsRefused) {
  const std::string good = vtu_sample({VtuStyle::inline_base64, false, true});
  const std::size_t at = good.find("\"binary\">\n  ") + 12;
  const auto changed = [&](std::size_t place, char c) {
    std::string bytes = good;
    bytes[at + place] = c;
    return bytes;
  };
  expect_refused(MeshFormat::vtu, changed(5, '*'), "f:7:1", "is not base64");
  expect_refused(MeshFormat::vtu, changed(5, '='), "f:7:1", "in the middle");
  expect_refused(MeshFormat::vtu, changed(0, 'B'), "f:7:1", "bytes, but 144 are needed");
  const std::size_t end = good.find('\n', at);
  expect_refused(MeshFormat::vtu, good.substr(0, end - 8) + good.substr(end), "f:7:1", "too early");
  expect_refused(MeshFormat::vtu, good.substr(0, end) + "AAAA" + good.substr(end), "f:7:1", "more bytes");
  std::string spaced = good;
  spaced.insert(at + 7, "\n\t ");
  expect_sample(parse(spaced));
}

TEST(FormatVtu, BrokenRawDataAreRefusedWithTheirByte) {
  const std::string good = vtu_sample({VtuStyle::appended_raw, false, true});
  const std::size_t data = good.find("\n_") + 2;
  std::string not_a_number = good, size = good;
  for (std::size_t i = 0; i < 8; ++i) not_a_number[data + 8 + 16 + i] = '\xff';
  size[data + 1] = 1;
  expect_refused(MeshFormat::vtu, not_a_number, fmt::format("f, byte {}", data + 8 + 16),
                 "not a finite number");
  expect_refused(MeshFormat::vtu, size, fmt::format("f, byte {}", data), "400 bytes, but 144 are needed");
  expect_refused(MeshFormat::vtu, good.substr(0, data + 50), fmt::format("f, byte {}", data), "too early");
  expect_refused(MeshFormat::vtu, with(good, "offset=\"0\"", "offset=\"99999\""), "f:7:1", "offset '99999'");
  expect_refused(MeshFormat::vtu, with(good, "\n_", "\n "), "f:17:2", "begin with '_'");
  expect_refused(MeshFormat::vtu, with(good, "\"raw\"", "\"hex\""), "f:16:1", "neither raw nor base64");
}

TEST(FormatVtu, ClosingTagsAfterAppendedDataAreMissed) {
  for (const auto format : {VtuStyle::appended_base64, VtuStyle::appended_raw}) {
    const std::string good = vtu_sample({format, false, true});
    for (const std::string_view end : {"</AppendedData>", "</VTKFile>", ">\n</VTKFile>", "/VTKFile>\n"}) {
      const std::size_t size = good.rfind(end);
      expect_refused(MeshFormat::vtu, good.substr(0, size), fmt::format("f, byte {}", size),
                     "ends before </AppendedData> and </VTKFile>");
    }
    expect_sample(parse(with(good, "</AppendedData>\n</VTKFile>", "</AppendedData ></VTKFile><!-- bye -->")));
  }
}

TEST(FormatVtu, WhatCompressesBeyondMeasureIsWrittenPlain) {
  TriangleMesh mesh;
  mesh.positions.assign(300'000, Vec3::Zero());
  mesh.triangles = {{0, 1, 299'999}};
  const MeshFile again = parse_mesh(MeshFormat::vtu, format_mesh(MeshFormat::vtu, mesh), "f");
  EXPECT_EQ(again.positions, mesh.positions);
  EXPECT_EQ(again.triangles, mesh.triangles);
}

TEST(FormatVtu, TellsHowFarItIs) {
  std::vector<double> told;
  ReadOptions options;
  options.progress = [&](double fraction) { told.push_back(fraction); };
  parse_mesh(MeshFormat::vtu, vtu_sample({}), "f", {}, options);
  EXPECT_EQ(told, (std::vector<double>{0.25, 0.5, 0.75, 1, 1}));  // the last when all is checked
}

TEST(FormatVtu, BombsAreRefused) {
  // 30 MB of zeros are 30 kB when they are compressed.
  const std::size_t points = 1'250'000;
  const std::string packed = zipped(std::string(points * 24, '\0'));
  SampleBytes header(true);
  for (const std::size_t size : {std::size_t{1}, points * 24, points * 24, packed.size()})
    header.number(static_cast<std::uint32_t>(size));
  const auto file = [&](std::size_t count) {
    return fmt::format(
        "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>\n"
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"0\">\n<Points><DataArray type=\"Float64\" "
        "format=\"appended\" "
        "offset=\"0\"/></Points></Piece></UnstructuredGrid>\n<AppendedData "
        "encoding=\"raw\">_{}{}</AppendedData>",
        count, header.bytes(), packed);
  };
  expect_refused(MeshFormat::vtu, file(points), "f:3:9", "more than 64 times");
  expect_refused(MeshFormat::vtu, file(4'000'000'000), "f:3:9", "more than 64 times");
  expect_refused(MeshFormat::vtu, file(10), fmt::format("f, byte {}", file(10).find(">_") + 2),
                 "not the 240 bytes");
}

TEST(FormatVtu, BrokenBlocksAreRefused) {
  const std::string good = vtu_sample({VtuStyle::appended_raw, true});
  const std::size_t data = good.find("\n_") + 2;
  const std::string where = fmt::format("f, byte {}", data);
  const auto changed = [&](std::size_t place, char c) {
    std::string bytes = good;
    bytes[data + place] = c;
    return bytes;
  };
  expect_refused(MeshFormat::vtu, changed(0, 3), where, "its 3 blocks of 40 and 24 bytes");
  expect_refused(MeshFormat::vtu, changed(3, '\xff'), where, "blocks of 40");
  expect_refused(MeshFormat::vtu, changed(5, 1), where, "blocks of 296");
  expect_refused(MeshFormat::vtu, changed(8, 25), where, "and 25 bytes");
  expect_refused(MeshFormat::vtu, changed(15, 1), where, "too early");
  expect_refused(MeshFormat::vtu, changed(12, 1), where, "cannot be decompressed");
  expect_refused(MeshFormat::vtu, changed(12 + 16, '\x77'), where, "cannot be decompressed");
}

TEST(FormatVtu, IsReadBackWithFieldsAndLines) {
  const MeshFile sample = sample_mesh();
  const std::vector<double> heat(sample.positions.size(), 0.5);
  const std::vector<double> flow(3 * (sample.triangles.size() + sample.tets.size() + 1), 2.5);
  const std::array<std::array<std::uint32_t, 2>, 1> lines = {{{0, 1}}};
  const std::array point_data = {detail::VtuField{"heat", heat, 1}};
  const std::array cell_data = {detail::VtuField{"flow", flow, 3}};
  for (const WriteOptions& options :
       {WriteOptions{}, WriteOptions{.ascii = true}, WriteOptions{.compressed = false}}) {
    MeshFile mesh = parse(detail::write_vtu(sample, options, {lines, point_data, cell_data}));
    EXPECT_EQ(mesh.warnings.size(), 1u);  // about the line
    expect_sample(mesh);
    expect_sample(parse(detail::write_vtu(sample, options, {{}, point_data, {}})));
  }
  EXPECT_THROW(detail::write_vtu(sample, {}, {{}, cell_data, {}}), Error);
  EXPECT_THROW(detail::write_vtu(sample, {}, {{}, {}, point_data}), Error);
}

TEST(FormatVtuProperty, NothingMakesItFallOver) {
  std::vector<std::string> samples;
  for (const VtuStyle& style : all_vtu_styles()) samples.push_back(vtu_sample(style));
  samples.push_back(format_mesh(MeshFormat::vtu, sample_mesh()));
  expect_sturdy(MeshFormat::vtu, samples, 20'000);
}

}  // namespace
}  // namespace palpate::testing
