#pragma once

#include <string>

namespace callboard::persistence {

/// Holds a file's lock during its lifetime; throws store_in_use while another process holds it.
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
