#include "persistence/journal_writer.hpp"
#include "persistence/spine_rows.hpp"
#include "tests/sample/rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>

using namespace callboard;
using namespace callboard::persistence;
using namespace std::chrono_literals;

namespace {

/// A store that only remembers what it was asked to commit, and ends each commit as told.
class notebook final : public store {
public:
  struct page {
    std::int64_t number;
    std::vector<std::string> events;  ///< "key/seq"
    std::size_t rows = 0;
  };
  std::vector<page> pages;
  std::deque<std::function<commit_outcome(const batch&)>> script;
  std::function<commit_outcome(const batch&)> always;
  std::int64_t at = 0;  ///< the last batch
  int failing_writes = 0;

  commit_outcome commit(const batch& b) override {
    page p{b.number, {}, 0};
    for (const auto& l : b.lines)
      p.events.push_back(l.entity->key + "/" + std::to_string(l.seq));
    for (const auto& t : b.tables)
      p.rows += t.upserts.size() + t.erasures.size();
    pages.push_back(std::move(p));
    commit_outcome out;
    if (!script.empty()) {
      out = script.front()(b);
      script.pop_front();
    } else if (always)
      out = always(b);
    if (out.how == commit_status::committed)
      at = b.number;
    return out;
  }
  std::int64_t open(std::string_view) override { return 0; }
  void write(std::string_view, std::span<const sql_param>, const reader::row_sink&) override {
    if (failing_writes > 0 && failing_writes-- > 0)
      throw store_error("by the script");
  }
  std::int64_t reconnect() override { return at; }
  std::unique_ptr<reader> open_reader() override { return nullptr; }
  instant now(reader&) override { return {}; }
  std::string_view name() const override { return "notebook"; }
  std::string_view durability() const override { return "none"; }
};

/// What became of the answers, in order.
struct diary {
  std::vector<std::string> lines;
  std::vector<std::string> handed_back;
};

class entry final : public pending_reply {
public:
  entry(diary& in, std::string name, bool is_write) : in_{in}, name_{std::move(name)}, is_write_{is_write} {}
  void release() override { in_.lines.push_back(name_); }
  void fail(code why) override { in_.lines.push_back(name_ + ' ' + std::string{callboard::name(why)}); }
  bool is_write() const override { return is_write_; }
  void undone(bool lost_name) override { name_ += lost_name ? " lost" : ""; }
  void again() override { in_.lines.push_back(name_ + " again"); }
  const std::string& what() const { return name_; }

private:
  diary& in_;
  std::string name_;
  bool is_write_;
};

class desk {
public:
  notebook store;
  diary told;
  std::chrono::steady_clock::time_point now{};
  std::vector<std::string> armed, warnings;
  journal_writer::options how() {
    journal_writer::options o;
    o.seed = 1;
    o.batch_events_max = 10;
    o.batch_bytes_max = 100'000;
    o.now = [this] { return now; };
    o.arm = [this](const entity_id& e, instant) { armed.push_back(e.key); };
    o.on_warning = [this](std::string_view what, const std::string&) { warnings.emplace_back(what); };
    return o;
  }
  journal_writer writer{store, 0, how()};

  struct life {
    std::shared_ptr<incarnation> shared = std::make_shared<incarnation>(0);
    std::int64_t seq = 0;
    int cuts = 0;
  };
  std::map<std::string, life> lives;

  life& of(const std::string& key) {
    auto& l = lives[key];
    l.shared->on_cut = [&l] { ++l.cuts; };
    return l;
  }

