#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "harness/base/error.h"
#include "harness/overhead/process_threads.h"
#include "harness/overhead/system_call_counter.h"
#include "harness/tracefs/trace_folder.h"

namespace tailgate {
namespace {

constexpr const char* kEvent = "events/raw_syscalls/sys_enter/id";
constexpr const char* kBecomeRoot =
    "run as root, or with CAP_PERFMON and read access to tracefs, to count system calls";

// The number of the kernel's tracepoint. Throws Error.
std::uint64_t tracepoint() {
  static const std::uint64_t id = [] {
    const std::string text = tracefs::TraceFolder::root().read(kEvent);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) {
      throw Error(fmt::format("tracefs/{} holds no number", kEvent), kBecomeRoot);
    }
    return number;
  }();
  return id;
}

// A counter of one thread and of what it starts; negative with errno.
int open_counter(int thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = tracepoint();
  attributes.inherit = 1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

SystemCallCounter::SystemCallCounter(const std::vector<int>& pids) {
  for (const ProcessThread& one : threads_of(pids)) {
    const int descriptor = open_counter(one.thread);
    if (descriptor >= 0) {
      descriptors_.push_back(descriptor);
    } else if (errno != ESRCH) {
      const int error = errno;
      for (const int opened : descriptors_) close(opened);
      throw system_error("perf_event_open", kEvent, error, kBecomeRoot);
    }
  }
}

SystemCallCounter::~SystemCallCounter() {
  for (const int descriptor : descriptors_) close(descriptor);
}

std::uint64_t SystemCallCounter::count() const {
  std::uint64_t calls = 0;
  for (const int descriptor : descriptors_) {
    std::uint64_t of_thread = 0;
    if (read(descriptor, &of_thread, sizeof of_thread) != sizeof of_thread) {
      throw system_error("read", "a counter of system calls", errno, kBecomeRoot);
    }
    calls += of_thread;
  }
  return calls;
}

}  // namespace tailgate
