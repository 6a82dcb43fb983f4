#include "actors/queue/reads.hpp"
#include "actors/queue/rules.hpp"
#include "tests/store/backends.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

namespace {

/// One life of a queue on a real store, and what its rows say of it.
struct life {
  explicit life(const std::string& url) : w{persistence::make_store(url), 0, {.kinds = hosting<queue::kind>()}} {}

  template <class Result>
  Result does(queue::command c) {
    const auto p = w.ask<queue::kind>("work", std::move(c));
    INFO((p->no ? p->no->message : "not refused"));
    REQUIRE(p->accepted());
    return p->template get<Result>();
  }
  std::int64_t claims(const std::string& id) {
    const auto jobs = does<queue::claimed_jobs>(queue::claim{"w", {}, 1, 60, 0}).jobs;
    REQUIRE(jobs.size() == 1);
    CHECK(jobs.front().id == id);
    const auto& text = *jobs.front().lease_token;
    return std::stoll(text.substr(text.rfind(':') + 1));
  }
  queue::job_view row(const std::string& id) {
    const auto found = queue::find_jobs(*reader(), id, std::nullopt);
    REQUIRE(found.size() == 1);
    return found.front();
  }
  std::unique_ptr<persistence::reader> reader() { return w.faults->behind().open_reader(); }

  world w;
};

queue::new_job work(std::string id, std::int64_t weight = 5) {
  queue::new_job j;
  j.id = std::move(id);
  j.type = "mail";
  j.weight = weight;
  j.content = 7;
  j.data_text = R"({"to":"\"ada\", {grace}\\"})";
  j.priority = "\"high\"";
  return j;
}

}  // namespace

TEMPLATE_TEST_CASE("a queue lives the same life on every store", "", test::memory, test::file, test::postgres) {
  TestType on;
  life l{on.url()};

  auto later = work("later");
  later.run_at = l.w.now() + 100s;
  auto brief = work("brief", 1);
  brief.ttl_s = 50;
  auto unique = work("unique", 2);
  unique.unique_key = "u";
  l.does<queue::accepted>(queue::enqueue{{work("a", 9), work("b", 8), later, brief, unique}, false});
  CHECK(l.row("a").data.text == R"({"to":"\"ada\", {grace}\\"})");
  CHECK(l.row("later").status == queue::status::scheduled);
  CHECK(l.row("unique").unique_key == "u");

  const auto a = l.claims("a");
  // Two in one batch: what the second does not name stays.
  l.w.send<queue::kind>("work", queue::heartbeat{"a", a, "0.5", "half", {}});
  l.w.send<queue::kind>("work", queue::heartbeat{"a", a, {}, {}, R"({"at":0})"});
  l.w.settle();
  l.does<queue::beat>(queue::heartbeat{"a", a, {}, {}, R"({"at":1})"});
  const auto held = l.row("a");
  CHECK(held.progress.text == "0.5");
  CHECK(held.message == "half");
  CHECK(held.checkpoint.text == R"({"at":1})");
  CHECK(held.worker == "w");
  CHECK(held.lease_token == queue::token_text("work", a));

  l.w.pass(60s);  // the lease ends, and the patience of the brief one
  CHECK(l.row("a").attempts == 1);
  CHECK(l.row("a").error_code == "lease_lost");
  CHECK(l.row("brief").status == queue::status::failed);
  const auto again = l.claims("a");
  l.does<queue::job_result>(queue::complete{{{"a", again, R"({"ok":true})"}}, true});
  CHECK(l.row("a").results.text == R"({"ok":true})");
  CHECK(l.row("a").completed_at);

  const auto b = l.claims("b");
  queue::fail f;
  f.id = "b";
  f.token = b;
  f.error = "no 42";
  f.error_code = "net";
  f.permanent = true;
  l.does<queue::job_result>(f);
  CHECK(l.row("b").error == "no 42");
  l.does<queue::job_result>(queue::cancel{"unique", "changed my mind"});
  CHECK(l.row("unique").status == queue::status::cancelled);
  CHECK(l.row("unique").message == "changed my mind");

  queue::configure c;
  c.per_key = queue::key_limit{"data.to", 3};
  c.rate_per_s = std::optional<std::int64_t>{50};
  l.does<queue::settings_view>(c);

  l.w.crash();
  const auto settings = l.does<queue::settings_view>(queue::show_settings{});
  CHECK(settings.per_key->key == "data.to");
  CHECK(settings.rate_per_s == 50);
  const auto groups = l.does<queue::dead_groups>(queue::show_dead{"", 10}).groups;
  REQUIRE(groups.size() == 1);
  CHECK(groups.front().error_code == "net");
  queue::redrive request;
  request.error_code = "net";
  CHECK(l.does<queue::swept>(request).moved == 1);
  l.w.pass(1s);
  l.does<queue::job_result>(queue::complete{{{"b", l.claims("b"), {}}}, true});
  l.w.pass(60s);
  l.does<queue::job_result>(queue::release{{{"later", l.claims("later"), {}}}, true});
  CHECK(l.row("later").attempts == 0);

  const auto from = l.reader();
  CHECK(queue::queue_names(*from) == std::vector<std::string>{"work"});
  const auto first = queue::jobs_page(*from, {}, "", "", 3);
  REQUIRE(first.size() == 3);
  CHECK(first[0].id == "a");
  CHECK(first[1].id == "b");
  CHECK(first[2].id == "brief");
  const auto rest = queue::jobs_page(*from, {}, "work", "brief", 3);
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].id == "later");
  CHECK(queue::jobs_page(*from, {queue::status::complete, "mail", "work"}, "", "", 10).size() == 2);
  CHECK(queue::jobs_page(*from, {queue::status::pending, std::nullopt, std::nullopt}, "", "", 10).size() == 1);
  CHECK(queue::jobs_page(*from, {std::nullopt, "sms", std::nullopt}, "", "", 10).empty());
  const auto over = queue::finished_of(*from, {queue::job_key("work", "a"), queue::job_key("work", "later")});
  CHECK(over.size() == 1);
  CHECK(over.at(queue::job_key("work", "a")).content == 7);

  l.does<queue::nothing>(queue::purge{{"a", "b", "brief", "unique"}});
  CHECK(queue::find_jobs(*from, "a", "work").empty());
  CHECK(l.w.count("select count(*) from work_payloads") == 1);
  CHECK(l.w.count("select count(*) from work_reports") == 0);
  std::string why;
  INFO(why);
  CHECK(l.w.verified(&why));
}
