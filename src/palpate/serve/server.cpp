#include <palpate/serve/server.h>

#include <array>
#include <atomic>
#include <deque>
#include <filesystem>
#include <set>
#include <utility>  // which Asio's coroutine headers of Boost 1.74 forget

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/base/error.h>
#include <palpate/report/web_files.h>
#include <palpate/report/world_stream.h>
#include <palpate/scene/live_command.h>
#include <palpate/serve/request_checks.h>
#include <palpate/serve/token.h>

namespace palpate {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
namespace websocket = beast::websocket;
using net::ip::tcp;
using std::chrono::seconds;

constexpr auto request_time = seconds(15), handshake_time = seconds(10);
constexpr std::size_t most_connections = 64, most_answers = 2000;
constexpr std::uint32_t most_header = 16 * 1024;
constexpr int ports_to_try = 100;
// What the system takes from us for one that is slow: frames in there get old, and are sent nevertheless.
constexpr int most_unread = 256 * 1024;

// Scripts and styles of ours alone; the page needs nothing from anywhere else.
constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "
    "'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

// --- what all connections share ---

class Viewer;

// Connections live in the handlers that wait in `io`: they end with it, and what they touch must stand before
// it.
struct Server::Inner : std::enable_shared_from_this<Server::Inner> {
  Inner(Show& what, const ServerOptions& of) : show(what), options(of) {}

  void listen();
  void accept();
  void pump_all();
  // Whether a Host header is this machine: by what was asked for or, where others can ask, by its own name.
  bool is_own_name(std::string_view name) const {
    return is_own_host(name, options.host) || (!machine.empty() && is_own_host(name, machine));
  }

  Show& show;
  ServerOptions options;
  std::set<Viewer*> viewers;
  std::size_t connections = 0;
  ViewerId next_viewer = 1;
  std::atomic<bool> pump_wanted{false};
  std::string machine;  // its name, where it can be reached from elsewhere
  net::io_context io{1};
  tcp::acceptor acceptor{io};
  net::signal_set signals{io};
  net::steady_timer pause{io};  // after an accept that failed
};

// --- a viewer: a WebSocket ---

class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(Server::Inner& server, beast::tcp_stream stream)
      : server_(server), id_(server.next_viewer++), socket_(std::move(stream)) {
    ++server_.connections;
  }
  ~Viewer() {
    --server_.connections;
    server_.viewers.erase(this);
    server_.show.viewer_left(id_);
  }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  void begin(const http::request<http::empty_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();
    // Pings go out when it is silent; one that does not answer, or does not read, is gone.
    socket_.set_option(websocket::stream_base::timeout{handshake_time, server_.options.silence, true});
    socket_.read_message_max(longest_command);
    socket_.binary(true);
    socket_.auto_fragment(false);  // frames go out in one piece
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code failed) {
      if (failed) return;
      self->server_.viewers.insert(self.get());
      self->server_.show.viewer_came(self->id_);
      self->read();
      self->pump();
    });
  }

  // Sends what is new, one message at a time: what waits is always the latest.
  void pump() {
    if (writing_ || closed_) return;
    if (!answers_.empty()) {
      current_ = std::move(answers_.front());
      answers_.pop_front();
      return write();
    }
    const Picture now = server_.show.latest();
    for (const auto part : {&Picture::status, &Picture::gallery, &Picture::hello, &Picture::parameters,
                            &Picture::topology, &Picture::frame}) {
      if (now.*part == sent_.*part) continue;
      sent_.*part = now.*part;
      if (!(now.*part)) continue;
      current_ = now.*part;
      return write();
    }
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code failed, std::size_t) {
      if (failed) return self->end();
      self->take();
      self->read();
    });
  }

  void take() {
    std::string text = beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    server_.show.submit(id_, std::move(text),
                        [weak = weak_from_this(), server = server_.weak_from_this()](std::string json) {
                          const auto running = server.lock();
                          if (!running) return;
                          net::post(running->io, [weak, json = std::move(json)] {
                            if (const auto viewer = weak.lock()) viewer->answer(json);
                          });
                        });
  }

  void answer(const std::string& json) {
    if (answers_.size() >= most_answers) return end();  // it asks and does not listen
    answers_.push_back(
        std::make_shared<const std::vector<std::byte>>(text_message(MessageKind::answer, json)));
    pump();
  }

  void write() {
    writing_ = true;
    // One that does not read is dropped, even if it pings.
    patience_.expires_after(server_.options.silence);
    patience_.async_wait([weak = weak_from_this()](beast::error_code stopped) {
      const auto viewer = weak.lock();
      if (!stopped && viewer) viewer->end();
    });
    socket_.async_write(net::buffer(current_->data(), current_->size()),
                        [self = shared_from_this()](beast::error_code failed, std::size_t) {
                          self->writing_ = false;
                          self->patience_.cancel();
                          self->current_.reset();
                          if (failed) return self->end();
                          self->pump();
                        });
  }

  void end() {
    closed_ = true;
    beast::error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  Server::Inner& server_;
  ViewerId id_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer buffer_;
  std::deque<Message> answers_;
  Message current_;
  Picture sent_;
  bool writing_ = false, closed_ = false;
  net::steady_timer patience_{server_.io};
};

