// Feeds harness/activity's Timeline from an ETW kernel session, and sums disk use and page faults.
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
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/log_header.h"
#include "harness/etl/payload.h"
#include "harness/etl/record.h"
#include "harness/etl/run_times.h"
#include "harness/etl/wait_reasons.h"

namespace tailgate::etl {

struct DiskUse {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t flushes = 0;
  activity::Ticks response_ticks_sum = 0;  // sum over reads, writes and flushes
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
  // Feeds a timeline of its own, in ticks of the session's clock. header: the header of the session
  // from which the records come; clock: that session's clock.
  KernelActivity(const LogFileHeader& header, const SessionClock& clock);

  // Feeds the caller's timeline, in nanoseconds of the run clock. The caller converts the time of
  // each record with RunTimes::time_ns before add(). Sums in ticks are in ns, too.
  KernelActivity(activity::Timeline& timeline, const RunTimes& times);

  // Takes the next record in order of time; skips records that have nothing to do with activity.
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

  // Accounts the time up to the last record and names the system calls. Call it once, after the
  // last record.
  void finish() { finish(last_time_); }

  // The same, up to a later end of the trace.
  void finish(activity::Ticks end);

  // Fills in the thread and process id of a header that lacks them. Some payloads name what caused
  // the event (samples, disk, hard faults: the thread; network: the process alone); otherwise it is
  // the thread that was running. True when something was filled in.
  bool attribute(const Record& record, RecordHeader& header) const;

  activity::Timeline& timeline() { return *timeline_; }
  const activity::Timeline& timeline() const { return *timeline_; }
  const std::map<std::uint32_t, DiskUse>& disks() const { return disks_; }
  const FaultUse& faults() const { return faults_; }
  // Number of records that contain a batch of compact context switches. They are not accounted: how
  // the items of a batch depend on each other is not documented.
  std::uint64_t switch_batches() const { return switch_batches_; }

  // The kinds of events that the session recorded, from its group masks: a kind without events is
  // then "not enabled" instead of "none". Not set when the trace contains no masks.
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
    // The record has no counters between header and payload.
    return record.kind != RecordKind::perf_info || (load<std::uint16_t>(record.data) & 0x8700) == 0;
  }

  // Whether OldThreadState is Ready, Standby or DeferredReady.
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
    if (!fact.old_was_preempted) fact.old_reason = wait_reason_name(wait_reason_number).data();
  }

  void add_switch(const Record& record, const std::uint8_t* payload, std::size_t size) {
    if (size < 16) return;
    activity::ContextSwitch fact;
    fact.time = record.time;
    fact.processor = record.processor;
    fact.new_thread = load<std::uint32_t>(payload);
    fact.old_thread = load<std::uint32_t>(payload + 4);
    fact.old_was_preempted = could_run(payload[14]);
    // The wait reason is of no use when only processor time is counted.
    if (timeline_->watches()) [[unlikely]]
      tell_wait(payload[12], fact);
    timeline_->add(fact);
  }

  // Convert values of a payload to the timeline's unit: a time on the session's clock, and a
  // response time in ticks of the performance counter (at least 0).
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
  void name_file_operations();
  void begin_file_operation(const Record& record, std::uint16_t hook, std::uint16_t version,
                            Bytes payload);
  void end_file_operation(const Record& record, Bytes payload);
  void add_request_begin(const Record& record, std::uint16_t hook, Bytes payload);
  void add_request_end(const Record& record, std::uint16_t hook, std::uint16_t version,
                       Bytes payload);
  std::uint32_t system_call_number(std::uint64_t address);
  void add_masks(Bytes payload);

  std::optional<RunTimes> times_;            // set for the caller's timeline
  std::unique_ptr<activity::Timeline> own_;  // set for a timeline of its own
  activity::Timeline* timeline_;
  activity::Ticks last_time_;
  std::map<std::uint32_t, DiskUse> disks_;
  FaultUse faults_;
  std::uint64_t switch_batches_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> system_calls_;  // address -> number
  struct FileOperation {
    std::uint32_t thread = 0;
    std::uint32_t end_point = 0;
  };
  std::unordered_map<std::uint64_t, FileOperation> file_operations_;  // by request packet
  bool request_begins_recorded_ = false;
  Enabled enabled_;
  std::vector<Field> fields_;
};

}  // namespace tailgate::etl
