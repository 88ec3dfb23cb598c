// The server, asked as browsers ask, and as nobody should.
#include <palpate/serve/server.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <report/stream_samples.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/scene/read_scene.h>

namespace palpate::testing {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using net::ip::tcp;
using nlohmann::json;
using namespace std::chrono_literals;
using WebSocket = beast::websocket::stream<tcp::socket>;

constexpr const char* token = "0123456789abcdef0123456789abcdef";
const std::string all_of_it = std::string("/stream?token=") + token;

class Served : public ::testing::Test {
 protected:
  explicit Served(std::chrono::milliseconds silence = ServerOptions{}.silence) {
    show.play(std::make_unique<LiveWorld>(stream_scene(), "everything.toml"), "everything");
    server = std::make_unique<Server>(show, ServerOptions{.port = 0, .token = token, .silence = silence});
    thread = std::thread([this] { server->run(); });
  }
  ~Served() override {
    server->stop();
    thread.join();
  }

  // `unread`: about so many bytes wait with the client when it does not read; 0: as many as the system likes.
  tcp::socket connect(int unread = 0) {
    tcp::socket socket(io, tcp::v4());
    if (unread > 0) socket.set_option(net::socket_base::receive_buffer_size(unread));
    socket.connect({net::ip::make_address("127.0.0.1"), server->port()});
    return socket;
  }
  std::string host() const { return fmt::format("127.0.0.1:{}", server->port()); }
  http::response<http::string_body> get(const std::string& target, http::verb verb = http::verb::get,
                                        const std::string& as_host = {}, const std::string& origin = {}) {
    tcp::socket socket = connect();
    http::request<http::empty_body> request(verb, target, 11);
    request.set(http::field::host, as_host.empty() ? host() : as_host);
    if (!origin.empty()) request.set(http::field::origin, origin);
    http::write(socket, request);
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.skip(verb == http::verb::head);
    parser.body_limit(1 << 26);
    http::read(socket, buffer, parser);
    return parser.release();
  }
  // What is answered to bytes as they are; empty: it was closed.
  std::string raw(const std::string& bytes) {
    tcp::socket socket = connect();
    beast::error_code failed;
    net::write(socket, net::buffer(bytes), failed);
    socket.shutdown(tcp::socket::shutdown_send, failed);
    std::string out(4096, '\0');
    out.resize(net::read(socket, net::buffer(out), failed));
    return out;
  }
  std::unique_ptr<WebSocket> stream(const std::string& target = all_of_it, const std::string& origin = {},
                                    int unread = 0) {
    auto socket = std::make_unique<WebSocket>(connect(unread));
    if (!origin.empty())
      socket->set_option(beast::websocket::stream_base::decorator(
          [origin](beast::websocket::request_type& request) { request.set(http::field::origin, origin); }));
    socket->handshake(host(), target);
    return socket;
  }
  static std::vector<std::byte> read(WebSocket& socket) {
    beast::flat_buffer buffer;
    socket.read(buffer);
    std::vector<std::byte> message(buffer.size());
    net::buffer_copy(net::buffer(message), buffer.data());
    return message;
  }
  // The next message of a kind, whatever comes before.
  static std::vector<std::byte> next(WebSocket& socket, MessageKind kind) {
    for (int i = 0; i < 10000; ++i)
      if (std::vector<std::byte> message = read(socket); static_cast<MessageKind>(message.at(0)) == kind)
        return message;
    throw std::runtime_error("no such message");
  }
  static json ask(WebSocket& socket, const std::string& command) {
    socket.text(true);
    socket.write(net::buffer(command));
    const std::vector<std::byte> answer = next(socket, MessageKind::answer);
    return json::parse(reinterpret_cast<const char*>(answer.data()) + 1,
                       reinterpret_cast<const char*>(answer.data()) + answer.size());
  }
  template <class Work>
  static beast::error_code failure_of(Work&& work) {
    try {
      work();
    } catch (const beast::system_error& error) {
      return error.code();
    }
    return {};
  }

