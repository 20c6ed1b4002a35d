// The state machine of a kernel trace: who ran on each processor at any time, how much CPU time
// each process, thread and interrupt routine used, and how long woken threads waited for a
// processor.
//
// Records are added in order of time. The accounting follows Microsoft's article "Core OS Events in
// Windows 7": a switch charges the processor's time since the previous switch to the thread that is
// switched out. The time of interrupts and deferred routines is subtracted from the thread that
// they interrupted; nested ones are subtracted once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/activity/records.h"
#include "harness/activity/thread_history.h"
#include "harness/histogram/histogram.h"
#include "harness/stats/pulse_train.h"

namespace tailgate::activity {

// The value of ThreadUse::ready_since for a thread that is not waiting for a processor.
inline constexpr Ticks kNotReady = std::numeric_limits<Ticks>::min();

// Returns end - begin, 0 if negative. Times of a damaged trace may be any value, so the difference
// saturates instead of overflowing.
inline Ticks between(Ticks begin, Ticks end) {
  if (end <= begin) return 0;
  auto apart =
      static_cast<Ticks>(static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin));
  return apart >= 0 ? apart : std::numeric_limits<Ticks>::max();
}

// Adds ticks to sum, saturating. Neither may be negative.
inline void add_to(Ticks& sum, Ticks ticks) {
  auto added =
      static_cast<Ticks>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(ticks));
  if (added < 0) [[unlikely]]
    added = std::numeric_limits<Ticks>::max();
  sum = added;
}

// One thread's lifetime. Ids are reused; every reuse is another ThreadUse. The fields that a switch
// touches fill one cache line.
struct alignas(64) ThreadUse {
  std::uint32_t thread = 0;
  std::uint32_t process = kUnknown;  // index into Timeline::processes()
  Ticks cpu_ticks = 0;               // without the interrupts that interrupted it
  std::uint64_t switches_in = 0;
  std::uint64_t preemptions = 0;
  Ticks ready_since = kNotReady;
  std::uint64_t wake_ups = 0;  // times it became ready and was then switched in
  Ticks wake_up_ticks_sum = 0;
  Ticks wake_up_ticks_max = 0;
  std::string name;
};

struct ProcessUse {
  std::uint32_t process = 0;
  std::uint32_t parent = kUnknown;
  std::string name;  // empty: not in the trace
};

struct RoutineUse {
  InterruptKind kind = InterruptKind::hardware;
  std::uint64_t routine = 0;
  std::uint64_t calls = 0;
  Ticks cpu_ticks = 0;  // without the interrupts nested in it
  Ticks longest_ticks = 0;
};

struct ProcessorUse {
  bool seen = false;
  Ticks idle_ticks = 0;
  Ticks thread_ticks = 0;
  Ticks interrupt_ticks = 0;
  std::uint64_t switches = 0;
};

// A period in which one thread had a processor, interrupts included.
struct RunInterval {
  Ticks begin = 0;
  Ticks end = 0;
  std::uint32_t processor = 0;
  std::uint32_t thread_use = 0;  // index into Timeline::threads()
};

// A thread became ready.
struct ReadyRecord {
  ThreadReady ready;
  std::uint32_t waker = kUnknown;  // the thread that ran on that processor
};

// A storage request from issue to completion.
struct StorageSpan {
  Ticks begin = 0;
  Ticks end = 0;
  std::uint32_t thread = 0;
  std::string name;
  std::uint64_t device = 0;  // these three as in StorageRequest
  std::uint64_t sectors = 0;
  bool flush = false;
};

class Timeline {
 public:
  // ticks_per_second: above 0, else throws Error. begin: the trace's start; a processor's first
  // switch charges its old thread from there.
  Timeline(std::int64_t ticks_per_second, Ticks begin);

  // Keeps every run interval for who_ran() and runs(), and every interrupt, ready record and
  // storage request; 24 to 64 bytes per record. Off by default.
  void keep_intervals() { keep_intervals_ = true; }

  // Keeps the history of a thread. Call it before adding the first record.
  void watch(std::uint32_t thread) { watched_.try_emplace(thread); }
  bool watches() const { return !watched_.empty(); }  // whether any thread is watched

  // A thread that holds no lock that a watched thread may want, as one that reads the trace.
  void set_bystander(std::uint32_t thread) { bystanders_.insert(thread); }
  bool is_bystander(std::uint32_t thread) const { return bystanders_.contains(thread); }

  // A gap that came at fixed intervals to an idle thread on that processor before the trace: a
  // timer of the hypervisor, say, of which this kernel records nothing. In ticks.
  void add_machine_tick(std::uint32_t processor, const PulseTrain& tick) {
    machine_ticks_.emplace(processor, tick);
  }
  // Whether one may have begun there from begin to end; false if none is known.
  bool machine_tick_may_begin(std::uint32_t processor, Ticks begin, Ticks end) const;

