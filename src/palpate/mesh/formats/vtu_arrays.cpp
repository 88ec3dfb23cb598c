#include <palpate/mesh/formats/vtu_arrays.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <palpate/mesh/formats/vtu_bytes.h>

namespace palpate::detail {

namespace {

constexpr std::array<std::string_view, 10> type_names = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                         "UInt32", "Int64", "UInt64", "Float32", "Float64"};

std::string name_of_array(pugi::xml_node array) {
  const std::string name = array.attribute("Name").value();
  return name.empty() ? "the array" : fmt::format("array '{:.40}'", name);
}

}  // namespace

void VtuArrays::refuse(pugi::xml_node element, const std::string& what, const std::string& remedy) const {
  const std::ptrdiff_t offset = element.offset_debug();
  if (offset < 1 || static_cast<std::size_t>(offset) > file_.bytes.size())
    throw Error(Place::file(file_.name), what, remedy);
  // The parser knows where the element's name is; its '<' stands before it.
  TextCursor(file_.bytes, file_.name).refuse_at(static_cast<std::size_t>(offset) - 1, what, remedy);
}

NumberType VtuArrays::type_of(pugi::xml_node array) const {
  const std::string_view name = array.attribute("type").value();
  for (std::size_t i = 0; i < type_names.size(); ++i)
    if (type_names[i] == name) return static_cast<NumberType>(i);
  refuse(array,
         fmt::format("{} has type '{:.40}', which is not a type of numbers", name_of_array(array), name));
}

bool VtuArrays::is_ascii(pugi::xml_node array) {
  const std::string_view format = array.attribute("format").value();
  const bool ascii = format == "ascii" || format.empty();
  if (encoding_.empty()) {
    encoding_ = ascii                      ? "ASCII"
                : format == "binary"       ? "inline base64"
                : storage_.appended_base64 ? "appended base64"
                                           : "appended raw";
    if (!ascii && storage_.zlib) encoding_ += ", zlib";
    if (!ascii && storage_.big_endian) encoding_ += ", big-endian";
  }
  return ascii;
}

// The text in an element, as it stands in the file. VTK may put further elements behind it.
std::string_view VtuArrays::content(pugi::xml_node array, std::size_t& begin) const {
  for (const pugi::xml_node child : array.children()) {
    if (child.type() != pugi::node_pcdata) continue;
    const std::ptrdiff_t offset = child.offset_debug();
    if (offset < 0 || static_cast<std::size_t>(offset) > file_.bytes.size()) break;
    begin = static_cast<std::size_t>(offset);
    return file_.bytes.substr(begin, file_.bytes.find('<', begin) - begin);
  }
  begin = 0;
  return {};
}

TextCursor VtuArrays::text_of(pugi::xml_node array, std::uint64_t count) {
  std::size_t begin = 0;
  const std::string_view text = content(array, begin);
  if (count > (text.size() + 1) / 2)
    refuse(array, fmt::format("{} is too short for {} numbers", name_of_array(array), count));
  // Cut behind the array, so that nothing reads on into the next element; lines count from the file's begin.
  return {file_.bytes.substr(0, begin + text.size()), file_.name, begin};
}

void VtuArrays::expect_end(TextCursor& text, std::uint64_t count) const {
  text.skip_space();
  if (!text.at_end())
    text.refuse(fmt::format("there are more than the {} numbers that should be here", count));
}

