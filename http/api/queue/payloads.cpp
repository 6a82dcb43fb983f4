#include "http/api/queue/payloads.hpp"

#include "actors/queue/front.hpp"
#include "http/api/service.hpp"
#include "http/transport/completions.hpp"

#include <memory>

namespace callboard::http {

task<void> attach_payloads(request_context& x, std::vector<queue::job_view>& jobs) {
  auto& front = x.app.node.front<queue::kind>();
  const auto missing = front.attach_cached(jobs);
  if (missing.empty())
    co_return;
  auto to = std::make_shared<promise<std::vector<queue::job_view>>>(x.io);
  auto here = to->get_future();
  auto filled = [to](bool asked, std::vector<queue::job_view> full) {
    if (asked)
      to->send(std::move(full));
    else
      to->refuse(not_applied());
  };
  to.reset();
  front.attach_stored(std::move(jobs), missing, std::move(filled));
  jobs = co_await received(std::move(here));
}

}  // namespace callboard::http
