#include "harness/os/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

fs::perms rights(const fs::path& path) {
  return fs::status(path).permissions();
}

TEST_CASE("a private folder is this user's alone, whatever the mask") {
  const TestDirectory parent;
  const mode_t mask = umask(0);
  make_private_folder(parent.path() / "new");
  umask(mask);
  CHECK(rights(parent.path() / "new") == fs::perms::owner_all);
}

TEST_CASE("a private folder takes the place of nothing and follows no link") {
  const TestDirectory parent;
  fs::create_directory(parent.path() / "victim");
  fs::create_directory_symlink(parent.path() / "victim", parent.path() / "link");
  fs::create_symlink(parent.path() / "nowhere", parent.path() / "dangling");
  for (const char* name : {"victim", "link", "dangling"}) {
    CHECK_THROWS_WITH(make_private_folder(parent.path() / name), Catch::Contains("mkdir"));
  }
  CHECK_FALSE(fs::exists(parent.path() / "nowhere"));
}

TEST_CASE("a folder in which others can replace a private one is refused") {
  const TestDirectory parent;
  fs::permissions(parent.path(), fs::perms::all);
  CHECK_THROWS_WITH(make_private_folder(parent.path() / "new"), Catch::Contains("rights 777"));
  fs::permissions(parent.path(), fs::perms::all | fs::perms::sticky_bit);
  make_private_folder(parent.path() / "new");
  if (geteuid() != 0) return;  // only root can give a folder away
  REQUIRE(chown(parent.path().c_str(), 65534, 65534) == 0);
  CHECK_THROWS_WITH(make_private_folder(parent.path() / "other"),
                    Catch::Contains("belongs to user 65534"));
}

}  // namespace
}  // namespace tailgate
