// A node with the sample kind in a process of its own, to be killed: outbox_process STORE run | check
//   run    counters ask each other for ever; prints a line for every ask that is stored
//   check  waits until every ask was heard, then compares what was asked, received and answered

#include "actors/kind_host.hpp"
#include "actors/node.hpp"
#include "persistence/store.hpp"
#include "persistence/verify.hpp"
#include "tests/sample/load.hpp"
#include "tests/sample/rules.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using sample::kind;

constexpr int counters = 20;
constexpr int under_way_max = 64;

class question final : public actors::request_to<kind> {
public:
  explicit question(std::function<void(const sample::counter*)> done) : done_{std::move(done)} {}
  ~question() override { end(nullptr); }
  void answer(kind::result r, std::int64_t) override { end(&std::get<sample::counter>(r)); }
  void refuse(refusal) override { end(nullptr); }
  void answer_again(actors::replay) override { end(nullptr); }

private:
  void end(const sample::counter* c) {
    if (auto done = std::exchange(done_, nullptr))
      done(c);
  }
  std::function<void(const sample::counter*)> done_;
};

void send(actors::node& to, int counter, sample::command c, std::function<void(const sample::counter*)> done) {
  auto q = std::make_shared<question>(std::move(done));
  q->target = {kind::name, std::to_string(counter)};
  q->command = std::move(c);
  q->by = std::make_shared<const origin>(origin{"test", "", "", std::string(32, '0'), ""});
  to.send(std::move(q));
}

std::unique_ptr<actors::node> start(const std::string& url) {
  actors::node_options o;
  o.more_kinds = [](actors::kind_hosts& hosts, actors::environment& env) {
    hosts.emplace(kind::name, actors::make_host<kind>(env, sample::settings{}));
  };
  auto store = persistence::make_store(url);
  auto* tables = store.get();
  o.opened = [tables] { sample::create_tables(*tables); };
  return std::make_unique<actors::node>(std::move(o), std::move(store));
}

/// The counter, or nothing when it did not answer in time.
std::optional<sample::counter> ask(actors::node& to, int counter, sample::command c) {
  auto promise = std::make_shared<std::promise<std::optional<sample::counter>>>();
  auto here = promise->get_future();
  send(to, counter, std::move(c),
       [promise](const sample::counter* found) { promise->set_value(found ? std::optional{*found} : std::nullopt); });
  return here.get();
}

int run(const std::string& url) {
  const auto node = start(url);
  for (int i = 1; i <= counters; ++i)
    ask(*node, i, sample::create{1'000'000'000});
  std::cout << "ready" << std::endl;
  std::mt19937 random{std::random_device{}()};
  std::atomic<int> under_way{0};
  std::mutex printing;
  while (true) {
    while (under_way >= under_way_max)
      std::this_thread::sleep_for(100us);
    ++under_way;
    const auto pick = [&] { return static_cast<int>(random() % counters) + 1; };
    const auto target = random() % 10 == 0 ? std::string{} : std::to_string(pick());
    send(*node, pick(), sample::ask_other{target, 1}, [&](const sample::counter* stored) {
      if (stored) {
        const std::lock_guard lock{printing};
        std::cout << "stored" << std::endl;
      }
      --under_way;
    });
  }
}

int check(const std::string& url) {
  const auto node = start(url);
  const auto until = std::chrono::steady_clock::now() + 60s;
  std::int64_t left = 1;
  while (left > 0 && std::chrono::steady_clock::now() < until) {
    left = 0;
    for (int i = 1; i <= counters; ++i) {
      const auto c = ask(*node, i, sample::show{});
      left += c ? c->unanswered : 1;
    }
    std::this_thread::sleep_for(20ms);
  }
  const auto from = node->store().open_reader();
  std::int64_t differences = 0;
  persistence::verify<kind>(*from, [&](const persistence::difference& d) {
    std::cerr << d.key << ' ' << d.where << ' ' << d.what << '\n';
    ++differences;
  });
  const auto count = [&](const std::string& sql) {
    std::int64_t n = 0;
    from->query(sql, {}, [&](const persistence::result_row& r) { n = r.integer(0); });
    return n;
  };
  const std::string events = "select count(*) from journal where type = ";
  std::cout << "{\"unanswered\":" << left << ",\"asked\":" << count(events + "'ASKED'")
            << ",\"answered\":" << count(events + "'ANSWERED'") << ",\"received\":" << count(events + "'RECEIVED'")
            << ",\"asked_of_the_pool\":" << count(events + "'ASKED' and data like '%\"target\":\"\"%'")
            << ",\"differences\":" << differences << "}" << std::endl;
  return 0;
}

}  // namespace
}  // namespace callboard

int main(int argc, char** argv) {
  if (argc != 3)
    return 64;
  const std::string what = argv[2];
  return what == "run" ? callboard::run(argv[1]) : callboard::check(argv[1]);
}
