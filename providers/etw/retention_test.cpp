#include "providers/etw/retention.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <set>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace tailgate::etw {
namespace {

using namespace std::chrono_literals;

void make_file(const std::filesystem::path& path, std::size_t bytes, std::chrono::hours age) {
  std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST_CASE("the oldest traces are removed until the rest is within the limit") {
  const TestDirectory folder;
  make_file(folder / "tailgate-b.etl", 100, 3h);
  make_file(folder / "tailgate-a.etl", 100, 2h);
  make_file(folder / "tailgate-c.etl", 100, 1h);
  remove_oldest_traces(folder.path(), 300);
  CHECK(names_in(folder.path()).size() == 3);
  remove_oldest_traces(folder.path(), 299);
  CHECK(names_in(folder.path()) == std::set<std::string>{"tailgate-a.etl", "tailgate-c.etl"});
  remove_oldest_traces(folder.path(), 0);
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("other files are neither counted nor removed") {
  const TestDirectory folder;
  make_file(folder / "other.etl", 1000, 9h);
  make_file(folder / "tailgate-notes.txt", 1000, 9h);
  make_file(folder / "tailgate-a.etl", 10, 1h);
  remove_oldest_traces(folder.path(), 10);
  CHECK(names_in(folder.path()).size() == 3);
}

TEST_CASE("a missing folder is created, and the error names one that cannot be") {
  const TestDirectory folder;
  remove_oldest_traces(folder / "new", 1);
  CHECK(std::filesystem::is_directory(folder / "new"));
  make_file(folder / "file", 1, 1h);
  CHECK_THROWS_WITH(remove_oldest_traces(folder / "file", 1), Catch::Contains("keep_in = "));
}

}  // namespace
}  // namespace tailgate::etw
