#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::http {

struct raw_answer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// A blocking socket that sends exactly the bytes it is given.
class raw_client {
public:
  explicit raw_client(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      ::close(socket_);
      throw std::runtime_error{"no connection"};
    }
  }
  raw_client(raw_client&& other) noexcept
      : socket_{std::exchange(other.socket_, -1)}, input_{std::move(other.input_)} {}
  raw_client& operator=(raw_client&&) = delete;
  ~raw_client() {
    if (socket_ >= 0)
      ::close(socket_);
  }

  /// False when the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  /// Closes so that the server sees a reset.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(std::exchange(socket_, -1));
  }
  void shrink_receive_buffer() {
    const int bytes = 4096;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }

  /// The next answer; status 0 when there is none before the end or the timeout.
  raw_answer receive(bool is_head = false, int timeout_ms = 5000) {
    raw_answer out;
    std::size_t end;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos)
      if (!more(timeout_ms))
        return out;
    parse_head(input_.substr(0, end + 2), out);
    input_.erase(0, end + 4);
    const auto length = out.headers.find("content-length");
    const auto size = is_head || length == out.headers.end()
                          ? std::size_t{0}
                          : static_cast<std::size_t>(std::atoll(length->second.c_str()));
    while (input_.size() < size)
      if (!more(timeout_ms))
        return {};
    out.body = input_.substr(0, size);
    input_.erase(0, size);
    return out;
  }

  /// All answers until the connection ends.
  std::vector<raw_answer> receive_all() {
    std::vector<raw_answer> out;
    for (auto next = receive(); next.status != 0; next = receive())
      out.push_back(std::move(next));
    return out;
  }

  /// Everything up to the end of the connection, as it was sent.
  std::string receive_bytes() {
    while (more(5000)) {
    }
    return std::exchange(input_, {});
  }

  raw_answer ask(std::string_view bytes) {
    send(bytes);
    return receive();
  }

  /// Whether the server closes within the time, having sent nothing more.
  bool is_closed(int timeout_ms = 3000) { return input_.empty() && !more(timeout_ms) && ended_; }
  bool has_input(int timeout_ms) { return !input_.empty() || more(timeout_ms); }

private:
  bool more(int timeout_ms) {
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, timeout_ms) != 1)
      return false;
    char bytes[65536];
    const auto n = ::recv(socket_, bytes, sizeof bytes, 0);
    ended_ = n <= 0;
    if (n > 0)
      input_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }

  static void parse_head(const std::string& head, raw_answer& out) {
    out.status = std::atoi(head.c_str() + 9);
    for (auto at = head.find("\r\n") + 2; at < head.size();) {
      const auto end = head.find("\r\n", at);
      const auto colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      for (auto& c : name)
        c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
      out.headers[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
  }

  int socket_;
  std::string input_;
  bool ended_ = false;
};

}  // namespace callboard::http
