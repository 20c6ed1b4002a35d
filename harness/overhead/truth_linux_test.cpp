// Tests the sampler on child processes that use known amounts, and against another interface of the
// kernel, getrusage(2).
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "harness/base/testing/test_directory.h"
#include "harness/overhead/sampler.h"

namespace tailgate {
namespace {

std::uint64_t clock_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// What a child measures about its own work.
struct Own {
  std::uint64_t wall_ns;
  std::uint64_t cpu_ns;
  rusage usage;
  rusage of_children;

  static Own now() {
    Own own{clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID), {}, {}};
    getrusage(RUSAGE_SELF, &own.usage);
    getrusage(RUSAGE_CHILDREN, &own.of_children);
    return own;
  }
};

// A child process that works on command, reports what it measured, and waits to be killed.
class Worker {
 public:
  explicit Worker(std::function<void()> work) {
    REQUIRE(pipe2(go_.data(), O_CLOEXEC) == 0);
    REQUIRE(pipe2(done_.data(), O_CLOEXEC) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) live(work);
    close(go_[0]);
    close(done_[1]);
  }
  ~Worker() {
    end();
    close(go_[1]);
    close(done_[0]);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  pid_t pid() const { return pid_; }

  void start() const { REQUIRE(write(go_[1], "g", 1) == 1); }

  // Waits for the work's end; returns the child's measurements before and after the work.
  std::array<Own, 2> finish() const {
    std::array<Own, 2> own;
    REQUIRE(read(done_[0], own.data(), sizeof own) == sizeof own);
    return own;
  }

  void end() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  [[noreturn]] void live(const std::function<void()>& work) const {
    char told;
    while (read(go_[0], &told, 1) == 1) {
      const Own before = Own::now();
      work();
      const std::array<Own, 2> own = {before, Own::now()};
      if (write(done_[1], own.data(), sizeof own) != sizeof own) break;
    }
    _exit(1);
  }

  std::array<int, 2> go_;
  std::array<int, 2> done_;
  pid_t pid_;
};

void burn_thread(std::uint64_t cpu_ns) {
  const std::uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;
  while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
  }
}

std::uint64_t cpu_ns_of(pid_t pid) {
  clockid_t clock;
  REQUIRE(clock_getcpuclockid(pid, &clock) == 0);
  return clock_ns(clock);
}

struct Watched {
  std::array<Own, 2> own;
  std::vector<RoleUse> uses;
  std::string limits;
  // The child's processor time by its clock: between the two samples, and including them.
  double least_cpu_ns;
  double most_cpu_ns;
};

// Runs a child's work between two samples.
Watched watched(Role role, std::function<void()> work) {
  const TestDirectory folder;
  const std::unique_ptr<Sampler> sampler = make_sampler(folder.path());
  Worker worker(std::move(work));
  sampler->watch({role, "worker", worker.pid(), role == Role::daemons});
  std::array<std::uint64_t, 4> cpu_ns;
  cpu_ns[0] = cpu_ns_of(worker.pid());
  const Sample before = sampler->sample();
  cpu_ns[1] = cpu_ns_of(worker.pid());
  worker.start();
  const std::array<Own, 2> own = worker.finish();
  cpu_ns[2] = cpu_ns_of(worker.pid());
  const Sample after = sampler->sample();
  cpu_ns[3] = cpu_ns_of(worker.pid());
  worker.end();
  return {own, uses_between(before, after), sampler->limits(),
          static_cast<double>(cpu_ns[2] - cpu_ns[1]), static_cast<double>(cpu_ns[3] - cpu_ns[0])};
}

double ns(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

double cpu_ns(const rusage& usage) {
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

double value(const Counters::Count& count) {
  REQUIRE(count);
  return static_cast<double>(*count);
}

constexpr double kStepNs = 10e6;  // resolution of user, system and idle time: USER_HZ is 100

TEST_CASE("processor time is what the process used, to 1 %, ended threads included") {
  const Watched seen = watched(Role::provider, [] {
    burn_thread(100'000'000);
    std::thread([] { burn_thread(100'000'000); }).join();
  });
  const Counters& used = counters_of(seen.uses, Role::provider);
  CHECK(value(used.cpu_ns) >= 0.99 * static_cast<double>(seen.own[1].cpu_ns - seen.own[0].cpu_ns));
  CHECK(value(used.cpu_ns) >= 0.99 * seen.least_cpu_ns);
  CHECK(value(used.cpu_ns) <= 1.01 * seen.most_cpu_ns);
  CHECK(*used.user_ns + *used.system_ns == Approx(value(used.cpu_ns)).margin(kStepNs));
  // The machine used at least as much.
  CHECK(value(counters_of(seen.uses, Role::machine).cpu_ns) >= 200e6 - 2 * kStepNs);
}

TEST_CASE("user and system time agree with getrusage within the resolution") {
  const Watched seen = watched(Role::provider, [] {
    burn_thread(50'000'000);
    const int file = open("/dev/zero", O_RDONLY);
    std::array<char, 65536> bytes;
    const std::uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 100'000'000;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
      if (read(file, bytes.data(), bytes.size()) < 0) break;
    }
    close(file);
  });
  const Counters& used = counters_of(seen.uses, Role::provider);
  const rusage& after = seen.own[1].usage;
  const rusage& before = seen.own[0].usage;
  // Both are differences of two readings in ticks. A tick may fall between the two ways of reading,
  // at the beginning and at the end: on a busy machine they were 11 ms apart.
  constexpr double kMarginNs = 2 * kStepNs;
  CHECK(value(used.system_ns) ==
        Approx(ns(after.ru_stime) - ns(before.ru_stime)).margin(kMarginNs));
  CHECK(value(used.user_ns) == Approx(ns(after.ru_utime) - ns(before.ru_utime)).margin(kMarginNs));
}

// AddressSanitizer would access its shadow memory for each touch, which causes faults, too.
[[gnu::no_sanitize_address]] void touch(void* memory, std::size_t pages, std::size_t page_bytes) {
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page_bytes] = 1;
}

TEST_CASE("each first touch of a page is a minor fault, and the page is resident afterwards") {
  constexpr std::size_t kPages = 20'000;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const Watched seen = watched(Role::provider, [page] {
    void* const memory =
        mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, kPages * page, MADV_NOHUGEPAGE);
    touch(memory, kPages, page);
  });
  const Counters& used = counters_of(seen.uses, Role::provider);
  CHECK(value(used.minor_faults) == Approx(kPages).epsilon(0.01));
  CHECK(value(used.major_faults) == 0);
  CHECK(value(used.rss_bytes) >= 0.99 * static_cast<double>(kPages * page));
  CHECK(value(used.peak_rss_bytes) >= 0.99 * static_cast<double>(kPages * page));
  CHECK(value(used.private_bytes) >= 0.99 * static_cast<double>(kPages * page));
  CHECK(value(used.private_bytes) <= value(used.rss_bytes));
  CHECK(value(counters_of(seen.uses, Role::machine).minor_faults) >= 0.99 * kPages);
}

