#include "harness/explain/kernel_trace_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "harness/base/error.h"
#include "harness/explain/ftrace_records.h"
#include "harness/explain/page_capture.h"
#include "harness/explain/system_calls.h"
#include "harness/os/affinity.h"
#include "harness/tracefs/instance.h"

namespace tailgate::activity {
namespace {

using tracefs::Handle;
using tracefs::TraceFolder;

// The buffers hold 0.1 s or more of records at a million system calls per second.
constexpr std::chrono::milliseconds kReadEvery{10};
// Limit of the pages kept in memory; a trace that reaches it ends early.
constexpr std::size_t kMaxCaptureBytes = std::size_t{512} << 20;
// The filter names every thread, and the kernel accepts one page of filter text.
constexpr std::size_t kMaxFilteredThreads = 100;

// The trace fails without the required events; any of the others may be missing.
constexpr const char* kRequiredEvents[] = {"sched/sched_switch", "sched/sched_waking"};
constexpr const char* kOptionalEvents[] = {"sched/sched_wakeup_new", "irq/irq_handler_entry",
                                           "irq/irq_handler_exit",   "irq/softirq_entry",
                                           "irq/softirq_exit",       "block/block_rq_issue",
                                           "block/block_rq_complete"};
// Events recorded only for the load's threads.
constexpr const char* kThreadEvents[] = {"exceptions/page_fault_user",
                                         "exceptions/page_fault_kernel"};
constexpr const char* kSystemCallEvents[] = {"raw_syscalls/sys_enter", "raw_syscalls/sys_exit"};

struct Cpu {
  std::uint32_t number;
  Handle file;
  PageCapture pages;
};

class KernelTrace : public Trace {
 public:
  explicit KernelTrace(const TraceOptions& options)
      : options_(options),
        instance_(options.directory, {.buffer_bytes = tracefs::buffer_bytes_to_poll(),
                                      .overwrite = true,
                                      .clock = options.clock.parameters().kind}) {
    const TraceFolder& folder = instance_.folder();
    page_layout_ = tracefs::parse_page_layout(folder.read("events/header_page"),
                                              folder.read("events/header_event"));
    for (const std::string& cpu : folder.folders_in("per_cpu")) {
      cpus_.push_back({static_cast<std::uint32_t>(std::stoul(cpu.substr(3))),
                       folder.open("per_cpu/" + cpu + "/trace_pipe_raw", O_RDONLY | O_NONBLOCK),
                       PageCapture(page_layout_)});
    }
    folder.write("tracing_on", "0", "see the kernel's log");
    choose_events();
    folder.write("tracing_on", "1", "see the kernel's log");
    start_ns_ = options_.clock.now_ns();
    reader_ = std::thread([this] { read_until_stopped(); });
  }

  ~KernelTrace() override {
    stop();
    // Enabled events cost kernel time even while the instance records nothing.
    try_write("events/enable", "0");
    for (Cpu& cpu : cpus_) cpu.file.close();
  }

  void stop() override {
    if (!reader_.joinable()) return;
    try_write("tracing_on", "0");
    if (end_ns_ == 0) end_ns_ = options_.clock.now_ns();
    stopped_ = true;
    reader_.join();
  }

  TraceUsed read(Timeline& timeline) override {
    FtraceRecords records(timeline);
    for (const std::string& event : events_) {
      records.add_format(instance_.folder().read("events/" + event + "/format"));
    }
    for (const SystemCallFact& fact : system_call_facts()) timeline.add(fact);
    merge(records, timeline);
    timeline.finish(static_cast<Ticks>(end_ns_));
    return used(records, timeline);
  }

 private:
  void try_write(const char* file, const char* value) {
    try {
      instance_.folder().write(file, value, "see the kernel's log");
    } catch (const Error& error) {
      add_limit(error.what_failed());
    }
  }

  void add_limit(const std::string& what) { limits_ += (limits_.empty() ? "" : "; ") + what; }

  void enable(const std::string& event) {
    instance_.folder().write("events/" + event + "/enable", "1", "see the kernel's log");
    events_.push_back(event);
  }

  bool enable_if_present(const std::string& event, const std::string& filter = "") {
    const TraceFolder& folder = instance_.folder();
    if (!folder.has("events/" + event + "/enable")) {
      add_limit("this kernel has no event " + event);
      return false;
    }
    if (!filter.empty()) {
      folder.write("events/" + event + "/filter", filter, "see the kernel's log");
    }
    enable(event);
    return true;
  }

  void choose_events() {
    for (const char* event : kRequiredEvents) enable(event);
    for (const char* event : kOptionalEvents) enable_if_present(event);
    enable_vectors();
    const std::string filter = thread_filter();
    for (const char* event : kThreadEvents) enable_if_present(event, filter);
    system_calls_ = true;
    for (const char* event : kSystemCallEvents) system_calls_ &= enable_if_present(event, filter);
  }

