#include "http/transport/metrics.hpp"

#include <algorithm>

namespace callboard::http {

bool request_metrics::permit::grow(std::int64_t more, std::int64_t bytes_max) {
  if (of_->bytes_.fetch_add(more) + more > bytes_max) {
    of_->bytes_ -= more;
    ++of_->overloaded_;
    return false;
  }
  bytes_ += more;
  return true;
}

void request_metrics::permit::release() {
  if (!of_)
    return;
  --of_->requests_;
  of_->bytes_ -= bytes_;
  of_ = nullptr;
  bytes_ = 0;
}

request_metrics::permit request_metrics::take(std::int64_t requests_max) {
  if (requests_.fetch_add(1) < requests_max)
    return permit{this};
  --requests_;
  ++overloaded_;
  return {};
}

bool request_metrics::open_connection(std::int64_t connections_max) {
  if (connections_.fetch_add(1) < connections_max)
    return true;
  --connections_;
  ++refused_;
  return false;
}

void request_metrics::answered(int status, std::chrono::steady_clock::duration took,
                               std::chrono::steady_clock::time_point now) {
  answers_[static_cast<std::size_t>(std::clamp(status / 100, 0, 5))].fetch_add(1, std::memory_order_relaxed);
  latency_.record(took, now);
}

request_metrics::summary request_metrics::now() const {
  summary out;
  out.last_minute = latency_.last_minute();
  out.requests_in_flight = requests_;
  out.body_bytes_in_flight = bytes_;
  out.connections_open = connections_;
  out.connections_refused = refused_;
  out.requests_overloaded = overloaded_;
  std::copy(answers_.begin(), answers_.end(), out.answers.begin());
  return out;
}

}  // namespace callboard::http
