#include "providers/shared/storage/rotating_log.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

using Append = RotatingLog::Append;

Append put(RotatingLog& log, const std::string& text) {
  int error = 0;
  return log.append(std::as_bytes(std::span(text)), error);
}

std::string all_of(const std::filesystem::path& stem) {
  std::string text;
  for (const std::filesystem::path& path : RotatingLog::files_of(stem)) {
    std::ifstream file(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

std::uintmax_t size_of(const std::filesystem::path& stem) {
  std::uintmax_t bytes = 0;
  for (const std::filesystem::path& path : RotatingLog::files_of(stem)) {
    bytes += std::filesystem::file_size(path);
  }
  return bytes;
}

TEST_CASE("a rotating log keeps the newest events whole, and its cap at every moment") {
  const TestDirectory directory;
  const std::filesystem::path stem = directory.path() / "log";
  std::ofstream(directory.path() / "log.other") << "not a file of the log";
  RotatingLog log(stem, {.max_bytes = 100, .files = 4});  // 25 each: six events of 4
  std::string written;
  for (int i = 1000; i < 1100; ++i) {
    CHECK(put(log, std::to_string(i)) == Append::done);
    written += std::to_string(i);
    CHECK(size_of(stem) <= 100);
  }
  log.close();
  const std::string left = all_of(stem);
  CHECK(left == written.substr(written.size() - left.size()));
  CHECK(left.size() >= 3 * 24);
  CHECK(log.removed_events() == (written.size() - left.size()) / 4);
}

TEST_CASE("a log that stops at its cap keeps the first events, and refuses the others") {
  const TestDirectory directory;
  RotatingLog log(directory.path() / "log",
                  {.max_bytes = 10, .files = 1, .at_cap = RotatingLog::AtCap::refuse});
  CHECK(put(log, "12345678") == Append::done);
  CHECK(put(log, "abc") == Append::at_cap);
  CHECK(put(log, "9") == Append::done);
  log.close();
  CHECK(all_of(directory.path() / "log") == "123456789");
  CHECK(log.removed_events() == 0);
}

TEST_CASE("an event larger than a file is refused, and the files stay") {
  const TestDirectory directory;
  RotatingLog log(directory.path() / "log", {.max_bytes = 20, .files = 2});
  CHECK(put(log, "12345678") == Append::done);
  CHECK(put(log, std::string(11, 'x')) == Append::at_cap);
  log.close();
  CHECK(all_of(directory.path() / "log") == "12345678");
}

TEST_CASE("a planted log removes late: more than its cap for a while, and not at the end") {
  const TestDirectory directory;
  const std::filesystem::path stem = directory.path() / "log";
  RotatingLog log(stem, {.max_bytes = 100, .files = 4, .late_events = 5});
  std::uintmax_t most = 0;
  for (int i = 1000; i < 1100; ++i) {
    CHECK(put(log, std::to_string(i)) == Append::done);
    most = std::max(most, size_of(stem));
  }
  CHECK(most > 100);
  log.close();
  CHECK(size_of(stem) <= 100);
}

TEST_CASE("each launch has a file of its own, named by time, and removes the oldest ones") {
  const TestDirectory directory;
  const std::filesystem::path stem = directory.path() / "log";
  const RotatingLog::Plan plan{.max_bytes = 100, .files = 4, .names = RotatingLog::Names::times};
  std::string written;
  for (int launch = 10; launch < 30; ++launch) {
    RotatingLog log(stem, plan);
    CHECK(size_of(stem) <= 100 - 25);
    for (int i = 0; i < launch % 7; ++i) {
      CHECK(put(log, std::to_string(launch)) == Append::done);
      written += std::to_string(launch);
      CHECK(size_of(stem) <= 100);
    }
  }
  const std::string left = all_of(stem);
  CHECK(left == written.substr(written.size() - left.size()));
  CHECK(left.size() >= 75 - 12);
}

TEST_CASE("a log that begins anew counts what its launches remove") {
  const TestDirectory directory;
  const std::filesystem::path stem = directory.path() / "log";
  RotatingLog log(
      stem, {.max_bytes = 100, .files = 4, .names = RotatingLog::Names::times, .launch_events = 3});
  for (int i = 1000; i < 1100; ++i) CHECK(put(log, std::to_string(i)) == Append::done);
  log.close();
  const std::string left = all_of(stem);
  CHECK(left.ends_with("1099"));
  CHECK(log.removed_events() == 100 - left.size() / 4);
  CHECK(RotatingLog::files_of(stem).size() == 7);  // six of 12 bytes, and the last one
}

TEST_CASE("a log that is asked begins its next file with its next event") {
  const TestDirectory directory;
  const std::filesystem::path stem = directory.path() / "log";
  RotationRequests session(directory.path() / ".requests");
  RotationRequests program(directory.path() / ".requests");
  RotatingLog log(stem, {.max_bytes = 1000, .files = 4, .requests = &program});
  CHECK(put(log, "1") == Append::done);
  CHECK_FALSE(session.ask(std::chrono::milliseconds(1)));
  CHECK(RotatingLog::files_of(stem).size() == 1);
  CHECK(put(log, "2") == Append::done);
  CHECK(put(log, "3") == Append::done);
  CHECK(RotatingLog::files_of(stem).size() == 2);
  CHECK(all_of(stem) == "123");
}

TEST_CASE("a rotating log in a folder that is not there is an error") {
  CHECK_THROWS(RotatingLog("/no/such/folder/log", {.max_bytes = 100, .files = 4}));
}

}  // namespace
}  // namespace tailgate