  append draft(const std::string& key, int events, const std::string& reply) {
    auto& l = of(key);
    append a;
    a.entity = {"thing", key};
    a.life = l.shared;
    a.expected = l.seq;
    a.by = std::make_shared<const origin>();
    for (int i = 0; i < events; ++i)
      a.events.push_back({"HAPPENED", {}, std::nullopt, "{}", "hash"});
    l.seq += events;
    if (!reply.empty())
      a.replies.push_back(std::make_unique<entry>(told, reply, events > 0));
    return a;
  }
  void sends(const std::string& key, int events, const std::string& reply = {}) {
    writer.submit(draft(key, events, reply));
  }
  void loads(const std::string& key, const std::string& name = "load") {
    writer.submit(entity_id{"thing", key}, [this, key, name](replies back) {
      told.lines.push_back(name);
      for (const auto& r : back)
        told.handed_back.push_back(static_cast<entry&>(*r).what());
      lives[key] = {};
    });
  }
  void runs() {
    while (writer.step()) {
    }
  }
  void passes(std::chrono::milliseconds t) {
    for (const auto end = now + t; now < end; now += 10ms)
      runs();
    runs();
  }
};

commit_outcome moved(const std::string& key) { return {.how = commit_status::head_moved, .heads = {{"thing", key}}}; }

/// The name "ada" of this counter.
row ada_of(std::string counter) { return to_row(sample::name_row{"ada", std::move(counter)}); }

using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("the writer takes entities in turn and keeps the order of each") {
  desk d;
  for (int i = 0; i < 6; ++i)
    d.sends("a", 1, "a" + std::to_string(i));
  for (int i = 0; i < 2; ++i)
    d.sends("b", 1, "b" + std::to_string(i));
  d.runs();
  REQUIRE(d.store.pages.size() == 1);
  CHECK(d.store.pages[0].events == lines{"a/1", "b/1", "a/2", "b/2", "a/3", "a/4", "a/5", "a/6"});
  CHECK(d.told.lines == lines{"a0", "b0", "a1", "b1", "a2", "a3", "a4", "a5"});
  CHECK(d.lives["a"].shared->committed == 6);
}

TEST_CASE("a batch has a bound, an append is never split") {
  desk d;
  d.sends("a", 4);
  d.sends("b", 4);
  d.sends("c", 4);
  d.sends("d", 25);  // larger than a batch: one of its own
  d.sends("e", 1);
  d.runs();
  for (const auto& p : d.store.pages)
    CHECK((p.events.size() <= 10 || p.events.size() == 25));
  const auto all = std::accumulate(d.store.pages.begin(), d.store.pages.end(), std::size_t{0},
                                   [](std::size_t n, const auto& p) { return n + p.events.size(); });
  CHECK(all == 38);
  for (std::size_t i = 0; i < d.store.pages.size(); ++i)
    CHECK(d.store.pages[i].number == static_cast<std::int64_t>(i) + 1);
}

TEST_CASE("an answer with nothing before it leaves at once") {
  desk d;
  d.sends("a", 0, "read");
  d.runs();
  CHECK(d.told.lines == lines{"read"});
  CHECK(d.store.pages.empty());
}

TEST_CASE("a load waits for everything its entity sent, and for nobody else") {
  desk d;
  d.store.script.push_back([](const batch&) { return commit_outcome{.how = commit_status::transient}; });
  d.sends("a", 1, "wrote");
  d.loads("a");
  d.loads("b", "other");
  d.runs();
  CHECK(d.told.lines == lines{"other"});
  d.passes(1s);
  CHECK(d.told.lines == lines{"other", "wrote", "load"});
  CHECK(d.told.handed_back.empty());
}

TEST_CASE("an entity that is cut gets all its commands back in order, the others go in") {
  desk d;
  d.sends("a", 1, "a1");
  d.sends("b", 1, "b1");
  d.sends("a", 0, "read");
  d.sends("a", 1, "a2");
  d.store.script.push_back([](const batch&) { return moved("a"); });
  d.runs();
  CHECK(d.lives["a"].cuts == 1);
  CHECK(d.lives["a"].shared->cut);
  CHECK(d.told.lines == lines{"b1"});
  d.sends("a", 1, "a3");  // of the same life: sent before it knew
  d.runs();
  CHECK(d.told.lines == lines{"b1"});
  d.loads("a");
  d.runs();
  CHECK(d.told.handed_back == lines{"a1", "read", "a2", "a3"});
  REQUIRE(d.store.pages.size() == 2);
  CHECK(d.store.pages[1].events == lines{"b/1"});
  CHECK(d.store.pages[1].number == d.store.pages[0].number);  // the first was rolled back
  d.sends("a", 1, "anew");
  d.runs();
  CHECK(d.told.lines.back() == "anew");
}

TEST_CASE("a name meets its equal in one batch and another owner in the next") {
  desk d;
  const auto brings = [&](const std::string& key, const std::string& owner) {
    auto a = d.draft(key, 1, key);
    a.rows.push_back(ada_of(owner));
    d.writer.submit(std::move(a));
  };
  brings("a", "1");
  brings("b", "1");
  brings("c", "2");
  d.runs();
  REQUIRE(d.store.pages.size() == 2);
  CHECK(d.store.pages[0].events == lines{"a/1", "b/1"});
  CHECK(d.store.pages[0].rows == 1);
  CHECK(d.store.pages[1].events == lines{"c/1"});
}

TEST_CASE("two records of one request never share a batch") {
  desk d;
  for (const std::string key : {"a", "b"}) {
    auto a = d.draft(key, 1, key);
    a.rows.push_back(to_row(request_row{{"digest"}, {"fingerprint"}, 0, "{}", {}}));
    d.writer.submit(std::move(a));
  }
  d.runs();
  REQUIRE(d.store.pages.size() == 2);
  CHECK(d.store.pages[0].rows == 1);
}

TEST_CASE("of equal keys the last row counts") {
  desk d;
  for (int i = 1; i <= 3; ++i) {
    auto a = d.draft("a", 1, "");
    a.rows.push_back(to_row(timer_row{"thing", "a", 0, from_ms(i)}));
    d.writer.submit(std::move(a));
  }
  std::int64_t due = 0;
  d.store.script.push_back([&](const batch& b) {
    due = std::get<std::int64_t>(b.tables.front().upserts.front()->values[3]);
    return commit_outcome{};
  });
  d.runs();
  CHECK(d.store.pages[0].rows == 1);
  CHECK(due == 3);
}

TEST_CASE("who lost a name is told so, whoever is cut with it is not") {
  desk d;
  d.sends("a", 1, "before");
  auto a = d.draft("a", 1, "loser");
  a.rows.push_back(ada_of("1"));
  d.writer.submit(std::move(a));
  d.sends("a", 0, "after");
  append alone;  // of no entity
  alone.entity = {"names", "ada"};
  alone.rows.push_back(ada_of("1"));
  alone.replies.push_back(std::make_unique<entry>(d.told, "alone", true));
  d.writer.submit(std::move(alone));
  d.store.script.push_back([](const batch&) {
    return commit_outcome{.how = commit_status::name_taken, .names = {{&table_of<sample::name_row>(), "ada"}}};
  });
  d.runs();
  d.loads("a");
  d.runs();
  CHECK(d.told.handed_back == lines{"before", "loser lost", "after"});
  CHECK(d.told.lines == lines{"alone lost again", "load"});
}

TEST_CASE("poison is found with a few commits") {
  desk d;
  const int appends = 8;
  for (int i = 0; i < appends; ++i)
    d.sends(std::string{static_cast<char>('a' + i)}, 1, std::to_string(i));
  d.store.always = [](const batch& b) {
    const bool offends =
        std::any_of(b.lines.begin(), b.lines.end(), [](const auto& l) { return l.entity->key == "f"; });
    return commit_outcome{.how = offends ? commit_status::poison : commit_status::committed};
  };
  d.runs();
  auto sorted = d.told.lines;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == lines{"0", "1", "2", "3", "4", "5 INTERNAL", "6", "7"});
  CHECK(d.store.pages.size() <= 7);  // 8, 4, 2, 1, 1 and the rest
  CHECK(d.lives["f"].cuts == 1);
}