  void add(const ContextSwitch& record);
  void add(const ThreadReady& record);
  void add(const Interrupt& record);
  void add(const RoutineFact& record);
  void add(const SystemCall& record);
  void add(const SystemCallFact& record);
  void add(const PageFault& record);
  void add(const KernelPoint& record);
  void add(const KernelPointFact& record);  // before the first record of that point
  void add(const KernelFunction& record);
  void add(const KernelFunctionFact& record);
  void add(const KernelFunctionsLost& record);
  void add(const StorageRequest& record);
  void add(const RecordsLost& record);
  void add(const ThreadFact& record);
  void add(const ProcessFact& record);
  void add(const ImageFact& record);

  // Charges the thread that runs on each processor up to the end of the trace. Call it once, last.
  void finish(Ticks end);

  std::int64_t ticks_per_second() const { return ticks_per_second_; }
  double seconds(Ticks ticks) const;

  // The thread that runs on a processor now, and the process of a thread id now; kUnknown if the
  // trace has not told yet.
  std::uint32_t running_thread(std::uint32_t processor) const;
  std::uint32_t process_of(std::uint32_t thread) const;

  // The run interval of `processor` that contains `time`; null if none is known or intervals are
  // not kept. For tests.
  const RunInterval* who_ran(std::uint32_t processor, Ticks time) const;

  // The kept intervals of a processor, in order of time (interrupts: of their end). Empty if
  // intervals are not kept.
  std::span<const RunInterval> runs(std::uint32_t processor) const;
  std::span<const Interrupt> interrupts(std::uint32_t processor) const;
  const std::vector<ReadyRecord>& ready_threads() const { return ready_threads_; }

  // The history of a watched thread; null for any other thread.
  const ThreadHistory* history(std::uint32_t thread) const;

  // The storage requests, ordered by their begin after finish(). A request that did not complete
  // ends with the trace. Empty if intervals are not kept.
  const std::vector<StorageSpan>& storage() const { return storage_; }
  const std::vector<RecordsLost>& losses() const { return losses_; }

  // The latest name of a thread; empty if the trace has none.
  const std::string& thread_name(std::uint32_t thread) const;
  std::string routine_name(InterruptKind kind, std::uint64_t routine) const;
  // Returns "system call 123" and WaitsFor::unknown for a number without a SystemCallFact.
  SystemCallFact system_call(std::uint32_t number) const;
  // The fact of a point in a ThreadMark.
  const KernelPointFact& kernel_point(std::uint32_t point) const { return points_.at(point); }

  // Empty for an address without a KernelFunctionFact.
  std::string_view kernel_function(std::uint64_t address) const;

  const std::vector<ThreadUse>& threads() const { return threads_; }
  const std::vector<ProcessUse>& processes() const { return processes_; }
  const std::vector<ProcessorUse>& processors() const { return processor_use_; }
  std::vector<RoutineUse> routines() const;
  // CPU time of each process' threads, by index into processes(); one more element at the end for
  // threads of unknown process.
  std::vector<Ticks> process_ticks() const;
  // The times from ready to running of all threads except idle, in ns.
  const Histogram& wake_up_ns() const { return wake_up_ns_; }

  // Names an address as "ntoskrnl.exe+0x1f4"; the kernel's modules belong to process 0. Returns
  // "0x..." for an address outside of all modules.
  std::string symbol(std::uint32_t process, std::uint64_t address) const;

  // Switches whose old thread, by the earlier records, was not running: events are missing.
  std::uint64_t mismatched_switches() const { return mismatched_switches_; }
  std::uint64_t switches() const;
  std::uint64_t ready_records() const { return ready_records_; }

 private:
  struct OpenInterrupt {
    Ticks begin;
    Ticks ticks;  // nested ones included
  };
  // Its size is a power of two, so that indexing is fast.
  struct alignas(64) Processor {
    std::uint32_t thread_use = kUnknown;
    std::uint32_t previous_use = kUnknown;
    Ticks since = 0;                        // when the current thread was switched in
    Ticks interrupt_ticks = 0;              // since then, to subtract from the thread
    std::vector<OpenInterrupt> interrupts;  // ended; may turn out to be nested
  };
  struct Image {
    std::uint64_t base;
    std::uint64_t size_bytes;
    std::string path;
  };

