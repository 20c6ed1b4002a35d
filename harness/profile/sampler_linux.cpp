#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/affinity.h"
#include "harness/os/clock_instant.h"
#include "harness/os/perf_ring_linux.h"
#include "harness/os/process.h"
#include "harness/overhead/process_threads.h"
#include "harness/profile/perf_samples_linux.h"
#include "harness/profile/process_image_linux.h"
#include "harness/profile/sampler.h"
#include "harness/profile/stack_names_linux.h"

namespace tailgate::profile {
namespace {

// At the usual rate a ring of this size holds 60 ms of a thread that always runs.
constexpr std::size_t kRingPages = 128;
// A thread that touches new memory all the time has a page fault every microsecond or two.
constexpr std::size_t kFaultRingPages = 4096;
constexpr std::uint32_t kFaultStackBytes = 2048;
constexpr std::size_t kMaxNamedFaults = 4000;
constexpr std::size_t kMaxThreads = 128;
constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
constexpr std::chrono::milliseconds kReadEvery{10};
constexpr int kReadsPerScan = 20;  // for threads that have started since
// Programs that a command runs may end soon, and name what they mapped only until then.
constexpr int kReadsPerCommandScan = 2;
constexpr std::size_t kMaxCommandProcesses = 256;
constexpr const char* kBecomeRoot =
    "run as root, or lower /proc/sys/kernel/perf_event_paranoid to 1";

struct Event {
  Sampled sampled = Sampled::time;
  bool counter = false;  // the processor's; else the kernel's timer
  bool kernel = false;

  const char* method() const {
    if (sampled == Sampled::page_faults) return "page_faults";
    return counter ? "cpu_cycles" : "cpu_clock";
  }
};

void choose(const Event& event, double rate_hz, perf_event_attr& attributes) {
  attributes.type = event.counter ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  if (event.sampled == Sampled::page_faults) {
    attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
    attributes.sample_period = 1;
    return;
  }
  attributes.config = event.counter ? std::uint64_t{PERF_COUNT_HW_CPU_CYCLES}
                                    : std::uint64_t{PERF_COUNT_SW_CPU_CLOCK};
  attributes.freq = 1;
  attributes.sample_freq = static_cast<std::uint64_t>(std::max(1.0, rate_hz));
}

perf_event_attr attributes_of(const Event& event, double rate_hz) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  choose(event, rate_hz, attributes);
  attributes.sample_type = kSampleType;
  attributes.exclude_kernel = event.kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.exclude_callchain_user = kStackOfUser ? 1 : 0;
  attributes.exclude_callchain_kernel = event.kernel ? 0 : 1;
  attributes.sample_regs_user = kUserRegisters;
  const bool fault = event.sampled == Sampled::page_faults;
  attributes.sample_stack_user = !kStackOfUser ? 0 : fault ? kFaultStackBytes : kStackBytes;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC_RAW;
  return attributes;
}

// Tries the events on this thread, the best one first. Throws Error if none can be opened.
Event best_event(Sampled sampled, double rate_hz) {
  std::vector<Event> events = {{sampled, false, true}, {sampled, false, false}};
  if (sampled == Sampled::time) {
    events.insert(events.begin(), {{sampled, true, true}, {sampled, true, false}});
  }
  int error = 0;
  for (const Event& event : events) {
    const int descriptor = open_perf_event(attributes_of(event, rate_hz), 0);
    if (descriptor >= 0) {
      ::close(descriptor);
      return event;
    }
    error = -descriptor;
  }
  const char* remedy = "run as root, or lower /proc/sys/kernel/perf_event_paranoid to 2";
  if (error == EINVAL) remedy = "ask for no more than /proc/sys/kernel/perf_event_max_sample_rate";
  if (error == ENOSYS) remedy = "use a kernel with CONFIG_PERF_EVENTS";
  throw system_error("perf_event_open", "a sampled clock", error, remedy);
}

// Which pages a process has in memory (proc(5), /proc/pid/pagemap).
class ResidentPages {
 public:
  explicit ResidentPages(std::uint32_t process) {
    // The kernel refuses to read a number of bytes that is no multiple of 8, as a buffer would.
    file_.rdbuf()->pubsetbuf(nullptr, 0);
    file_.open(fmt::format("/proc/{}/pagemap", process), std::ios::binary);
  }

  bool has(std::uint64_t page) {
    constexpr int kPresentBit = 63;
    std::uint64_t entry = 0;
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(page / page_bytes() * sizeof entry));
    file_.read(reinterpret_cast<char*>(&entry), sizeof entry);
    return file_.gcount() == sizeof entry && (entry >> kPresentBit & 1) != 0;
  }

  static std::uint64_t page_bytes() {
    static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }

