#include "harness/explain/switch_trace_linux.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/affinity.h"

namespace tailgate::activity {
namespace {

// A ring has 2^n data pages and one header page. By default a user may lock 516 KiB of memory.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kMaxRingPages = 64;
constexpr std::chrono::milliseconds kReadEvery{10};

// A switch record followed by its sample_id, whose layout follows from the sample_type below.
struct SwitchRecord {
  perf_event_header header;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t time_ns;  // CLOCK_MONOTONIC_RAW
  std::uint32_t cpu;
  std::uint32_t reserved;
};

struct LostRecord {
  perf_event_header header;
  std::uint64_t id;
  std::uint64_t records;
};

int open_switch_event(std::uint32_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.context_switch = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC_RAW;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, static_cast<pid_t>(thread),
                                    -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// The perf ring buffer of one thread.
class SwitchRing {
 public:
  explicit SwitchRing(std::uint32_t thread) : descriptor_(open_switch_event(thread)) {
    if (descriptor_ < 0) {
      throw system_error("perf_event_open", "a load thread", errno,
                         "run as root, or lower /proc/sys/kernel/perf_event_paranoid to 2");
    }
    for (std::size_t pages = kMaxRingPages; pages > 0 && ring_ == nullptr; pages /= 2) {
      data_bytes_ = pages * kPageBytes;
      void* const at = ::mmap(nullptr, kPageBytes + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED,
                              descriptor_, 0);
      if (at != MAP_FAILED) ring_ = static_cast<std::byte*>(at);
    }
    if (ring_ == nullptr) {
      const int error = errno;
      ::close(descriptor_);
      throw system_error("mmap", "the ring of a perf event", error, "raise the limit 'ulimit -l'");
    }
  }
  SwitchRing(SwitchRing&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        ring_(std::exchange(other.ring_, nullptr)),
        data_bytes_(other.data_bytes_) {}
  SwitchRing& operator=(SwitchRing&&) = delete;
  ~SwitchRing() {
    if (ring_ != nullptr) ::munmap(ring_, kPageBytes + data_bytes_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  // Appends the new records, and adds the number of records that did not fit into the ring to
  // `lost`.
  void drain(std::vector<SwitchRecord>& records, std::uint64_t& lost) {
    auto* const page = reinterpret_cast<perf_event_mmap_page*>(ring_);
    const std::atomic_ref<__u64> head_at(page->data_head);
    const std::atomic_ref<__u64> tail_at(page->data_tail);
    const std::uint64_t head = head_at.load(std::memory_order_acquire);
    std::uint64_t tail = tail_at.load(std::memory_order_relaxed);
    while (head - tail >= sizeof(perf_event_header)) {
      const auto header = take<perf_event_header>(tail);
      if (header.size < sizeof header) break;
      if (header.type == PERF_RECORD_SWITCH && header.size >= sizeof(SwitchRecord)) {
        records.push_back(take<SwitchRecord>(tail));
      } else if (header.type == PERF_RECORD_LOST && header.size >= sizeof(LostRecord)) {
        lost += take<LostRecord>(tail).records;
      }
      tail += header.size;
    }
    tail_at.store(tail, std::memory_order_release);
  }

 private:
  // Copies a record, which may wrap around the ring's end.
  template <class Record>
  Record take(std::uint64_t at) const {
    Record record;
    auto* const bytes = reinterpret_cast<std::byte*>(&record);
    const std::size_t begin = at % data_bytes_;
    const std::size_t first = std::min(sizeof record, data_bytes_ - begin);
    std::memcpy(bytes, ring_ + kPageBytes + begin, first);
    std::memcpy(bytes + first, ring_ + kPageBytes, sizeof record - first);
    return record;
  }

  int descriptor_;
  std::byte* ring_ = nullptr;
  std::size_t data_bytes_ = 0;
};

// The same instant read from both clocks.
struct Instant {
  std::uint64_t os_ns = 0;
  std::uint64_t run_ns = 0;
};

Instant instant(const Clock& clock) {
  Instant best;
  for (std::uint64_t width = ~std::uint64_t{0}, attempt = 0; attempt < 20; ++attempt) {
    const std::uint64_t before = clock_detail::os_monotonic_ns();
    const std::uint64_t run_ns = clock.now_after_ns();
    const std::uint64_t after = clock_detail::os_monotonic_ns();
    if (after - before >= width) continue;
    width = after - before;
    best = {before + width / 2, run_ns};
  }
  return best;
}

class SwitchTrace : public Trace {
 public:
  explicit SwitchTrace(const TraceOptions& options) : options_(options) {
    for (const std::uint32_t thread : options.threads) rings_.emplace_back(thread);
    begin_ = instant(options.clock);
    reader_ = std::thread([this] { read_until_stopped(); });
  }

  ~SwitchTrace() override { stop(); }

  void stop() override {
    if (!reader_.joinable()) return;
    stopped_ = true;
    reader_.join();
    end_ = instant(options_.clock);
  }

  TraceUsed read(Timeline& timeline) override {
    std::stable_sort(records_.begin(), records_.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    for (const SwitchRecord& record : records_) {
      const bool out = (record.header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
      const bool preempted = (record.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      timeline.add(ContextSwitch{.time = run_time(record.time_ns),
                                 .processor = record.cpu,
                                 .old_thread = out ? record.thread : kUnknown,
                                 .new_thread = out ? kUnknown : record.thread,
                                 .old_was_preempted = out && preempted,
                                 .old_wait = Wait::unknown});
    }
    timeline.finish(static_cast<Ticks>(end_.run_ns));
    TraceUsed used;
    used.method = "context_switches";
    used.limits =
        "this trace shows when the load's threads were off the processor, but not who ran instead, "
        "and no interrupts, page faults or storage requests: run as root to see those";
    used.start_ns = begin_.run_ns;
    used.end_ns = end_.run_ns;
    used.records = records_.size();
    used.bytes = records_.size() * sizeof(SwitchRecord);
    if (lost_ > 0) used.losses = {{-1, lost_}};
    used.complete = lost_ == 0;
    return used;
  }

 private:
  void read_until_stopped() {
    bind_this_thread(options_.cpus);
    for (bool last = false; !last;) {
      last = stopped_;
      for (SwitchRing& ring : rings_) ring.drain(records_, lost_);
      if (!last) std::this_thread::sleep_for(kReadEvery);
    }
  }

  // Converts a time by linear interpolation between the two instants at which both clocks were
  // read.
  Ticks run_time(std::uint64_t os_ns) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(os_ns - begin_.os_ns));
    const auto os = static_cast<double>(end_.os_ns - begin_.os_ns);
    const auto run = static_cast<double>(end_.run_ns - begin_.run_ns);
    return static_cast<Ticks>(begin_.run_ns) + static_cast<Ticks>(os > 0 ? since * run / os : 0);
  }

  const TraceOptions options_;
  std::vector<SwitchRing> rings_;
  Instant begin_;
  Instant end_;
  std::atomic<bool> stopped_ = false;
  // The reader thread owns these until it has ended.
  std::vector<SwitchRecord> records_;
  std::uint64_t lost_ = 0;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<Trace> start_switch_trace(const TraceOptions& options) {
  return std::make_unique<SwitchTrace>(options);
}

}  // namespace tailgate::activity
