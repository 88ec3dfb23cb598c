// A page of results: headings, text, tables, plots and pictures in one HTML file.
//
// The file needs nothing else: no fonts, no network; pictures are in it, and the player with what it plays,
// which alone needs scripts. It follows the reader's choice of light or dark, fits a phone, and prints. It is
// well-formed XML too, so that programs can read it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/report/plot.h>

namespace palpate {

struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // cells that begin like numbers stand to the right
};

// The same for a terminal: columns as wide as they need, the last as wide as it likes.
std::string plain_text(const Table& table);

class Page {
 public:
  explicit Page(std::string_view title);

  // All text is escaped. Levels: 2 for sections, 3 for parts of them.
  void heading(std::string_view text, int level = 2);
  void paragraph(std::string_view text);
  // Line by line as it is, in letters of one width.
  void preformatted(std::string_view text);
  void list(const std::vector<std::string>& points);
  void table(const Table& table);
  void plot(const Plot& plot);
  // The bytes of a PNG file.
  void picture(std::string_view png, std::size_t width, std::size_t height, std::string_view caption);
  // A recording to watch (thinned_recording.h), as gzip has packed it; once. Nothing, where Palpate was built
  // without its player.
  void player(std::string_view packed);
  // What a reader may want to see later: a line to open, and what was added since `mark`.
  std::size_t mark() const { return body_.size(); }
  void fold(std::size_t mark, std::string_view summary);

  std::string html() const;

 private:
  std::string title_, body_, player_;
};

std::string base64(std::string_view bytes);

}  // namespace palpate
