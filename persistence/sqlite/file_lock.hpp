#pragma once

#include <string>

namespace callboard::persistence {

/// Holds a file's lock for as long as it lives; refused, with store_in_use, while anybody else does.
class file_lock {
public:
  explicit file_lock(const std::string& path);
  ~file_lock();
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;

private:
  int descriptor_;
};

}  // namespace callboard::persistence
