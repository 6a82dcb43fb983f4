#pragma once

#include "base/json_write.hpp"
#include "http/transport/request_context.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

/// Long lists, a page at a time.
namespace callboard::http {

/// Where a page begins: numbers that only the server reads.
using cursor = std::vector<std::int64_t>;

struct page {
  std::optional<std::int64_t> limit;
  cursor after;  ///< zeros without a cursor
};

inline constexpr std::int64_t array_rows_max = 10'000;
inline constexpr std::int64_t object_rows = 100;
inline constexpr std::size_t page_bytes_max = std::size_t{8} << 20;

inline constexpr integer_range limit_bounds{1, 1'000};

/// The query of a list without other parameters.
struct page_query {
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  static constexpr auto fields =
      std::tuple{field{"limit", &page_query::limit, limit_bounds}, field{"cursor", &page_query::cursor}};
};

/// Refuses what is no cursor of so many numbers; without a text they are zeros.
cursor cursor_in(const std::optional<std::string>& text, std::size_t numbers);
std::string cursor_text(const cursor& p);

/// `limit` and `cursor` of a query whose cursors are so many numbers.
template <class Query>
page page_of(const Query& q, std::size_t numbers) {
  return {q.limit, cursor_in(q.cursor, numbers)};
}

/// The same for lists in the order of texts; numbers stand there in digits.
using text_cursor = std::vector<std::string>;

struct text_page {
  std::optional<std::int64_t> limit;
  text_cursor after;  ///< empty texts without a cursor
};

text_cursor text_cursor_in(const std::optional<std::string>& text, std::size_t texts);
std::string cursor_text(const text_cursor& p);

template <class Query>
text_page text_page_of(const Query& q, std::size_t texts) {
  return {q.limit, text_cursor_in(q.cursor, texts)};
}

void link_next(const request_context& x, response& r, const text_cursor& next);

/// At the end of a body that is an object: that a list in it was cut off, and where it goes on.
struct cut_off {
  std::optional<bool> is_truncated;
  std::optional<std::string> next_cursor;
  static constexpr auto fields = std::tuple{field{"truncated", &cut_off::is_truncated, omitted_when_absent{}},
                                            field{"next_cursor", &cut_off::next_cursor, omitted_when_absent{}}};
};
inline cut_off cut_off_at(const cursor& next) { return {true, cursor_text(next)}; }

/// Link: rel="next" to the same path and query with this cursor.
void link_next(const request_context& x, response& r, const cursor& next);

/// A JSON array of rows, and where the next one begins when there is more.
struct array {
  std::string text;
  std::optional<cursor> next;
};

/// Renders rows until the page is full. `fetch(place, limit)` gives the rows behind a place in order, `place_of(row)`
/// says where a row stands. Fetched in small parts: rows may be large, and no snapshot is held for long.
template <class Fetch, class CursorOf>
array rendered(const page& wanted, Fetch&& fetch, CursorOf&& cursor_of) {
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
      after = cursor_of(row);
    }
  }
  out.text += ']';
  return out;
}

/// A bare array as a response.
response to_response(const request_context& x, array a);

}  // namespace callboard::http
