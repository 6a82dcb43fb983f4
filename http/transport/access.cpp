#include "http/transport/access.hpp"

#include "http/transport/head_check.hpp"

#include <algorithm>
#include <charconv>

namespace callboard::http {

namespace {

namespace ip = boost::asio::ip;

ip::address_v6 as_v6(const ip::address& a) {
  return a.is_v6() ? a.to_v6() : ip::make_address_v6(ip::v4_mapped, a.to_v4());
}

bool is_local_host(std::string_view host) {
  // A colon inside brackets is part of an IPv6 address.
  const auto name = host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
  return equal_ignoring_case(name, "localhost") || name == "127.0.0.1" || name == "[::1]";
}

bool is_forwarding(std::string_view field) {
  constexpr std::string_view prefix = "x-forwarded-";
  return equal_ignoring_case(field, "forwarded") || equal_ignoring_case(field.substr(0, prefix.size()), prefix);
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme))
      return equal_ignoring_case(origin.substr(scheme.size()), host);
  return false;
}

bool is_read(std::string_view method) { return method == "GET" || method == "OPTIONS"; }

refusal forbidden(std::string message) { return {code::forbidden, std::move(message), {}}; }

}  // namespace

bool access_rules::network::contains(const ip::address_v6& other) const {
  const auto a = address.to_bytes();
  const auto b = other.to_bytes();
  const auto whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin()))
    return false;
  return bits % 8 == 0 || ((a[whole] ^ b[whole]) >> (8 - bits % 8)) == 0;
}

access_rules::access_rules(const config::settings& s) : is_open_{s.auth_mode == "open"}, origins_{s.http_cors_origins} {
  for (const std::string_view written : s.http_trusted_proxies) {
    const auto slash = std::min(written.find('/'), written.size());
    const auto address = ip::make_address(written.substr(0, slash));
    unsigned bits = address.is_v4() ? 32 : 128;
    if (slash < written.size())
      std::from_chars(written.data() + slash + 1, written.data() + written.size(), bits);
    proxies_.push_back({as_v6(address), address.is_v4() ? bits + 96 : bits});
  }
}

bool access_rules::is_trusted_proxy(const ip::address& peer) const {
  return std::any_of(proxies_.begin(), proxies_.end(),
                     [from = as_v6(peer)](const network& n) { return n.contains(from); });
}

bool access_rules::shares_with(std::string_view origin) const {
  return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

std::shared_ptr<const principal> access_rules::identify(const request_context&) const {
  static const auto anonymous = std::make_shared<const principal>();
  return anonymous;
}

std::optional<refusal> access_rules::refuse(const request_context& x, const ip::address& peer) const {
  if (!is_open_)
    return std::nullopt;
  // A Host that is not local means that a web page made its own name resolve to this address (DNS rebinding).
  const auto host = x.header("host");
  if (!is_local_host(host))
    return forbidden("Host must be localhost, 127.0.0.1 or [::1]");
  const bool is_forwarded =
      std::any_of(x.headers.begin(), x.headers.end(), [](const auto& h) { return is_forwarding(h.first); });
  if (is_forwarded && !is_trusted_proxy(peer))
    return forbidden("forwarded by a proxy that http.trusted_proxies does not name");
  // Any web page can make its browser send a POST here; the browser names the page's origin.
  if (const auto origin = x.header("origin");
      !origin.empty() && !is_read(x.method) && !is_same_origin(origin, host) && !shares_with(origin))
    return forbidden("pages of this origin may not write here");
  return std::nullopt;
}

}  // namespace callboard::http
