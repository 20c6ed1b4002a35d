// Providers that die: what emit() returned from must be there afterwards, unless the sink says that
// it may still have been in the process.
#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

using namespace std::chrono_literals;

// A counter that a child process shares with the test.
class SharedCount {
 public:
  SharedCount()
      : count_(new (::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Count(0)) {}
  ~SharedCount() { ::munmap(count_, sizeof(Count)); }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;

  std::atomic<std::uint64_t>& operator*() { return *count_; }

 private:
  using Count = std::atomic<std::uint64_t>;
  Count* count_;
};

// Runs work in a child process, which never returns into the test.
pid_t start_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  // The test program's own handlers would report the death that is wanted here.
  for (const int number : {SIGABRT, SIGTERM, SIGSEGV}) std::signal(number, SIG_DFL);
  try {
    work();
  } catch (const Error&) {
    ::_exit(3);
  }
  ::_exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void emit_until_killed(TestTrial& trial, std::atomic<std::uint64_t>& accepted) {
  trial.open();
  while (true) {
    if (trial.emit().empty()) accepted.fetch_add(1);
  }
}

TEST_CASE("a provider that is killed loses nothing that it accepted, where its sink declares so") {
  for (const char* choice :
       {"synthetic:service_ns=5k", "file:mode=write", "file:mode=stdio:flush_every=1",
        "file:mode=writev:batch_events=1", "file:mode=mmap", "file:mode=preallocated",
        "file:mode=preallocated:sync_every=0", "file:mode=fdatasync",
        "file:mode=fdatasync:sync_every=100", "file:mode=odsync", "spdlog:flush_each=true"}) {
    INFO(choice);
    TestTrial trial(choice);
    const SinkChoice chosen = sink_choice(choice);
    if (!chosen.type->probe(chosen.options).available) continue;
    REQUIRE(chosen.type->capabilities(chosen.options).survives >= Survives::kill);
    SharedCount accepted;
    const pid_t child = start_child([&] { emit_until_killed(trial, *accepted); });
    REQUIRE(child > 0);
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    while (*accepted < 50 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(1ms);
    }
    ::kill(child, SIGKILL);
    CHECK(WIFSIGNALED(wait_for(child)));
    const Record record = trial.read_back();
    CHECK(*accepted >= 50);
    // The call that was cut short may have got through or not.
    CHECK(record.sequences.size() >= *accepted);
    CHECK(record.sequences.size() <= *accepted + 1);
  }
}

TEST_CASE("a killed provider takes its buffer with it, where its sink declares no survival") {
  constexpr std::uint64_t kEvents = 20;  // less than any of the buffers
  for (const char* choice :
       {"file:mode=stdio:buffer_bytes=64Ki", "file:mode=stdio:flush_every=100",
        "file:mode=writev:batch_events=64", "spdlog", "spdlog:mode=async_block"}) {
    INFO(choice);
    TestTrial trial(choice);
    const SinkChoice chosen = sink_choice(choice);
    if (!chosen.type->probe(chosen.options).available) continue;
    REQUIRE(chosen.type->capabilities(chosen.options).survives == Survives::nothing);
    SharedCount accepted;
    const pid_t child = start_child([&] {
      trial.open();
      for (std::uint64_t i = 0; i < kEvents; ++i) {
        if (trial.emit().empty()) (*accepted).fetch_add(1);
      }
      ::raise(SIGKILL);
    });
    REQUIRE(child > 0);
    CHECK(WIFSIGNALED(wait_for(child)));
    CHECK(*accepted == kEvents);
    CHECK(trial.read_back().sequences.empty());
  }
}

TEST_CASE("a crash of the system is survived where each call has waited for the storage") {
  const auto declared = [](const char* choice) {
    const SinkChoice chosen = sink_choice(choice);
    return chosen.type->capabilities(chosen.options).survives;
  };
  CHECK(declared("file:mode=odsync") == Survives::crash);
  CHECK(declared("file:mode=fdatasync") == Survives::crash);
  CHECK(declared("file:mode=preallocated") == Survives::crash);
  // Of several events that share a sync, the latest have not waited for it.
  CHECK(declared("file:mode=fdatasync:sync_every=2") == Survives::kill);
  CHECK(declared("file:mode=fdatasync:sync_every=0") == Survives::kill);
  CHECK(declared("file") == Survives::kill);
  CHECK(declared("file:mode=mmap") == Survives::kill);
  CHECK(declared("file:mode=io_uring") == Survives::nothing);
  CHECK(declared("null") == Survives::nothing);
  CHECK(declared("fallback:first=file+mode=odsync:second=spdlog") == Survives::nothing);
  CHECK(declared("fallback:first=file+mode=odsync:second=file") == Survives::kill);
  // A planted change leaves the sink as it is.
  CHECK(declared("file:mode=odsync:plant_tail_share=0.1") == Survives::crash);
}

TEST_CASE("a planted crash aborts at its call, and the calls before it are kept") {
  TestTrial trial("synthetic:service_ns=0:crash_at=42");
  SharedCount accepted;
  const int status = wait_for(start_child([&] { emit_until_killed(trial, *accepted); }));
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(*accepted == 41);
  CHECK(trial.read_back().sequences.size() == 41);
}

TEST_CASE("a planted hang never returns, and the calls before it are kept") {
  TestTrial trial("synthetic:service_ns=0:hang_at=42");
  SharedCount accepted;
  const pid_t child = start_child([&] { emit_until_killed(trial, *accepted); });
  REQUIRE(child > 0);
  const auto give_up = std::chrono::steady_clock::now() + 20s;
  while (*accepted < 41 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(1ms);
  }
  std::this_thread::sleep_for(50ms);
  CHECK(::waitpid(child, nullptr, WNOHANG) == 0);
  ::kill(child, SIGKILL);
  wait_for(child);
  CHECK(*accepted == 41);
  CHECK(trial.read_back().sequences.size() == 41);
}

}  // namespace
}  // namespace tailgate
