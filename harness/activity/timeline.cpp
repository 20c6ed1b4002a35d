#include "harness/activity/timeline.h"

#include <algorithm>
#include <charconv>

#include "harness/base/error.h"

namespace tailgate::activity {
namespace {

constexpr std::uint32_t kSmallIds = 1u << 20;
constexpr std::size_t kMaxOpenInterrupts = 64;
// One hour: a longer wait for a processor comes from damaged times.
constexpr HistogramRange kWakeUpRange{1, 3'600'000'000'000, 2};

}  // namespace

Timeline::Timeline(std::int64_t ticks_per_second, Ticks begin)
    : ticks_per_second_(ticks_per_second), begin_(begin), wake_up_ns_(kWakeUpRange) {
  if (ticks_per_second < 1) {
    throw Error("ticks_per_second = " + std::to_string(ticks_per_second) + " is below 1",
                "give the rate of the trace's clock");
  }
}

double Timeline::seconds(Ticks ticks) const {
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_second_);
}

void Timeline::add_processors(std::size_t count) {
  Processor fresh;
  fresh.since = begin_;
  processors_.resize(count, fresh);
  processor_use_.resize(count);
  intervals_.resize(count);
  interrupts_.resize(count);
}

std::uint32_t Timeline::find_use(std::uint32_t thread) const {
  if (thread < small_thread_ids_.size()) return small_thread_ids_[thread];
  if (thread < kSmallIds) return kUnknown;
  auto at = large_thread_ids_.find(thread);
  return at == large_thread_ids_.end() ? kUnknown : at->second;
}

void Timeline::set_use(std::uint32_t thread, std::uint32_t use) {
  if (thread >= kSmallIds) {
    large_thread_ids_[thread] = use;
    return;
  }
  if (thread >= small_thread_ids_.size()) {
    std::size_t grown = std::max<std::size_t>(thread + 1, 2 * small_thread_ids_.size());
    small_thread_ids_.resize(std::min<std::size_t>(grown, kSmallIds), kUnknown);
  }
  small_thread_ids_[thread] = use;
}

std::uint32_t Timeline::new_use(std::uint32_t thread) {
  ThreadUse& fresh = threads_.emplace_back();
  fresh.thread = thread;
  auto use = static_cast<std::uint32_t>(threads_.size() - 1);
  set_use(thread, use);
  return use;
}

std::uint32_t Timeline::find_or_add_use(std::uint32_t thread) {
  std::uint32_t use = find_use(thread);
  return use != kUnknown ? use : new_use(thread);
}

std::uint32_t Timeline::process_use(std::uint32_t process) {
  auto [at, added] =
      process_ids_.try_emplace(process, static_cast<std::uint32_t>(processes_.size()));
  if (added) processes_.emplace_back().process = process;
  return at->second;
}

void Timeline::keep_interval(std::uint32_t index, Ticks until) {
  const Processor& at = processors_[index];
  intervals_[index].push_back({at.since, until, index, at.thread_use});
}

void Timeline::note_wake_up(ThreadUse& use, Ticks time) {
  Ticks waited = between(use.ready_since, time);
  use.ready_since = kNotReady;
  ++use.wake_ups;
  add_to(use.wake_up_ticks_sum, waited);
  use.wake_up_ticks_max = std::max(use.wake_up_ticks_max, waited);
  if (use.thread == 0) return;
  double ns = seconds(waited) * 1e9;
  wake_up_ns_.record(ns < 1e18 ? static_cast<std::uint64_t>(ns) : std::uint64_t{1} << 62);
}