  // Only these events show timer ticks and calls from other processors.
  void enable_vectors() {
    const TraceFolder& folder = instance_.folder();
    if (!folder.has("events/irq_vectors"))
      return add_limit("this kernel has no events irq_vectors");
    for (const std::string& event : folder.folders_in("events/irq_vectors")) {
      if (event.ends_with("_entry") || event.ends_with("_exit")) enable("irq_vectors/" + event);
    }
  }

  std::string thread_filter() const {
    if (options_.threads.size() > kMaxFilteredThreads) return "";
    std::string filter;
    for (const std::uint32_t thread : options_.threads) {
      filter += fmt::format("{}common_pid == {}", filter.empty() ? "" : " || ", thread);
    }
    return filter;
  }

  void read_until_stopped() {
    try {
      bind_this_thread(options_.cpus);
      std::vector<std::byte> page(page_layout_.page_bytes);
      for (bool last = false; !last;) {
        last = stopped_;
        for (Cpu& cpu : cpus_) drain(cpu, page);
        if (!last) std::this_thread::sleep_for(kReadEvery);
      }
    } catch (const std::exception& error) {
      failed_ = error.what();
    }
  }

  void drain(Cpu& cpu, std::vector<std::byte>& page) {
    while (captured_bytes_ < kMaxCaptureBytes) {
      const ssize_t bytes = ::read(cpu.file.native(), page.data(), page.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes == 0 || (bytes < 0 && errno == EAGAIN)) return;
      if (bytes < 0) {
        throw system_error("read", fmt::format("per_cpu/cpu{}/trace_pipe_raw", cpu.number), errno,
                           "see the kernel's log");
      }
      captured_bytes_ -= cpu.pages.bytes();
      cpu.pages.add(std::span(page).first(static_cast<std::size_t>(bytes)));
      captured_bytes_ += cpu.pages.bytes();
    }
    if (full_at_ns_ != 0) return;
    full_at_ns_ = options_.clock.now_ns();
    instance_.folder().write("tracing_on", "0", "see the kernel's log");
  }

  // Merges the records of all processors by time.
  void merge(FtraceRecords& records, Timeline& timeline) {
    std::vector<Ticks> last(cpus_.size(), static_cast<Ticks>(start_ns_));
    for (Cpu& cpu : cpus_) cpu.pages.start();
    while (true) {
      std::size_t oldest = cpus_.size();
      for (std::size_t i = 0; i < cpus_.size(); ++i) {
        if (cpus_[i].pages.front() == nullptr) continue;
        if (oldest == cpus_.size() ||
            cpus_[i].pages.front()->ticks < cpus_[oldest].pages.front()->ticks) {
          oldest = i;
        }
      }
      if (oldest == cpus_.size()) return;
      PageCapture& pages = cpus_[oldest].pages;
      const auto time = static_cast<Ticks>(options_.clock.ns_from_ticks(pages.front()->ticks));
      if (pages.lost_before_front()) {
        timeline.add(RecordsLost{last[oldest], time, cpus_[oldest].number});
      }
      records.add(cpus_[oldest].number, time, pages.front()->data);
      last[oldest] = time;
      pages.pop();
    }
  }

  TraceUsed used(const FtraceRecords& records, const Timeline& timeline) {
    TraceUsed used;
    used.method = "kernel_trace";
    used.start_ns = start_ns_;
    used.end_ns = full_at_ns_ == 0 ? end_ns_ : full_at_ns_;
    used.records = records.records();
    used.bytes = captured_bytes_;
    used.damaged_bytes = records.damaged_bytes();
    for (const Cpu& cpu : cpus_) {
      used.damaged_bytes += cpu.pages.damaged_bytes();
      if (cpu.pages.lost_records() == 0) continue;
      used.losses.push_back({static_cast<int>(cpu.number), cpu.pages.lost_records()});
    }
    used.mismatched_switches = timeline.mismatched_switches();
    used.system_calls = system_calls_;
    if (full_at_ns_ != 0)
      add_limit("the trace grew to 512 MiB and was ended early: lower the rate");
    if (!failed_.empty()) add_limit(failed_);
    used.limits = limits_;
    used.complete =
        used.losses.empty() && used.damaged_bytes == 0 && full_at_ns_ == 0 && failed_.empty();
    return used;
  }

  const TraceOptions options_;
  tracefs::Instance instance_;
  tracefs::PageLayout page_layout_;
  std::vector<Cpu> cpus_;
  std::vector<std::string> events_;
  bool system_calls_ = false;
  std::string limits_;
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::atomic<bool> stopped_ = false;
  // The reader thread owns these until it has ended.
  std::size_t captured_bytes_ = 0;
  std::uint64_t full_at_ns_ = 0;
  std::string failed_;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<Trace> start_kernel_trace(const TraceOptions& options) {
  return std::make_unique<KernelTrace>(options);
}

}  // namespace tailgate::activity
