#include "harness/explain/activity_window.h"

#include <algorithm>

#include "harness/explain/call_cutter.h"

namespace tailgate::activity {
namespace {

constexpr std::size_t kMaxListed = 400;
constexpr std::size_t kMaxNestedActivities = 64;

template <class Item>
auto first_ending_after(std::span<const Item> items, Ticks begin) {
  return std::upper_bound(items.begin(), items.end(), begin,
                          [](Ticks wanted, const Item& one) { return wanted < one.end; });
}

class WindowMaker {
 public:
  WindowMaker(const Timeline& timeline, Ticks begin, Ticks end)
      : timeline_(timeline), begin_(begin), end_(end) {
    window_.start_ns = static_cast<std::uint64_t>(begin);
    window_.end_ns = static_cast<std::uint64_t>(end);
  }

  void add_processor(std::uint32_t processor) {
    const auto runs = timeline_.runs(processor);
    for (auto run = first_ending_after(runs, begin_); run != runs.end() && run->begin < end_;
         ++run) {
      const ThreadUse& use = timeline_.threads()[run->thread_use];
      window_.runs.push_back({.cpu = static_cast<int>(processor),
                              .start_ns = clipped(run->begin),
                              .end_ns = clipped(run->end),
                              .pid = use.thread == kUnknown ? 0 : use.thread,
                              .name = use.thread == 0 ? "idle" : use.name});
    }
    const auto interrupts = timeline_.interrupts(processor);
    std::size_t beyond = 0;
    for (auto one = first_ending_after(interrupts, begin_);
         one != interrupts.end() && beyond < kMaxNestedActivities; ++one) {
      beyond = one->begin >= end_ ? beyond + 1 : 0;
      if (beyond > 0) continue;
      add_span(one->kind == InterruptKind::hardware ? "interrupt" : "softirq",
               timeline_.routine_name(one->kind, one->routine), static_cast<int>(processor), 0,
               one->begin, one->end);
    }
  }

  void add_storage() {
    for (const StorageSpan& span : timeline_.storage()) {
      if (span.begin >= end_) break;
      if (span.end <= begin_) continue;
      const std::string& by = timeline_.thread_name(span.thread);
      add_span("block_io", by.empty() ? span.name : span.name + " by " + by, -1, span.thread,
               span.begin, span.end);
    }
  }

  void add_wakes() {
    const std::vector<ReadyRecord>& all = timeline_.ready_threads();
    auto at = std::lower_bound(
        all.begin(), all.end(), begin_,
        [](const ReadyRecord& one, Ticks wanted) { return one.ready.time < wanted; });
    for (; at != all.end() && at->ready.time < end_; ++at) {
      window_.wakes.push_back({.time_ns = clipped(at->ready.time),
                               .cpu = static_cast<int>(at->ready.processor),
                               .pid = at->ready.thread,
                               .waker_pid = at->waker == kUnknown ? 0 : at->waker});
    }
  }

  // Adds a thread's system calls and page faults; each lasts until the thread's next mark, but for
  // the points that it passes within them.
  void add_thread(std::uint32_t thread) {
    const ThreadHistory* history = timeline_.history(thread);
    if (history == nullptr) return;
    const std::vector<ThreadMark>& marks = history->marks();
    std::size_t i = history->mark_at(begin_);
    if (i == marks.size()) i = 0;
    while (i > 0 && is_within(marks[i])) --i;
    for (; i < marks.size() && marks[i].time < end_; ++i) {
      const ThreadMark& mark = marks[i];
      if (mark.kind == MarkKind::page_fault) {
        const Ticks until = std::min(time_after(marks, i, true), mark.time + kMaxFaultNs);
        add_span("page_fault", "", -1, thread, mark.time, until);
      } else if (mark.kind == MarkKind::system_call_begin) {
        add_span("syscall", timeline_.system_call(mark.system_call).name, -1, thread, mark.time,
                 time_after(marks, i, false));
      }
    }
  }

  ActivityWindow take() {
    std::stable_sort(window_.spans.begin(), window_.spans.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    cut(window_.runs);
    cut(window_.spans);
    cut(window_.wakes);
    return std::move(window_);
  }

 private:
  static bool is_within(const ThreadMark& mark) {
    return mark.kind == MarkKind::kernel_point || mark.kind == MarkKind::records_lost;
  }

  // When what began at a mark ended: at the next mark that is not within it, or with the window.
  Ticks time_after(const std::vector<ThreadMark>& marks, std::size_t i, bool at_fault) const {
    for (++i; i < marks.size() && marks[i].time < end_; ++i) {
      if (is_within(marks[i])) continue;
      if (at_fault || marks[i].kind != MarkKind::page_fault) return marks[i].time;
    }
    return end_;
  }

  std::uint64_t clipped(Ticks time) const {
    return static_cast<std::uint64_t>(std::clamp(time, begin_, end_));
  }

  void add_span(const char* kind, std::string name, int cpu, std::uint32_t pid, Ticks begin,
                Ticks end) {
    if (end <= begin_) return;
    window_.spans.push_back({.kind = kind,
                             .name = std::move(name),
                             .cpu = cpu,
                             .pid = pid,
                             .start_ns = clipped(begin),
                             .end_ns = clipped(end)});
  }

  template <class Item>
  void cut(std::vector<Item>& items) {
    if (items.size() <= kMaxListed) return;
    window_.left_out += items.size() - kMaxListed;
    items.resize(kMaxListed);
  }

  const Timeline& timeline_;
  Ticks begin_;
  Ticks end_;
  ActivityWindow window_;
};

}  // namespace

ActivityWindow activity_window(const Timeline& timeline, std::span<const std::uint32_t> threads,
                               Ticks begin, Ticks end) {
  WindowMaker maker(timeline, begin, end);
  for (std::uint32_t cpu = 0; cpu < timeline.processors().size(); ++cpu) maker.add_processor(cpu);
  for (const std::uint32_t thread : threads) maker.add_thread(thread);
  maker.add_storage();
  maker.add_wakes();
  return maker.take();
}

}  // namespace tailgate::activity
