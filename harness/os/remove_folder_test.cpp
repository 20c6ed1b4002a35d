#include "harness/os/remove_folder.h"

#include <catch2/catch.hpp>

#include <fstream>

#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path) {
  std::ofstream(path) << "text";
}

TEST_CASE("a folder is removed with all that is in it") {
  const TestDirectory parent;
  const fs::path folder = parent.path() / "folder";
  fs::create_directories(folder / "a/b/c");
  write(folder / "file");
  write(folder / "a/b/file");
  CHECK(remove_folder(folder));
  CHECK_FALSE(fs::exists(folder));
  CHECK(fs::exists(parent.path()));
  CHECK(remove_folder(folder));  // there is none
}

TEST_CASE("one file is removed, too") {
  const TestDirectory parent;
  write(parent.path() / "file");
  write(parent.path() / "other");
  CHECK(remove_folder(parent.path() / "file"));
  CHECK_FALSE(fs::exists(parent.path() / "file"));
  CHECK(fs::exists(parent.path() / "other"));
}

TEST_CASE("a file that is held open delays no removal, and nothing else stays") {
  const TestDirectory parent;
  const fs::path folder = parent.path() / "folder";
  fs::create_directories(folder / "inner");
  write(folder / "other");
  std::ofstream held(folder / "inner/held");
  held << "text" << std::flush;
  const bool all = remove_folder(folder);
  CHECK(all != fs::exists(folder));  // Linux removes open files, too; Windows does not
  CHECK(all != fs::exists(folder / "inner/held"));
  CHECK_FALSE(fs::exists(folder / "other"));
  held.close();
  CHECK(remove_folder(folder));
  CHECK_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace tailgate
