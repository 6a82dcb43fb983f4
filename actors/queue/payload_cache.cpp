#include "actors/queue/payload_cache.hpp"

namespace callboard::queue {
namespace {

std::size_t bytes_of(const std::string& job_key, const job_payload& p) {
  return 2 * job_key.size() + p.data.size() + p.metadata.size() + 500;
}

}  // namespace

void payload_cache::put(std::string job_key, job_payload p) {
  const auto bytes = bytes_of(job_key, p);
  const std::lock_guard lock{mutex_};
  const auto now = std::chrono::steady_clock::now();
  // A job that waited longer than this will not be claimed soon.
  while (!oldest_first_.empty() && now - oldest_first_.front().first > kept_for) {
    if (const auto it = payloads_.find(oldest_first_.front().second); it != payloads_.end()) {
      bytes_ -= bytes_of(it->first, it->second);
      payloads_.erase(it);
    }
    oldest_first_.pop_front();
  }
  if (bytes_ + bytes > bytes_max)
    return;
  bytes_ += bytes;
  oldest_first_.emplace_back(now, job_key);
  payloads_.emplace(std::move(job_key), std::move(p));
}

std::optional<job_payload> payload_cache::take(const std::string& job_key) {
  const std::lock_guard lock{mutex_};
  const auto it = payloads_.find(job_key);
  if (it == payloads_.end())
    return std::nullopt;
  bytes_ -= bytes_of(it->first, it->second);
  auto out = std::move(it->second);
  payloads_.erase(it);
  // A queue that is worked off as fast as it fills leaves only names behind.
  if (oldest_first_.size() > 2 * payloads_.size() + 1'000)
    std::erase_if(oldest_first_, [this](const auto& name) { return !payloads_.contains(name.second); });
  return out;
}

}  // namespace callboard::queue
