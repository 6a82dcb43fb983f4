#include "actors/opening/rows.hpp"
#include "persistence/rows.hpp"
#include "persistence/spine_rows.hpp"
#include "tests/store/backends.hpp"
#include "tests/store/draft.hpp"

using namespace callboard;
using namespace callboard::persistence;
using namespace callboard::test;
using namespace std::chrono_literals;
using opening::application_row;
using opening::counts_row;
using opening::opening_row;

namespace {

application_row application(std::int64_t id, std::int64_t applicant) {
  application_row a{};
  a.id = {id};
  a.applicant = {applicant};
  a.applied_at = a.since = noon;
  return a;
}

/// Texts that are syntax for some parser on the way to the store.
const std::string awkward[] = {"",
                               "NULL",
                               "null",
                               "{}",
                               "{a,b}",
                               "a,b",
                               "\"",
                               "\\",
                               "\\\"",
                               "\\x00",
                               "$1",
                               "\\n",
                               "'; drop table heads; --",
                               "日本語 🎭",
                               "línea\nnueva\ttab\r",
                               " lead and trail ",
                               "%s ? :a @b",
                               "\x01\x7f"};

}  // namespace

TEMPLATE_TEST_CASE("a fresh store has a schema and no batch", "[store]", memory, file, postgres) {
  opened<TestType> s;
  CHECK(s.last == 0);
  CHECK(s.number("select count(*) from journal") == 0);
  CHECK(s.number("select count(*) from applications") == 0);
  CHECK(s.number("select max(number) from schema_versions") == 4);
  CHECK(s.store->durability() == TestType::durability);
  const auto off = s.store->now(*s.reader) - std::chrono::system_clock::now();
  CHECK(std::chrono::abs(off) < 5s);
}

TEMPLATE_TEST_CASE("a store remembers what it committed", "[store]", file, postgres) {
  opened<TestType> s;
  CHECK(s.store->commit(draft{1}.event("1", 0).put(person(7, "ada@example.com"))).how == commit_status::committed);
  CHECK(s.store->commit(draft{2}.event("1", 1)).how == commit_status::committed);
  s.reopen();
  CHECK(s.last >= 2);
  CHECK(s.number("select seq from heads where kind = $1 and key = $2", {std::string{"opening"}, std::string{"1"}}) ==
        2);
  CHECK(s.text("select email from applicants where id = 7") == "ada@example.com");
  CHECK(s.store->commit(draft{s.last + 1}.event("1", 2)).last_position == 3);
}

TEMPLATE_TEST_CASE("a batch writes heads, lines and rows together", "[store]", memory, file, postgres) {
  opened<TestType> s;
  opening_row o{};
  o.id = {5};
  o.title = "Hamlet";
  o.capacity = 2;
  o.offer_on_apply = true;
  o.created_at = noon;
  counts_row c{};
  c.id = {5};
  c.promotions = "1,2,3";
  const auto out = s.store->commit(draft{1}
                                       .event("5", 0, R"({"title":"Hamlet"})")
                                       .event("5", 0, R"({"applicationId":50000001})", "50000001")
                                       .event("6", 0)
                                       .put(o)
                                       .put(c)
                                       .put(application(50'000'001, 7))
                                       .put(person(7, "ada@example.com"))
                                       .put(timer_row{"opening", "5", 17, noon}));
  REQUIRE(out.how == commit_status::committed);
  CHECK(out.last_position == 3);

  std::vector<opening_row> openings;
  select<opening_row>(*s.reader, "where id = $1", {std::int64_t{5}}, [&](opening_row r) { openings.push_back(r); });
  REQUIRE(openings.size() == 1);
  CHECK(openings[0].title == "Hamlet");
  CHECK(openings[0].offer_on_apply);
  CHECK_FALSE(openings[0].description);
  CHECK(openings[0].created_at == noon);
  CHECK(s.text("select promotions from opening_counts where id = 5") == "1,2,3");
  CHECK(s.number("select shard from timers where kind = 'opening' and key = '5'") == 17);
  CHECK(s.number("select seq from heads where key = '5'") == 2);
  std::string hash;
  s.reader->query("select hash from heads where key = '6'", {}, [&](const result_row& r) { hash = r.blob(0); });
  CHECK(hash == some_hash);

  std::vector<std::string> lines;
  s.reader->query("select pos, key, seq, subject, data, hash from journal order by pos", {}, [&](const result_row& r) {
    lines.push_back(std::to_string(r.integer(0)) + " " + std::string{r.text(1)} + "/" + std::to_string(r.integer(2)) +
                    " " + (r.is_null(3) ? "-" : std::string{r.text(3)}) + " " + std::string{r.text(4)});
    CHECK(r.blob(5) == some_hash);
  });
  CHECK(lines == std::vector<std::string>{R"(1 5/1 - {"title":"Hamlet"})",
                                          R"(2 5/2 50000001 {"applicationId":50000001})", "3 6/1 - {}"});
}

