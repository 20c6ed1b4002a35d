// The file sink on full disks (a limit on the file size tears a write at a known byte), with
// options that the conformance test does not vary.
#include "harness/sink/sink.h"

#include <catch2/catch.hpp>

#include <csignal>

#include <sys/resource.h>

#include "providers/file/modes.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

// While it exists, no file of this process can grow beyond `bytes`: write(2) writes what fits, then
// fails with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

constexpr std::uint64_t kFitting = 10;
constexpr rlim_t kLimitBytes = 128 * kFitting + 50;  // the eleventh event is torn

TEST_CASE("modes that append an event in one call take events from several processes") {
  for (const char* mode : {"write", "writev", "odsync", "fdatasync", "stdio", "mmap", "rotate"}) {
    const SinkChoice choice = sink_choice(std::string("file:mode=") + mode);
    const Capabilities can = choice.type->capabilities(choice.options);
    INFO(mode);
    CHECK(can.multi_process ==
          (std::string(mode).starts_with("write") || std::string(mode).ends_with("sync")));
    CHECK(can.live_read == (std::string(mode) != "rotate"));
  }
}

TEST_CASE("on a full disk write refuses with the errno's name, and the torn event is damage") {
  for (const char* choice : {"file:mode=write", "file:mode=fdatasync", "file:mode=odsync"}) {
    INFO(choice);
    TestTrial trial(choice);
    trial.open();
    std::uint64_t accepted = 0;
    {
      const FileSizeLimit limit(kLimitBytes);
      for (int i = 0; i < 20; ++i) {
        const std::string refusal = trial.emit();
        if (refusal.empty()) {
          ++accepted;
        } else {
          CHECK(refusal == "EFBIG");
        }
      }
    }
    CHECK(trial.emit().empty());  // the limit is lifted
    trial.provider().close();
    CHECK(accepted == kFitting);
    const Record record = trial.read_back();
    CHECK(record.sequences.size() == kFitting + 1);
    CHECK(record.sequences.back() == 20);
    CHECK(record.damaged_bytes == 50);
  }
}

TEST_CASE("writev and io_uring count exactly the events that a full disk lost") {
  for (const char* choice : {"file:mode=writev:batch_events=4", "file:mode=writev:batch_events=64",
                             "file:mode=io_uring:ring_events=4", "file:mode=io_uring"}) {
    INFO(choice);
    TestTrial trial(choice);
    const SinkChoice chosen = sink_choice(choice);
    const Probe probe = chosen.type->probe(chosen.options);
    if (!probe.available) {
      WARN("skipped " << choice << ": " << probe.reason);
      continue;
    }
    trial.open();
    std::uint64_t accepted = 0;
    {
      const FileSizeLimit limit(kLimitBytes);
      for (int i = 0; i < 20; ++i) {
        if (trial.emit().empty()) ++accepted;
      }
      trial.provider().close();
    }
    const Record record = trial.read_back();
    CHECK(record.sequences.size() == kFitting);
    CHECK(record.damaged_bytes == 50);
    CHECK(accepted == kFitting + trial.lost());
    REQUIRE_FALSE(trial.provider().losses().empty());
    CHECK(trial.provider().losses().front().cause == "EFBIG");
  }
}

TEST_CASE("stdio reports at close() that the last buffer was not written") {
  TestTrial trial("file:mode=stdio:buffer_bytes=64Ki");
  trial.open();
  for (int i = 0; i < 20; ++i) CHECK(trial.emit().empty());
  const FileSizeLimit limit(kLimitBytes);
  CHECK_THROWS_WITH(trial.provider().close(), Catch::Contains("fclose"));
  CHECK_NOTHROW(trial.provider().close());
  CHECK(trial.read_back().sequences.size() == kFitting);
}

TEST_CASE("stdio flushes after every flush_every events") {
  TestTrial trial("file:mode=stdio:buffer_bytes=64Ki:flush_every=5");
  trial.open();
  for (int i = 0; i < 13; ++i) trial.emit();
  CHECK(trial.read_back().sequences.size() == 10);
  trial.provider().close();
  CHECK(trial.read_back().sequences.size() == 13);
}