VtuArrays::Bytes VtuArrays::bytes_of(pugi::xml_node array, NumberType type, std::uint64_t count) {
  const std::string_view format = array.attribute("format").value();
  if (format != "binary" && format != "appended")
    refuse(array, fmt::format("{} has format '{:.40}'", name_of_array(array), format),
           "Formats are ascii, binary and appended: export the mesh again.");
  if (!storage_.other_compressor.empty())
    refuse(array, fmt::format("data compressed by {:.40} are not read", storage_.other_compressor),
           "Save the file with zlib compression or none (in ParaView: Compressor Type).");
  // Small files that unpack to much are made to harm; several arrays may also name the same data. A number
  // counts with the eight bytes that it takes here, whatever its type.
  const std::uint64_t most = 64 * std::uint64_t{file_.bytes.size()} + (1 << 20);
  if (count > (most - taken_) / 8)
    refuse(array, fmt::format("{} numbers would be more than 64 times the size of the file", count),
           "The counts in the file are wrong, or it was made to harm. Do you trust where it comes from?");
  taken_ += count * 8;
  std::size_t begin = 0;
  std::string_view stored;
  if (format == "binary") {
    stored = content(array, begin);
  } else {
    if (storage_.appended_end == 0) refuse(array, "there are no appended data in the file");
    const std::string_view offset = array.attribute("offset").value();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(offset.data(), offset.data() + offset.size(), value);
    if (error != std::errc() || end != offset.data() + offset.size() ||
        value > storage_.appended_end - storage_.appended_begin)
      refuse(array,
             fmt::format("offset '{:.40}' of {} is not in the appended data", offset, name_of_array(array)));
    begin = storage_.appended_begin + value;
    stored = file_.bytes.substr(begin, storage_.appended_end - begin);
  }
  const bool base64 = format == "binary" || storage_.appended_base64;
  const bool swap = storage_.big_endian == (std::endian::native == std::endian::little);
  ByteStream in(stored, base64);
  try {
    const auto read = storage_.zlib ? read_zlib : read_plain;
    Bytes bytes{read(in, count * size_of(type), storage_.long_headers, swap), std::nullopt};
    if (!base64 && !storage_.zlib) bytes.offset = begin + in.used() - bytes.bytes.size();
    if (format == "binary" && !in.at_end()) throw BadBytes("there are more bytes than it needs");
    return bytes;
  } catch (const BadBytes& bad) {
    const std::string what = fmt::format("{}: {}", name_of_array(array), bad.what());
    if (base64) refuse(array, what);
    throw Error(Place::file(file_.name).element("byte", begin), what, TextCursor::default_remedy);
  }
}

void VtuArrays::refuse_value(pugi::xml_node array, const Bytes& bytes, std::size_t i, NumberType type,
                             const std::string& what) const {
  const std::string message = fmt::format("value {} of {} {}", i, name_of_array(array), what);
  if (!bytes.offset) refuse(array, message);
  throw Error(Place::file(file_.name).element("byte", *bytes.offset + i * size_of(type)), message,
              TextCursor::default_remedy);
}

std::vector<double> VtuArrays::reals(pugi::xml_node array, std::uint64_t count) {
  const NumberType type = type_of(array);
  std::vector<double> values;
  if (is_ascii(array)) {
    TextCursor text = text_of(array, count);
    values.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) values.push_back(text.number_anywhere("coordinate"));
    expect_end(text, count);
    return values;
  }
  const Bytes bytes = bytes_of(array, type, count);
  const bool swap = storage_.big_endian == (std::endian::native == std::endian::little);
  values.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(real_at(type, bytes.bytes.data() + i * size_of(type), swap));
    if (!std::isfinite(values.back())) refuse_value(array, bytes, i, type, "is not a finite number");
  }
  return values;
}

std::vector<std::int64_t> VtuArrays::wholes(pugi::xml_node array, std::uint64_t count, std::int64_t low,
                                            std::int64_t high) {
  const NumberType type = type_of(array);
  if (!is_whole(type)) refuse(array, fmt::format("{} has to be of whole numbers", name_of_array(array)));
  std::vector<std::int64_t> values;
  if (is_ascii(array)) {
    TextCursor text = text_of(array, count);
    values.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) values.push_back(text.integer_anywhere("value", low, high));
    expect_end(text, count);
    return values;
  }
  const Bytes bytes = bytes_of(array, type, count);
  const bool swap = storage_.big_endian == (std::endian::native == std::endian::little);
  values.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(whole_at(type, bytes.bytes.data() + i * size_of(type), swap));
    if (values.back() < low || values.back() > high)
      refuse_value(
          array, bytes, i, type,
          fmt::format("is {}, which is out of range: it has to be from {} to {}", values.back(), low, high));
  }
  return values;
}

}  // namespace palpate::detail