TEMPLATE_TEST_CASE("an upsert replaces and an erasure removes", "[store]", memory, file, postgres) {
  opened<TestType> s;
  auto a = application(50'000'001, 7);
  a.rank = 4;
  a.reason = "first";
  REQUIRE(s.store
              ->commit(draft{1}
                           .put(a)
                           .put(application(50'000'002, 8))
                           .put(timer_row{"opening", "5", 1, noon})
                           .put(timer_row{"opening", "6", 1, noon}))
              .how == commit_status::committed);
  a.rank.reset();
  a.reason = "second";
  a.status = opening::status::inactive;
  // A batch may have rows and no events.
  REQUIRE(s.store
              ->commit(draft{2}
                           .put(a)
                           .erase(timer_row{"opening", "5", 0, noon})
                           .put(timer_row{"opening", "6", 1, from_ms(5)})
                           .erase(timer_row{"opening", "nobody", 0, noon}))
              .how == commit_status::committed);
  std::vector<application_row> found;
  select<application_row>(*s.reader, "where id between $1 and $2 order by id",
                          {std::int64_t{50'000'000}, std::int64_t{59'999'999}},
                          [&](application_row r) { found.push_back(r); });
  REQUIRE(found.size() == 2);
  CHECK_FALSE(found[0].rank);
  CHECK(found[0].reason == "second");
  CHECK(found[0].status == opening::status::inactive);
  CHECK(s.number("select count(*) from timers") == 1);
  CHECK(s.number("select due from timers where key = '6'") == 5);
}

TEMPLATE_TEST_CASE("any text and any bytes are read as they were written", "[store]", memory, file, postgres) {
  opened<TestType> s;
  draft d{1};
  std::int64_t id = 0;
  for (const auto& text : awkward) {
    auto a = application(++id, 1);
    a.reason = text;
    d.put(a);
    d.put(person(id, std::to_string(id) + text, text));
    d.event("k" + text, 0, text, text, {text, text, text, text, text});
  }
  std::string all_bytes;
  for (int i = 0; i < 256; ++i)
    all_bytes += static_cast<char>(i);
  d.put(request_row{{all_bytes}, {""}, 201, "{\"a\":\"b\\\\c\"}", noon});
  const auto out = s.store->commit(d);
  INFO(out.why);
  REQUIRE(out.how == commit_status::committed);
  id = 0;
  for (const auto& text : awkward) {
    INFO(text);
    ++id;
    CHECK(s.text("select reason from applications where id = $1", {id}) == text);
    CHECK(s.text("select name from applicants where email = $1", {std::to_string(id) + text}) == text);
    CHECK(s.text("select data from journal where key = $1", {"k" + text}) == text);
    CHECK(s.text("select actor_id from journal where subject = $1 and key = $2", {text, "k" + text}) == text);
  }
  std::vector<request_row> requests;
  select<request_row>(*s.reader, "where digest = $1", {bytes{all_bytes}},
                      [&](request_row r) { requests.push_back(r); });
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].digest.data == all_bytes);
  CHECK(requests[0].fingerprint.data.empty());
  CHECK(requests[0].body == "{\"a\":\"b\\\\c\"}");
}

