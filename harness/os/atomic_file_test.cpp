#include "harness/os/atomic_file.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace fs = std::filesystem;
using tailgate::check_writable;
using tailgate::Error;
using tailgate::Existing;
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

TEST_CASE("a file that must be new replaces nothing") {
  const TestDirectory folder;
  write_file_atomically(folder / "a", "old", Existing::refuse);
  CHECK_THROWS_WITH(write_file_atomically(folder / "a", "new", Existing::refuse),
                    Catch::Contains("exists already"));
  CHECK(read_file(folder / "a") == "old");
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("of threads that write one new file at once, one succeeds, and its content is whole") {
  const TestDirectory folder;
  for (int round = 0; round < 20; ++round) {
    const fs::path file = folder / std::to_string(round);
    std::atomic<int> succeeded{0};
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 4; ++writer) {
      writers.emplace_back([&, writer] {
        try {
          write_file_atomically(file, std::string(50'000, static_cast<char>('a' + writer)),
                                Existing::refuse);
          ++succeeded;
        } catch (const Error&) {
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    CHECK(succeeded == 1);
    const std::string content = read_file(file);
    CHECK(content == std::string(50'000, content.front()));
  }
  CHECK(count_files(folder.path()) == 20);
}

TEST_CASE("whether a folder can be written is known without leaving anything") {
  const TestDirectory folder;
  check_writable(folder.path());
  CHECK(count_files(folder.path()) == 0);
  CHECK_THROWS_AS(check_writable(folder / "none"), Error);
  write_file_atomically(folder / "file", "x");
  CHECK_THROWS_AS(check_writable(folder / "file"), Error);
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
