#include <palpate/report/thinned_recording.h>

#include <algorithm>
#include <span>

#include <zlib.h>

#include <palpate/base/error.h>
#include <palpate/report/recording.h>

namespace palpate {

namespace {

constexpr std::size_t shown_contacts = 2000;  // of a frame: more cannot be told apart
constexpr std::size_t packs = 4;              // by so much gzip may shrink it; what is held until then

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
      stream_({.most_contacts = shown_contacts}) {}

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
  while (held_ > packs * most_ && frames_.size() > 2) leave_out();
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

std::string ThinnedRecording::packed() const {
  for (std::size_t every = 1;; every *= 2) {
    std::vector<std::byte> all = recording_header();
    append_message(all, hello_);
    std::size_t topology = topologies_.size(), count = 0;
    const auto put = [&](const Frame& one) {
      if (one.topology != topology) append_message(all, topologies_[topology = one.topology]);
      append_message(all, one.bytes);
      ++count;
    };
    for (std::size_t i = 0; i < frames_.size(); i += every) put(frames_[i]);
    // The end is what most want to see.
    if (!last_.bytes.empty())
      put(last_);
    else if (!frames_.empty() && (frames_.size() - 1) % every != 0)
      put(frames_.back());
    if (std::string result = gzip(all); result.size() <= most_) return result;
    if (count <= 2) return {};
  }
}

}  // namespace palpate