TEST_CASE("descriptors are those that are open at the end") {
  const auto open_after = [](int opened) {
    const Watched seen = watched(Role::provider, [opened] {
      for (int i = 0; i < opened; ++i) open("/dev/null", O_RDONLY | O_CLOEXEC);
    });
    return value(counters_of(seen.uses, Role::provider).descriptors);
  };
  const double before = open_after(0);
  CHECK(before > 0);
  CHECK(open_after(50) == before + 50);
}

TEST_CASE("each page that has to come from storage is a major fault") {
  constexpr std::size_t kPages = 500;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::string path = "/var/tmp/tailgate-truth-XXXXXX";
  const int file = mkstemp(path.data());
  REQUIRE(file >= 0);
  unlink(path.c_str());
  const std::string bytes(kPages * page, 'x');
  REQUIRE(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  REQUIRE(fsync(file) == 0);
  const Watched seen = watched(Role::provider, [&] {
    void* const memory = mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) _exit(2);
    // Drop all pages from memory, and disable read-ahead.
    if (madvise(memory, bytes.size(), MADV_RANDOM) != 0) _exit(2);
    if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0) _exit(2);
    for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page];
  });
  close(file);
  const auto faults =
      static_cast<double>(seen.own[1].usage.ru_majflt - seen.own[0].usage.ru_majflt);
  const Counters& used = counters_of(seen.uses, Role::provider);
  CHECK(value(used.major_faults) == Approx(faults).epsilon(0.01));
  CHECK(value(counters_of(seen.uses, Role::machine).major_faults) >= 0.99 * faults);
  if (faults == 0) {
    WARN("skipped: /var/tmp kept the pages; is it in memory?");
    return;
  }
  CHECK(faults >= kPages / 2);  // the kernel may keep some
  CHECK(value(used.storage_read_bytes) >= 0.99 * faults * static_cast<double>(page));
}

