#include "harness/os/remove_folder.h"

#include <catch2/catch.hpp>

#include <fstream>

#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

TEST_CASE("what a link in a removed folder names stays") {
  const TestDirectory parent;
  fs::create_directories(parent.path() / "victim/inner");
  std::ofstream(parent.path() / "victim/inner/file") << "text";
  fs::create_directory(parent.path() / "folder");
  fs::create_directory_symlink(parent.path() / "victim", parent.path() / "folder/link");
  CHECK(remove_folder(parent.path() / "folder"));
  CHECK(fs::exists(parent.path() / "victim/inner/file"));
}

}  // namespace
}  // namespace tailgate