TEST_CASE("preallocated accepts events up to its capacity and refuses the rest") {
  TestTrial trial("file:mode=preallocated:sync_every=0:capacity_bytes=1300");
  trial.open();
  for (int i = 0; i < 10; ++i) CHECK(trial.emit().empty());
  CHECK(trial.emit() == "file full");
  const std::filesystem::path path = trial.directory().path() / "file.events";
  CHECK(std::filesystem::file_size(path) == 1300);
  trial.provider().close();
  CHECK(std::filesystem::file_size(path) == 1280);
  const Record record = trial.read_back();
  CHECK(record.sequences.size() == 10);
  CHECK(record.damaged_bytes == 0);
}

TEST_CASE("a failed preallocation is an error before the first event") {
  for (const char* choice : {"file:mode=preallocated", "file:mode=mmap"}) {
    INFO(choice);
    TestTrial trial(choice);
    const FileSizeLimit limit(kLimitBytes);
    CHECK_THROWS_WITH(trial.open(), Catch::Contains("file.events") && Catch::Contains("ulimit -f"));
  }
}

TEST_CASE("a file in dir= exists as long as its session") {
  const TestDirectory elsewhere;
  TestTrial trial("file:dir=" + elsewhere.path().string());
  trial.open();
  CHECK(trial.emit().empty());
  trial.provider().close();
  trial.session().stop();
  CHECK(trial.read_back().sequences.size() == 1);
  CHECK_FALSE(std::filesystem::is_empty(elsewhere.path()));
  trial.end_session();
  CHECK(std::filesystem::is_empty(elsewhere.path()));
}

TEST_CASE("what others put into dir= is not written to") {
  const TestDirectory elsewhere;
  const TestDirectory victim;
  std::ofstream(victim.path() / "file.events") << "precious";
  TestTrial trial("file:dir=" + elsewhere.path().string());
  const std::filesystem::path file = trial.session().granted().front().second;
  trial.end_session();
  std::filesystem::create_directory_symlink(victim.path(), file.parent_path());
  const auto session = sink_choice("file").type->make_session(trial.context());
  CHECK_THROWS_WITH(session->start(), Catch::Contains("another program made it"));
  CHECK(std::filesystem::file_size(victim.path() / "file.events") == 8);
}

TEST_CASE("the probe reports a missing directory") {
  const SinkChoice choice = sink_choice("file:dir=/nonexistent");
  const Probe probe = choice.type->probe(choice.options);
  CHECK_FALSE(probe.available);
  CHECK(probe.reason.find("/nonexistent") != std::string::npos);
}

TEST_CASE("the session reports the path and the file system's name") {
  TestTrial trial("file");
  const auto granted = trial.session().granted();
  REQUIRE(granted.size() == 2);
  CHECK(granted[0].second == (trial.directory().path() / "file.events").string());
  CHECK_FALSE(granted[1].second.empty());
  CHECK(file::file_system_name("/proc") == "proc");
  CHECK(file::file_system_name("/nonexistent") == "unknown");
}

TEST_CASE("every mode writes events of varying sizes") {
  for (const file::Mode& mode : file::modes()) {
    const std::string choice = "file:sync_every=100:mode=" + std::string(mode.name);
    const SinkChoice chosen = sink_choice(choice);
    if (mode.name == "odsync" || !chosen.type->probe(chosen.options).available) continue;
    INFO(choice);
    TestTrial trial(choice, 1, 300, 10000);
    trial.open();
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::string event = event_text(i, 32 + 31 * i);
      REQUIRE(trial.provider().emit(0, std::as_bytes(std::span(event))) == kAccepted);
    }
    trial.provider().close();
    const Record record = trial.read_back();
    CHECK(record.sequences.size() == 300);
    CHECK(record.bad_events + record.damaged_bytes == 0);
  }
}

}  // namespace
}  // namespace tailgate
