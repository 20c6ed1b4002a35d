#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "harness/base/error.h"
#include "providers/planted/burner.h"

namespace tailgate {
namespace {

constexpr std::size_t kMapBytes = sizeof(std::atomic<std::uint64_t>);
constexpr long kPollNs = 4'000'000;
constexpr long kLongestSleepNs = 50'000'000;
// Some 0.2 ms. Where a hypervisor delivers interrupts late, samples of shorter work fall into the
// system call after it, which asks for the time used.
constexpr std::uint64_t kStepsAtOnce = 160'000;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

std::uint64_t now_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void nap(long ns) {
  const timespec time = {0, ns};
  nanosleep(&time, nullptr);
}

// Time to sleep until the next poll. The daemon used used_ns of processor time in passed_ns, and
// the events so far are worth worth_ns. If it used more, because polls cost time as well, it sleeps
// until new events are worth the difference, at the rate of the events so far. A poll every
// millisecond would use up to a twentieth of a processor where timers are expensive, as in virtual
// machines: far more than a small planted change.
long sleep_ns(std::uint64_t used_ns, std::uint64_t worth_ns, std::uint64_t passed_ns) {
  if (used_ns <= worth_ns || worth_ns == 0) return kPollNs;
  const double repaid_ns = static_cast<double>(used_ns - worth_ns) *
                           static_cast<double>(passed_ns) / static_cast<double>(worth_ns);
  return std::clamp(static_cast<long>(std::min(repaid_ns, 1e9)), kPollNs, kLongestSleepNs);
}

// Computes, without any system call. A function of its own, so that profiles name it.
[[gnu::noinline]] void planted_daemon_work() {
  volatile std::uint64_t value = 1;
  for (std::uint64_t step = 0; step < kStepsAtOnce; ++step) value = value * 3 + step;
}

// Holds the processor time of the process, polls included, at what the events so far are worth.
[[noreturn]] void burn(const WorkCounter& counter, std::uint64_t ns_per_event) {
  if (ns_per_event == 0) {
    while (true) pause();
  }
  while (counter.events() == 0) nap(kPollNs);
  // The polls before the first event do not count: they can cost more than a second of events is
  // worth.
  const auto used_ns = [start_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID)] {
    return now_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
  };
  const std::uint64_t start_ns = now_ns(CLOCK_MONOTONIC);
  while (true) {
    const std::uint64_t worth_ns = counter.events() * ns_per_event;
    while (used_ns() < worth_ns) planted_daemon_work();
    nap(sleep_ns(used_ns(), worth_ns, now_ns(CLOCK_MONOTONIC) - start_ns));
  }
}

}  // namespace

bool burner_available() {
  return true;
}

WorkCounter::WorkCounter(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, kMapBytes) != 0) {
    const int reason = errno;
    if (file >= 0) close(file);
    throw system_error("open", path.string(), reason, "choose another --scratch folder");
  }
  void* address =
      mmap(nullptr, kMapBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  const int reason = errno;
  close(file);
  if (address == MAP_FAILED) throw system_error("mmap", path.string(), reason, "free memory");
  events_ = static_cast<std::atomic<std::uint64_t>*>(address);
}

WorkCounter::~WorkCounter() {
  munmap(events_, kMapBytes);
}

Burner::Burner(const std::filesystem::path& counter, std::uint64_t ns_per_event) {
  const WorkCounter work(counter);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw system_error("fork", "the planted daemon", errno, "raise the process limit");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    prctl(PR_SET_NAME, "planted-daemon");
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    burn(work, ns_per_event);
  }
  pid_ = pid;
}

void Burner::stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

}  // namespace tailgate
