// Makes calls slow with a known cause and checks that the explanation finds it. The kernel trace
// needs root; without it, tests that use the trace are skipped.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/explain/explain.h"
#include "harness/explain/ftrace_records.h"
#include "harness/explain/kernel_points.h"
#include "harness/explain/start_trace.h"
#include "harness/explain/test_traced_calls.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/tracefs/trace_folder.h"

namespace tailgate::activity {
namespace {

using namespace std::chrono_literals;

// Another process; it is killed at the end of the test at the latest.
class Neighbour {
 public:
  Neighbour(const char* name, const std::function<void()>& work) {
    run_clock();  // so that both processes use the same clock
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, name);
    work();
    ::_exit(0);
  }
  ~Neighbour() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  int pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

// Memory shared by a neighbour and the test.
template <class Data>
class Shared {
 public:
  Shared()
      : data_(static_cast<Data*>(::mmap(nullptr, sizeof(Data), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0))) {
    REQUIRE(data_ != MAP_FAILED);
  }
  ~Shared() { ::munmap(data_, sizeof(Data)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  Data& operator*() const { return *data_; }

 private:
  Data* data_;
};

// The time since the construction that the hypervisor gave to other machines, to within a clock
// tick (proc_stat(5), steal). No trace of this machine shows it, so its cause is unknown.
class StolenTime {
 public:
  std::uint64_t ns() const { return (ticks() - before_) * (1'000'000'000 / sysconf(_SC_CLK_TCK)); }

 private:
  static std::uint64_t ticks() {
    std::ifstream stat("/proc/stat");
    std::string cpu;
    std::uint64_t value = 0;
    stat >> cpu;
    for (int field = 0; field < 8; ++field) stat >> value;
    return value;
  }

  std::uint64_t before_ = ticks();
};

std::uint64_t time_of(const ExplainedTail& tail, const std::string& cause,
                      const std::string& name = "") {
  if (name.empty()) {
    for (const CauseTime& one : tail.causes) {
      if (one.cause == cause) return one.time_ns;
    }
    return 0;
  }
  for (const Culprit& one : tail.culprits) {
    if (one.cause == cause && one.name == name) return one.time_ns;
  }
  return 0;
}

std::string text_of(const Explanation& explanation) {
  std::string text = explanation.trace.method + ": " + explanation.trace.limits + "\n";
  for (const ExplainedTail& one : explanation.tails) {
    text += one.measure + " " + std::to_string(one.calls) + " calls, excess " +
            std::to_string(one.excess_ns) + "\n";
    for (const CauseTime& cause : one.causes) {
      text += "  " + cause.cause + " " + std::to_string(cause.excess_ns) + "\n";
    }
    for (const Culprit& culprit : one.culprits) {
      text += "    " + culprit.cause + " " + culprit.name + " " + std::to_string(culprit.time_ns) +
              "\n";
    }
  }
  return text;
}

// Checks that the causes of each call and of each tail add up to the measured time.
void check_sums(const Explanation& explanation) {
  for (const ExplainedCall& call : explanation.calls) {
    std::uint64_t at_ns = call.intended_ns;
    std::uint64_t sum_ns = call.left_out_ns;
    for (const CallSlice& slice : call.slices) {
      if (call.slices_left_out == 0) CHECK(slice.start_ns == at_ns);
      CHECK(slice.start_ns >= at_ns);
      CHECK(slice.end_ns > slice.start_ns);
      at_ns = slice.end_ns;
      sum_ns += slice.end_ns - slice.start_ns;
    }
    CHECK(sum_ns == call.end_ns - call.intended_ns);
  }
  for (const ExplainedTail& one : explanation.tails) {
    std::uint64_t time_ns = 0;
    std::uint64_t excess_ns = 0;
    for (const CauseTime& cause : one.causes) {
      time_ns += cause.time_ns;
      excess_ns += cause.excess_ns;
    }
    CHECK(time_ns == one.time_ns);
    CHECK(excess_ns == one.excess_ns);
    CHECK(one.calls_missing == 0);
  }
}

// When the burner had the processor, by its own account: it reads the clock continuously, and if
// two consecutive reads lie more than 2 us apart, it did not run between them.
struct Burnt {
  static constexpr std::size_t kMost = 1 << 16;
  std::atomic<std::size_t> count;
  std::array<std::array<std::uint64_t, 2>, kMost> ran;
};

void burn(Burnt& burnt) {
  bind_this_thread({load_cpu()});
  std::uint64_t begin_ns = run_clock().now_ns();
  for (std::uint64_t last_ns = begin_ns;;) {
    const std::uint64_t now_ns = run_clock().now_ns();
    if (now_ns - last_ns > 2'000) {
      const std::size_t at = burnt.count;
      if (at == Burnt::kMost) return;
      burnt.ran[at] = {begin_ns, last_ns};
      burnt.count = at + 1;
      begin_ns = now_ns;
    }
    last_ns = now_ns;
  }
}

std::uint64_t burnt_between(const Burnt& burnt, std::uint64_t begin_ns, std::uint64_t end_ns) {
  std::uint64_t sum_ns = 0;
  for (std::size_t i = 0; i < burnt.count; ++i) {
    const std::uint64_t begin = std::max(begin_ns, burnt.ran[i][0]);
    const std::uint64_t end = std::min(end_ns, burnt.ran[i][1]);
    if (end > begin) sum_ns += end - begin;
  }
  return sum_ns;
}

TEST_CASE("at least 90 % of the time that a burner takes from the load is charged to the burner") {
  if (skipped()) return;
  const Shared<Burnt> burnt;
  std::vector<SlowCall> calls;
  Explanation explanation;
  {
    const Neighbour burner("hog-neighbour", [&] { burn(*burnt); });
    std::this_thread::sleep_for(20ms);
    explanation = explain_calls([](int) { spin_for(80us); }, {.calls = 4000}, &calls);
  }
  INFO(text_of(explanation));
  check_sums(explanation);
  const ExplainedTail& service = tail(explanation, "service");
  std::uint64_t taken_ns = 0;
  for (const SlowCall& call : calls) {
    if (call.end_ns - call.start_ns < service.threshold_ns) continue;
    taken_ns += burnt_between(*burnt, call.start_ns, call.end_ns);
  }
  const std::uint64_t named_ns = time_of(service, "waiting", "hog-neighbour");
  REQUIRE(taken_ns > 1'000'000);
  CHECK(static_cast<double>(named_ns) >= 0.9 * static_cast<double>(taken_ns));
  std::size_t there = 0;
  std::size_t absent = 0;
  for (const ExplainedCall& call : explanation.calls) {
    for (const CallSlice& slice : call.slices) {
      if (slice.name != "hog-neighbour") continue;
      CHECK(slice.cause == "waiting");
      if (slice.end_ns - slice.start_ns < 50'000) continue;
      (burnt_between(*burnt, slice.start_ns, slice.end_ns) > 0 ? there : absent) += 1;
    }
  }
  // The burner ran in nearly every slice that names it. It sees no time in a slice during which the
  // whole machine stood still, but such slices must be rare.
  CHECK(there > 0);
  CHECK(absent * 20 <= there);
  // The burner also delays calls before they start.
  CHECK(time_of(tail(explanation, "response"), "waiting", "hog-neighbour") > 0);
}

TEST_CASE("calls that cause many page faults are explained by page faults and their pages") {
  if (skipped()) return;
  constexpr std::size_t kPages = 400;  // per slow call
  constexpr std::size_t kSlowCalls = 20;
  constexpr std::size_t kBytes = kPages * kSlowCalls * 4096;
  // Freeing pages can take longer than the faults, so the test keeps them all mapped.
  void* const all =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(all != MAP_FAILED);
  ::madvise(all, kBytes, MADV_NOHUGEPAGE);
  const Explanation explanation = explain_calls(
      [all](int i) {
        if (i % 100 != 50) return spin_for(1us);
        auto* const memory = static_cast<volatile char*>(all) +
                             static_cast<std::size_t>(i / 100) % kSlowCalls * kPages * 4096;
        for (std::size_t page = 0; page < kPages; ++page) memory[page * 4096] = 1;
      },
      {.calls = 2000, .gap = 200us});
  INFO(text_of(explanation));
  check_sums(explanation);
  // Time taken by other threads, interrupts and the machine is not counted.
  const ExplainedTail& service = tail(explanation, "service");
  std::uint64_t faults_ns = 0;
  for (const char* cause : {"page_fault", "new_page", "page_refill", "reclaim"}) {
    faults_ns += time_of(service, cause);
  }
  // No page_refill of its own is demanded: a processor whose list holds enough free pages, because
  // other programs freed them before, refills nothing.
  CHECK(faults_ns > 0);
  const std::uint64_t others_ns = time_of(service, "waiting") + time_of(service, "machine") +
                                  time_of(service, "interrupt") + time_of(service, "softirq");
  CHECK(faults_ns * 2 > service.time_ns - others_ns);
  ::munmap(all, kBytes);
}

// Makes calls that overwrite the first page of a file, each 20th of which also writes 16 new pages,
// one by one.
Explanation explain_new_pages(const std::filesystem::path& path) {
  constexpr int kNewPages = 16;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  REQUIRE(file >= 0);
  const std::vector<char> bytes(4096, 'x');
  off_t end = 0;
  bool written = true;
  const auto append = [&] {
    written &= ::pwrite(file, bytes.data(), bytes.size(), end) == 4096;
    end += 4096;
  };
  append();
  const Explanation explanation = explain_calls(
      [&](int i) {
        written &= ::pwrite(file, bytes.data(), 128, 0) == 128;
        for (int page = 0; i % 20 == 19 && page < kNewPages; ++page) append();
      },
      {.calls = 2000, .quantile = 0.96});
  REQUIRE(written);
  ::close(file);
  ::unlink(path.c_str());
  return explanation;
}

TEST_CASE("calls that write new pages are explained by the page cache and the memory behind it") {
  if (skipped()) return;
  const TestDirectory directory;
  const std::filesystem::path memory =
      "/dev/shm/tailgate-truth-" + std::to_string(::getpid());  // tmpfs, where it is mounted
  const bool on_disk = GENERATE(true, false);
  if (!on_disk && !std::filesystem::is_directory("/dev/shm")) return;
  const Explanation explanation = explain_new_pages(on_disk ? directory.path() / "file" : memory);
  INFO(text_of(explanation));
  check_sums(explanation);
  const ExplainedTail& service = tail(explanation, "service");
  std::uint64_t pages_ns = 0;
  for (const char* cause :
       {"page_refill", "new_page", "page_cache", "fs_allocation", "fs_dirty", "fs_journal"}) {
    pages_ns += time_of(service, cause);
  }
  // Neither the test's own code nor time taken by other activity on this machine is counted. On a
  // machine with many gaps, many steps are long, and a gap looks like work of the kernel.
  const std::uint64_t others_ns = time_of(service, "running") + time_of(service, "waiting") +
                                  time_of(service, "interrupt") + time_of(service, "softirq") +
                                  time_of(service, "machine") + time_of(service, "kernel_gap") +
                                  time_of(service, "unknown");
  CHECK(time_of(service, "new_page") > 0);
  CHECK(pages_ns * 2 > service.time_ns - others_ns);
  CHECK(time_of(service, "blocked_io") + time_of(service, "socket") == 0);
  // A new page takes some records, a write to an old one those of the system call.
  CHECK(explanation.trace.records < 40'000);
  std::size_t steps = 0;
  for (const ExplainedCall& call : explanation.calls) {
    for (const CallSlice& slice : call.slices) {
      if (slice.cause != "new_page") continue;
      CHECK(slice.name == "mm_page_alloc");
      steps += slice.detail == "pwrite64" ? 1 : 0;
    }
  }
  CHECK(steps > 0);
}

TEST_CASE("each tracepoint of the table that this kernel has is understood") {
  if (skipped()) return;
  const tracefs::TraceFolder root = tracefs::TraceFolder::root();
  Timeline timeline(1'000'000'000, 0);
  FtraceRecords records(timeline);
  std::size_t known = 0;
  for (const KernelPointRow& row : kernel_points()) {
    const std::string format = "events/" + std::string(row.event) + "/format";
    if (!root.has(format)) continue;
    INFO(format);
    CHECK(records.add_format(root.read(format)));
    ++known;
  }
  CHECK(known > 20);
}

TEST_CASE("calls that wait for a disk that a neighbour keeps busy are explained by storage") {
  if (skipped()) return;
  const TestDirectory directory;
  const auto open_file = [&](const char* name) {
    const int file = ::open((directory.path() / name).c_str(), O_WRONLY | O_CREAT, 0600);
    if (file < 0) ::_exit(1);
    return file;
  };
  const Neighbour syncer("sync-neighbour", [&] {
    bind_this_thread({initial_cpus().front()});
    const int file = open_file("neighbour");
    const std::vector<char> bytes(256 * 1024, 'x');
    for (int i = 0; i < 100'000; ++i) {
      if (::pwrite(file, bytes.data(), bytes.size(), i % 16 * 256 * 1024) < 0) return;
      ::fsync(file);
    }
  });
  const int file = open_file("load");
  const StolenTime stolen;
  const Explanation explanation = explain_calls(
      [&](int i) {
        if (i % 20 != 0) return;
        REQUIRE(::pwrite(file, &i, sizeof i, i * 4096) == sizeof i);
        REQUIRE(::fdatasync(file) == 0);
      },
      {.calls = 2000, .quantile = 0.95});
  ::close(file);
  INFO(text_of(explanation));
  check_sums(explanation);
  const ExplainedTail& service = tail(explanation, "service");
  const std::uint64_t stored_ns = time_of(service, "blocked_io");
  if (service.time_ns > 0 && stored_ns == 0 && explanation.windows.front().spans.empty()) {
    WARN("skipped: no request to storage was seen; is " << directory.path() << " in memory?");
    return;
  }
  const std::uint64_t others_ns =
      time_of(service, "waiting") + std::min(time_of(service, "unknown"), stolen.ns());
  CHECK(stored_ns * 2 > service.time_ns - others_ns);
  for (const ExplainedCall& call : explanation.calls) {
    for (const CallSlice& slice : call.slices) {
      if (slice.cause == "blocked_io") CHECK(slice.detail.starts_with("fdatasync"));
    }
  }
}

TEST_CASE(
    "calls into a socket whose reader is stopped are explained by the socket, and name the "
    "reader") {
  if (skipped()) return;
  std::array<int, 2> sockets{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets.data()) == 0);
  const Neighbour daemon("read-neighbour", [&] {
    bind_this_thread({initial_cpus().front()});
    std::array<char, 64> bytes{};
    while (::read(sockets[1], bytes.data(), bytes.size()) > 0) {
    }
  });
  std::thread controller;
  const StolenTime stolen;
  const Explanation explanation = explain_calls(
      [&](int i) {
        if (i == 500) {
          ::kill(daemon.pid(), SIGSTOP);
          controller = std::thread([&] {
            std::this_thread::sleep_for(60ms);
            ::kill(daemon.pid(), SIGCONT);
          });
        }
        REQUIRE(::send(sockets[0], &i, sizeof i, 0) == sizeof i);
      },
      {.calls = 1000, .quantile = 0.999});
  controller.join();
  ::close(sockets[0]);
  ::close(sockets[1]);
  INFO(text_of(explanation));
  check_sums(explanation);
  const ExplainedTail& service = tail(explanation, "service");
  // Time taken by other activity on this machine is not counted.
  const std::uint64_t others_ns = time_of(service, "waiting") + time_of(service, "machine") +
                                  time_of(service, "interrupt") + time_of(service, "softirq") +
                                  std::min(time_of(service, "unknown"), stolen.ns());
  CHECK(time_of(service, "blocked_socket", "read-neighbour") * 10 >
        (service.time_ns - others_ns) * 9);
  // The events queued behind the blocked call waited for the socket, too.
  const ExplainedTail& response = tail(explanation, "response");
  CHECK(time_of(response, "blocked_socket", "read-neighbour") > 0);
  bool woken = false;
  const CallSlice* blocked = nullptr;
  for (const ExplainedCall& call : explanation.calls) {
    for (const CallSlice& slice : call.slices) {
      if (slice.cause == "blocked_socket") blocked = &slice;
      woken = woken || (slice.cause == "wake_up" && slice.name == "read-neighbour");
    }
  }
  REQUIRE(blocked);
  CHECK(blocked->detail == "sendto");
  CHECK(woken);
  CHECK(blocked->pid == static_cast<std::uint32_t>(daemon.pid()));
}

TEST_CASE("undisturbed calls show no cause that was not there") {
  if (skipped()) return;
  const Explanation explanation = explain_calls([](int) { spin_for(5us); }, {.calls = 3000});
  INFO(text_of(explanation));
  check_sums(explanation);
  CHECK(explanation.trace.method == "kernel_trace");
  CHECK(explanation.trace.complete);
  CHECK(explanation.trace.system_calls);
  const ExplainedTail& service = tail(explanation, "service");
  CHECK(service.calls >= 30);
  // The calls do not block and do not enter the kernel.
  for (const char* cause :
       {"blocked_io", "blocked_lock", "blocked_socket", "blocked_sleep", "blocked_other", "stopped",
        "untraced", "syscall", "queued", "page_cache", "new_page", "wake_up", "kernel_gap"}) {
    CHECK(time_of(service, cause) == 0);
  }
  // A burner that does not run must not be named.
  for (const Culprit& culprit : service.culprits) {
    if (culprit.cause == "waiting") CHECK(culprit.name != "hog-neighbour");
  }
}

TEST_CASE("context switches alone show when the thread was switched out, but not who ran instead") {
  const TestDirectory directory;
  Explanation explanation;
  const Neighbour burner("hog-neighbour", [] {
    bind_this_thread({load_cpu()});
    spin_for(10s);
  });
  std::this_thread::sleep_for(20ms);
  try {
    explanation = explain_calls([](int) { spin_for(80us); },
                                {.calls = 4000, .method = TraceMethod::context_switches});
  } catch (const Error& error) {
    WARN("skipped: " << error.what());
    return;
  }
  INFO(text_of(explanation));
  check_sums(explanation);
  CHECK(explanation.trace.method == "context_switches");
  CHECK_FALSE(explanation.trace.limits.empty());
  const ExplainedTail& service = tail(explanation, "service");
  CHECK(service.culprits.empty());
  CHECK(time_of(service, "waiting") * 2 > service.excess_ns);
  CHECK(time_of(service, "machine") == 0);  // without system calls, gaps are unknown
}

}  // namespace
}  // namespace tailgate::activity
