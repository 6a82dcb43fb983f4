#pragma once

#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <optional>

namespace callboard::opening {

/// A waitlist in rank order. Every operation is O(log n): the tree's nodes count what is below them.
class order {
public:
  struct entry {
    std::int64_t rank;
    std::int64_t n;  ///< the application's number within its opening
  };

  void add(std::int64_t rank, std::int64_t n) { tree_.insert({rank, n}); }
  void remove(std::int64_t rank) { tree_.erase(rank); }

  bool has(std::int64_t rank) const { return tree_.find(rank) != tree_.end(); }
  std::size_t size() const { return tree_.size(); }
  bool empty() const { return tree_.empty(); }

  std::optional<entry> first() const { return behind(INT64_MIN); }
  std::int64_t last_rank() const { return tree_.empty() ? INT64_MIN : tree_.rbegin()->first; }

  /// The first entry whose rank is greater.
  std::optional<entry> behind(std::int64_t rank) const {
    const auto it = tree_.upper_bound(rank);
    return it == tree_.end() ? std::nullopt : std::optional{entry{it->first, it->second}};
  }

  /// 1 for the first in line.
  std::int64_t position(std::int64_t rank) const { return static_cast<std::int64_t>(tree_.order_of_key(rank)) + 1; }

  /// Calls `visit(rank, n)` for entries behind `rank` until it returns false.
  template <class Visit>
  void walk(std::int64_t rank, Visit&& visit) const {
    for (auto it = tree_.upper_bound(rank); it != tree_.end() && visit(it->first, it->second); ++it) {
    }
  }

  friend bool operator==(const order& a, const order& b) {
    auto x = a.tree_.begin();
    auto y = b.tree_.begin();
    for (; x != a.tree_.end() && y != b.tree_.end(); ++x, ++y)
      if (*x != *y)
        return false;
    return a.size() == b.size();
  }

private:
  __gnu_pbds::tree<std::int64_t, std::int64_t, std::less<>, __gnu_pbds::rb_tree_tag,
                   __gnu_pbds::tree_order_statistics_node_update>
      tree_;
};

}  // namespace callboard::opening
