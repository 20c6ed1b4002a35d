#include "harness/explain/kernel_trace_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "harness/base/error.h"
#include "harness/explain/ftrace_records.h"
#include "harness/explain/kernel_points.h"
#include "harness/explain/page_capture.h"
#include "harness/explain/system_calls.h"
#include "harness/os/affinity.h"
#include "harness/os/kernel_symbols_linux.h"
#include "harness/os/process.h"
#include "harness/tracefs/instance.h"

namespace tailgate::activity {
namespace {

using tracefs::Handle;
using tracefs::TraceFolder;

// The buffers hold 0.1 s or more of records at a million system calls per second.
constexpr std::chrono::milliseconds kReadEvery{10};
// Of each buffer, before the reader sleeps: what shares its processor, such as the consumer, does
// not wait for it long.
constexpr int kPortionPages = 8;
constexpr std::chrono::microseconds kBetweenPortions{50};
// Limit of the pages kept in memory; a trace that reaches it ends early.
constexpr std::size_t kMaxCaptureBytes = std::size_t{512} << 20;
// The trace fails without the required events; any of the others may be missing.
constexpr const char* kRequiredEvents[] = {"sched/sched_switch", "sched/sched_waking"};
// Of every thread, as it tells for whom requests are; for the load's threads it is a point, too.
constexpr const char* kQueuedEvent = "block/block_bio_queue";
constexpr const char* kOptionalEvents[] = {"sched/sched_wakeup_new",  "irq/irq_handler_entry",
                                           "irq/irq_handler_exit",    "irq/softirq_entry",
                                           "irq/softirq_exit",        "block/block_rq_issue",
                                           "block/block_rq_complete", kQueuedEvent};
// Events recorded only for the load's threads, beside those of kernel_points.h.
constexpr const char* kThreadEvents[] = {"exceptions/page_fault_user",
                                         "exceptions/page_fault_kernel"};
constexpr const char* kSystemCallEvents[] = {"raw_syscalls/sys_enter", "raw_syscalls/sys_exit"};
constexpr const char* kSeeLog = "see the kernel's log";

// One of the kernel's trace buffers and the events that it records.
struct Buffer {
  Buffer(const std::filesystem::path& directory, const Clock& clock)
      : instance(made(directory), {.buffer_bytes = tracefs::buffer_bytes_to_poll(),
                                   .overwrite = true,
                                   .clock = clock.parameters().kind}) {
    write("tracing_on", "0");
  }

  void write(const std::string& file, const std::string& value) const {
    instance.folder().write(file, value, kSeeLog);
  }

  bool has(const std::string& event) const {
    return instance.folder().has("events/" + event + "/enable");
  }

  void enable(const std::string& event) {
    write("events/" + event + "/enable", "1");
    events.push_back(event);
  }

  static const std::filesystem::path& made(const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    return directory;
  }

  tracefs::Instance instance;
  std::vector<std::string> events;
};

// The file systems that this kernel knows, but that are not mounted (proc_filesystems(5),
// proc_pid_mounts(5)).
std::set<std::string> unused_file_systems() {
  std::set<std::string> types;
  std::ifstream known("/proc/filesystems");
  for (std::string line; std::getline(known, line);) types.insert(line.substr(line.find('\t') + 1));
  std::ifstream mounts("/proc/mounts");
  std::string device;
  std::string path;
  std::string type;
  for (std::string rest; mounts >> device >> path >> type && std::getline(mounts, rest);) {
    types.erase(type);
  }
  return types;
}

// The pages of one processor in one buffer.
struct Cpu {
  const Buffer* buffer;
  std::uint32_t number;
  Handle file;
  PageCapture pages;
};

// Two buffers, because the kernel restricts all events of a buffer to some threads at once
// (set_event_pid), and the other buffer is for those of the whole machine. The kernel's functions
// have a third one: there are so many that their losses must not be those of the others.
class KernelTrace : public Trace {
 public:
  explicit KernelTrace(const TraceOptions& options)
      : options_(options),
        machine_(options.directory, options.clock),
        load_(options.directory / "load", options.clock) {
    const TraceFolder& folder = machine_.instance.folder();
    page_layout_ = tracefs::parse_page_layout(folder.read("events/header_page"),
                                              folder.read("events/header_event"));
    choose_events();
    if (options.functions) start_functions();
    for (const Buffer* buffer : buffers()) open_pages(*buffer);
    for (const Buffer* buffer : buffers()) buffer->write("tracing_on", "1");
    start_ns_ = options_.clock.now_ns();
    reader_ = std::thread([this] { read_until_stopped(); });
  }

