#include "actors/id_blocks.hpp"

namespace callboard::actors {

std::int64_t id_blocks::claim(persistence::store& from, const std::string& name, std::int64_t count) {
  std::int64_t end = 0;
  const std::vector<persistence::sql_param> params{name, count + 1, count};
  from.write("insert into ids as t (name, next) values ($1, $2) on conflict (name) do update set next = t.next + $3 "
             "returning next",
             params, [&](const persistence::result_row& r) { end = r.integer(0); });
  return end - count;
}

void id_blocks::open(persistence::store& from, const std::string& name) {
  auto& b = blocks_[name];
  b.next = claim(from, name, block_size_);
  b.end = b.next + block_size_;
  b.spare = claim(from, name, block_size_);
  b.spare_end = b.spare + block_size_;
}

/// A store that went back in time gives the same ids again.
void id_blocks::forget_other_generation(const persistence::journal_writer& writer) {
  if (store_generation_ == writer.store_generation())
    return;
  store_generation_ = writer.store_generation();
  for (auto& [name, b] : blocks_)
    b.next = b.end = b.spare = b.spare_end = 0;
}

std::optional<std::int64_t> id_blocks::next(std::string_view name, persistence::journal_writer& writer) {
  const std::lock_guard lock{mutex_};
  forget_other_generation(writer);
  auto& b = blocks_.find(name)->second;
  if (b.next == b.end && b.spare < b.spare_end) {
    b.next = b.spare;
    b.end = b.spare_end;
    b.spare = b.spare_end = 0;
  }
  // A spare block is always at hand or under way; it is larger, for whoever uses ids uses many.
  if (!b.asked && b.spare == b.spare_end) {
    b.asked = true;
    writer.submit([this, n = std::string{name}](persistence::store& from) {
      const auto count = block_size_ * 10;
      const auto first = claim(from, n, count);
      const std::lock_guard inner{mutex_};
      auto& mine = blocks_.find(n)->second;
      mine.spare = first;
      mine.spare_end = first + count;
      mine.asked = false;
    });
  }
  return b.next < b.end ? std::optional{b.next++} : std::nullopt;
}

void id_blocks::give_back(persistence::store& to) {
  const std::lock_guard lock{mutex_};
  for (auto& [name, b] : blocks_) {
    // The spare block came last; without one the current block's end is the store's next id.
    const auto from = b.spare < b.spare_end && b.spare == b.end ? b.next : b.spare < b.spare_end ? b.spare : b.next;
    const auto end = b.spare < b.spare_end ? b.spare_end : b.end;
    const std::vector<persistence::sql_param> params{from, name, end};
    to.write("update ids set next = $1 where name = $2 and next = $3", params, [](const persistence::result_row&) {});
  }
}

}  // namespace callboard::actors
