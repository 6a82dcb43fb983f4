#pragma once

#include "config/settings.hpp"
#include "http/transport/request_context.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::http {

/// Who may call a server without access keys: only this machine, and no web page of another origin
/// through a browser on it.
class access_rules {
public:
  explicit access_rules(const config::settings& s);

  std::optional<refusal> refuse(const request_context& x, const boost::asio::ip::address& peer) const;

  /// Who asks. The one place that knows about auth.mode: in open mode nobody has to say who they are.
  std::shared_ptr<const principal> identify(const request_context& x) const;

  /// Whether pages of this origin may read answers (http.cors_origins).
  bool shares_with(std::string_view origin) const;

private:
  struct network {
    boost::asio::ip::address_v6 address;  ///< v4 as v4-mapped
    unsigned bits;
    bool contains(const boost::asio::ip::address_v6& other) const;
  };

  bool is_trusted_proxy(const boost::asio::ip::address& peer) const;

  bool is_open_;
  std::vector<network> proxies_;
  std::vector<std::string> origins_;
};

}  // namespace callboard::http