// Linux sometimes fails to record a switch away from the idle thread (seen with 6.18). If a record
// shows a thread on a processor that was idle, the thread has run there since it was woken, or
// since the processor went idle: a thread that another processor wakes up is put into this one's
// queue after the record of its waking.
bool Timeline::infer_run(std::uint32_t index, std::uint32_t use, Ticks seen) {
  Processor& at = processors_[index];
  const Ticks woken = threads_[use].ready_since;
  if (at.thread_use == kUnknown || threads_[at.thread_use].thread != 0) return false;
  if (woken == kNotReady || woken > seen) return false;
  const Ticks since = std::max(woken, at.since);
  charge(index, since);
  at.previous_use = at.thread_use;
  at.thread_use = use;
  at.since = since;
  threads_[use].ready_since = kNotReady;
  if (ThreadHistory* history = watched(threads_[use].thread)) history->run_since(since, index);
  return true;
}

// Sets the running thread to the old thread of the current switch. Before the first switch the
// running thread is unknown; later, a difference means that a switch is missing, and this one is
// right.
void Timeline::correct_running(std::uint32_t index, std::uint32_t use, Ticks seen) {
  if (processors_[index].thread_use != kUnknown) ++mismatched_switches_;
  infer_run(index, use, seen);
  processors_[index].thread_use = use;
}

void Timeline::update_histories(const ContextSwitch& record) {
  if (ThreadHistory* history = watched(record.old_thread)) history->switch_out(record, begin_);
  if (ThreadHistory* history = watched(record.new_thread)) history->switch_in(record);
}

void Timeline::add(const SystemCall& record) {
  ThreadHistory* history = watched(record.thread);
  if (history == nullptr) return;
  if (infer_run(processor_index(record.processor), use_of(record.thread), record.time)) {
    ++mismatched_switches_;
  }
  history->mark(record);
}

void Timeline::add(const ThreadReady& record) {
  ++ready_records_;
  threads_[use_of(record.thread)].ready_since = record.time;
  if (!keep_intervals_) return;
  ready_threads_.push_back({record, running_thread(record.processor)});
  const std::uint32_t waker = ready_threads_.back().waker;
  if (ThreadHistory* history = watched(record.thread)) history->wake(record, waker);
  if (record.by_interrupt) return;
  if (ThreadHistory* history = watched(waker)) history->mark_wake(record);
}

void Timeline::add(const Interrupt& record) {
  Ticks whole = between(record.begin, record.end);
  std::uint32_t index = processor_index(record.processor);
  Processor& at = processors_[index];
  // Interrupts that began after this one were nested in it.
  Ticks nested = 0;
  while (!at.interrupts.empty() && at.interrupts.back().begin >= record.begin) {
    add_to(nested, at.interrupts.back().ticks);
    at.interrupts.pop_back();
  }
  Ticks own = whole - std::min(nested, whole);
  RoutineUse& use = routines_[{record.routine, record.kind}];
  use.kind = record.kind;
  use.routine = record.routine;
  ++use.calls;
  add_to(use.cpu_ticks, own);
  use.longest_ticks = std::max(use.longest_ticks, whole);
  if (at.interrupts.size() == kMaxOpenInterrupts) at.interrupts.erase(at.interrupts.begin());
  at.interrupts.push_back({record.begin, whole});
  if (keep_intervals_) interrupts_[index].push_back(record);
  if (record.kind == InterruptKind::deferred_threaded) return;
  ProcessorUse& total = processor_use_[index];
  total.seen = true;
  add_to(total.interrupt_ticks, own);
  // The part before the last switch interrupted the thread that ran until then.
  Ticks before = std::min(own, between(record.begin, std::min(at.since, record.end)));
  if (before > 0 && at.previous_use != kUnknown) {
    ThreadUse& previous = threads_[at.previous_use];
    Ticks taken = std::min(previous.cpu_ticks, before);
    previous.cpu_ticks -= taken;
    Ticks& sum = previous.thread == 0 ? total.idle_ticks : total.thread_ticks;
    sum -= std::min(sum, taken);
  }
  add_to(at.interrupt_ticks, own - before);
}

void Timeline::add(const ThreadFact& record) {
  std::uint32_t use = find_use(record.thread);
  bool reused = use != kUnknown && !record.rundown && threads_[use].process != kUnknown;
  if (use == kUnknown || reused) use = new_use(record.thread);
  ThreadUse& thread = threads_[use];
  if (thread.process == kUnknown && record.process != kUnknown) {
    thread.process = process_use(record.process);
  }
  if (!record.name.empty()) thread.name = record.name;
}