TEST_CASE("bytes written and read agree with the sizes passed to the calls") {
  constexpr std::size_t kBytes = 4'000'000;
  const Watched seen = watched(Role::provider, [] {
    std::string path = "/var/tmp/tailgate-truth-XXXXXX";
    const int file = mkstemp(path.data());
    unlink(path.c_str());
    const std::string bytes(100'000, 'x');
    for (std::size_t done = 0; done < kBytes; done += bytes.size()) {
      if (write(file, bytes.data(), bytes.size()) < 0) _exit(2);
    }
    lseek(file, 0, SEEK_SET);
    std::string back(100'000, ' ');
    while (read(file, back.data(), back.size()) > 0) {
    }
    close(file);
  });
  const Counters& used = counters_of(seen.uses, Role::provider);
  CHECK(value(used.written_bytes) == Approx(kBytes).epsilon(0.01));
  CHECK(value(used.read_bytes) == Approx(kBytes).epsilon(0.01));
  // getrusage counts the same bytes in blocks of 512.
  const auto blocks =
      static_cast<double>(seen.own[1].usage.ru_oublock - seen.own[0].usage.ru_oublock);
  CHECK(value(used.storage_written_bytes) == Approx(512 * blocks).epsilon(0.01));
}

TEST_CASE(
    "each sleep is a voluntary switch in every thread, involuntary switches agree with getrusage") {
  constexpr long kSleeps = 400;
  const Watched seen = watched(Role::provider, [] {
    // The thread sleeps until the process ends, so its counts stay visible.
    std::thread([] {
      for (long i = 0; i < kSleeps; ++i) usleep(200);
      while (true) pause();
    }).detach();
    for (long i = 0; i < kSleeps; ++i) usleep(200);
    usleep(100'000);
  });
  const Counters& used = counters_of(seen.uses, Role::provider);
  const auto counted = [&](long rusage::*field) {
    return static_cast<double>(seen.own[1].usage.*field - seen.own[0].usage.*field);
  };
  // Other waits: two on the pipe, the last sleep, and those of starting a thread.
  constexpr double kOthers = 8;
  CHECK(value(used.voluntary_switches) >= 2 * kSleeps);
  CHECK(value(used.voluntary_switches) <= 2 * kSleeps + kOthers);
  CHECK(value(used.involuntary_switches) ==
        Approx(counted(&rusage::ru_nivcsw)).epsilon(0.01).margin(2));
  CHECK(value(used.switches) == value(used.voluntary_switches) + value(used.involuntary_switches));
}

TEST_CASE("a process that never sleeps waits in the run queue whenever it does not run") {
  cpu_set_t mine;
  REQUIRE(sched_getaffinity(0, sizeof mine, &mine) == 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &mine)) ++cpu;
  const auto pinned_burn = [cpu] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    burn_thread(150'000'000);
  };
  const Worker rival(pinned_burn);
  rival.start();
  const Watched seen = watched(Role::provider, pinned_burn);
  rival.finish();
  const auto wall_ns = static_cast<double>(seen.own[1].wall_ns - seen.own[0].wall_ns);
  const auto cpu_ns = static_cast<double>(seen.own[1].cpu_ns - seen.own[0].cpu_ns);
  const Counters& used = counters_of(seen.uses, Role::provider);
  // The tolerance covers the short sleep of moving to the other processor.
  CHECK(value(used.run_queue_ns) == Approx(wall_ns - cpu_ns).margin(0.02 * wall_ns));
}

TEST_CASE("what a daemon's children use counts with the daemons if a cgroup can be created") {
  const Watched seen = watched(Role::daemons, [] {
    const pid_t child = fork();
    if (child == 0) {
      burn_thread(100'000'000);
      _exit(0);
    }
    burn_thread(50'000'000);
    waitpid(child, nullptr, 0);
  });
  const Counters& used = counters_of(seen.uses, Role::daemons);
  const bool tree = seen.limits.find("daemons") == std::string::npos;
  INFO("limits: " << seen.limits);
  const double of_child = cpu_ns(seen.own[1].of_children) - cpu_ns(seen.own[0].of_children);
  CHECK(of_child >= 100e6);
  // The cgroup's time of a running task is updated at the timer tick.
  CHECK(value(used.cpu_ns) >= seen.least_cpu_ns + (tree ? of_child : 0) - 4e6);
  CHECK(value(used.cpu_ns) <= seen.most_cpu_ns + (tree ? of_child : 0) + 4e6);
  if (tree) CHECK(used.cpu_stall_ns.has_value());
}

TEST_CASE("a process that has ended keeps its last values and counts as ended") {
  const TestDirectory folder;
  const std::unique_ptr<Sampler> sampler = make_sampler(folder.path());
  Worker worker([] { burn_thread(30'000'000); });
  sampler->watch({Role::daemons, "worker", worker.pid(), true});
  const Sample before = sampler->sample();
  worker.start();
  worker.finish();
  sampler->sample();
  CHECK(sampler->daemons_cpu_ns().at(0));
  worker.end();
  const std::vector<RoleUse> uses = uses_between(before, sampler->sample());
  const RoleUse& daemons = uses.at(static_cast<std::size_t>(Role::daemons));
  CHECK(daemons.processes == 1);
  CHECK(daemons.ended == 1);
  CHECK(value(daemons.counters.cpu_ns) >= 30e6);
  CHECK_FALSE(sampler->daemons_cpu_ns().at(0));
}

TEST_CASE("a process that had ended before it was watched is charged nothing") {
  Worker worker([] {});
  const pid_t pid = worker.pid();
  worker.end();
  const TestDirectory folder;
  const std::unique_ptr<Sampler> sampler = make_sampler(folder.path());
  sampler->watch({Role::daemons, "gone", pid});
  const Sample before = sampler->sample();
  const std::vector<RoleUse> uses = uses_between(before, sampler->sample());
  CHECK(uses.at(static_cast<std::size_t>(Role::daemons)).ended == 1);
  CHECK_FALSE(sampler->daemons_cpu_ns().at(0));
}

TEST_CASE("the controller is watched by default and is charged for the samples") {
  const TestDirectory folder;
  const std::unique_ptr<Sampler> sampler = make_sampler(folder.path());
  const std::uint64_t begin_ns = thread_cpu_ns();
  const Sample before = sampler->sample();
  const std::uint64_t cost_ns = thread_cpu_ns() - begin_ns;
  const std::vector<RoleUse> uses = uses_between(before, sampler->sample());
  CHECK(cost_ns > 0);
  CHECK(value(counters_of(uses, Role::controller).cpu_ns) > 0);
  CHECK(online_processors() >= 1);
}

}  // namespace
}  // namespace tailgate
