// Feeds harness/activity's Timeline from an ETW kernel session, and sums up disk and page faults.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/activity/timeline.h"
#include "providers/etw/etl/kernel_hooks.h"
#include "providers/etw/etl/log_header.h"
#include "providers/etw/etl/payload.h"
#include "providers/etw/etl/record.h"
#include "providers/etw/etl/run_times.h"
#include "providers/etw/etl/wait_reasons.h"

namespace tailgate::etl {

struct DiskUse {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t flushes = 0;
  activity::Ticks response_ticks_sum = 0;  // of reads, writes and flushes
  activity::Ticks response_ticks_max = 0;
};

struct FaultUse {
  std::uint64_t soft = 0;  // transition, demand zero, copy on write, guard page
  std::uint64_t hard = 0;  // read from disk
  std::uint64_t access_violations = 0;
  std::uint64_t hard_bytes = 0;
  activity::Ticks hard_ticks_sum = 0;
  activity::Ticks hard_ticks_max = 0;
};

class KernelActivity {
 public:
  // A timeline of its own, in ticks of the session's clock. header: of the session that the records
  // come from; clock: its clock.
  KernelActivity(const LogFileHeader& header, const SessionClock& clock);

  // Feeds a timeline that outlives this, in nanoseconds of the run clock: add() then takes records
  // whose time has been turned into that (RunTimes::time_ns). Sums in ticks are in ns, too.
  KernelActivity(activity::Timeline& timeline, const RunTimes& times);

  // Takes the next record in order of time. Records that say nothing about activity are skipped.
  void add(const Record& record) {
    if (record.time > last_time_) last_time_ = record.time;
    if (record.kind == RecordKind::perf_info || record.kind == RecordKind::system ||
        record.kind == RecordKind::compact) {
      std::uint16_t hook = hook_id(record);
      if (hook == kHookContextSwitch && plain(record)) {
        add_switch(record, record.data + record.header_bytes,
                   record.size_bytes - record.header_bytes);
      } else {
        add_kernel(record, hook);
      }
    } else if (record.kind == RecordKind::full) {
      add_full(record);
    }
  }

  // Charges everything up to the last record, and names the system calls. Call once, after it.
  void finish() { finish(last_time_); }

  // The same, up to a later end of the trace.
  void finish(activity::Ticks end);

  // Fills thread and process id of a header that lacks them: from the payload where that names who
  // caused the event (samples, disk, hard faults: the thread; network: the process alone), else
  // from who was running. True when something was filled in.
  bool attribute(const Record& record, RecordHeader& header) const;

  activity::Timeline& timeline() { return *timeline_; }
  const activity::Timeline& timeline() const { return *timeline_; }
  const std::map<std::uint32_t, DiskUse>& disks() const { return disks_; }
  const FaultUse& faults() const { return faults_; }
  // Records that hold many context switches in compact form. Their times are not accounted: the
  // meaning of an item among its neighbours is not documented.
  std::uint64_t switch_batches() const { return switch_batches_; }

  // What the session recorded, from its group masks: a missing kind is then "not enabled" instead
  // of "none". Unset when the trace holds no masks.
  struct Enabled {
    bool known = false;
    bool context_switches = false;
    bool ready_threads = false;
    bool deferred_routines = false;
    bool interrupts = false;
    bool disk = false;
    bool page_faults = false;
  };
  const Enabled& enabled() const { return enabled_; }

 private:
  static bool plain(const Record& record) {
    // No counters between header and payload.
    return record.kind != RecordKind::perf_info || (load<std::uint16_t>(record.data) & 0x8700) == 0;
  }

  // OldThreadState: Ready, Standby or DeferredReady.
  static bool could_run(std::uint8_t state) {
    constexpr unsigned kStates = 1U << 1 | 1U << 3 | 1U << 7;
    return state < 8 && (kStates >> state & 1U) != 0;
  }

  [[gnu::noinline]] static void tell_wait(std::uint8_t wait_reason_number,
                                          activity::ContextSwitch& fact) {
    const WaitReason& reason = wait_reason(wait_reason_number);
    fact.old_was_preempted = fact.old_was_preempted || reason.ready;
    fact.old_wait = reason.wait;
    fact.old_waits_for = reason.waits_for;
  }

  void add_switch(const Record& record, const std::uint8_t* payload, std::size_t size) {
    if (size < 16) return;
    activity::ContextSwitch fact;
    fact.time = record.time;
    fact.processor = record.processor;
    fact.new_thread = load<std::uint32_t>(payload);
    fact.old_thread = load<std::uint32_t>(payload + 4);
    fact.old_was_preempted = could_run(payload[14]);
    // Whoever only counts processor time has no use for more.
    if (timeline_->watches()) [[unlikely]]
      tell_wait(payload[12], fact);
    timeline_->add(fact);
  }

  // What payloads hold, as the timeline has it: a time on the session's clock, and how long a
  // request took, by the performance counter and not below 0.
  activity::Ticks payload_time(std::int64_t raw) const;
  activity::Ticks response_time(std::int64_t counter_ticks) const;

  void add_kernel(const Record& record, std::uint16_t hook);
  void add_full(const Record& record);
  void add_payload(const Record& record, std::uint16_t hook, std::uint16_t version, Bytes payload);
  void add_interrupt(const Record& record, activity::InterruptKind kind, Bytes payload);
  void add_thread(const Record& record, std::uint16_t hook, std::uint16_t version, Bytes payload);
  void add_process(const Record& record, std::uint16_t hook, std::uint16_t version, Bytes payload);
  void add_image(const Record& record, std::uint16_t version, Bytes payload);
  void add_disk(const Record& record, std::uint16_t hook, std::uint16_t version, Bytes payload);
  void add_fault(const Record& record, std::uint16_t hook, Bytes payload);
  void add_hard_fault(const Record& record, Bytes payload);
  void add_system_call(const Record& record, std::uint16_t hook, Bytes payload);
  void add_request_begin(const Record& record, std::uint16_t hook, Bytes payload);
  void add_request_end(const Record& record, std::uint16_t hook, std::uint16_t version,
                       Bytes payload);
  std::uint32_t system_call_number(std::uint64_t address);
  void add_masks(Bytes payload);

  std::optional<RunTimes> times_;            // where the timeline is another's
  std::unique_ptr<activity::Timeline> own_;  // else
  activity::Timeline* timeline_;
  activity::Ticks last_time_;
  std::map<std::uint32_t, DiskUse> disks_;
  FaultUse faults_;
  std::uint64_t switch_batches_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> system_calls_;  // address -> number
  bool request_begins_recorded_ = false;
  Enabled enabled_;
  std::vector<Field> fields_;
};

}  // namespace tailgate::etl
