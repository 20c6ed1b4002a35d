// The file sink's modes on Windows, beyond what the conformance test checks.
#include "harness/sink/sink.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <thread>

#include "providers/file/file_handle_windows.h"
#include "providers/file/refusal.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kEvents = 1000;
constexpr std::size_t kEventBytes = 700;  // no divisor of a sector's 4096 bytes, so that events
                                          // cross sectors

std::uintmax_t file_bytes(const TestTrial& trial) {
  return std::filesystem::file_size(trial.directory().path() / "file.events");
}

TEST_CASE("in every mode the file holds the events, one after another, and nothing else") {
  for (const char* mode : {"write", "stdio", "mmap", "write_through", "no_buffering",
                           "flush_buffers", "flush_buffers:sync_every=100"}) {
    INFO(mode);
    TestTrial trial(std::string("file:mode=") + mode, 2, 2 * kEvents, kEventBytes);
    trial.open();
    for (std::uint64_t i = 0; i < kEvents; ++i) REQUIRE(trial.emit().empty());
    trial.provider().close();
    CHECK(file_bytes(trial) == kEvents * kEventBytes);
    const Record record = trial.read_back();
    REQUIRE(record.sequences.size() == kEvents);
    CHECK(record.sequences.back() == kEvents - 1);
    CHECK(record.damaged_bytes == 0);
  }
}

TEST_CASE("unbuffered events are in the file when the call returns") {
  TestTrial trial("file:mode=no_buffering", 1, kEvents, kEventBytes);
  trial.open();
  for (std::uint64_t i = 1; i <= 20; ++i) {
    REQUIRE(trial.emit().empty());
    CHECK(file_bytes(trial) >= i * kEventBytes);
    CHECK(file_bytes(trial) % 4096 == 0);
  }
}

TEST_CASE("a Windows error becomes the refusal of the errno with the same meaning") {
  CHECK(file::refusal_of_windows(0) == kAccepted);
  CHECK(file::refusal_of_windows(ERROR_DISK_FULL) == file::kNoSpace);
  CHECK(file::refusal_of_windows(ERROR_HANDLE_DISK_FULL) == file::kNoSpace);
  CHECK(file::refusal_of_windows(ERROR_IO_DEVICE) == file::kInputOutput);
  CHECK(file::refusal_of_windows(ERROR_INVALID_HANDLE) == file::kOther);
}

TEST_CASE("Linux modes are listed with the reason why they are missing") {
  const SinkChoice choice = sink_choice("file:mode=fdatasync");
  CHECK_FALSE(choice.type->probe(choice.options).available);
}

}  // namespace
}  // namespace tailgate
