#include "config/forms.hpp"

#include "config/settings.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace callboard::config {

namespace {

struct ip {
  std::array<unsigned char, 16> bytes{};
  bool v6 = false;
};

std::optional<ip> parse_ip(std::string_view written) {
  const std::string terminated{written};
  ip parsed;
  if (inet_pton(AF_INET, terminated.c_str(), parsed.bytes.data()) == 1)
    return parsed;
  parsed.v6 = true;
  if (inet_pton(AF_INET6, terminated.c_str(), parsed.bytes.data()) == 1)
    return parsed;
  return std::nullopt;
}

bool is_postgres(std::string_view store) {
  return store.starts_with("postgresql://") || store.starts_with("postgres://");
}

struct extent {
  std::size_t begin;
  std::size_t end;
};

// The parts of a URL that are passwords: between user and host, and in parameters.
std::vector<extent> find_passwords(std::string_view url) {
  std::vector<extent> found;
  const auto note = [&](std::size_t begin, std::size_t end) {
    if (begin < end)
      found.push_back({begin, end});
  };
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos)
    return found;
  const auto start = scheme + 3;
  const auto query = std::min(url.find('?', start), url.size());
  // Up to the last @, even after a slash: no part of a password with an unescaped / or @ may be shown.
  const auto at = url.substr(0, query).rfind('@');
  if (at != std::string_view::npos && at >= start)
    if (const auto colon = url.find(':', start); colon < at)
      note(colon + 1, at);
  for (auto begin = query + 1; begin < url.size();) {
    const auto end = std::min(url.find('&', begin), url.size());
    const auto parameter = url.substr(begin, end - begin);
    for (const std::string_view secret : {"password=", "sslpassword="})
      if (parameter.starts_with(secret))
        note(begin + secret.size(), end);
    begin = end + 1;
  }
  return found;
}

}  // namespace

bool is_store(std::string_view written) {
  if (is_postgres(written))
    return written.size() > written.find("://") + 3;
  if (written == "sqlite::memory:")
    return true;
  // sqlite:///x means a relative path to some tools and an absolute one to others.
  return written.starts_with("sqlite:") && written.size() > 7 && written[7] != ':' && !written.starts_with("sqlite://");
}

bool is_address(std::string_view written) { return parse_ip(written).has_value(); }

bool is_loopback(std::string_view address) {
  const auto parsed = parse_ip(address);
  if (!parsed)
    return false;
  if (!parsed->v6)
    return parsed->bytes[0] == 127;
  constexpr std::array<unsigned char, 12> mapped_v4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(mapped_v4.begin(), mapped_v4.end(), parsed->bytes.begin()))
    return parsed->bytes[12] == 127;
  return parsed->bytes.back() == 1 &&
         std::all_of(parsed->bytes.begin(), parsed->bytes.end() - 1, [](unsigned char byte) { return byte == 0; });
}

bool is_network(std::string_view written) {
  const auto slash = written.find('/');
  const auto address = parse_ip(written.substr(0, slash));
  if (!address || slash == std::string_view::npos)
    return address.has_value();
  const auto digits = written.substr(slash + 1);
  int bits = -1;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  return problem == std::errc{} && end == digits.data() + digits.size() && bits >= 0 &&
         bits <= (address->v6 ? 128 : 32);
}

bool is_origin(std::string_view written) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (written.starts_with(scheme)) {
      const auto host = written.substr(scheme.size());
      return !host.empty() && host.find_first_of("/?#@* \t") == std::string_view::npos;
    }
  return false;
}

bool is_type_and_ms(std::string_view written) {
  const auto cut = written.rfind('=');
  if (cut == std::string_view::npos || cut == 0)
    return false;
  const auto ms = written.substr(cut + 1);
  return !ms.empty() && ms.size() <= 7 && ms != "0" && ms.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_node_name(std::string_view written) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !written.empty() && written.size() <= 64 && written.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_tag(std::string_view written) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#.-";
  return !written.empty() && written.size() <= 64 && written.find_first_not_of(allowed) == std::string_view::npos;
}

bool has_password(std::string_view store) { return !find_passwords(store).empty(); }

std::string without_password(std::string_view store) {
  std::string masked;
  std::size_t copied = 0;
  for (const auto& [begin, end] : find_passwords(store)) {
    masked.append(store.substr(copied, begin - copied)).append("***");
    copied = end;
  }
  return masked.append(store.substr(copied));
}

}  // namespace callboard::config
