// The arrays of VTK's XML files, however they are stored: as text, in base64 or raw, compressed or not, in
// the middle of the XML or appended to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/number_type.h>
#include <palpate/mesh/formats/text_cursor.h>

namespace palpate::detail {

// What the file's first element says of all its arrays.
struct VtuStorage {
  bool big_endian = false;
  bool long_headers = false;  // sizes have 8 bytes and not 4
  bool zlib = false;
  std::string other_compressor;  // refused where there is something compressed; text is not
  // Where the bytes behind the '_' of appended data begin and end; the same where there are none.
  std::size_t appended_begin = 0, appended_end = 0;
  bool appended_base64 = false;
};

class VtuArrays {
 public:
  VtuArrays(const FileBytes& file, const VtuStorage& storage) : file_(file), storage_(storage) {}

  // `count` numbers of a DataArray, neither more nor fewer. Real ones are finite, whole ones from low to
  // high.
  std::vector<double> reals(pugi::xml_node array, std::uint64_t count);
  std::vector<std::int64_t> wholes(pugi::xml_node array, std::uint64_t count, std::int64_t low,
                                   std::int64_t high);
  // How the first array was stored, for people.
  const std::string& encoding() const { return encoding_; }

  // Refuses at the element's place in the file.
  [[noreturn]] void refuse(pugi::xml_node element, const std::string& what,
                           const std::string& remedy = TextCursor::default_remedy) const;

 private:
  struct Bytes {
    std::string bytes;
    std::optional<std::size_t> offset;  // in the file, if they are there as they are
  };
  TextCursor text_of(pugi::xml_node array, std::uint64_t count);
  Bytes bytes_of(pugi::xml_node array, NumberType type, std::uint64_t count);
  NumberType type_of(pugi::xml_node array) const;
  bool is_ascii(pugi::xml_node array);
  void expect_end(TextCursor& text, std::uint64_t count) const;
  [[noreturn]] void refuse_value(pugi::xml_node array, const Bytes& bytes, std::size_t i, NumberType type,
                                 const std::string& what) const;
  std::string_view content(pugi::xml_node array, std::size_t& begin) const;

  const FileBytes& file_;
  VtuStorage storage_;
  std::string encoding_;
  std::uint64_t taken_ = 0;  // bytes that the numbers of all arrays so far came to
};

}  // namespace palpate::detail
