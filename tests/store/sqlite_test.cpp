#include "persistence/sqlite/connection.hpp"
#include "tests/store/backends.hpp"
#include "tests/store/draft.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>

// Full and failing disks, and what only a database file has.

using namespace callboard;
using namespace callboard::persistence;
using namespace callboard::test;

namespace {

/// A row much larger than a page.
draft& fill(draft& d) {
  for (int i = 0; i < 200; ++i)
    d.event(std::to_string(i), 0, std::string(2'000, 'x'));
  return d;
}

namespace broken_disk {

bool on = false;
sqlite3_syscall_ptr real_pwrite = nullptr;

ssize_t pwrite(int fd, const void* data, std::size_t size, off_t at) {
  if (on) {
    errno = EIO;
    return -1;
  }
  return reinterpret_cast<ssize_t (*)(int, const void*, std::size_t, off_t)>(real_pwrite)(fd, data, size, at);
}

/// Replaces SQLite's pwrite by ours, and restores it at the end.
struct installed {
  installed() {
    for (const char* name : {"pwrite64", "pwrite"})
      if (auto* call = vfs->xGetSystemCall(vfs, name)) {
        real_pwrite = call;
        used = name;
        vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(&pwrite));
        return;
      }
  }
  ~installed() {
    on = false;
    if (used != nullptr)
      vfs->xSetSystemCall(vfs, used, nullptr);
  }
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  const char* used = nullptr;
};

}  // namespace broken_disk

constexpr int not_allowed = 77;

/// In a process and a mount namespace of its own: 0, the line that failed, or not_allowed.
int survive_full_tmpfs(const std::filesystem::path& folder) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=2m") != 0)
    return not_allowed;
  const auto s = make_store("sqlite:" + (folder / "callboard.db").string());
  s->open("node");
  if (s->commit(draft{1}.event("first", 0)).how != commit_status::committed)
    return 1;
  const auto ballast = folder / "ballast";
  {
    std::ofstream out{ballast};
    for (int i = 0; i < 2'048 && out; ++i)
      out << std::string(1'024, 'x') << std::flush;
  }
  draft d{2};
  fill(d);
  for (int i = 0; i < 3; ++i)
    if (s->commit(d).how != commit_status::full)
      return 2;
  std::int64_t rows = -1;
  s->open_reader()->query("select count(*) from journal", {}, [&](const result_row& r) { rows = r.integer(0); });
  if (rows != 1)
    return 3;
  std::filesystem::remove(ballast);
  const auto out = s->commit(d);
  return out.how == commit_status::committed && out.last_position == 201 ? 0 : 4;
}

}  // namespace

TEST_CASE("a full database reports it, loses nothing and recovers", "[store][sqlite]") {
  opened<file> s;
  REQUIRE(s.store->commit(draft{1}.event("first", 0)).how == commit_status::committed);
  s.write("pragma max_page_count = 60");
  draft d{2};
  fill(d);
  CHECK(s.store->commit(d).how == commit_status::full);
  CHECK(s.store->commit(d).how == commit_status::full);
  CHECK(s.number("select count(*) from journal") == 1);
  CHECK(s.number("select batch from writers") == 1);
  s.write("pragma max_page_count = 1000000");
  CHECK(s.store->commit(d).last_position == 201);
}

TEST_CASE("a full disk reports it, loses nothing and recovers", "[store][sqlite]") {
  const auto folder = std::filesystem::temp_directory_path() / random_name();
  std::filesystem::create_directories(folder);
  const auto child = ::fork();
  if (child == 0) {
    int failed = 70;
    try {
      failed = survive_full_tmpfs(folder);
    } catch (const std::exception&) {
    }
    ::_exit(failed);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::filesystem::remove_all(folder);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == not_allowed)
    WARN("NOT TESTED: this machine allows no mount namespace, so no disk could be filled");
  else
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("after a disk failure the outcome is unknown until the file was opened again", "[store][sqlite]") {
  opened<file> s;
  const broken_disk::installed disk;
  REQUIRE(disk.used != nullptr);
  REQUIRE(s.store->commit(draft{1}.event("1", 0)).how == commit_status::committed);
  CHECK(s.number("select count(*) from journal") == 1);
  draft d{2};
  d.event("1", 1);
  broken_disk::on = true;
  CHECK(s.store->commit(d).how == commit_status::unknown);
  CHECK(s.store->commit(d).how == commit_status::down);
  CHECK_THROWS_AS(s.write("delete from ids"), store_error);
  CHECK_THROWS_AS(s.store->reconnect(), store_error);
  CHECK(s.store->commit(d).how == commit_status::down);
  broken_disk::on = false;
  CHECK(s.store->reconnect() == 1);
  CHECK(s.store->commit(d).how == commit_status::committed);
  CHECK(s.number("select count(*) from journal") == 2);
}

TEST_CASE("the log is copied into the database while the writer writes", "[store][sqlite]") {
  opened<file> s;
  const auto wal = s.on.path().string() + "-wal";
  for (std::int64_t n = 1; n <= 30; ++n) {
    draft d{n};
    for (int i = 0; i < 200; ++i)
      d.event(std::to_string(n * 1'000 + i), 0, std::string(4'000, 'x'));
    REQUIRE(s.store->commit(d).how == commit_status::committed);
    s.store->maintain();
  }
  // More than 24 MB went through the log; without checkpoints the file would be that long.
  CHECK(std::filesystem::file_size(s.on.path()) > 4'000'000);
  s.reopen();
  CHECK(s.last == 30);
  CHECK(s.number("select count(*) from journal") == 6'000);
  CHECK((!std::filesystem::exists(wal) || std::filesystem::file_size(wal) == 0));
}

TEST_CASE("array parameters in SQLite's syntax", "[store][sqlite]") {
  CHECK(translated("select 1") == "select 1");
  CHECK(translated("where a = any($1::bigint[]) and b = any($12::text[]) or c = $2") ==
        "where a in (select value from json_each($1)) and b in (select value from json_each($12)) or c = $2");
  CHECK_THROWS_AS(translated("where a = any($1)"), store_error);
}
