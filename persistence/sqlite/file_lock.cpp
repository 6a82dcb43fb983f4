#include "persistence/sqlite/file_lock.hpp"

#include "persistence/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace callboard::persistence {

file_lock::file_lock(const std::string& path) : descriptor_{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640)} {
  if (descriptor_ < 0)
    throw store_error("cannot open " + path + ": " + std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0)
    return;
  const int reason = errno;
  ::close(descriptor_);
  if (reason == EWOULDBLOCK)
    throw store_in_use("another process holds " + path);
  throw store_error("cannot lock " + path + ": " + std::strerror(reason));
}

file_lock::~file_lock() { ::close(descriptor_); }

}  // namespace callboard::persistence