 private:
  std::ifstream file_;
};

class PerfSampler : public StackSampler {
 public:
  explicit PerfSampler(const SamplerOptions& options)
      : options_(options),
        event_(best_event(options.sampled, options.rate_hz)),
        samples_(kMaxBytes) {
    begin_ = clock_instant(options.clock);
    if (options.command > 0) {
      sample_command();
    } else {
      scan();
    }
    if (rings_.empty()) {
      throw system_error("perf_event_open", "the threads to sample", first_error_, kBecomeRoot);
    }
    reader_ = std::thread([this] { read_until_stopped(); });
  }

  ~PerfSampler() override { stop(); }

  void stop() override {
    if (!reader_.joinable()) return;
    stopped_ = true;
    reader_.join();
    for (const PerfRing& ring : rings_) events_ += ring.count();
    rings_.clear();
    end_ = clock_instant(options_.clock);
    for (auto& [pid, image] : images_) image->refresh();
    if (event_.sampled == Sampled::page_faults) find_resident_pages();
  }

  Samples read() override {
    const bool faults = event_.sampled == Sampled::page_faults;
    Samples samples{.method = event_.method(),
                    .callers = kStackOfUser ? "dwarf" : "frame_pointers",
                    .rate_hz = faults ? 0 : options_.rate_hz,
                    .kernel = event_.kernel,
                    .lost = samples_.lost()};
    if (faults) samples.lost = events_ - std::min<std::uint64_t>(events_, samples_.size());
    StackNames names(samples.functions);
    // To name one takes some 0.1 ms.
    const std::size_t step = faults ? resident_.size() / kMaxNamedFaults + 1 : 1;
    const std::size_t count = faults ? resident_.size() : samples_.size();
    for (std::size_t i = 0; i < count; i += step) {
      const PerfSample sample = samples_.at(faults ? resident_[i] : i);
      const std::optional<SampledRole> role = role_of(sample.thread);
      if (!role) continue;
      StackSample stack{.time_ns = run_time_ns(sample.time_ns, begin_, end_),
                        .role = *role,
                        .thread = sample.thread,
                        .cpu = sample.cpu};
      if (faults) stack.bytes = std::min(step, count - i) * ResidentPages::page_bytes();
      const auto image = images_.find(static_cast<int>(sample.process));
      names.add(sample, image == images_.end() ? nullptr : image->second.get(), stack);
      samples.list.push_back(std::move(stack));
    }
    samples.limits = limits(event_.kernel && !names.knows_kernel());
    return samples;
  }

  std::uint32_t collector() const override { return collector_; }

 private:
  std::optional<SampledRole> role_of(std::uint32_t thread) const {
    if (options_.command > 0) return SampledRole::provider;
    const auto role = roles_.find(thread);
    if (role == roles_.end()) return {};
    return role->second;
  }

