#include "http/api/queue/payloads.hpp"

#include "actors/queue/front.hpp"
#include "http/api/service.hpp"
#include "http/transport/completions.hpp"

#include <memory>

namespace callboard::http {

task<void> attach_payloads(request_context& x, std::vector<queue::job_view>& jobs) {
  if (jobs.empty())
    co_return;
  auto to = std::make_shared<promise<std::vector<queue::job_view>>>(x.io);
  auto here = to->get_future();
  x.app.node.front<queue::kind>().attach_payloads(std::move(jobs), [to](bool asked, std::vector<queue::job_view> full) {
    if (asked)
      to->send(std::move(full));
    else
      to->refuse(not_applied());
  });
  to.reset();
  jobs = co_await received(std::move(here));
}

}  // namespace callboard::http
