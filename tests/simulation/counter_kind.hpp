#pragma once

#include "actors/decision.hpp"
#include "actors/entity.hpp"
#include "base/sql.hpp"
#include "messages/outcome.hpp"
#include "openings.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

/// A second kind, as small as one can be: it counts, and fails when asked to. That it runs at all shows that the
/// machinery knows no kind by name.
namespace callboard::simulation::counting {

struct add {
  std::int64_t n = 0;
  static constexpr auto answers = success::ok;
};
struct explode {
  static constexpr auto answers = success::ok;
};
/// When the fuse has burnt the rules fail.
struct light {
  std::int64_t after_ms = 0;
  static constexpr auto answers = success::ok;
};
struct show {
  static constexpr auto answers = success::ok;
};
struct tick {
  static constexpr auto answers = success::ok;
};
using command = std::variant<add, explode, light, show, tick>;

struct added {
  std::int64_t n = 0;
  static constexpr std::string_view type = "ADDED";
  static constexpr auto fields = std::tuple{field{"n", &added::n}};
};
struct lit {
  instant until;
  static constexpr std::string_view type = "LIT";
  static constexpr auto fields = std::tuple{field{"until", &lit::until}};
};
using event = std::variant<added, lit>;

struct total {
  std::int64_t sum = 0;
  static constexpr auto fields = std::tuple{field{"sum", &total::sum}};
};
using result = std::variant<total>;

struct counter_row {
  std::string key;
  std::int64_t sum = 0;
  std::optional<instant> fuse;
  static constexpr std::string_view table_name = "counters";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields =
      std::tuple{field{"key", &counter_row::key}, field{"sum", &counter_row::sum}, field{"fuse", &counter_row::fuse}};
};

struct kind {
  static constexpr std::string_view name = "counter";
  using state = counter_row;
  using command = counting::command;
  using event = counting::event;
  using tick = counting::tick;
  struct changes {};
  using result = counting::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key) { return {key, 0, {}}; }
  static answer decide(decision<kind>& d, const command& c) {
    if (std::holds_alternative<explode>(c) || std::holds_alternative<tick>(c))
      throw std::runtime_error("as asked");
    if (const auto* a = std::get_if<add>(&c))
      d.happened(added{a->n});
    if (const auto* l = std::get_if<light>(&c))
      d.happened(lit{d.now + milliseconds{l->after_ms}});
    return result{total{d.state().sum}};
  }
  static void evolve(state& s, const event& e, instant, changes&) {
    if (const auto* a = std::get_if<added>(&e))
      s.sum += a->n;
    else
      s.fuse = std::get<lit>(e).until;
  }
  static std::optional<instant> deadline(const state& s) { return s.fuse; }
  static std::optional<std::string> subject(const event&) { return std::nullopt; }
  static void rows(const state& s, const changes&, std::int64_t, std::vector<row>& out) { out.push_back(to_row(s)); }
  static std::size_t weight(const state&) { return 100; }
};

inline std::unordered_map<std::string, counter_row> load(persistence::reader& from,
                                                         const std::vector<std::string>& keys) {
  std::unordered_map<std::string, counter_row> out;
  for (const auto& k : keys)
    persistence::select<counter_row>(from, "where key = $1", {k}, [&](counter_row r) { out.emplace(k, std::move(r)); });
  return out;
}

/// A node that hosts counters beside openings.
class counting_world : public world {
public:
  explicit counting_world(unsigned seed = 0) : world{persistence::make_store("sqlite::memory:"), seed} {
    write("create table counters (key text primary key, sum integer not null, fuse integer)");
    more_kinds = [](actors::kind_hosts& hosts, actors::environment& env) {
      hosts.emplace(kind::name, std::make_unique<actors::host_of<kind>>(env, &load));
    };
    crash();
  }

  using answered = std::shared_ptr<probe<kind>>;
  answered sends(command c, const std::string& key = "a") { return send<kind>(key, std::move(c)); }
  answered asks(command c, const std::string& key = "a") { return ask<kind>(key, std::move(c)); }
  answered reads(const std::string& key = "a") {
    auto p = send_read<kind>(key, show{});
    settle();
    return p;
  }
  std::int64_t sum(const std::string& key = "a") {
    return count("select coalesce(sum(sum), 0) from counters where key = '" + key + "'");
  }
};

inline std::int64_t sum_in(const counting_world::answered& p) { return p->get<total>().sum; }

}  // namespace callboard::simulation::counting