// --- a request for a page or a file ---

namespace {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server::Inner& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    ++server_.connections;
  }
  ~Connection() { --server_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(most_header);
    parser_->body_limit(0);
    stream_.expires_after(request_time);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code failed, std::size_t) {
                       if (!failed) return self->take(self->parser_->release());
                       if (failed == http::error::end_of_stream) return self->close();
                       if (failed.category() == http::make_error_code(http::error::bad_method).category())
                         self->refuse_and_close();
                     });
  }

 private:
  using Request = http::request<http::empty_body>;

  // Nothing was learnt of who asks; what follows may be meant as another request.
  void refuse_and_close() {
    Request broken;
    broken.version(11);
    broken.keep_alive(false);
    refuse(broken, http::status::bad_request, "This is no request that can be read.");
  }

  void take(const Request& request) {
    const std::string_view host = plain(request[http::field::host]);
    if (!server_.is_own_name(host))
      return refuse(request, http::status::misdirected_request,
                    "This server is not known by this name. Use the address that it printed.");
    if (const auto origin = request.find(http::field::origin);
        origin != request.end() && !is_own_origin(plain(origin->value()), host))
      return refuse(request, http::status::forbidden, "Pages from elsewhere may not ask here.");
    const Target target = parse_target(plain(request.target()));
    if (!target.path.starts_with('/'))
      return refuse(request, http::status::bad_request, "A path begins with '/'.");
    const bool knows = same_token(server_.options.token, target.token);
    if (target.path == "/stream") {
      if (!knows) return refuse(request, http::status::forbidden, wrong_token);
      if (!websocket::is_upgrade(request))
        return refuse(request, http::status::upgrade_required, "This is a WebSocket.");
      return std::make_shared<Viewer>(server_, std::move(stream_))->begin(request);
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return refuse(request, http::status::method_not_allowed, "Only GET and HEAD are answered.");
    if (const auto file = server_.show.file(target.path)) {
      if (file->secret && !knows) return refuse(request, http::status::forbidden, wrong_token);
      return send_file(request, *file);
    }
    const std::string name = target.path == "/" ? "index.html" : target.path.substr(1);
    const std::string_view bytes = name != "player.js" ? web_file(name) : "";
    if (bytes.empty()) return refuse(request, http::status::not_found, "There is nothing here.");
    send(request, http::status::ok, type_of(name), bytes);
  }

  template <class Body>
  void finish(const Request& request, http::response<Body>&& response) {
    response.version(request.version() == 10 ? 10 : 11);
    response.keep_alive(request.keep_alive());
    response.set(http::field::server, "palpate");
    response.set("Content-Security-Policy", policy);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set(http::field::cache_control, "no-store");
    write_part(std::make_shared<Sending<Body>>(std::move(response)));
  }

  template <class Body>
  struct Sending {
    explicit Sending(http::response<Body>&& whole) : response(std::move(whole)) {}
    http::response<Body> response;
    http::response_serializer<Body> serializer{response};
  };
  // In parts, each with its own time: a long file may take long.
  template <class Body>
  void write_part(std::shared_ptr<Sending<Body>> sending) {
    stream_.expires_after(request_time);
    http::async_write_some(stream_, sending->serializer,
                           [self = shared_from_this(), sending](beast::error_code failed, std::size_t) {
                             if (failed) return;
                             if (!sending->serializer.is_done()) return self->write_part(sending);
                             if (sending->response.need_eof()) return self->close();
                             self->read();
                           });
  }

  void send(const Request& request, http::status status, std::string_view type, std::string_view bytes) {
    if (request.method() == http::verb::head) {
      http::response<http::empty_body> response(status, 11);
      response.set(http::field::content_type, beast::string_view(type.data(), type.size()));
      response.content_length(bytes.size());
      return finish(request, std::move(response));
    }
    http::response<http::string_body> response(status, 11);
    response.set(http::field::content_type, beast::string_view(type.data(), type.size()));
    response.body() = bytes;
    response.prepare_payload();
    finish(request, std::move(response));
  }

  void refuse(const Request& request, http::status status, std::string_view why) {
    send(request, status, "text/plain; charset=utf-8", why);
  }

  void send_file(const Request& request, const Show::File& file) {
    beast::error_code failed;
    http::file_body::value_type body;
    body.open(file.path.c_str(), beast::file_mode::scan, failed);
    if (failed) return refuse(request, http::status::not_found, "This file cannot be read any more.");
    http::response<http::file_body> response(http::status::ok, 11);
    response.set(http::field::content_type, file.type);
    const auto size = body.size();
    if (request.method() == http::verb::head) {
      http::response<http::empty_body> head(std::move(response.base()));
      head.content_length(size);
      return finish(request, std::move(head));
    }
    response.body() = std::move(body);
    response.content_length(size);
    finish(request, std::move(response));
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  static constexpr std::string_view wrong_token =
      "The token is not that of this server. Use the address that it printed.";
  Server::Inner& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
};

}  // namespace

