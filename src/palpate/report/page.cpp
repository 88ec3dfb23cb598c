#include <palpate/report/page.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <palpate/report/web_files.h>

namespace palpate {

namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ground: #fff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --shade: #f3f5f7; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181d; --text: #e3e7eb; --quiet: #9aa4af; --line: #3a424b; --shade: #1d232a; }
  .picture img { filter: invert(1) hue-rotate(180deg) brightness(.92); }
}
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--ground); color: var(--text);
       font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: .3rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--line); background: var(--shade); }
td.number { text-align: right; white-space: nowrap; }
.plot svg { width: 100%; min-width: 36rem; height: auto; }
.picture img { max-width: 100%; height: auto; }
figure { margin: 1rem 0; } figcaption, footer { color: var(--quiet); font-size: .88rem; }
pre { margin: 1rem 0; padding: .7rem .9rem; overflow-x: auto; background: var(--shade); border: 1px solid var(--line);
      border-radius: .3rem; font: .82rem/1.45 ui-monospace, monospace; tab-size: 4; }
summary { cursor: pointer; padding: .4rem 0; font-weight: 600; }
@media print { body { max-width: none; } .wide { overflow: visible; } .plot svg { min-width: 0; }
               figure, tr { break-inside: avoid; } pre { white-space: pre-wrap; } }
)";

// A number, perhaps with a short unit: "-1.5e-3", "12 %", "3 x"; also a dash, for none.
bool is_number(std::string_view cell) {
  if (cell == "-") return true;
  const std::size_t end = std::min(cell.find_first_not_of("+-0123456789.,e"), cell.size());
  const bool has_digit = std::any_of(cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return has_digit && cell.size() - end <= 4;
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// What would end a part of XML that is taken as it is. In code it is two brackets and a comparison.
std::string without_end(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; (at = out.find("]]>", at)) != std::string::npos;) out.insert(at + 2, 1, ' ');
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k)
      value = value << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) result += k <= count ? letters[value >> (18 - 6 * k) & 63] : '=';
  }
  return result;
}

std::string plain_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& name : table.columns) widths.push_back(shown_width(name));
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < std::min(row.size(), widths.size()); ++c)
      widths[c] = std::max(widths[c], shown_width(row[c]));
  // A column stands to the right if all its cells do.
  std::vector<bool> right(widths.size(), !table.rows.empty());
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < std::min(row.size(), widths.size()); ++c)
      if (!is_number(row[c])) right[c] = false;
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < std::min(cells.size(), widths.size()); ++c) {
      const std::string room(widths[c] - shown_width(cells[c]), ' ');
      const bool to_the_right = right[c];
      text += to_the_right ? room + cells[c] : cells[c] + room;
      if (c + 1 < widths.size()) text += "  ";
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  };
  line(table.columns);
  for (const auto& row : table.rows) line(row);
  return text;
}

Page::Page(std::string_view title) : title_(title) {}

void Page::heading(std::string_view text, int level) {
  body_ += fmt::format("<h{0}>{1}</h{0}>\n", std::clamp(level, 2, 6), escaped(text));
}

void Page::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", escaped(text)); }

// A line break right behind the tag would be dropped by browsers: one that is given stays.
void Page::preformatted(std::string_view text) { body_ += fmt::format("<pre>\n{}</pre>\n", escaped(text)); }

void Page::list(const std::vector<std::string>& points) {
  body_ += "<ul>\n";
  for (const std::string& point : points) body_ += fmt::format("<li>{}</li>\n", escaped(point));
  body_ += "</ul>\n";
}

void Page::table(const Table& table) {
  body_ += "<div class=\"wide\"><table>\n";
  if (!table.caption.empty()) body_ += fmt::format("<caption>{}</caption>\n", escaped(table.caption));
  body_ += "<thead><tr>";
  for (const std::string& name : table.columns)
    body_ += fmt::format("<th scope=\"col\">{}</th>", escaped(name));
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (const std::string& cell : row)
      body_ += fmt::format("<td{}>{}</td>", is_number(cell) ? " class=\"number\"" : "", escaped(cell));
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::plot(const Plot& plot) { body_ += "<div class=\"wide plot\">" + svg(plot) + "</div>\n"; }

void Page::picture(std::string_view png, std::size_t width, std::size_t height, std::string_view caption) {
  body_ += fmt::format(
      "<figure class=\"picture\"><img width=\"{}\" height=\"{}\" alt=\"{}\" "
      "src=\"data:image/png;base64,{}\"/><figcaption>{}</figcaption></figure>\n",
      width, height, escaped(caption), base64(png), escaped(caption));
}

void Page::fold(std::size_t mark, std::string_view summary) {
  body_.insert(std::min(mark, body_.size()),
               fmt::format("<details><summary>{}</summary>\n", escaped(summary)));
  body_ += "</details>\n";
}

void Page::player(std::string_view packed) {
  if (web_file("player.js").empty() || packed.empty()) return;
  body_ += "<div id=\"player\"><noscript>The player needs JavaScript.</noscript></div>\n";
  player_ = fmt::format(
      "<style>/*<![CDATA[*/{}/*]]>*/</style>\n<script type=\"text/plain\" "
      "id=\"player-recording\">{}</script>\n"
      "<script>//<![CDATA[\n{}\n//]]></script>\n",
      without_end(web_file("player.css")), base64(packed), without_end(web_file("player.js")));
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{0}</title>\n"
      "<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n{2}{3}</body></html>\n",
      escaped(title_), style, body_, player_);
}

}  // namespace palpate
