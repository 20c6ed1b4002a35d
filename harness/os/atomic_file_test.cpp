#include "harness/os/atomic_file.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace fs = std::filesystem;
using tailgate::Error;
using tailgate::TestDirectory;
using tailgate::write_file_atomically;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t count_files(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Returns the Error that writing throws; fails the test if it throws none.
Error error_of(const fs::path& path, const std::string& content) {
  try {
    write_file_atomically(path, content);
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error for " << path);
  throw;
}

}  // namespace

TEST_CASE("a new file contains every byte of the content") {
  const TestDirectory folder;
  std::string content = "{\"a\": 1}\n";
  content.push_back('\0');
  content.append(3'000'000, 'x');
  write_file_atomically(folder / "result.json", content);
  CHECK(read_file(folder / "result.json") == content);
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("an existing file is replaced") {
  const TestDirectory folder;
  write_file_atomically(folder / "a", "old");
  write_file_atomically(folder / "a", "new");
  CHECK(read_file(folder / "a") == "new");
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("a relative name is taken from the current folder") {
  const TestDirectory folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("here", "x");
  fs::current_path(before);
  CHECK(read_file(folder / "here") == "x");
}

TEST_CASE("a missing folder is an error that says to create it") {
  const TestDirectory folder;
  const Error error = error_of(folder / "no/such/file", "x");
  CHECK_THAT(error.what_failed(),
             Catch::Contains(fs::path("no/such/file").make_preferred().string()));
  CHECK_THAT(error.remedy(), Catch::Contains("create the folder"));
  CHECK(count_files(folder.path()) == 0);
}