  net::io_context io;
  Show show{ShowOptions{}};
  std::unique_ptr<Server> server;
  std::thread thread;
};

TEST_F(Served, HasThePageWithItsPolicy) {
  const auto page = get("/");
  EXPECT_EQ(page.result(), http::status::ok);
  EXPECT_NE(page.body().find("<!"), std::string::npos);
  const std::string policy(page["Content-Security-Policy"]);
  EXPECT_NE(policy.find("script-src 'self'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(page["X-Content-Type-Options"], "nosniff");
  EXPECT_EQ(get("/page.js").result(), http::status::ok);
  const auto head = get("/page.js", http::verb::head);
  EXPECT_EQ(head.result(), http::status::ok);
  EXPECT_TRUE(head.body().empty());
}

TEST_F(Served, RefusesWhoShouldNotAsk) {
  for (const char* path : {"/nothing", "/../server.cpp", "/%2e%2e/x", "/pictures/../../x", "//",
                           "/page.js/..", "/player.js", "/recording", "/web_files_data.cpp"})
    EXPECT_EQ(get(path).result(), http::status::not_found) << path;
  EXPECT_EQ(get("/", http::verb::get, "example.org").result(), http::status::misdirected_request);
  EXPECT_EQ(get("/", http::verb::get, {}, "http://example.org").result(), http::status::forbidden);
  EXPECT_EQ(get("/", http::verb::get, {}, "http://" + host()).result(), http::status::ok);
  for (const http::verb verb : {http::verb::post, http::verb::put, http::verb::delete_, http::verb::options})
    EXPECT_EQ(get("/", verb).result(), http::status::method_not_allowed);
  EXPECT_EQ(get("/stream?token=wrong").result(), http::status::forbidden) << "by which a page knows";
  EXPECT_EQ(get(std::string("/stream?token=") + token).result(), http::status::upgrade_required);
}

TEST_F(Served, SurvivesWhatIsNoRequest) {
  for (const std::string& bytes :
       {std::string("\0\1\2\3", 4), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(100000, 'a') + "\r\n\r\n", std::string(100000, 'A'),
        std::string("GET / HTTP/1.1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n")}) {
    const std::string answer = raw(bytes);
    EXPECT_EQ(answer.find("200 OK"), std::string::npos);
  }
  // What follows a request that could not be read is not another one, and there is one answer.
  const std::string inner = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string smuggled = raw(fmt::format(
      "POST / HTTP/1.1\r\nHost: example.org\r\nContent-Length: {}\r\n\r\n{}", inner.size(), inner));
  EXPECT_EQ(smuggled.find("200 OK"), std::string::npos);
  EXPECT_EQ(smuggled.find("HTTP/1.1 "), smuggled.rfind("HTTP/1.1 "));
  EXPECT_NE(raw("GET ?x HTTP/1.1\r\nHost: localhost\r\n\r\n").find("400"), std::string::npos);
  EXPECT_EQ(get("/").result(), http::status::ok) << "and goes on";
}

TEST_F(Served, TheStreamNeedsTheTokenAndOurPage) {
  EXPECT_EQ(failure_of([&] { stream("/stream"); }), beast::websocket::error::upgrade_declined);
  EXPECT_EQ(failure_of([&] { stream("/stream?token=wrong"); }), beast::websocket::error::upgrade_declined);
  EXPECT_EQ(failure_of([&] { stream(std::string("/other?token=") + token); }),
            beast::websocket::error::upgrade_declined);
  EXPECT_EQ(failure_of([&] { stream(std::string("/stream?token=") + token, "http://example.org"); }),
            beast::websocket::error::upgrade_declined);
  EXPECT_FALSE(failure_of([&] { stream(std::string("/stream?token=") + token, "http://" + host()); }));
}

TEST_F(Served, SendsAllThatIsNeededInOrder) {
  const auto socket = stream();
  std::vector<MessageKind> kinds;
  while (kinds.empty() || kinds.back() != MessageKind::frame)
    kinds.push_back(static_cast<MessageKind>(read(*socket)[0]));
  // Status may come again between them.
  std::erase(kinds, MessageKind::status);
  EXPECT_EQ(kinds, (std::vector{MessageKind::hello, MessageKind::parameters, MessageKind::topology,
                                MessageKind::frame}));
  EXPECT_TRUE(ask(*socket, R"({"id":1,"do":"pause"})").at("ok"));
  const json state = ask(*socket, R"({"id":2,"do":"state"})");
  EXPECT_EQ(state.at("id"), 2);
  EXPECT_EQ(state.at("hash").get<std::string>().size(), 16u);
}

TEST_F(Served, GiantMessagesCloseAndMalformedOnesAreAnswered) {
  const auto socket = stream();
  EXPECT_FALSE(ask(*socket, "{{{{").at("ok"));
  EXPECT_FALSE(ask(*socket, "{\"do\":" + std::string(20000, '[') + std::string(20000, ']') + "}").at("ok"));
  EXPECT_FALSE(ask(*socket, std::string(60000, 'x')).at("ok"));
  const beast::error_code failed = failure_of([&] {
    socket->text(true);
    socket->write(net::buffer(std::string(1 << 20, 'x')));
    for (;;) read(*socket);
  });
  EXPECT_TRUE(failed);
  EXPECT_TRUE(ask(*stream(), R"({"do":"state"})").at("ok")) << "others go on";
}

TEST_F(Served, TenViewersAndOneThatDoesNotRead) {
  const auto deaf = stream();  // and never reads
  std::vector<std::unique_ptr<WebSocket>> viewers;
  for (int i = 0; i < 10; ++i) viewers.push_back(stream());
  for (const auto& viewer : viewers) {
    const auto first = read_frame(next(*viewer, MessageKind::frame));
    const auto later = read_frame(next(*viewer, MessageKind::frame));
    EXPECT_GT(later.step, first.step);
  }
  viewers.clear();
  EXPECT_TRUE(ask(*stream(), R"({"do":"state"})").at("ok"));
}

// What bends is simple, but its surface is not: frames of 120 kB that cost little.
Scene large_frames() {
  return parse_scene(R"(
[world]
gravity = [0, 0, 0]
[contact]
enabled = false
[[body]]
name = "ball"
kind = "soft"
mesh = { shape = "solid-box", size-x = 1, size-y = 1, size-z = 1, cells-x = 1, cells-y = 1, cells-z = 1 }
surface = { shape = "icosphere", radius = 0.4, triangles = 40000 }
material = { density = 1000, young = 1e5, poisson = 0.4 }
)",
                     "large.toml");
}

TEST_F(Served, WhoReadsLateHasWhatIsNewSoon) {
  show.play(std::make_unique<LiveWorld>(large_frames(), "large.toml"), "large");
  const auto slow = stream(all_of_it, {}, 64 * 1024);
  std::uint64_t last = read_frame(next(*slow, MessageKind::frame)).step;
  const auto now = [&] { return read_frame(*show.latest().frame).step; };
  const std::uint64_t begin = now();
  for (int i = 0; i < 2000 && now() < begin + 120; ++i) std::this_thread::sleep_for(10ms);
  const std::uint64_t woken = now();
  ASSERT_GE(woken, begin + 120);
  std::uint64_t widest = 0;
  int old = 0;
  for (; last < woken && old < 1000; ++old) {
    const std::uint64_t step = read_frame(next(*slow, MessageKind::frame)).step;
    ASSERT_GE(step, last);  // the same again, when somebody has just come
    widest = std::max(widest, step - last);
    last = step;
  }
  EXPECT_LE(old, 12) << "frames that were old already";
  EXPECT_GE(widest, 50u) << "the rest was never sent";
}

class ServedImpatiently : public Served {
 protected:
  ServedImpatiently() : Served(2s) {}
  // Until the server says that there are so many; false: it does not, sooner than by default.
  static bool sees(WebSocket& watcher, std::size_t viewers) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < 20s) {
      const std::vector<std::byte> status = read(watcher);
      if (static_cast<MessageKind>(status.at(0)) != MessageKind::status) continue;
      const json told = json::parse(reinterpret_cast<const char*>(status.data()) + 1,
                                    reinterpret_cast<const char*>(status.data()) + status.size());
      if (told.at("viewers") == viewers) return true;
    }
    return false;
  }
};

