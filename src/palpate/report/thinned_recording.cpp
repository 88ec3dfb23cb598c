#include <palpate/report/thinned_recording.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include <zlib.h>

#include <palpate/base/error.h>
#include <palpate/report/recording.h>

namespace palpate {

namespace {

constexpr std::size_t shown_contacts = 2000;  // of a frame: more cannot be told apart
constexpr std::size_t packs = 4;              // by so much gzip may shrink it; what is held until then
constexpr std::size_t smooth = 60;            // frames that a film should have: two seconds

// A frame without what is inside of bodies. docs/protocol.md: its head, then sections.
std::vector<std::byte> without_inside(std::span<const std::byte> frame) {
  constexpr std::size_t head = 4 + 4 + 8 + 8 + 6 * 8;
  const auto begin = frame.first(head);
  std::vector<std::byte> out(begin.begin(), begin.end());
  for (std::size_t at = head; at < frame.size();) {
    std::array<std::uint32_t, 2> section{};  // its tag, and how long it is without padding
    std::memcpy(section.data(), frame.data() + at, sizeof section);
    const std::size_t size = sizeof section + ((section[1] + 3) & ~std::uint32_t{3});
    const auto tag = static_cast<FrameSection>(section[0]);
    const bool is_inside = tag == FrameSection::nodes || tag == FrameSection::strain;
    if (!is_inside || section[1] == 0) {  // nothing is lost of a world that has no inside
      const auto part = frame.subspan(at, size);
      out.insert(out.end(), part.begin(), part.end());
    }
    at += size;
  }
  return out;
}

std::string gzip(std::span<const std::byte> bytes) {
  z_stream stream{};
  constexpr int window = 15 + 16;  // with the header of gzip
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(Place::named("recording", "of the report"), "it cannot be compressed",
                "Is there memory left?");
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);  // there is room for all of it
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

ThinnedRecording::ThinnedRecording(std::string_view hello, std::size_t most)
    : most_(most),
      hello_(text_message(MessageKind::hello, hello)),
      stream_({.most_contacts = shown_contacts}) {
  stream_.want(wants_of_films);
}

void ThinnedRecording::add(World& world, const StepReport& report) {
  const bool keep = seen_++ % stride_ == 0;
  if (stream_.update(world)) topologies_.emplace_back(stream_.topology().begin(), stream_.topology().end());
  const std::span<const std::byte> bytes = stream_.frame(world, report);
  last_.topology = topologies_.size() - 1;
  last_.bytes.assign(bytes.begin(), bytes.end());
  if (!keep) return;
  held_ += bytes.size();
  frames_.push_back(std::move(last_));
  last_.bytes.clear();
  while (held_ > packs * most_ && frames_.size() > 2) {
    if (has_inside_ && frames_.size() < 2 * smooth)
      leave_inside_out();
    else
      leave_out();
  }
}

void ThinnedRecording::leave_inside_out() {
  has_inside_ = false;
  stream_.want({});
  const std::size_t before = std::exchange(held_, 0);
  for (Frame& one : frames_) {
    one.bytes = without_inside(one.bytes);
    held_ += one.bytes.size();
  }
  lost_inside_ = held_ < before;
}

// Every second one.
void ThinnedRecording::leave_out() {
  stride_ *= 2;
  std::size_t kept = 0;
  held_ = 0;
  // The newest is still the last that was seen.
  if (frames_.size() % 2 == 0) last_ = std::move(frames_.back());
  for (std::size_t i = 0; i < frames_.size(); i += 2) {
    if (kept != i) frames_[kept] = std::move(frames_[i]);
    held_ += frames_[kept++].bytes.size();
  }
  frames_.resize(kept);
}

ShownRecording ThinnedRecording::packed() const {
  for (bool with_inside = has_inside_;; with_inside = false)
    for (std::size_t every = 1;; every *= 2) {
      ShownRecording result = packed(every, with_inside);
      if (result.bytes.size() <= most_) return result;
      if (with_inside && result.frames < 2 * smooth) break;
      if (result.frames <= 2) return {.of = seen_};
    }
}

ShownRecording ThinnedRecording::packed(std::size_t every, bool with_inside) const {
  ShownRecording result{.of = seen_, .has_inside = !lost_inside_};
  std::vector<std::byte> all = recording_header();
  append_message(all, hello_);
  std::size_t topology = topologies_.size();
  const auto put = [&](const Frame& one) {
    if (one.topology != topology) append_message(all, topologies_[topology = one.topology]);
    const std::vector<std::byte> bytes = with_inside ? one.bytes : without_inside(one.bytes);
    append_message(all, bytes);
    if (bytes.size() < one.bytes.size()) result.has_inside = false;
    ++result.frames;
  };
  for (std::size_t i = 0; i < frames_.size(); i += every) put(frames_[i]);
  // The end is what most want to see.
  if (!last_.bytes.empty())
    put(last_);
  else if (!frames_.empty() && (frames_.size() - 1) % every != 0)
    put(frames_.back());
  result.bytes = gzip(all);
  return result;
}

}  // namespace palpate
