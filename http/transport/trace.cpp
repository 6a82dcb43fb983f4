#include "http/transport/trace.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

namespace callboard::http {

namespace {

std::mt19937_64& generator() {
  thread_local std::mt19937_64 numbers = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64{seed};
  }();
  return numbers;
}

void append_hex(std::string& out, std::uint64_t bits) {
  static constexpr char digits[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4)
    out += digits[bits >> shift & 15];
}

std::string random_hex() {
  std::string out;
  out.reserve(32);
  append_hex(out, generator()());
  append_hex(out, generator()() | 1);  // all zeros would be no id
  return out;
}

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

bool is_zero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

}  // namespace

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '\'' && c != '\\' && c != '`';
  });
}

std::string fresh_request_id() { return random_hex(); }

std::string trace_id(std::string_view t) {
  // 00-<32 hex>-<16 hex>-<2 hex>
  if (t.size() != 55 || !t.starts_with("00-") || t[35] != '-' || t[52] != '-')
    return random_hex();
  const auto trace = t.substr(3, 32);
  const auto parent = t.substr(36, 16);
  const bool is_valid = is_hex(trace) && is_hex(parent) && is_hex(t.substr(53)) && !is_zero(trace) && !is_zero(parent);
  return is_valid ? std::string{trace} : random_hex();
}

unsigned random_below(unsigned bound) { return static_cast<unsigned>(generator()() % bound); }

}  // namespace callboard::http