  // Of a page that came several times the last fault counts.
  void find_resident_pages() {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> last_faults;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const PerfSample sample = samples_.at(i);
      const std::uint64_t page = sample.data_address / ResidentPages::page_bytes();
      last_faults[{sample.process, page * ResidentPages::page_bytes()}] = i;
    }
    std::map<std::uint32_t, ResidentPages> processes;
    for (const auto& [page, sample] : last_faults) {
      ResidentPages& pages = processes.try_emplace(page.first, page.first).first->second;
      if (pages.has(page.second)) resident_.push_back(sample);
    }
    std::sort(resident_.begin(), resident_.end());
  }

  void read_until_stopped() {
    bind_this_thread(options_.cpus);
    collector_ = this_thread_number();
    name_this_thread("tg-samples");
    std::vector<std::byte> records;
    const int reads_per_scan = options_.command > 0 ? kReadsPerCommandScan : kReadsPerScan;
    for (int reads = 1;; ++reads) {
      const bool last = stopped_;
      for (PerfRing& ring : rings_) {
        records.clear();
        ring.drain(records);
        samples_.add(records);
      }
      if (options_.command > 0) open_images();
      if (last) return;
      if (reads % reads_per_scan == 0) scan();
      std::this_thread::sleep_for(kReadEvery);
    }
  }

  // Begins to sample the threads that it has not seen, and notes what processes have mapped since:
  // they may end before stop().
  void scan() {
    for (auto& [pid, image] : images_) image->refresh();
    for (const SampledProcess& process : options_.processes) {
      for (const ProcessThread& one : threads_of({process.pid})) {
        const auto thread = static_cast<std::uint32_t>(one.thread);
        const bool of_load =
            std::find(options_.load.begin(), options_.load.end(), thread) != options_.load.end();
        const SampledRole role = of_load ? SampledRole::load : process.role;
        if (!roles_.emplace(thread, role).second) continue;
        sample_thread(one, role);
      }
    }
  }

  // An event that processes inherit may have a ring only where it is of one processor.
  void sample_command() {
    perf_event_attr attributes = attributes_of(event_, options_.rate_hz);
    attributes.inherit = 1;
    attributes.disabled = 1;
    attributes.enable_on_exec = 1;
    for (const int cpu : initial_cpus()) {
      const int descriptor =
          open_perf_event(attributes, static_cast<std::uint32_t>(options_.command), cpu);
      if (descriptor < 0) {
        first_error_ = -descriptor;
        rings_.clear();
        return;
      }
      rings_.emplace_back(descriptor, kRingPages);
    }
  }

  // Of each process of a command, once it has a sample.
  void open_images() {
    for (; seen_ < samples_.size(); ++seen_) {
      const auto process = static_cast<int>(samples_.at(seen_).process);
      if (images_.contains(process)) continue;
      if (images_.size() == kMaxCommandProcesses) {
        unnamed_processes_ = true;
        continue;
      }
      const auto image = images_.emplace(process, std::make_unique<ProcessImage>(process)).first;
      image->second->refresh();
    }
  }

  void sample_thread(const ProcessThread& one, SampledRole role) {
    if (rings_.size() == kMaxThreads) {
      ++beyond_limit_;
      return;
    }
    const int descriptor = open_perf_event(attributes_of(event_, options_.rate_hz),
                                           static_cast<std::uint32_t>(one.thread));
    if (descriptor == -ESRCH) return;
    if (descriptor < 0) {
      refused_.insert(role_name(role));
      if (first_error_ == ESRCH) first_error_ = -descriptor;
      return;
    }
    try {
      rings_.emplace_back(descriptor,
                          event_.sampled == Sampled::page_faults ? kFaultRingPages : kRingPages);
    } catch (const Error&) {
      ++beyond_limit_;
      return;
    }
    auto& image = images_[one.process];
    if (image == nullptr) image = std::make_unique<ProcessImage>(one.process);
  }

  std::string limits(bool kernel_without_names) const {
    std::vector<std::string> list;
    const auto add = [&list](std::string text) { list.push_back(std::move(text)); };
    if (!event_.kernel) add(fmt::format("no time in the kernel: {}", kBecomeRoot));
    if (kernel_without_names) {
      add("the kernel's functions have no names: set /proc/sys/kernel/kptr_restrict to 1");
    }
    for (const std::string& role : refused_) {
      add(fmt::format("not all threads of {} may be sampled: {}", role, kBecomeRoot));
    }
    if (beyond_limit_ > 0) {
      add(
          fmt::format("{} more threads are not sampled: only {} are, or there is no more memory "
                      "that may be locked (ulimit -l)",
                      beyond_limit_, rings_.size()));
    }
    if (unnamed_processes_) {
      add(fmt::format("the functions of all but the first {} processes have no names",
                      kMaxCommandProcesses));
    }
    if (samples_.no_room() > 0) {
      add(fmt::format("{} samples are missing: the memory of {} MiB was full; sample more seldom",
                      samples_.no_room(), kMaxBytes >> 20));
    }
    if (samples_.no_stack() > 0) {
      add(
          fmt::format("{} samples have no callers: the memory for stacks was full; sample more "
                      "seldom",
                      samples_.no_stack()));
    }
    if (samples_.throttled() > 0) {
      add(fmt::format("the kernel paused the sampling {} times: sample more seldom",
                      samples_.throttled()));
    }
    if (samples_.damaged() > 0) {
      add(fmt::format("{} records could not be read", samples_.damaged()));
    }
    return fmt::to_string(fmt::join(list, "; "));
  }

  const SamplerOptions options_;
  const Event event_;
  ClockInstant begin_;
  ClockInstant end_;
  std::atomic<bool> stopped_ = false;
  // The reader thread owns these until it has ended.
  std::uint32_t collector_ = 0;
  PerfSamples samples_;
  std::vector<PerfRing> rings_;
  std::unordered_map<std::uint32_t, SampledRole> roles_;  // by thread
  std::map<int, std::unique_ptr<ProcessImage>> images_;   // by process
  std::set<std::string> refused_;
  std::uint64_t events_ = 0;
  std::vector<std::size_t> resident_;  // samples of pages that were in memory at the end
  std::size_t seen_ = 0;               // samples whose processes have images, of a command
  bool unnamed_processes_ = false;
  std::size_t beyond_limit_ = 0;
  int first_error_ = ESRCH;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<StackSampler> start_sampler(const SamplerOptions& options) {
  return std::make_unique<PerfSampler>(options);
}

}  // namespace tailgate::profile