  ~KernelTrace() override {
    stop();
    // Enabled events and tracers cost kernel time even while a buffer records nothing.
    try_write("events/enable", "0");
    try_write("current_tracer", "nop");
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
    for (const Buffer* buffer : buffers()) {
      for (const std::string& event : buffer->events) {
        records.add_format(buffer->instance.folder().read("events/" + event + "/format"));
      }
    }
    for (const SystemCallFact& fact : system_call_facts()) timeline.add(fact);
    timeline.set_bystander(reader_thread_);
    merge(records, timeline);
    name_functions(records, timeline);
    timeline.finish(static_cast<Ticks>(end_ns_));
    return used(records, timeline);
  }

 private:
  std::vector<const Buffer*> buffers() const {
    std::vector<const Buffer*> all = {&machine_, &load_};
    if (functions_) all.push_back(&*functions_);
    return all;
  }

  void open_pages(const Buffer& buffer) {
    const TraceFolder& folder = buffer.instance.folder();
    for (const std::string& cpu : folder.folders_in("per_cpu")) {
      cpus_.push_back({&buffer, static_cast<std::uint32_t>(std::stoul(cpu.substr(3))),
                       folder.open("per_cpu/" + cpu + "/trace_pipe_raw", O_RDONLY | O_NONBLOCK),
                       PageCapture(page_layout_)});
    }
  }

  void try_write(const char* file, const char* value) {
    for (const Buffer* buffer : buffers()) {
      try {
        buffer->write(file, value);
      } catch (const Error& error) {
        add_limit(error.what_failed());
      }
    }
  }

  void add_limit(const std::string& what) { limits_ += (limits_.empty() ? "" : "; ") + what; }

  bool enable_if_present(Buffer& buffer, const std::string& event) {
    if (buffer.has(event)) {
      buffer.enable(event);
      return true;
    }
    add_limit("this kernel has no event " + event);
    return false;
  }

  void choose_events() {
    for (const char* event : kRequiredEvents) machine_.enable(event);
    for (const char* event : kOptionalEvents) enable_if_present(machine_, event);
    enable_vectors();
    if (!options_.threads.empty()) {
      load_.write("set_event_pid", fmt::format("{}", fmt::join(options_.threads, " ")));
      enable_points();
    }
    for (const char* event : kThreadEvents) enable_if_present(load_, event);
    system_calls_ = true;
    for (const char* event : kSystemCallEvents) system_calls_ &= enable_if_present(load_, event);
  }

  // Only these events show timer ticks and calls from other processors.
  void enable_vectors() {
    const TraceFolder& folder = machine_.instance.folder();
    if (!folder.has("events/irq_vectors"))
      return add_limit("this kernel has no events irq_vectors");
    for (const std::string& event : folder.folders_in("events/irq_vectors")) {
      if (event.ends_with("_entry") || event.ends_with("_exit")) {
        machine_.enable("irq_vectors/" + event);
      }
    }
  }

  // A kernel has the points of its own version. To enable an event takes it some milliseconds, so
  // those of file systems that are not mounted stay off.
  void enable_points() {
    const std::set<std::string> unused = unused_file_systems();
    bool any = false;
    for (const KernelPointRow& row : kernel_points()) {
      const std::string event(row.event);
      if (event == kQueuedEvent) continue;
      if (!load_.has(event) || unused.contains(event.substr(0, event.find('/')))) continue;
      load_.enable(event);
      any = true;
    }
    if (!any) add_limit("this kernel has none of the tracepoints that name its own work");
  }

