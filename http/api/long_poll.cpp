#include "http/api/long_poll.hpp"

namespace callboard::http {

void let_wait(request_context& x, const std::shared_ptr<actors::request>& r) {
  x.permit->release();
  if (!x.client)
    return;
  x.client->when_gone = [waiting = std::weak_ptr{r}] {
    if (const auto one = waiting.lock())
      one->abandoned = true;
  };
}

}  // namespace callboard::http
