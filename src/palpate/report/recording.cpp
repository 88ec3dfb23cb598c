#include <palpate/report/recording.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <zlib.h>

namespace palpate {

namespace {

using detail::RecordingIndex;

// Bytes that text tools would change on the way are part of it, as in a PNG file.
constexpr char magic[8] = {'\x89', 'P', 'L', 'P', '\r', '\n', '\x1a', '\n'};
constexpr char last_magic[8] = {'\x89', 'P', 'L', 'P', 'E', 'N', 'D', '\n'};
constexpr std::uint64_t header_size = 16;
constexpr std::uint8_t index_kind = 255;
constexpr std::uint32_t most_bytes = 1u << 30;  // of a message

struct Header {  // of a message
  std::uint32_t size, checksum;
};

std::uint32_t checksum_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

MessageKind kind_of(std::span<const std::byte> message) { return static_cast<MessageKind>(message[0]); }

void append(std::vector<std::byte>& to, const void* data, std::size_t size) {
  const std::size_t before = to.size();
  to.resize(before + size);
  if (size > 0) std::memcpy(to.data() + before, data, size);
}

template <class T>
void append_list(std::vector<std::byte>& to, const std::vector<T>& list) {
  const std::uint64_t count = list.size();
  append(to, &count, sizeof count);
  append(to, list.data(), list.size() * sizeof(T));
}

// False: there is no such list.
template <class T>
bool take_list(std::span<const std::byte>& from, std::vector<T>& list) {
  if (from.size() < sizeof(std::uint64_t)) return false;
  const auto count = number_at<std::uint64_t>(from, 0);
  from = from.subspan(sizeof count);
  if (count > from.size() / sizeof(T)) return false;
  list.resize(static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(list.data(), from.data(), list.size() * sizeof(T));
  from = from.subspan(list.size() * sizeof(T));
  return true;
}

}  // namespace

std::vector<std::byte> recording_header() {
  std::vector<std::byte> out;
  const std::uint32_t numbers[2] = {stream_version, 0};
  append(out, magic, sizeof magic);
  append(out, numbers, sizeof numbers);
  return out;
}

void append_message(std::vector<std::byte>& to, std::span<const std::byte> message) {
  const Header header = {static_cast<std::uint32_t>(message.size()), checksum_of(message)};
  append(to, &header, sizeof header);
  append(to, message.data(), message.size());
}

// --- writing --------------------------------------------------------------------------------------

RecordingWriter::RecordingWriter(const std::string& path, std::string_view hello, std::string_view scene,
                                 const Snapshot& begin)
    : path_(path), file_(std::fopen(path.c_str(), "wbe")) {
  if (!file_)
    throw Error(Place::file(path_), fmt::format("cannot write it: {}", std::strerror(errno)),
                "Is there such a folder, and may you write to it?");
  const std::vector<std::byte> header = recording_header();
  std::fwrite(header.data(), header.size(), 1, file_.get());
  end_ = header.size();
  stream_.want(wants_of_films);
  index_.hello = put(text_message(MessageKind::hello, hello));
  index_.scene = put(text_message(MessageKind::scene, scene));
  const std::string_view bytes(reinterpret_cast<const char*>(begin.bytes.data()), begin.bytes.size());
  index_.snapshot = put(text_message(MessageKind::snapshot, bytes));
  if (!failure_ && std::fflush(file_.get()) != 0) fail();
  if (failure_) throw Error(*failure_);
}

RecordingWriter::~RecordingWriter() { close(); }

void RecordingWriter::fail() {
  failure_.emplace(Place::file(path_), fmt::format("cannot write it any further: {}", std::strerror(errno)),
                   "What was written can be watched. Is the disk full?");
  file_.reset();
}

std::uint64_t RecordingWriter::put(std::span<const std::byte> message) {
  const std::uint64_t at = end_;
  if (failure_ || !file_) return at;
  const Header header = {static_cast<std::uint32_t>(message.size()), checksum_of(message)};
  if (std::fwrite(&header, sizeof header, 1, file_.get()) != 1 ||
      std::fwrite(message.data(), message.size(), 1, file_.get()) != 1) {
    fail();
    return at;
  }
  end_ += sizeof header + message.size();
  return at;
}

void RecordingWriter::add_state(std::uint64_t step, std::uint64_t hash) {
  put(state_message(step, hash));
  index_.states.push_back({step, hash});
}

void RecordingWriter::add_frame(World& world, const StepReport& report) {
  if (failure_) return;
  if (stream_.update(world)) topology_ = put(stream_.topology());
  const std::uint64_t at = put(stream_.frame(world, report));
  index_.frames.push_back({world.steps(), at, topology_});
}

void RecordingWriter::add_command(std::uint64_t step, std::string_view command) {
  std::vector<std::byte> message = state_message(step, 0);
  message[0] = static_cast<std::byte>(MessageKind::command);
  message.resize(4 + sizeof step);  // without the hash
  append(message, command.data(), command.size());
  index_.commands.push_back({step, put(message)});
}

void RecordingWriter::close() {
  if (!file_ || failure_) return;
  std::vector<std::byte> message = {static_cast<std::byte>(index_kind)};
  for (const std::uint64_t place : {index_.hello, index_.scene, index_.snapshot})
    append(message, &place, sizeof place);
  append_list(message, index_.frames);
  append_list(message, index_.states);
  append_list(message, index_.commands);
  const std::uint64_t at = put(message);
  if (failure_) return;
  std::fwrite(&at, sizeof at, 1, file_.get());
  std::fwrite(last_magic, sizeof last_magic, 1, file_.get());
  if (std::fflush(file_.get()) != 0) return fail();
  file_.reset();
}

// --- reading --------------------------------------------------------------------------------------

void Recording::fail(std::string problem, std::string remedy) const {
  throw Error(Place::file(path_), std::move(problem), std::move(remedy));
}

Recording::Recording(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rbe")) {
  if (!file_) fail(fmt::format("cannot read it: {}", std::strerror(errno)), "Is this the right name?");
  if (std::fseek(file_.get(), 0, SEEK_END) != 0 || std::ftell(file_.get()) < 0)
    fail("it is no file that can be looked through", "Give a recording of `palpate run --record`.");
  size_ = static_cast<std::uint64_t>(std::ftell(file_.get()));
  char begin[sizeof magic];
  std::uint32_t version = 0;
  if (!read(0, begin, sizeof begin) || std::memcmp(begin, magic, sizeof magic) != 0 ||
      !read(sizeof magic, &version, sizeof version))
    fail("this is no recording", "Give one of `palpate run --record`.");
  if (version != stream_version)
    fail(fmt::format("it is a recording of version {}, and this Palpate reads version {}", version,
                     stream_version),
         "Record it again, or use the Palpate that made it.");
  ended_ = read_index();
  if (!ended_) scan();
  if (index_.hello == 0 || index_.scene == 0 || index_.snapshot == 0)
    fail("it is cut off before its first step", "Record it again.");
}

bool Recording::read(std::uint64_t at, void* to, std::size_t size) const {
  return at <= size_ && size <= size_ - at && std::fseek(file_.get(), static_cast<long>(at), SEEK_SET) == 0 &&
         std::fread(to, 1, size, file_.get()) == size;
}

std::optional<std::vector<std::byte>> Recording::try_message(std::uint64_t at) const {
  Header header{};
  if (!read(at, &header, sizeof header) || header.size == 0 || header.size > most_bytes ||
      header.size > size_ - at - sizeof header)
    return {};
  std::vector<std::byte> bytes(header.size);
  if (!read(at + sizeof header, bytes.data(), bytes.size()) || checksum_of(bytes) != header.checksum)
    return {};
  return bytes;
}

std::vector<std::byte> Recording::message(std::uint64_t at) const {
  auto bytes = try_message(at);
  if (!bytes) fail("it is damaged", "Record it again.");
  return std::move(*bytes);
}

std::string Recording::text(std::uint64_t at) const {
  const std::vector<std::byte> bytes = message(at);
  return {reinterpret_cast<const char*>(bytes.data()) + 1, bytes.size() - 1};
}

Snapshot Recording::snapshot() const {
  const std::vector<std::byte> bytes = message(index_.snapshot);
  return {{bytes.begin() + 1, bytes.end()}};
}

std::string Recording::command(std::size_t i) const {
  const std::vector<std::byte> bytes = message(index_.commands[i].at);
  constexpr std::size_t before = 4 + sizeof(std::uint64_t);
  if (bytes.size() < before) fail("it is damaged", "Record it again.");
  return {reinterpret_cast<const char*>(bytes.data()) + before, bytes.size() - before};
}

// False: it was never ended, or that is damaged.
bool Recording::read_index() {
  std::uint64_t at = 0;
  char end[sizeof last_magic];
  constexpr std::uint64_t tail = sizeof at + sizeof last_magic;
  if (size_ < header_size + tail || !read(size_ - tail, &at, sizeof at) ||
      !read(size_ - sizeof end, end, sizeof end) || std::memcmp(end, last_magic, sizeof end) != 0)
    return false;
  const auto message = try_message(at);
  constexpr std::size_t lists = 1 + 3 * sizeof(std::uint64_t);
  if (!message || message->size() < lists || (*message)[0] != static_cast<std::byte>(index_kind))
    return false;
  RecordingIndex index;
  index.hello = number_at<std::uint64_t>(*message, 1);
  index.scene = number_at<std::uint64_t>(*message, 1 + sizeof(std::uint64_t));
  index.snapshot = number_at<std::uint64_t>(*message, 1 + 2 * sizeof(std::uint64_t));
  std::span<const std::byte> rest = std::span(*message).subspan(lists);
  if (!take_list(rest, index.frames) || !take_list(rest, index.states) || !take_list(rest, index.commands))
    return false;
  index_ = std::move(index);
  return true;
}

// From the start, as far as messages are whole.
void Recording::scan() {
  std::uint64_t topology = 0;
  for (std::uint64_t at = header_size;;) {
    const auto message = try_message(at);
    if (!message) return;
    constexpr std::size_t step_at = 4;
    const auto has = [&](std::size_t size) { return message->size() >= size; };
    switch (kind_of(*message)) {
      case MessageKind::hello:
        index_.hello = at;
        break;
      case MessageKind::scene:
        index_.scene = at;
        break;
      case MessageKind::snapshot:
        index_.snapshot = at;
        break;
      case MessageKind::topology:
        topology = at;
        break;
      case MessageKind::frame:
        if (topology != 0 && has(16))
          index_.frames.push_back({number_at<std::uint64_t>(*message, 8), at, topology});
        break;
      case MessageKind::state:
        if (has(20))
          index_.states.push_back(
              {number_at<std::uint64_t>(*message, step_at), number_at<std::uint64_t>(*message, 12)});
        break;
      case MessageKind::command:
        if (has(12)) index_.commands.push_back({number_at<std::uint64_t>(*message, step_at), at});
        break;
      case MessageKind::answer:  // of servers
      case MessageKind::status:
      case MessageKind::parameters:
      case MessageKind::gallery:
        break;
    }
    at += sizeof(Header) + message->size();
  }
}

}  // namespace palpate
