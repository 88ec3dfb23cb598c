// Files that something happened to, and how a reader has to take them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>
#include <support/cases.h>

namespace palpate::testing {

// A reader has to refuse the bytes at this place, with this in its reason, and say what to do.
inline void expect_refused(MeshFormat format, std::string_view bytes, std::string_view where,
                           std::string_view reason, std::string_view elements = {}) {
  try {
    parse_mesh(format, bytes, "f", elements);
    ADD_FAILURE() << "was read, but should be refused at " << where << ": " << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), where) << error.what();
    EXPECT_NE(error.problem().find(reason), std::string::npos) << error.what() << "\nshould say: " << reason;
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

// Replaces the first `from`, which has to be there.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A mesh or an Error; whatever else is thrown is a failure of the test.
inline void expect_mesh_or_error(MeshFormat format, std::string_view bytes, std::string_view elements = {}) {
  try {
    parse_mesh(format, bytes, "f", elements);
  } catch (const Error& error) {
    EXPECT_FALSE(error.problem().empty());
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

namespace mangling {

inline void cut(Random& random, std::string& bytes) { bytes.resize(random.below(bytes.size() + 1)); }

inline void flip(Random& random, std::string& bytes) {
  for (std::size_t i = 1 + random.below(6); i > 0; --i) {
    char& byte = bytes[random.below(bytes.size())];
    if (random.chance(0.5))
      byte = static_cast<char>(byte ^ (1 << random.below(8)));
    else
      byte = static_cast<char>(random.bits());
  }
}

// Deletes a line or has it twice.
inline void change_line(Random& random, std::string& bytes) {
  const std::size_t at = random.below(bytes.size());
  const std::size_t before = at == 0 ? std::string::npos : bytes.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
  if (random.chance(0.5))
    bytes.erase(begin, end - begin);
  else
    bytes.insert(begin, bytes.substr(begin, end - begin));
}

// Replaces a word by one that a careless reader falls over.
inline void change_word(Random& random, std::string& bytes) {
  static const std::vector<std::string> words = {
      "-1",     "0", "nan",  "1e400",     "4294967296", "99999999999999999999", "", "9223372036854775807",
      "1e-400", "7", "-inf", "2147483647"};
  std::size_t begin = random.below(bytes.size()), end = begin;
  const auto in_word = [&](std::size_t i) { return i < bytes.size() && bytes[i] > ' ' && bytes[i] != '"'; };
  while (begin > 0 && in_word(begin - 1)) --begin;
  while (in_word(end)) ++end;
  bytes.replace(begin, end - begin, words[random.below(words.size())]);
}

}  // namespace mangling

inline std::string mangled(Random& random, std::string bytes) {
  for (std::size_t i = 1 + random.below(2); i > 0 && !bytes.empty(); --i) switch (random.below(5)) {
      case 0:
        mangling::cut(random, bytes);
        break;
      case 1:
        mangling::flip(random, bytes);
        break;
      case 2:
        mangling::change_line(random, bytes);
        break;
      default:
        mangling::change_word(random, bytes);
        break;
    }
  return bytes;
}

// Every sample, mangled in every way: the reader must not fall over any of them.
inline void expect_sturdy(MeshFormat format, const std::vector<std::string>& samples, std::size_t cases) {
  for (const std::string& sample : samples) {
    EXPECT_NO_THROW(parse_mesh(format, sample, "f"));
    // Cut off at every place, as by a full disk.
    for (std::size_t size = 0; size < sample.size(); size += 1 + sample.size() / 500)
      expect_mesh_or_error(format, std::string_view(sample).substr(0, size));
  }
  each_case(cases, [&](Random& random) {
    expect_mesh_or_error(format, mangled(random, samples[random.below(samples.size())]));
  });
}

}  // namespace palpate::testing
