// serve/. The case:
//
//   tori-51200    the first steps of scenes/tori-51200.toml on a session's own thread, as fast as they go, on
//                 all threads: with nobody watching, and with a viewer on a socket that reads every frame
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <palpate/serve/server.h>

#include "benchmarks.h"
#include "scene_steps.h"

namespace palpate::bench {

namespace {

constexpr std::uint64_t steps = 60;
constexpr const char* alone = "nobody watches";
constexpr const char* watched = "one viewer";
constexpr const char* token = "bench";

// A client that reads all it gets, and thinks nothing of it.
class Reader {
 public:
  explicit Reader(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string hello = fmt::format(
        "GET /stream?token={} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        token);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 ||
        ::send(socket_, hello.data(), hello.size(), 0) != static_cast<ssize_t>(hello.size()))
      throw std::runtime_error("no connection");
    thread_ = std::thread([this] {
      std::vector<char> buffer(1 << 18);
      for (ssize_t got = 0; (got = ::recv(socket_, buffer.data(), buffer.size(), 0)) > 0;)
        bytes_ += static_cast<std::uint64_t>(got);
    });
  }
  ~Reader() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  std::uint64_t bytes() const { return bytes_; }

 private:
  int socket_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::thread thread_;
};

class Viewed {
 public:
  Viewed() : show_({.session = {.playing = false}}), server_(show_, {.port = 0, .token = token}) {
    show_.play(std::make_unique<LiveWorld>(scene_of("tori-51200", {}), "tori-51200.toml"), "tori-51200");
    thread_ = std::thread([this] { server_.run(); });
  }
  ~Viewed() {
    reader_.reset();
    server_.stop();
    thread_.join();
  }
  void prepare(bool with_viewer) {
    if (!with_viewer) reader_.reset();
    ask(R"({"do":"reset"})");
    if (with_viewer && !reader_) reader_ = std::make_unique<Reader>(server_.port());
    if (with_viewer)
      while (reader_->bytes() < 100'000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void run() {
    const std::uint64_t before = reader_ ? reader_->bytes() : 0;
    ask(fmt::format(R"({{"do":"step","steps":{}}})", steps));
    const std::string last = fmt::format("\"step\":{}", steps);
    std::string state;
    while ((state = ask(R"({"do":"state"})")).find(last) == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    hash_ = std::stoull(state.substr(state.find("\"hash\":\"") + 8, 16), nullptr, 16);
    if (reader_) bytes_ = static_cast<double>(reader_->bytes() - before) / static_cast<double>(steps);
  }
  double bytes() const { return bytes_; }
  std::uint64_t hash() const { return hash_; }  // of the world after the last step

 private:
  std::string ask(const std::string& command) {
    std::atomic<bool> answered = false;
    std::string answer;
    show_.submit(0, command, [&](std::string with) {
      answer = std::move(with);
      answered = true;
      answered.notify_all();
    });
    answered.wait(false);
    return answer;
  }
  Show show_;
  Server server_;
  std::thread thread_;
  std::unique_ptr<Reader> reader_;
  double bytes_ = 0;
  std::uint64_t hash_ = 0;
};

std::vector<Method> tori() {
  const auto viewed = std::make_shared<Viewed>();
  Method without, with;
  without.name = alone;
  without.role = Role::reference;
  without.prepare = [viewed] { viewed->prepare(false); };
  without.run = [viewed] { viewed->run(); };
  without.result = with.result = [viewed] { return viewed->hash(); };
  with.name = watched;
  with.prepare = [viewed] { viewed->prepare(true); };
  with.run = [viewed] { viewed->run(); };
  with.facts = [viewed] {
    return std::vector<std::pair<std::string, double>>{{"bytes_a_step", viewed->bytes()}};
  };
  return {without, with};
}

std::vector<Conclusion> conclude(const std::vector<Row>& rows) {
  std::vector<Conclusion> all;
  for (const Row& row : rows)
    if (row.method == watched && row.ratio_reference)
      all.push_back(
          {"viewer_cost", 1 / *row.ratio_reference - 1, 0.05,
           fmt::format("a viewer costs {:.1f} % of a step and gets {:.0f} bytes of each (must: below 5 %)",
                       100 * (1 / *row.ratio_reference - 1), fact(row, "bytes_a_step"))});
  return all;
}

}  // namespace

Benchmark view() {
  return {"view", "steps with somebody watching, and without",
          [](bool quick) {
            return std::vector<Case>{{"tori-51200", steps, tori, quick ? 3u : 15u}};
          },
          conclude};
}

}  // namespace palpate::bench
