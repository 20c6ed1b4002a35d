#include "providers/shared/storage/mapped_log.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Appends, and waits for room while the helper thread is behind. False after ten seconds.
bool append_patiently(MappedLog& log, const std::string& text) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!log.append(std::as_bytes(std::span(text)))) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_CASE("close() truncates the file to the bytes that were appended") {
  const TestDirectory directory;
  const std::filesystem::path path = directory.path() / "log";
  MappedLog log(path, 100);
  CHECK(log.append(std::as_bytes(std::span("abc", 3))));
  CHECK(std::filesystem::file_size(path) > 3);
  CHECK(contents(path).substr(0, 4) == std::string("abc\0", 4));  // readable before close
  CHECK(log.append(std::as_bytes(std::span("de", 2))));
  log.close();
  log.close();
  CHECK(contents(path) == "abcde");
}

TEST_CASE("the log grows beyond its announced size while two threads append") {
  const TestDirectory directory;
  const std::filesystem::path path = directory.path() / "log";
  MappedLog log(path, 1000);
  constexpr std::size_t kPieces = 1500;  // of 16 KiB from each of two threads: 48 MB, and 16 MiB
                                         // were prefaulted
  const auto fill = [&](char letter) {
    const std::string piece(16384, letter);
    for (std::size_t i = 0; i < kPieces; ++i) {
      if (!append_patiently(log, piece)) return;
    }
  };
  std::thread other([&] { fill('b'); });
  fill('a');
  other.join();
  log.close();
  REQUIRE(std::filesystem::file_size(path) == 2 * kPieces * 16384);
  std::size_t pieces_of_a = 0;
  const std::string all = contents(path);
  const std::string piece_of_a(16384, 'a');
  const std::string piece_of_b(16384, 'b');
  for (std::size_t at = 0; at < all.size(); at += 16384) {
    const bool is_a = all.compare(at, 16384, piece_of_a) == 0;
    REQUIRE((is_a || all.compare(at, 16384, piece_of_b) == 0));
    if (is_a) ++pieces_of_a;
  }
  CHECK(pieces_of_a == kPieces);
}

TEST_CASE("a log that cannot be opened is an error with its path") {
  CHECK_THROWS_WITH(MappedLog("/nonexistent/log", 1), Catch::Contains("/nonexistent/log"));
}

}  // namespace
}  // namespace tailgate
