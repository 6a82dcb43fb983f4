#include "base/instant.hpp"

namespace callboard {
namespace {

void put(std::string& out, unsigned value, int digits) {
  char buffer[10];
  for (int i = digits - 1; i >= 0; --i, value /= 10)
    buffer[i] = static_cast<char>('0' + value % 10);
  out.append(buffer, static_cast<std::size_t>(digits));
}

/// Reads fixed-width numbers and expected characters from the front of a text.
struct scanner {
  std::string_view rest;
  bool ok = true;

  int number(std::size_t digits) {
    int value = 0;
    if (rest.size() < digits)
      return ok = false, 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest[i] < '0' || rest[i] > '9')
        return ok = false, 0;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(digits);
    return value;
  }
  bool take(std::string_view any_of) {
    if (rest.empty() || any_of.find(rest.front()) == std::string_view::npos)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  void expect(std::string_view any_of) { ok = ok && take(any_of); }
};

}  // namespace

void append_iso(std::string& out, instant t) {
  using namespace std::chrono;
  const auto day = floor<days>(t);
  const year_month_day date{day};
  const auto ms = static_cast<unsigned>((t - day).count());
  put(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out += '-';
  put(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  put(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  put(out, ms / 3'600'000, 2);
  out += ':';
  put(out, ms / 60'000 % 60, 2);
  out += ':';
  put(out, ms / 1'000 % 60, 2);
  out += '.';
  put(out, ms % 1'000, 3);
  out += 'Z';
}

std::string to_iso(instant t) {
  std::string out;
  append_iso(out, t);
  return out;
}

std::optional<instant> from_rfc3339(std::string_view text) {
  using namespace std::chrono;
  scanner in{text};
  const int y = in.number(4);
  in.expect("-");
  const int mo = in.number(2);
  in.expect("-");
  const int d = in.number(2);
  in.expect("Tt ");
  const int h = in.number(2);
  in.expect(":");
  const int mi = in.number(2);
  in.expect(":");
  const int s = in.number(2);
  int ms = 0;
  if (in.ok && in.take(".")) {
    int digits = 0;
    for (; !in.rest.empty() && in.rest.front() >= '0' && in.rest.front() <= '9'; in.rest.remove_prefix(1), ++digits)
      if (digits < 3)
        ms = ms * 10 + (in.rest.front() - '0');
    in.ok = digits > 0;
    for (; digits < 3; ++digits)
      ms *= 10;
  }
  int offset_min = 0;
  if (in.ok && !in.take("Zz")) {
    const int sign = !in.rest.empty() && in.rest.front() == '-' ? -1 : 1;
    in.expect("+-");
    const int oh = in.number(2);
    in.expect(":");
    const int om = in.number(2);
    in.ok = in.ok && oh <= 23 && om <= 59;
    offset_min = sign * (oh * 60 + om);
  }
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)}, day{static_cast<unsigned>(d)}};
  // Second 60 is a leap second: it counts as the first moment of the next minute.
  if (!in.ok || !in.rest.empty() || !date.ok() || h > 23 || mi > 59 || s > 60)
    return std::nullopt;
  return instant{sys_days{date}} + hours{h} + minutes{mi} + seconds{s} + milliseconds{ms} - minutes{offset_min};
}

}  // namespace callboard
