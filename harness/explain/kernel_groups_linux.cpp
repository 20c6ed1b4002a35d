#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/probe.h"
#include "harness/explain/kernel_groups.h"
#include "harness/tracefs/instance.h"

namespace tailgate::activity {
namespace {

// The folders of tracefs' events/ that make a group.
std::vector<std::string> folders_of(KernelGroup group) {
  switch (group) {
    case KernelGroup::none:
      return {};
    case KernelGroup::irq:
      return {"irq", "irq_vectors"};
    case KernelGroup::syscalls:
      return {"raw_syscalls"};
    default:
      return {std::string(enum_text(group))};
  }
}

constexpr const char* kKernelLogHasMore = "see the kernel's log";

}  // namespace

class KernelEvents::Buffer {
 public:
  Buffer(const std::filesystem::path& directory, const std::vector<std::string>& folders)
      : instance_(directory, {.buffer_bytes = tracefs::buffer_bytes_to_poll(),
                              .overwrite = true,
                              .clock = ClockKind::os_monotonic}) {
    bool any = folders.empty();
    for (const std::string& folder : folders) {
      if (!instance_.folder().has(fmt::format("events/{}/enable", folder))) continue;
      write(fmt::format("events/{}/enable", folder), "1");
      any = true;
    }
    if (!any) {
      throw Error(fmt::format("this kernel has no events '{}'", folders.front()),
                  "name other groups");
    }
  }

  // Enabled events cost kernel time even while a buffer records nothing.
  ~Buffer() {
    try {
      write("events/enable", "0");
    } catch (const Error&) {
      // The instance is removed next, and its events with it.
    }
  }

  void stop(KernelEventsUse& use) const {
    write("events/enable", "0");
    instance_.record(false);
    const tracefs::BufferCounts counts = tracefs::buffer_counts(instance_.folder());
    use.records = counts.kept_events + counts.overrun_events;
    use.rejected = counts.dropped_events;
    if (counts.kept_events == 0) return;
    const double bytes_each =
        static_cast<double>(counts.kept_bytes) / static_cast<double>(counts.kept_events);
    use.record_bytes = static_cast<std::uint64_t>(bytes_each * static_cast<double>(use.records));
  }

 private:
  void write(const std::string& file, const char* value) const {
    instance_.folder().write(file, value, kKernelLogHasMore);
  }

  tracefs::Instance instance_;
};

KernelEvents::KernelEvents(const std::filesystem::path& directory, KernelGroup group) {
  use_.group = group;
  const std::filesystem::path own = directory / "kernel_events";
  try {
    const Probe probe = tracefs::probe_tracefs();
    if (!probe.available) throw Error(probe.reason, probe.remedy);
    std::filesystem::create_directories(own);
    buffer_ = std::make_unique<Buffer>(own, folders_of(group));
    began_ = std::chrono::steady_clock::now();
  } catch (const Error& error) {
    use_.refused = error.what_failed();
  }
}

KernelEvents::~KernelEvents() = default;

void KernelEvents::stop() {
  if (!buffer_) return;
  use_.on_ns = static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - began_).count());
  try {
    buffer_->stop(use_);
  } catch (const Error& error) {
    use_.refused = error.what_failed();
  }
  buffer_.reset();
}

KernelEventsUse KernelEvents::use() {
  return use_;
}

}  // namespace tailgate::activity
