// Real meshes, where they are: PALPATE_DATA, or ../shared/data beside the project. They are not part of it,
// so that tests that want them have to skip without:
//
//   const auto folder = data_folder();
//   if (!folder) GTEST_SKIP() << no_data;
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace palpate::testing {

inline const std::string no_data =
    "the folder of real meshes is not there: set PALPATE_DATA to where they are";

inline std::optional<std::filesystem::path> data_folder() {
  const char* const chosen = std::getenv("PALPATE_DATA");
  const std::filesystem::path folder =
      chosen != nullptr ? std::filesystem::path(chosen)
                        : std::filesystem::path(PALPATE_SOURCE_DIR).parent_path() / "shared" / "data";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return folder;
}

}  // namespace palpate::testing