TEST_F(ServedImpatiently, WhoNeitherReadsNorSpeaksIsDropped) {
  const auto deaf = stream();
  const auto watcher = stream();
  EXPECT_TRUE(sees(*watcher, 2));
  EXPECT_TRUE(sees(*watcher, 1));
  EXPECT_TRUE(ask(*watcher, R"({"do":"state"})").at("ok"));
}

TEST_F(ServedImpatiently, WhoSpeaksAndDoesNotReadIsDropped) {
  show.play(std::make_unique<LiveWorld>(large_frames(), "large.toml"), "large");
  const auto deaf = stream(all_of_it, {}, 64 * 1024);
  const auto watcher = stream();
  EXPECT_TRUE(sees(*watcher, 2));
  deaf->text(true);
  const std::jthread speaking([&](const std::stop_token& ended) {
    beast::error_code failed;
    while (!ended.stop_requested() && !failed) {
      deaf->write(net::buffer(std::string(R"({"do":"state"})")), failed);
      std::this_thread::sleep_for(100ms);
    }
  });
  EXPECT_TRUE(sees(*watcher, 1));
}

TEST_F(Served, TakesTheNextFreePort) {
  Show other(ShowOptions{});
  const Server second(other, {.port = server->port(), .token = token});
  EXPECT_GT(second.port(), server->port());
  EXPECT_NE(second.address().find(fmt::format(":{}/?token={}", second.port(), token)), std::string::npos);
  EXPECT_THROW(Server(other, {.port = server->port(), .next_free = false, .token = token}), Error);
  EXPECT_THROW(Server(other, {.port = 0, .token = ""}), Error) << "everybody would know it";
  EXPECT_THROW(Server(other, {.host = "no such machine", .port = 0, .token = token}), Error);
}

}  // namespace
}  // namespace palpate::testing
