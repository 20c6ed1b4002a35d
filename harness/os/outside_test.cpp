#include "harness/os/outside.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/testing/test_directory.h"

namespace fs = std::filesystem;
using tailgate::note_outside;
using tailgate::remove_noted;
using tailgate::TestDirectory;

namespace {

void make_file(const fs::path& path) {
  fs::create_directories(path.parent_path());
  REQUIRE(std::ofstream(path) << "x");
}

}  // namespace

TEST_CASE("what a run noted is removed, by whichever of its folders noted it") {
  const TestDirectory place;
  fs::create_directories(place / "run/trial");
  make_file(place / "else/tailgate-a/deep/file");
  make_file(place / "else/.tailgate-b.tmp");
  make_file(place / "else/tailgate-c");
  note_outside(place / "run", place / "else/tailgate-a");
  note_outside(place / "run/trial", place / "else/.tailgate-b.tmp");
  note_outside(place / "run/trial", place / "else/tailgate-never-made");
  CHECK(remove_noted(place / "run"));
  CHECK_FALSE(fs::exists(place / "else/tailgate-a"));
  CHECK_FALSE(fs::exists(place / "else/.tailgate-b.tmp"));
  CHECK(fs::exists(place / "else/tailgate-c"));
}

TEST_CASE("a note that is cut off, relative or names something else removes nothing") {
  const TestDirectory place;
  const fs::path cut = place / "else/tailgate-cut";
  make_file(cut);
  make_file(place / "else/results");
  fs::create_directories(place / "run");
  std::ofstream(place / "run/tailgate.outside", std::ios::binary)
      << (place / "else/results").string() << '\0' << "tailgate-relative" << '\0' << '\0'
      << cut.string();  // not ended: the run died while it wrote
  CHECK(remove_noted(place / "run"));
  CHECK(fs::exists(cut));
  CHECK(fs::exists(place / "else/results"));
}

TEST_CASE("a link is removed, and what it leads to stays") {
  const TestDirectory place;
  make_file(place / "else/kept/file");
  fs::create_directories(place / "run");
  std::error_code failed;
  fs::create_directory_symlink(place / "else/kept", place / "else/tailgate-link", failed);
  if (failed) {
    WARN("not checked: links cannot be made: " << failed.message());
    return;
  }
  note_outside(place / "run", place / "else/tailgate-link");
  CHECK(remove_noted(place / "run"));
  CHECK_FALSE(fs::exists(fs::symlink_status(place / "else/tailgate-link")));
  CHECK(fs::exists(place / "else/kept/file"));
}
