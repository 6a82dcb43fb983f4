#pragma once

#include "http/exchange.hpp"
#include "messages/json_write.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

/// Long lists, a page at a time.
namespace callboard::http {

/// Where a page begins: numbers that only the server reads.
using place = std::vector<std::int64_t>;

struct page {
  std::optional<std::int64_t> limit;
  place after; ///< zeros without a cursor
};

inline constexpr std::int64_t array_rows_max = 10'000;
inline constexpr std::int64_t object_rows = 100;
inline constexpr std::size_t page_bytes_max = std::size_t{8} << 20;

/// `limit` and `cursor` of a request whose cursors are so many numbers.
page page_of(const exchange& x, std::size_t numbers);

std::string cursor(const place& p);

/// The same for lists in the order of texts; numbers stand there in digits.
using text_place = std::vector<std::string>;

struct text_page {
  std::optional<std::int64_t> limit;
  text_place after; ///< empty texts without a cursor
};

text_page text_page_of(const exchange& x, std::size_t texts);
std::string cursor(const text_place& p);
void link_next(const exchange& x, response& r, const text_place& next);

/// In a body that is an object: that a list in it was cut off, and where it goes on.
void write_cut_off(std::string& out, const place& next);

/// Link: rel="next" to the same path and query with this cursor.
void link_next(const exchange& x, response& r, const place& next);

/// A JSON array of rows, and where the next one begins when there is more.
struct array {
  std::string text;
  std::optional<place> next;
};

/// Renders rows until the page is full. `fetch(place, limit)` gives the rows behind a place in order, `place_of(row)`
/// says where a row stands. Fetched in small parts: rows may be large, and no snapshot is held for long.
template <class Fetch, class PlaceOf>
array rendered(const page& wanted, Fetch&& fetch, PlaceOf&& place_of) {
  constexpr std::int64_t rows_per_fetch = 500;
  const auto rows_max = wanted.limit.value_or(array_rows_max);
  array out{"[", std::nullopt};
  auto after = wanted.after;
  std::int64_t rows = 0;
  for (bool more = true; more;) {
    // One row too many tells that there is a next page.
    const auto part = std::min(rows_per_fetch, rows_max - rows + 1);
    const auto found = fetch(after, part);
    more = static_cast<std::int64_t>(found.size()) == part;
    for (const auto& row : found) {
      if (rows == rows_max || out.text.size() >= page_bytes_max) {
        out.next = after;
        out.text += ']';
        return out;
      }
      out.text += rows++ == 0 ? "" : ",";
      write_json(out.text, row);
      after = place_of(row);
    }
  }
  out.text += ']';
  return out;
}

/// A bare array as a response.
response to_response(const exchange& x, array a);

} // namespace callboard::http