TEST_CASE("answers between suspects do not stop the search for poison") {
  desk d;
  d.store.script.push_back([](const batch&) { return commit_outcome{.how = commit_status::transient}; });
  d.sends("a", 1, "first");
  d.runs();  // in flight: the rest queues behind it
  d.sends("a", 0, "read");
  d.sends("b", 1, "bad");
  d.sends("c", 1, "good");
  d.store.always = [](const batch& b) {
    const bool offends =
        std::any_of(b.lines.begin(), b.lines.end(), [](const auto& l) { return l.entity->key == "b"; });
    return commit_outcome{.how = offends ? commit_status::poison : commit_status::committed};
  };
  d.now += 1s;
  d.runs();  // no time passes any more
  CHECK(d.told.lines == lines{"first", "read", "bad INTERNAL", "good"});
}

TEST_CASE("a batch in doubt is sent again as it was") {
  desk d;
  const auto unknown = [](const batch&) { return commit_outcome{.how = commit_status::unknown}; };
  d.store.script = {unknown, unknown, unknown};
  d.sends("a", 2, "a");
  d.runs();
  d.sends("a", 1, "behind");
  d.sends("b", 1, "other");
  d.passes(3s);
  REQUIRE(d.store.pages.size() == 5);
  for (int i = 0; i < 4; ++i) {
    CHECK(d.store.pages[static_cast<std::size_t>(i)].number == 1);
    CHECK(d.store.pages[static_cast<std::size_t>(i)].events == lines{"a/1", "a/2"});
  }
  CHECK(d.told.lines == lines{"a", "behind", "other"});
}

