#pragma once

#include "http/transport/admission.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::http {

using tcp_socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, executor>;

/// One connection, from its first request to its end. Everything runs on its io_context's thread,
/// which also checks the timeouts of all connections at intervals, because one list is cheaper than a
/// timer per read.
class session : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
  using clock = std::chrono::steady_clock;

  session(const server_context& e, boost::asio::io_context& io, tcp_socket socket);

  /// Answers requests, one at a time and in order, until either side closes.
  task<void> run();
  /// Answers 503 to a connection above the limit.
  task<void> dismiss();

  /// Ends a wait for the client that has timed out.
  void expire(clock::time_point now);
  /// A wait between two requests ends within `grace`.
  void hurry_if_idle(clock::duration grace);
  void abort();

private:
  enum class read_outcome : std::uint8_t { complete, refused, gone };

  task<read_outcome> read_head();
  task<read_outcome> read_body();
  task<read_outcome> read_chunks();
  task<bool> write_rest(std::string_view rest);
  task<bool> write_stream(stream_source& from);
  task<void> linger();
  void watch_client();
  bool client_is_there();

  std::optional<refusal> admit();
  void explain(const std::exception* what);
  response refusing() const;
  void format(const response& answer);
  bool write_at_once(std::string_view& bytes);
  void finish(const response& answer);

  read_outcome refuse(code what, std::string message);
  read_outcome late_or_gone();
  std::string_view buffered() const { return {storage_.data() + begin_, end_ - begin_}; }
  std::string_view behind_head() const { return buffered().substr(head_size_); }
  boost::asio::mutable_buffer room();
  void arm(int timeout_ms) { due_ = clock::now() + std::chrono::milliseconds{timeout_ms}; }
  void disarm() { due_ = clock::time_point::max(); }

  const server_context& server_context_;
  const config::settings& settings_;
  tcp_socket socket_;
  boost::asio::ip::address peer_;

  std::vector<char> storage_;  ///< bytes from the client; those of the current head do not move
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t head_size_ = 0;
  std::size_t body_size_ = 0;  ///< bytes after the head in storage_ that belong to the body
  std::string overrun_;        ///< what was read beyond a chunked body
  std::string out_;

  clock::time_point due_ = clock::time_point::max();  ///< when the current wait for the client times out
  bool is_late_ = false;
  bool is_idle_ = true;          ///< no byte of a next request has arrived
  bool body_is_unread_ = false;  ///< a refused body may stay unread, but then the connection ends
  bool closes_ = false;
  bool cuts_off_ = false;  ///< closes while the client may still be sending

  head_scanner scanner_;
  admission request_;
  std::optional<refusal> no_;  ///< why the current request is refused
};

}  // namespace callboard::http
