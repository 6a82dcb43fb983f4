#pragma once

#include "messages/people.hpp"
#include "persistence/batch.hpp"
#include "persistence/store.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace callboard::test {

inline const std::string some_hash = [] {
  std::string h(32, '\0');
  for (std::size_t i = 0; i < h.size(); ++i)
    h[i] = static_cast<char>(i * 37);  // begins with a zero byte and has bytes above 127
  return h;
}();

inline constexpr auto noon = from_ms(1'700'000'000'000);

/// A batch with everything that it points to.
class draft {
public:
  explicit draft(std::int64_t number) : batch_{.number = number, .heads = {}, .lines = {}, .tables = {}} {}
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  /// Adds an event after the entity's last one in this batch; the first one has seq `expected` + 1.
  draft& event(std::string_view key, std::int64_t expected, std::string data = "{}",
               std::optional<std::string> subject = {}, origin by = {"admin", "a1", "", "trace", "request"}) {
    const auto& e = entities_.emplace_back(entity_id{"opening", std::string{key}});
    const auto seq = [&] {
      for (auto& h : batch_.heads)
        if (*h.entity == e)
          return ++h.seq;
      batch_.heads.push_back({&e, expected, expected + 1, noon, &some_hash});
      return expected + 1;
    }();
    batch_.lines.push_back({&e, seq, "HAPPENED", noon, &subjects_.emplace_back(std::move(subject)),
                            &origins_.emplace_back(std::move(by)), &texts_.emplace_back(std::move(data)), &some_hash});
    return *this;
  }

  template <stored Row>
  draft& put(const Row& r) {
    return put(to_row(r));
  }
  draft& put(row r) {
    const auto& kept = rows_.emplace_back(std::move(r));
    of(kept.in).upserts.push_back(&kept);
    return *this;
  }
  template <stored Row>
  draft& erase(const Row& r) {
    auto& kept = rows_.emplace_back(to_row(r));
    kept.erased = true;
    of(kept.in).erasures.push_back(&kept);
    return *this;
  }

  operator const persistence::batch&() const { return batch_; }
  persistence::batch& edit() { return batch_; }

private:
  persistence::table_rows& of(const table* t) {
    for (auto& rows : batch_.tables)
      if (rows.in == t)
        return rows;
    return batch_.tables.emplace_back(persistence::table_rows{t, {}, {}});
  }

  persistence::batch batch_;
  std::deque<entity_id> entities_;
  std::deque<std::optional<std::string>> subjects_;
  std::deque<origin> origins_;
  std::deque<std::string> texts_;
  std::deque<row> rows_;
};

inline applicant_row person(std::int64_t id, std::string email, std::string name = "Ada") {
  return {{id}, std::move(name), std::move(email), noon};
}

}  // namespace callboard::test