  // The kernel may have the tracer, and yet refuse it.
  void start_functions() {
    if (options_.threads.empty()) return add_limit("no thread is known whose functions to record");
    try {
      functions_.emplace(options_.directory / "functions", options_.clock);
      functions_->write("set_ftrace_pid", fmt::format("{}", fmt::join(options_.threads, " ")));
      functions_->write("current_tracer", "function");
      functions_->events.push_back("ftrace/function");
    } catch (const Error& error) {
      std::string why = error.what_failed();
      // The instance's name differs from trial to trial, and the reason should not.
      if (functions_) {
        const std::string name = functions_->instance.name();
        const std::size_t at = why.find(name);
        if (at != std::string::npos) why.replace(at, name.size(), "...");
      }
      functions_.reset();
      add_limit("the kernel's function tracer cannot be used: " + why);
    }
  }

  void name_functions(const FtraceRecords& records, Timeline& timeline) {
    if (records.functions().empty()) return;
    const KernelSymbols symbols = KernelSymbols::of_this_kernel();
    if (symbols.empty()) add_limit("the kernel hides the addresses of its functions");
    for (const std::uint64_t address : records.functions()) {
      const KernelSymbol symbol = symbols.find(address);
      const bool in_module = !symbol.name.empty() && symbol.module != "kernel";
      timeline.add(
          KernelFunctionFact{address, in_module ? fmt::format("{} [{}]", symbol.name, symbol.module)
                                                : std::string(symbol.name)});
    }
  }

  void read_until_stopped() {
    try {
      bind_this_thread(options_.cpus);
      reader_thread_ = this_thread_number();
      name_this_thread("tg-trace");
      std::vector<std::byte> page(page_layout_.page_bytes);
      for (bool last = false; !last;) {
        last = stopped_;
        while (read_some(page)) {
          if (!last) std::this_thread::sleep_for(kBetweenPortions);
        }
        if (!last) std::this_thread::sleep_for(kReadEvery);
      }
    } catch (const std::exception& error) {
      failed_ = error.what();
    }
  }

  // Returns whether there may be more.
  bool read_some(std::vector<std::byte>& page) {
    bool more = false;
    for (Cpu& cpu : cpus_) more = read_portion(cpu, page) || more;
    return more;
  }

  bool read_portion(Cpu& cpu, std::vector<std::byte>& page) {
    for (int pages = 0; captured_bytes_ < kMaxCaptureBytes; ++pages) {
      if (pages == kPortionPages) return true;
      const ssize_t bytes = ::read(cpu.file.native(), page.data(), page.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes == 0 || (bytes < 0 && errno == EAGAIN)) return false;
      if (bytes < 0) {
        throw system_error("read", fmt::format("per_cpu/cpu{}/trace_pipe_raw", cpu.number), errno,
                           kSeeLog);
      }
      captured_bytes_ -= cpu.pages.bytes();
      cpu.pages.add(std::span(page).first(static_cast<std::size_t>(bytes)));
      captured_bytes_ += cpu.pages.bytes();
    }
    if (full_at_ns_ != 0) return false;
    full_at_ns_ = options_.clock.now_ns();
    for (const Buffer* buffer : buffers()) buffer->write("tracing_on", "0");
    return false;
  }

  void note_loss(const Cpu& cpu, Ticks begin, Ticks end, Timeline& timeline) const {
    if (functions_ && cpu.buffer == &*functions_) return timeline.add(KernelFunctionsLost{begin});
    timeline.add(RecordsLost{begin, end, cpu.number});
  }

  // Merges the records of all processors and buffers by time.
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
      if (pages.lost_before_front()) note_loss(cpus_[oldest], last[oldest], time, timeline);
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
    std::map<std::uint32_t, std::uint64_t> lost;
    for (const Cpu& cpu : cpus_) {
      used.damaged_bytes += cpu.pages.damaged_bytes();
      if (cpu.pages.lost_records() > 0) lost[cpu.number] += cpu.pages.lost_records();
    }
    for (const auto& [cpu, count] : lost) used.losses.push_back({static_cast<int>(cpu), count});
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
  Buffer machine_;  // what every processor does
  Buffer load_;     // what the load's threads do in the kernel
  std::optional<Buffer> functions_;
  tracefs::PageLayout page_layout_;
  std::vector<Cpu> cpus_;  // of all buffers
  bool system_calls_ = false;
  std::string limits_;
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::atomic<bool> stopped_ = false;
  // The reader thread owns these until it has ended.
  std::uint32_t reader_thread_ = 0;
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
