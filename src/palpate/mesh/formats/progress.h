// Tells how far a reader is, every few megabytes.
#pragma once

#include <palpate/mesh/formats/formats.h>

namespace palpate::detail {

class Progress {
 public:
  explicit Progress(const FileBytes& file) : file_(file), next_(file.progress ? step : ~std::size_t{0}) {}
  // The reader has come to this byte. Cheap enough for every line.
  void at(std::size_t offset) {
    if (offset >= next_) [[unlikely]]
      tell(offset);
  }

 private:
  static constexpr std::size_t step = std::size_t{4} << 20;

  void tell(std::size_t offset) {
    next_ = offset + step;
    file_.progress(static_cast<double>(offset) / static_cast<double>(file_.bytes.size()));
  }

  const FileBytes& file_;
  std::size_t next_;
};

}  // namespace palpate::detail
