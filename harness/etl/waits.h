// Why threads did not run: what they waited for, how long, who made them ready, and how long they
// then waited for a processor. From the kernel's context switches and ready-thread events.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "harness/etl/durations.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// The stretches without a processor of one process' threads, for one reason.
struct WaitUse {
  Durations off;               // from the switch out to the switch in
  std::uint64_t readied = 0;   // of these: how often a ready-thread event said when it was over
  std::uint64_t ready_ns = 0;  // of the readied: from that event to the switch in
  // Priorities (0 to 31) when the thread was switched out, and how often its priority was higher
  // when it was switched in again.
  std::int8_t priority_min = std::numeric_limits<std::int8_t>::max();
  std::int8_t priority_max = std::numeric_limits<std::int8_t>::min();
  std::uint64_t raised = 0;
};

// Who made a process' threads ready, and which waits that ended.
struct ReadierUse {
  std::uint64_t count = 0;
  std::uint64_t waited_ns = 0;  // from the switch out to the event
};

// Adds up waits. Sources of the payloads: Microsoft's documentation of the classes CSwitch and
// ReadyThread (Flag 1: made ready by a deferred procedure call, not by the thread that ran there).
class Waits {
 public:
  struct Readier {
    std::uint32_t process = activity::kUnknown;  // whose thread ran where the event was logged
    bool by_interrupt = false;
    std::uint32_t woken = activity::kUnknown;  // whose thread became ready
    auto operator<=>(const Readier&) const = default;
  };
  struct Wait {
    std::uint32_t process = activity::kUnknown;
    std::uint8_t reason = 0;
    auto operator<=>(const Wait&) const = default;
  };

  // processes: of threads, where `kernel` does not know one; kept by reference.
  Waits(const KernelActivity& kernel,
        const std::unordered_map<std::uint32_t, std::uint32_t>& processes)
      : kernel_(kernel), processes_(processes) {}

  // Takes the next record in order of time, before KernelActivity does.
  void add(const Record& record, std::int64_t time_ns);

  const std::map<Wait, WaitUse>& waits() const { return waits_; }
  const std::map<Readier, ReadierUse>& readiers() const { return readiers_; }
  std::uint64_t switches() const { return switches_; }

 private:
  // A thread without a processor.
  struct Off {
    std::int64_t since_ns = 0;
    std::int64_t ready_ns = kNotReady;
    std::uint8_t reason = 0;
    std::int8_t priority = 0;
  };
  static constexpr std::int64_t kNotReady = std::numeric_limits<std::int64_t>::min();

  void add_switch(Bytes payload, std::int64_t time_ns);
  void add_ready(const Record& record, Bytes payload, std::int64_t time_ns);
  std::uint32_t process_of(std::uint32_t thread) const;

  const KernelActivity& kernel_;
  const std::unordered_map<std::uint32_t, std::uint32_t>& processes_;
  std::unordered_map<std::uint32_t, Off> off_;
  std::map<Wait, WaitUse> waits_;
  std::map<Readier, ReadierUse> readiers_;
  std::uint64_t switches_ = 0;
};

// Reports the waits of the files, one report per clock. max_rows limits each table of the text; the
// JSON (one object per session and line) has all rows.
void report_waits(const std::vector<const TraceFile*>& files, TextFormat format,
                  std::size_t max_rows, const TextSink& sink);

}  // namespace tailgate::etl