TEMPLATE_TEST_CASE("a thousand events keep their order", "[store]", memory, file, postgres) {
  opened<TestType> s;
  draft d{1};
  for (int i = 0; i < 1'000; ++i)
    d.event(std::to_string(i % 7), 0, std::to_string(i))
        .put(application(i + 1, i))
        .put(person(i + 1, std::to_string(i)));
  const auto out = s.store->commit(d);
  REQUIRE(out.how == commit_status::committed);
  CHECK(out.last_position == 1'000);
  std::int64_t i = 0;
  bool in_order = true;
  s.reader->query("select pos, data from journal order by pos", {}, [&](const result_row& r) {
    in_order = in_order && r.integer(0) == i + 1 && r.text(1) == std::to_string(i);
    ++i;
  });
  CHECK(in_order);
  CHECK(i == 1'000);
  CHECK(s.number("select count(*) from applications") == 1'000);
}

TEMPLATE_TEST_CASE("query parameters are arrays, nulls and booleans", "[store]", memory, file, postgres) {
  opened<TestType> s;
  draft d{1};
  for (std::int64_t i = 1; i <= 5; ++i)
    d.put(person(i, "p" + std::to_string(i)));
  d.put(person(6, "\"quoted\\,{}"));
  REQUIRE(s.store->commit(d).how == commit_status::committed);
  CHECK(s.number("select count(*) from applicants where id = any($1::bigint[])",
                 {std::vector<std::int64_t>{1, 3, 99}}) == 2);
  CHECK(s.number("select count(*) from applicants where id = any($1::bigint[])", {std::vector<std::int64_t>{}}) == 0);
  CHECK(s.number("select count(*) from applicants where email = any($1::text[]) and id > $2",
                 {std::vector<std::string>{"p2", "\"quoted\\,{}", "", "NULL"}, std::int64_t{2}}) == 1);
  CHECK(s.number("select count(*) from applicants where id = any($2::bigint[]) or email = any($1::text[])",
                 {std::vector<std::string>{"p1"}, std::vector<std::int64_t>{4, 5}}) == 3);
  CHECK(s.number("select id from applicants where id > $1 order by id limit $2", {std::int64_t{3}, std::int64_t{1}}) ==
        4);
  bool yes = false, no = true;
  s.reader->query("select id = 1, id = 2 from applicants where id = 1", {}, [&](const result_row& r) {
    yes = r.boolean(0);
    no = r.boolean(1);
  });
  CHECK(yes);
  CHECK_FALSE(no);
  CHECK_THROWS_AS(s.number("select nothing from nowhere"), store_error);
  CHECK_THROWS_AS(s.text("select name from applicants where email = $1", {std::string{"a\0b", 3}}), store_error);
  CHECK(s.number("select count(*) from applicants") == 6);
}

TEMPLATE_TEST_CASE("the writer allocates blocks of ids", "[store]", memory, file, postgres) {
  opened<TestType> s;
  const auto take = [&](std::int64_t count) {
    std::int64_t next = 0;
    const sql_param params[] = {std::string{"opening"}, count};
    s.store->write("insert into ids (name, next) values ($1, $2) on conflict (name) do update set next = ids.next + $2 "
                   "returning next",
                   params, [&](const result_row& r) { next = r.integer(0); });
    return next;
  };
  CHECK(take(100) == 100);
  CHECK(take(50) == 150);
  CHECK_THROWS_AS(s.write("insert into ids (name, next) values ('x', null)"), store_error);
  CHECK(take(1) == 151);
  CHECK(s.store->commit(draft{1}.event("1", 0)).how == commit_status::committed);
}

TEMPLATE_TEST_CASE("readers see what is committed, concurrently with the writer", "[store]", memory, file, postgres) {
  opened<TestType> s;
  const auto other = s.store->open_reader();
  for (std::int64_t n = 1; n <= 5; ++n) {
    REQUIRE(s.store->commit(draft{n}.event("1", n - 1)).how == commit_status::committed);
    std::int64_t seen = 0;
    other->query("select max(seq) from journal", {}, [&](const result_row& r) { seen = r.integer(0); });
    CHECK(seen == n);
    CHECK(s.number("select max(pos) from journal") == n);
  }
  s.store->maintain();
}

TEMPLATE_TEST_CASE("a second opener is refused", "[store]", file, postgres) {
  opened<TestType> s;
  const auto second = make_store(s.on.url());
  CHECK_THROWS_AS(second->open("other"), store_in_use);
  CHECK(s.store->commit(draft{1}.event("1", 0)).how == commit_status::committed);
  s.reader.reset();
  s.store.reset();
  CHECK(make_store(s.on.url())->open("node") >= 1);
}

TEMPLATE_TEST_CASE("an older binary may use a newer schema unless the schema forbids it", "[store]", file, postgres) {
  opened<TestType> s;
  s.write("insert into schema_versions (number, name, oldest_binary) values (900, 'added', 1)");
  CHECK_NOTHROW(s.reopen());
  s.write("insert into schema_versions (number, name, oldest_binary) values (901, 'rebuilt', 900)");
  CHECK_THROWS_AS(s.reopen(), schema_too_new);
}

TEST_CASE("a store is chosen by its URL", "[store]") {
  CHECK(make_store("sqlite::memory:")->name() == "sqlite");
  CHECK(make_store("sqlite:x.db")->name() == "sqlite");
  CHECK(make_store("postgresql://nobody@127.0.0.1:1/none")->name() == "postgresql");
  CHECK_THROWS_AS(make_store("sqlite:"), store_error);
  CHECK_THROWS_AS(make_store("mysql://x"), store_error);
  CHECK_THROWS_AS(make_store("postgresql://nobody@127.0.0.1:1/none")->open("node"), store_error);
}
