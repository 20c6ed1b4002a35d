#include "harness/explain/step_times.h"

#include <algorithm>

namespace tailgate::activity {
namespace {

// With fewer steps the usual time is not known …
constexpr std::size_t kMinSteps = 10;
// … or the share of long ones.
constexpr std::size_t kMinStepsOfShare = 100;
constexpr double kNearlyAll = 0.99;

// Reorders the times.
Ticks quantile(std::vector<Ticks>& times, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(times.size() - 1));
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

// The lengths of all steps of a kind.
struct Lengths {
  std::vector<Ticks> without_tick;  // of the machine
  std::vector<Ticks> may_have_one;

  // Where nearly all calls meet the tick, there is nothing else to tell the usual length by.
  std::vector<Ticks>& telling() {
    if (without_tick.size() < kMinStepsOfShare) {
      without_tick.insert(without_tick.end(), may_have_one.begin(), may_have_one.end());
    }
    return without_tick;
  }
};

// Whether the thread had the processor from begin to end, with no interrupt on top.
bool is_undisturbed(const Timeline& timeline, std::uint32_t processor, Ticks begin, Ticks end) {
  const auto interrupts = timeline.interrupts(processor);
  const auto after = std::upper_bound(
      interrupts.begin(), interrupts.end(), begin,
      [](Ticks wanted, const Interrupt& interrupt) { return wanted < interrupt.end; });
  return after == interrupts.end() || after->begin >= end;
}

}  // namespace

StepTimes::StepTimes(const Timeline& timeline, std::uint32_t thread, Ticks longest) {
  const ThreadHistory& history = *timeline.history(thread);
  std::map<Kind, Lengths> lengths;
  const std::vector<ThreadMark>& marks = history.marks();
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    const ThreadMark& next = marks[i + 1];
    if (!begins_step(marks[i]) || next.kind == MarkKind::records_lost) continue;
    // The end of a page fault is not recorded, so its last step is not known.
    if (!marks[i].in_system_call && next.kind != MarkKind::kernel_point) continue;
    const std::size_t at = history.stretch_at(marks[i].time);
    if (at == history.stretches().size() || at != history.stretch_at(next.time)) continue;
    const std::uint32_t processor = history.stretches()[at].processor;
    if (!is_undisturbed(timeline, processor, marks[i].time, next.time)) continue;
    Lengths& all = lengths[kind_of(marks[i])];
    const bool tick = timeline.machine_tick_may_begin(processor, marks[i].time, next.time);
    (tick ? all.may_have_one : all.without_tick).push_back(next.time - marks[i].time);
  }
  for (auto& [kind, of_kind] : lengths) {
    std::vector<Ticks>& all = of_kind.telling();
    if (all.size() < kMinSteps) continue;
    StepTime& time = times_[kind];
    time.usual = quantile(all, 0.5);
    if (all.size() < kMinStepsOfShare) continue;
    const Ticks of_nearly_all = quantile(all, kNearlyAll);
    time.is_short = of_nearly_all <= longest;
    // A step that is often long is no gap.
    if (!time.is_short) time.usual = of_nearly_all;
  }
}

StepTime StepTimes::after(const ThreadMark& mark) const {
  if (!begins_step(mark)) return {};
  const auto at = times_.find(kind_of(mark));
  return at == times_.end() ? StepTime() : at->second;
}

bool StepTimes::begins_step(const ThreadMark& mark) {
  return mark.kind == MarkKind::kernel_point || mark.kind == MarkKind::system_call_begin;
}

StepTimes::Kind StepTimes::kind_of(const ThreadMark& mark) {
  return {mark.in_system_call ? mark.system_call : kUnknown, mark.point};
}

}  // namespace tailgate::activity
