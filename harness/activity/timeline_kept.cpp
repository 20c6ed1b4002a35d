// The part of Timeline that keeps single records, beyond its sums.
#include <algorithm>

#include "harness/activity/timeline.h"

namespace tailgate::activity {

ThreadHistory* Timeline::watched(std::uint32_t thread) {
  const auto at = watched_.find(thread);
  return at == watched_.end() ? nullptr : &at->second;
}

const ThreadHistory* Timeline::history(std::uint32_t thread) const {
  const auto at = watched_.find(thread);
  return at == watched_.end() ? nullptr : &at->second;
}

void Timeline::add(const RoutineFact& record) {
  routine_names_[{record.kind, record.routine}] = record.name;
}

void Timeline::add(const SystemCallFact& record) {
  system_calls_[record.number] = record;
}

void Timeline::add(const PageFault& record) {
  if (ThreadHistory* history = watched(record.thread)) history->mark(record);
}

void Timeline::add(const KernelPointFact& record) {
  if (record.point == kWakePoint || record.point >= kMaxPoints) return;
  if (record.point >= points_.size()) points_.resize(record.point + 1);
  points_[record.point] = record;
}

void Timeline::add(const KernelPoint& record) {
  if (record.point >= points_.size() || points_[record.point].name.empty()) return;
  if (ThreadHistory* history = watched(record.thread)) {
    history->mark(record, points_[record.point]);
  }
}

void Timeline::add(const KernelFunction& record) {
  if (ThreadHistory* history = watched(record.thread)) {
    history->enter({.time = record.time, .address = record.address});
  }
}

void Timeline::add(const KernelFunctionFact& record) {
  kernel_functions_[record.address] = record.name;
}

void Timeline::add(const KernelFunctionsLost& record) {
  for (auto& [thread, history] : watched_) history.enter({.time = record.time});
}

void Timeline::add(const StorageRequest& record) {
  if (!keep_intervals_) return;
  const std::pair key(record.device, record.sector);
  const auto open = open_storage_.find(key);
  if (open != open_storage_.end()) {
    storage_[open->second].end = record.time;
    open_storage_.erase(open);
  }
  if (!record.begins) return;
  open_storage_[key] = storage_.size();
  storage_.push_back({.begin = record.time,
                      .end = record.time,
                      .thread = record.thread,
                      .name = record.name,
                      .device = record.device,
                      .sectors = record.sectors,
                      .flush = record.flush});
}

void Timeline::add(const RecordsLost& record) {
  losses_.push_back(record);
  for (auto& [thread, history] : watched_) history.mark(record);
}

std::span<const RunInterval> Timeline::runs(std::uint32_t processor) const {
  if (processor >= intervals_.size()) return {};
  return intervals_[processor];
}

std::span<const Interrupt> Timeline::interrupts(std::uint32_t processor) const {
  if (processor >= interrupts_.size()) return {};
  return interrupts_[processor];
}

const std::string& Timeline::thread_name(std::uint32_t thread) const {
  static const std::string none;
  const std::uint32_t use = find_use(thread);
  return use == kUnknown ? none : threads_[use].name;
}

std::string Timeline::routine_name(InterruptKind kind, std::uint64_t routine) const {
  const auto at = routine_names_.find({kind, routine});
  return at == routine_names_.end() ? symbol(0, routine) : at->second;
}

bool Timeline::machine_tick_may_begin(std::uint32_t processor, Ticks begin, Ticks end) const {
  const auto [first, last] = machine_ticks_.equal_range(processor);
  return std::any_of(first, last, [&](const auto& tick) {
    return may_have_pulse(tick.second, static_cast<double>(begin), static_cast<double>(end));
  });
}

std::string_view Timeline::kernel_function(std::uint64_t address) const {
  const auto at = kernel_functions_.find(address);
  return at == kernel_functions_.end() ? std::string_view() : at->second;
}

SystemCallFact Timeline::system_call(std::uint32_t number) const {
  const auto at = system_calls_.find(number);
  if (at != system_calls_.end()) return at->second;
  return {number, "system call " + std::to_string(number), WaitsFor::unknown};
}

}  // namespace tailgate::activity