void Timeline::add(const ProcessFact& record) {
  std::uint32_t use = process_use(record.process);
  bool reused = !record.rundown && !processes_[use].name.empty();
  if (reused) {
    use = static_cast<std::uint32_t>(processes_.size());
    processes_.emplace_back().process = record.process;
    process_ids_[record.process] = use;
  }
  ProcessUse& process = processes_[use];
  process.parent = record.parent;
  if (!record.name.empty()) process.name = record.name;
}

void Timeline::add(const ImageFact& record) {
  if (record.size_bytes == 0) return;
  images_[record.process][record.base] = {record.base, record.size_bytes, record.path};
}

void Timeline::finish(Ticks end) {
  for (const auto& [request, index] : open_storage_) storage_[index].end = end;
  open_storage_.clear();
  // A trace that records a request only when it completes delivers requests in order of their ends.
  std::stable_sort(storage_.begin(), storage_.end(),
                   [](const StorageSpan& a, const StorageSpan& b) { return a.begin < b.begin; });
  for (std::uint32_t number = 0; number < processors_.size(); ++number) {
    Processor& at = processors_[number];
    if (at.thread_use == kUnknown) continue;
    charge(number, end);
    at.since = std::max(at.since, end);
  }
}

std::uint64_t Timeline::switches() const {
  std::uint64_t sum = 0;
  for (const ProcessorUse& processor : processor_use_) sum += processor.switches;
  return sum;
}

std::uint32_t Timeline::running_thread(std::uint32_t processor) const {
  if (processor >= processors_.size()) return kUnknown;
  std::uint32_t use = processors_[processor].thread_use;
  return use == kUnknown ? kUnknown : threads_[use].thread;
}

std::uint32_t Timeline::process_of(std::uint32_t thread) const {
  std::uint32_t use = find_use(thread);
  if (use == kUnknown || threads_[use].process == kUnknown) return kUnknown;
  return processes_[threads_[use].process].process;
}

const RunInterval* Timeline::who_ran(std::uint32_t processor, Ticks time) const {
  if (processor >= intervals_.size()) return nullptr;
  const std::vector<RunInterval>& all = intervals_[processor];
  auto after = std::upper_bound(
      all.begin(), all.end(), time,
      [](Ticks wanted, const RunInterval& interval) { return wanted < interval.begin; });
  if (after == all.begin()) return nullptr;
  const RunInterval& interval = *std::prev(after);
  return time < interval.end ? &interval : nullptr;
}

std::vector<RoutineUse> Timeline::routines() const {
  std::vector<RoutineUse> all;
  for (const auto& [key, use] : routines_) all.push_back(use);
  return all;
}

std::vector<Ticks> Timeline::process_ticks() const {
  std::vector<Ticks> sums(processes_.size() + 1);
  for (const ThreadUse& thread : threads_) {
    if (thread.thread == 0) continue;
    add_to(sums[thread.process == kUnknown ? processes_.size() : thread.process], thread.cpu_ticks);
  }
  return sums;
}

std::string Timeline::symbol(std::uint32_t process, std::uint64_t address) const {
  char digits[16];
  for (std::uint32_t space : {process, 0u}) {
    auto images = images_.find(space);
    if (images == images_.end()) continue;
    auto after = images->second.upper_bound(address);
    if (after == images->second.begin()) continue;
    const Image& image = std::prev(after)->second;
    std::uint64_t offset = address - image.base;
    if (offset >= image.size_bytes) continue;
    std::string_view name = image.path;
    auto slash = name.find_last_of("\\/");
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    auto [end, error] = std::to_chars(digits, digits + sizeof digits, offset, 16);
    return std::string(name) + "+0x" + std::string(digits, end);
  }
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, address, 16);
  return "0x" + std::string(digits, end);
}

}  // namespace tailgate::activity
