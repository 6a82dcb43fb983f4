#pragma once

#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

namespace callboard::board_job {

/// Jobs for which a claim_next is being decided: other searches pass them by, so that they do not all try the same one.
class claims_in_flight {
public:
  /// Takes one job for as long as it lives; nothing when somebody else has it.
  class hold {
  public:
    hold() = default;
    hold(hold&& other) noexcept : of_{std::exchange(other.of_, nullptr)}, key_{std::move(other.key_)} {}
    hold& operator=(hold&&) = delete;
    ~hold() {
      if (of_)
        of_->release(key_);
    }
    explicit operator bool() const { return of_ != nullptr; }

  private:
    friend class claims_in_flight;
    hold(claims_in_flight* of, std::string key) : of_{of}, key_{std::move(key)} {}
    claims_in_flight* of_ = nullptr;
    std::string key_;
  };

  hold take(std::string key) {
    const std::lock_guard lock{mutex_};
    return taken_.insert(key).second ? hold{this, std::move(key)} : hold{};
  }

  std::size_t size() const {
    const std::lock_guard lock{mutex_};
    return taken_.size();
  }

private:
  void release(const std::string& key) {
    const std::lock_guard lock{mutex_};
    taken_.erase(key);
  }

  mutable std::mutex mutex_;
  std::unordered_set<std::string> taken_;
};

}  // namespace callboard::board_job
