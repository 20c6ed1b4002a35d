#include "harness/explain/switch_trace_linux.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "harness/base/error.h"
#include "harness/os/affinity.h"
#include "harness/os/clock_instant.h"
#include "harness/os/perf_ring_linux.h"

namespace tailgate::activity {
namespace {

// By default a user may lock 516 KiB of memory.
constexpr std::size_t kMaxRingPages = 64;
constexpr std::chrono::milliseconds kReadSwitchesEvery{10};

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

PerfRing open_switch_ring(std::uint32_t thread) {
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
  const int descriptor = open_perf_event(attributes, thread);
  if (descriptor < 0) {
    throw system_error("perf_event_open", "a load thread", -descriptor,
                       "run as root, or lower /proc/sys/kernel/perf_event_paranoid to 2");
  }
  return PerfRing(descriptor, kMaxRingPages);
}

// Reads the record that begins there; nothing if it is shorter.
template <class Record>
std::optional<Record> record_of(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

class SwitchTrace : public Trace {
 public:
  explicit SwitchTrace(const TraceOptions& options) : options_(options) {
    for (const std::uint32_t thread : options.threads) rings_.push_back(open_switch_ring(thread));
    begin_ = clock_instant(options.clock);
    reader_ = std::thread([this] { read_until_stopped(); });
  }

  ~SwitchTrace() override { stop(); }

  void stop() override {
    if (!reader_.joinable()) return;
    stopped_ = true;
    reader_.join();
    end_ = clock_instant(options_.clock);
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
      for (PerfRing& ring : rings_) drain(ring);
      if (!last) std::this_thread::sleep_for(kReadSwitchesEvery);
    }
  }

  void drain(PerfRing& ring) {
    bytes_.clear();
    ring.drain(bytes_);
    std::span<const std::byte> left(bytes_);
    for (auto bytes = next_perf_record(left); !bytes.empty(); bytes = next_perf_record(left)) {
      const std::uint32_t type = record_of<perf_event_header>(bytes)->type;
      if (type == PERF_RECORD_SWITCH) {
        if (const auto record = record_of<SwitchRecord>(bytes)) records_.push_back(*record);
      } else if (type == PERF_RECORD_LOST) {
        if (const auto record = record_of<LostRecord>(bytes)) lost_ += record->records;
      }
    }
  }

  Ticks run_time(std::uint64_t os_ns) const {
    return static_cast<Ticks>(run_time_ns(os_ns, begin_, end_));
  }

  const TraceOptions options_;
  std::vector<PerfRing> rings_;
  ClockInstant begin_;
  ClockInstant end_;
  std::atomic<bool> stopped_ = false;
  // The reader thread owns these until it has ended.
  std::vector<std::byte> bytes_;
  std::vector<SwitchRecord> records_;
  std::uint64_t lost_ = 0;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<Trace> start_switch_trace(const TraceOptions& options) {
  return std::make_unique<SwitchTrace>(options);
}

}  // namespace tailgate::activity
