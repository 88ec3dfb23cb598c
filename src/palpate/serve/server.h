// HTTP and WebSocket on one port: the page, its files, and the stream of what is shown.
//
// One thread does all of it, that of run(). It holds nothing up: what viewers have not yet read is replaced
// by what is newer, and one that does not read at all is dropped after a while. Who may see what: only
// requests that name this machine (no page of others can make a browser ask in its name), and only those who
// know the token get the stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <palpate/serve/show.h>

namespace palpate {

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address, or a name of this machine
  std::uint16_t port = 8080;       // 0: any
  bool next_free = true;           // the next one that is free, where it is taken
  std::string token;
  // A viewer of which nothing is heard, or that does not read what it is sent, for so long is dropped.
  std::chrono::milliseconds silence = std::chrono::seconds(30);
};

class Server {
 public:
  // Throws Error if it cannot listen. `show` outlives it.
  Server(Show& show, const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  std::string address() const;  // of the page, with the token
  bool is_loopback() const;     // nobody else can reach it

  void run();   // until it is stopped
  void stop();  // from any thread
  // SIGINT and SIGTERM stop it.
  void stop_on_signals();

  struct Inner;  // what its connections share

 private:
  std::shared_ptr<Inner> inner_;
};

}  // namespace palpate
