#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/os/atomic_file.h"

namespace fs = std::filesystem;
using tailgate::Error;
using tailgate::TestDirectory;
using tailgate::write_file_atomically;

namespace {

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Returns the Error that writing throws; fails the test if it throws none.
Error refusal_of(const fs::path& path, const std::string& content) {
  try {
    write_file_atomically(path, content);
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error for " << path);
  throw;
}

}  // namespace

TEST_CASE("a new file's permissions follow the user's umask") {
  const TestDirectory folder;
  write_file_atomically(folder / "a", "x");
  struct stat status;
  REQUIRE(stat((folder / "a").c_str(), &status) == 0);
  const mode_t mask = umask(0);
  umask(mask);
  CHECK((status.st_mode & 0777) == (0666 & ~mask));
}

TEST_CASE("a symbolic link is refused, and its target stays as it is") {
  const TestDirectory folder;
  write_file_atomically(folder.path() / "file", "old");
  fs::create_symlink("file", folder.path() / "link");
  fs::create_symlink("none", folder.path() / "dangling");
  for (const char* name : {"link", "dangling"}) {
    CHECK_THROWS_WITH(write_file_atomically(folder.path() / name, "new"),
                      Catch::Contains("symbolic link"));
  }
  CHECK(fs::file_size(folder.path() / "file") == 3);
  CHECK_FALSE(fs::exists(folder.path() / "none"));
}

TEST_CASE("a file that is replaced keeps its rights") {
  const TestDirectory folder;
  const fs::path file = folder.path() / "file";
  write_file_atomically(file, "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(file, "new");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("devices and folders are never replaced") {
  const TestDirectory folder;
  CHECK_THAT(refusal_of("/dev/full", "x").what_failed(), Catch::Contains("not a regular file"));
  CHECK_THAT(refusal_of(folder.path(), "x").what_failed(), Catch::Contains("not a regular file"));
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(refusal_of(folder / "pipe", "x").what_failed(), Catch::Contains("not a regular file"));
}

TEST_CASE("content over the file size limit leaves the old file and nothing else") {
  const TestDirectory folder;
  write_file_atomically(folder / "a", "old");
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit limit{4096, before.rlim_max};
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const Error error = refusal_of(folder / "a", std::string(10'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  CHECK_THAT(error.remedy(), Catch::Contains("ulimit -f"));
  CHECK(content_of(folder / "a") == "old");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a full disk leaves the old file and nothing else") {
  const TestDirectory folder;
  const fs::path disk = folder / "disk";
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    WARN("not checked: mounting a small file system needs root");
    return;
  }
  write_file_atomically(disk / "a", "old");
  const Error error = refusal_of(disk / "a", std::string(1'000'000, 'x'));
  const std::string content = content_of(disk / "a");
  const std::size_t files = files_in(disk);
  CHECK(umount(disk.c_str()) == 0);
  CHECK_THAT(error.remedy(), Catch::Contains("free space"));
  CHECK(content == "old");
  CHECK(files == 1);
}

TEST_CASE("a folder without write permission is an error that says so") {
  const TestDirectory folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  // Root may write anywhere, so a child process drops its privileges first.
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (chown(folder.path().c_str(), 65534, 65534) != 0 || setuid(65534) != 0)) {
      _exit(2);
    }
    try {
      write_file_atomically(folder / "a", "x");
    } catch (const Error& error) {
      _exit(error.remedy().find("may write to") != std::string::npos ? 0 : 3);
    }
    _exit(4);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a reader that has the old file open keeps reading the old content") {
  const TestDirectory folder;
  write_file_atomically(folder / "a", "old");
  std::ifstream reader(folder / "a");
  write_file_atomically(folder / "a", "new");
  std::string seen;
  reader >> seen;
  CHECK(seen == "old");
}