  std::uint32_t processor_index(std::uint32_t number);
  void add_processors(std::size_t count);
  std::uint32_t use_of(std::uint32_t thread);
  std::uint32_t find_or_add_use(std::uint32_t thread);
  std::uint32_t find_use(std::uint32_t thread) const;
  std::uint32_t new_use(std::uint32_t thread);
  void set_use(std::uint32_t thread, std::uint32_t use);
  std::uint32_t process_use(std::uint32_t process);
  void charge(std::uint32_t index, Ticks until);
  void correct_running(std::uint32_t index, std::uint32_t use, Ticks seen);
  void update_histories(const ContextSwitch& record);
  // Returns whether it inferred that a thread seen on an idle processor has run since it was woken.
  bool infer_run(std::uint32_t index, std::uint32_t use, Ticks seen);
  void keep_interval(std::uint32_t index, Ticks until);
  void note_wake_up(ThreadUse& use, Ticks time);
  ThreadHistory* watched(std::uint32_t thread);

  std::int64_t ticks_per_second_;
  Ticks begin_;
  bool keep_intervals_ = false;
  std::vector<Processor> processors_;
  std::vector<ProcessorUse> processor_use_;
  std::vector<ThreadUse> threads_;
  std::vector<std::uint32_t> small_thread_ids_;  // id -> use, for ids below 2^20
  std::unordered_map<std::uint32_t, std::uint32_t> large_thread_ids_;
  std::vector<ProcessUse> processes_;
  std::unordered_map<std::uint32_t, std::uint32_t> process_ids_;
  std::map<std::pair<std::uint64_t, InterruptKind>, RoutineUse> routines_;
  std::map<std::uint32_t, std::map<std::uint64_t, Image>> images_;
  std::vector<std::vector<RunInterval>> intervals_;  // by processor
  std::vector<std::vector<Interrupt>> interrupts_;
  std::vector<ReadyRecord> ready_threads_;
  std::unordered_map<std::uint32_t, ThreadHistory> watched_;
  std::set<std::uint32_t> bystanders_;
  std::multimap<std::uint32_t, PulseTrain> machine_ticks_;  // by processor
  std::map<std::pair<InterruptKind, std::uint64_t>, std::string> routine_names_;
  std::map<std::uint32_t, SystemCallFact> system_calls_;
  // By number; an entry without a name is no known point.
  std::vector<KernelPointFact> points_{
      {.point = kWakePoint, .name = "wake-up", .cause = Cause::wake_up}};
  std::unordered_map<std::uint64_t, std::string> kernel_functions_;  // by address
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> open_storage_;
  std::vector<StorageSpan> storage_;
  std::vector<RecordsLost> losses_;
  Histogram wake_up_ns_;
  std::uint64_t mismatched_switches_ = 0;
  std::uint64_t ready_records_ = 0;
};

// Every switch passes through these functions. They are inline so that they compile into the loop
// that adds the switches.

// Returns the index of a processor's state and sums.
inline std::uint32_t Timeline::processor_index(std::uint32_t number) {
  // A damaged trace may hold any processor number; it must not determine an allocation.
  constexpr std::uint32_t kMaxProcessors = 4096;
  number = std::min(number, kMaxProcessors - 1);
  if (number >= processors_.size()) [[unlikely]]
    add_processors(number + 1);
  return number;
}

inline std::uint32_t Timeline::use_of(std::uint32_t thread) {
  if (thread < small_thread_ids_.size()) [[likely]] {
    std::uint32_t use = small_thread_ids_[thread];
    if (use != kUnknown) [[likely]]
      return use;
  }
  return find_or_add_use(thread);
}

// Charges the time since the last switch to the thread that ran, and adds it to the processor's
// sums.
inline void Timeline::charge(std::uint32_t index, Ticks until) {
  Processor& at = processors_[index];
  Ticks ran = between(at.since, until);
  Ticks own = ran - std::min(at.interrupt_ticks, ran);
  ThreadUse& use = threads_[at.thread_use];
  add_to(use.cpu_ticks, own);
  ProcessorUse& total = processor_use_[index];
  total.seen = true;
  add_to(use.thread == 0 ? total.idle_ticks : total.thread_ticks, own);
  at.interrupt_ticks = 0;
  if (keep_intervals_ && ran > 0) [[unlikely]]
    keep_interval(index, until);
}

inline void Timeline::add(const ContextSwitch& record) {
  std::uint32_t old_use = use_of(record.old_thread);
  std::uint32_t new_use = use_of(record.new_thread);
  std::uint32_t index = processor_index(record.processor);
  Processor& at = processors_[index];
  ++processor_use_[index].switches;
  if (at.thread_use != old_use) [[unlikely]]
    correct_running(index, old_use, record.time);
  charge(index, record.time);
  threads_[old_use].preemptions += record.old_was_preempted ? 1 : 0;
  ThreadUse& incoming = threads_[new_use];
  ++incoming.switches_in;
  at.previous_use = old_use;
  at.thread_use = new_use;
  at.since = record.time;
  if (!watched_.empty()) [[unlikely]]
    update_histories(record);
  if (incoming.ready_since != kNotReady) note_wake_up(incoming, record.time);
}

}  // namespace tailgate::activity