TEST_CASE("patience ends on time however long the pauses are") {
  desk d;
  d.store.always = [](const batch&) { return commit_outcome{.how = commit_status::down}; };
  d.sends("a", 1, "a");
  d.passes(4'990ms);
  CHECK(d.told.lines.empty());
  d.passes(30ms);
  CHECK(d.told.lines == lines{"a NOT_APPLIED"});
  CHECK(d.lives["a"].cuts == 1);
}

TEST_CASE("a pause between two tries has no moment that everybody shares") {
  desk d;
  std::vector<std::chrono::milliseconds> pauses;
  auto last = d.now;
  d.store.always = [&](const batch&) {
    pauses.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(d.now - last));
    last = d.now;
    return commit_outcome{.how = commit_status::transient};
  };
  d.sends("a", 1, "a");
  d.passes(4s);
  REQUIRE(pauses.size() > 10);
  CHECK(*std::max_element(pauses.begin(), pauses.end()) <= 210ms);
  std::sort(pauses.begin(), pauses.end());
  CHECK(std::unique(pauses.begin(), pauses.end()) - pauses.begin() > 3);
}

TEST_CASE("a timer is armed after its commit, once") {
  desk d;
  d.store.script.push_back([](const batch&) { return commit_outcome{.how = commit_status::transient}; });
  auto a = d.draft("a", 1, "a");
  a.arm = from_ms(5);
  d.writer.submit(std::move(a));
  d.runs();
  CHECK(d.armed.empty());
  d.passes(1s);
  CHECK(d.armed == lines{"a"});
}

TEST_CASE("everybody may know of a commit before anybody is told") {
  desk d;
  struct curious final : pending_reply {
    desk& d;
    explicit curious(desk& of) : d{of} {}
    void release() override { d.told.lines.push_back(d.lives["b"].shared->committed == 1 ? "knew" : "did not know"); }
    void fail(code) override {}
    bool is_write() const override { return true; }
    void undone(bool) override {}
    void again() override {}
  };
  auto a = d.draft("a", 1, "");
  a.replies.push_back(std::make_unique<curious>(d));
  d.writer.submit(std::move(a));
  d.sends("b", 1);
  d.runs();
  CHECK(d.told.lines == lines{"knew"});
}

TEST_CASE("a chore is done again until it succeeds, and nobody waits for it for long") {
  desk d;
  d.store.failing_writes = 3;
  int done = 0;
  d.writer.submit([&](callboard::persistence::store& s) {
    s.write("", {}, {});
    ++done;
  });
  d.sends("a", 1, "a");
  d.passes(2s);
  CHECK(done == 1);
  CHECK(d.told.lines == lines{"a"});
}

TEST_CASE("what arrives while nothing can be written hears so at once") {
  desk d;
  d.store.always = [](const batch&) { return commit_outcome{.how = commit_status::full}; };
  d.sends("a", 1, "a");
  d.passes(5'100ms);
  CHECK(d.told.lines == lines{"a STORE_FULL"});
  CHECK(d.writer.is_down());
  d.sends("b", 1, "b");
  d.sends("c", 0, "read");
  d.runs();
  CHECK(d.told.lines == lines{"a STORE_FULL", "b NOT_APPLIED", "read"});
  d.store.always = nullptr;
  d.passes(1'100ms);
  CHECK_FALSE(d.writer.is_down());
  d.lives.clear();
  d.sends("a", 1, "later");
  d.runs();
  CHECK(d.told.lines.back() == "later");
}

TEST_CASE("a store that forgot batches is told apart from one that is slow") {
  desk d;
  d.sends("a", 1, "a");
  d.runs();
  d.sends("a", 1, "b");
  d.store.script.push_back([](const batch&) { return commit_outcome{.how = commit_status::unknown}; });
  d.store.at = 0;
  const auto store_generation = d.writer.store_generation();
  d.passes(1s);
  CHECK(d.told.lines == lines{"a", "b OUTCOME_UNKNOWN"});
  CHECK(d.writer.store_generation() > store_generation);
  CHECK(std::count(d.warnings.begin(), d.warnings.end(), "the store is not as we left it: everything is loaded anew") ==
        1);
  d.lives.clear();
  d.sends("a", 1, "anew");
  d.runs();
  CHECK(d.store.pages.back().number == 1);
  CHECK(d.told.lines.back() == "anew");
}