// --- the server ---

void Server::Inner::listen() {
  const Place here = Place::named("address", fmt::format("{}:{}", options.host, options.port));
  beast::error_code failed;
  net::ip::address address = net::ip::make_address(options.host, failed);
  if (failed) {
    tcp::resolver resolver(io);
    const auto found = resolver.resolve(options.host, "", failed);
    if (failed || found.empty())
      throw Error(here, "there is no machine of this name", "Use 127.0.0.1, or 0.0.0.0 for all networks.");
    address = found.begin()->endpoint().address();
  }
  const int tries = options.next_free && options.port != 0 ? ports_to_try : 1;
  for (int i = 0; i < tries && options.port + i <= 65535; ++i) {
    const tcp::endpoint place(address, static_cast<std::uint16_t>(options.port + i));
    failed = {};
    acceptor.open(place.protocol(), failed);
    // Not for whoever is started from here: a browser would keep the port when we are gone.
    if (!failed) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    if (!failed) acceptor.set_option(net::socket_base::reuse_address(true), failed);
    if (!failed) acceptor.bind(place, failed);
    if (!failed) acceptor.listen(net::socket_base::max_listen_connections, failed);
    if (!failed) return;
    beast::error_code ignored;
    acceptor.close(ignored);
    if (failed != net::error::address_in_use) break;
  }
  throw Error(here, fmt::format("it cannot be listened on: {}", failed.message()),
              failed == net::error::address_in_use ? "Choose another --port, or 0 for any that is free."
                                                   : "Choose another --host or --port.");
}

void Server::Inner::accept() {
  acceptor.async_accept([this](beast::error_code failed, tcp::socket socket) {
    if (failed == net::error::operation_aborted) return;
    if (failed) {  // no more files, perhaps: try again when others have ended
      pause.expires_after(std::chrono::milliseconds(100));
      pause.async_wait([this](beast::error_code stopped) {
        if (!stopped) accept();
      });
      return;
    }
    beast::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(net::socket_base::send_buffer_size(most_unread), ignored);
    // Whoever comes when all places are taken is let go without a word.
    if (connections < most_connections) std::make_shared<Connection>(*this, std::move(socket))->read();
    accept();
  });
}

void Server::Inner::pump_all() {
  // A viewer that fails ends itself, and leaves the set when nobody holds it any more.
  const std::vector<Viewer*> now(viewers.begin(), viewers.end());
  for (Viewer* viewer : now) viewer->pump();
}

Server::Server(Show& show, const ServerOptions& options) : inner_(std::make_shared<Inner>(show, options)) {
  if (options.token.empty())
    throw Error(Place::named("server", options.host), "it has no token", "Give it one: see random_token().");
  inner_->listen();
  if (!is_loopback()) {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) inner_->machine = name.data();
  }
  show.on_change([weak = std::weak_ptr(inner_)] {
    const auto inner = weak.lock();
    if (!inner || inner->pump_wanted.exchange(true)) return;
    net::post(inner->io, [weak] {
      const auto running = weak.lock();
      if (!running) return;
      running->pump_wanted = false;
      running->pump_all();
    });
  });
  inner_->accept();
}

Server::~Server() {
  stop();
  inner_->show.on_change({});
}

std::uint16_t Server::port() const { return inner_->acceptor.local_endpoint().port(); }

bool Server::is_loopback() const { return inner_->acceptor.local_endpoint().address().is_loopback(); }

std::string Server::address() const {
  const net::ip::address bound = inner_->acceptor.local_endpoint().address();
  // Where it listens everywhere, this machine is one of the places.
  std::string host = inner_->options.host;
  if (bound.is_unspecified()) host = inner_->machine.empty() ? "127.0.0.1" : inner_->machine;
  if (bound.is_v6() && host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/?token={}", host, port(), inner_->options.token);
}

void Server::run() {
  for (;;) {
    try {
      inner_->io.run();
      return;
    } catch (
        const std::exception&) {  // NOLINT(bugprone-empty-catch): one connection's; it ends, others go on
    }
  }
}
void Server::stop() { inner_->io.stop(); }

void Server::stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM}) inner_->signals.add(signal);
  inner_->signals.async_wait([this](beast::error_code failed, int) {
    if (!failed) stop();
  });
}

}  // namespace palpate
