#include "tests/sample/rows.hpp"

namespace callboard::sample {

void kind::rows(const state& s, const changes& changed, std::int64_t, std::vector<row>& out) {
  out.push_back(to_row(counter_row{s.key, s.limit, s.sum, s.deadline, s.fails, s.asked}));
  if (changed.name)
    out.push_back(to_row(name_row{*s.name, s.key}));
  for (const auto& id : changed.asks) {
    const auto it = s.unanswered.find(id);
    const auto what = it == s.unanswered.end() ? ask{} : it->second;
    auto r = to_row(ask_row{s.key, id, what.target, what.n});
    r.erased = it == s.unanswered.end();
    out.push_back(std::move(r));
  }
  for (const auto& id : changed.received) {
    const auto& what = s.received.at(id);
    out.push_back(to_row(received_row{s.key, id, what.from, what.n}));
  }
}

}  // namespace callboard::sample
