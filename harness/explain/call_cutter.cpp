#include "harness/explain/call_cutter.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"

namespace tailgate::activity {
namespace {

using Slices = std::vector<Slice>;

constexpr std::size_t kMaxNesting = 64;

bool equal_but_for_time(const Slice& a, const Slice& b) {
  return a.cause == b.cause && a.thread == b.thread && a.name == b.name && a.detail == b.detail;
}

void append(Slices& slices, Slice slice) {
  if (slice.end > slice.begin) slices.push_back(std::move(slice));
}

// Returns `below`, replaced by `above` wherever the two overlap. Each list is ordered and disjoint.
Slices overlay(const Slices& below, const Slices& above) {
  Slices all;
  std::size_t next = 0;
  for (const Slice& slice : below) {
    Slice rest = slice;
    while (next < above.size() && above[next].end <= rest.begin) ++next;
    for (std::size_t i = next; i < above.size() && above[i].begin < rest.end; ++i) {
      if (above[i].end <= rest.begin) continue;
      Slice before = rest;
      before.end = std::max(rest.begin, above[i].begin);
      append(all, std::move(before));
      Slice over = above[i];
      over.begin = std::max(over.begin, rest.begin);
      over.end = std::min(over.end, rest.end);
      rest.begin = over.end;
      append(all, std::move(over));
    }
    append(all, std::move(rest));
  }
  return all;
}

// Appends [begin, end) with the cause and name of `slice`; merges it with the last slice if those
// are equal.
void extend(Slices& slices, const Slice& slice, Ticks begin, Ticks end) {
  if (end <= begin) return;
  if (slices.empty() || !equal_but_for_time(slices.back(), slice)) {
    slices.push_back(slice);
    slices.back().begin = begin;
  }
  slices.back().end = end;
}

}  // namespace

CallCutter::CallCutter(const Timeline& timeline, const Coverage& coverage)
    : timeline_(timeline), coverage_(coverage) {
  if (timeline.ticks_per_second() != 1'000'000'000) {
    throw Error("a timeline of " + std::to_string(timeline.ticks_per_second()) +
                    " ticks a second does not match calls timed in nanoseconds",
                "give its records times in nanoseconds of the run clock");
  }
  for (const StorageSpan& span : timeline.storage()) {
    longest_storage_ = std::max(longest_storage_, span.end - span.begin);
  }
}

std::vector<Slice> CallCutter::cut(const CallTimes& call) {
  extend_kept(call);
  Slices slices;
  append_part(call, Part::before_start, slices);
  append_part(call, Part::from_start, slices);
  return slices;
}

// Makes kept_ cover the call. If the call continues the kept time, only the new part is cut,
// together with the last kept slice, which may continue into it.
void CallCutter::extend_kept(const CallTimes& call) {
  const bool goes_on =
      call.thread == kept_thread_ && call.intended >= kept_begin_ && call.intended <= kept_end_;
  if (!goes_on) {
    kept_.clear();
    kept_thread_ = call.thread;
    kept_begin_ = call.intended;
    kept_end_ = call.intended;
    const ThreadHistory* const history = timeline_.history(call.thread);
    steps_ = history == nullptr
                 ? nullptr
                 : &step_times_.try_emplace(call.thread, timeline_, call.thread, kShortestGapNs)
                        .first->second;
  }
  if (call.end <= kept_end_) return;
  Ticks from = kept_end_;
  if (!kept_.empty()) {
    from = kept_.back().begin;
    kept_.pop_back();
  }
  Slices more = cut_thread(call.thread, from, call.end);
  std::move(more.begin(), more.end(), std::back_inserter(kept_));
  kept_end_ = call.end;
}

CallCutter::Slices CallCutter::cut_thread(std::uint32_t thread, Ticks begin, Ticks end) const {
  Slices slices;
  const ThreadHistory* history = timeline_.history(thread);
  if (history == nullptr || history->stretches().empty()) {
    return {slice_of(begin, end, Cause::untraced)};
  }
  const std::vector<ThreadStretch>& stretches = history->stretches();
  const Ticks known = std::max(stretches.front().begin, coverage_.begin);
  const Ticks first = std::clamp(known, begin, end);
  const Ticks last = std::clamp(coverage_.end, first, end);
  append(slices, slice_of(begin, first, Cause::untraced));
  for (std::size_t i = history->stretch_at(first); i < stretches.size(); ++i) {
    if (stretches[i].begin >= last) break;
    Piece piece{history, i, std::max(first, stretches[i].begin), last};
    if (i + 1 < stretches.size()) piece.end = std::clamp(stretches[i + 1].begin, piece.begin, last);
    if (piece.end == piece.begin) continue;
    switch (stretches[i].state) {
      case ThreadState::running:
        cut_running(piece, slices);
        break;
      case ThreadState::ready:
        cut_ready(piece, slices);
        break;
      case ThreadState::blocked:
        append(slices, cut_blocked(piece));
        break;
    }
  }
  append(slices, slice_of(last, end, Cause::untraced));
  return slices;
}

void CallCutter::cut_running(const Piece& piece, Slices& slices) const {
  const std::uint32_t processor = piece.history->stretches()[piece.stretch].processor;
  for (Slice& slice : overlay(modes(piece), interrupts(piece, processor))) {
    append(slices, std::move(slice));
  }
}

// Returns the interrupts as disjoint slices; where interrupts nest, the inner one counts. The
// timeline keeps them ordered by their ends, so an inner interrupt comes before the outer one.
CallCutter::Slices CallCutter::interrupts(const Piece& piece, std::uint32_t processor) const {
  const std::span<const Interrupt> all = timeline_.interrupts(processor);
  auto at = std::upper_bound(all.begin(), all.end(), piece.begin,
                             [](Ticks wanted, const Interrupt& one) { return wanted < one.end; });
  Slices slices;
  for (std::size_t beyond = 0; at != all.end() && beyond < kMaxNesting; ++at) {
    beyond = at->begin >= piece.end ? beyond + 1 : 0;
    if (beyond > 0 || at->kind == InterruptKind::deferred_threaded) continue;
    const Cause cause = at->kind == InterruptKind::hardware ? Cause::interrupt : Cause::softirq;
    Slice slice = slice_of(std::max(at->begin, piece.begin), std::min(at->end, piece.end), cause);
    slice.name = timeline_.routine_name(at->kind, at->routine);
    auto nested = std::find_if(slices.begin(), slices.end(),
                               [&](const Slice& one) { return one.begin >= slice.begin; });
    Slices around = overlay({slice}, Slices(nested, slices.end()));
    slices.erase(nested, slices.end());
    std::move(around.begin(), around.end(), std::back_inserter(slices));
  }
  return slices;
}

// Splits the wait by the threads that had the processor for which this thread waited: the one on
// which it ran next, or ran last if it did not run again.
void CallCutter::cut_ready(const Piece& piece, Slices& slices) const {
  const std::vector<ThreadStretch>& stretches = piece.history->stretches();
  std::uint32_t processor = kUnknown;
  if (piece.stretch + 1 < stretches.size()) processor = stretches[piece.stretch + 1].processor;
  for (std::size_t i = piece.stretch; processor == kUnknown && i > 0;) {
    processor = stretches[--i].processor;
  }
  const std::span<const RunInterval> runs = timeline_.runs(processor);
  auto run =
      std::upper_bound(runs.begin(), runs.end(), piece.begin,
                       [](Ticks wanted, const RunInterval& one) { return wanted < one.end; });
  Slices behind;
  for (; run != runs.end() && run->begin < piece.end; ++run) {
    Slice slice =
        slice_of(std::max(run->begin, piece.begin), std::min(run->end, piece.end), Cause::waiting);
    const ThreadUse& use = timeline_.threads()[run->thread_use];
    slice.name = use.thread == 0 ? "idle" : use.name;
    slice.thread = use.thread == kUnknown ? 0 : use.thread;
    append(behind, std::move(slice));
  }
  for (Slice& slice : overlay({slice_of(piece.begin, piece.end, Cause::waiting)}, behind)) {
    append(slices, std::move(slice));
  }
}

// Returns the times for which the trace lost records of a processor that the thread used.
CallCutter::Slices CallCutter::untraced(const CallTimes& call, Ticks begin, Ticks end) const {
  Slices slices;
  const ThreadHistory* history = timeline_.history(call.thread);
  if (history == nullptr) return slices;
  const auto used = [&](std::uint32_t processor) {
    if (static_cast<std::int64_t>(processor) == call.processor) return true;
    const std::size_t first = history->stretch_at(begin);
    for (std::size_t i = first; i < history->stretches().size(); ++i) {
      if (history->stretches()[i].begin >= end) break;
      if (history->stretches()[i].processor == processor) return true;
    }
    return false;
  };
  for (const RecordsLost& lost : timeline_.losses()) {
    if (lost.end <= begin || lost.begin >= end || !used(lost.processor)) continue;
    Ticks from = std::max(lost.begin, begin);
    if (!slices.empty()) from = std::max(from, slices.back().end);
    append(slices, slice_of(from, std::min(lost.end, end), Cause::untraced));
  }
  return slices;
}

void CallCutter::name_thread(Slice& slice, std::uint32_t thread) const {
  if (thread == kUnknown || thread == 0) return;
  slice.name = timeline_.thread_name(thread);
  slice.thread = thread;
}

// Appends one part of the call to `slices`. A stretch on the processor without a record keeps its
// cause up to its usual time; if it exceeds that by more than a gap, the excess has the gap's
// cause.
void CallCutter::append_part(const CallTimes& call, Part part, Slices& slices) const {
  static const Slice queued = slice_of(0, 0, Cause::queued);
  const bool before_start = part == Part::before_start;
  const Ticks begin = before_start ? call.intended : call.start;
  const Ticks end = before_start ? call.start : call.end;
  Ticks budget = before_start ? call.catch_up : call.usual;
  Slices overlaid;
  for (const Slice& slice : slices_of(call, begin, end, overlaid)) {
    const Ticks from = std::max(slice.begin, begin);
    const Ticks until = std::min(slice.end, end);
    if (!slice.gap) {
      extend(slices, slice, from, until);
      continue;
    }
    const bool shares = slice.cause == Cause::running || slice.cause == Cause::system_call;
    const Ticks usual = shares ? std::max(budget, slice.usual) : slice.usual;
    const bool is_gap = until - from > kShortestGapNs + usual;
    const Ticks own = is_gap ? usual : until - from;
    if (shares) budget -= std::min(own, budget);
    extend(slices, shares && before_start ? queued : slice, from, from + own);
    if (!is_gap) continue;
    Slice rest = slice;
    rest.cause = *slice.gap;
    if (rest.cause == Cause::kernel_gap && may_take_semaphores(slice.cause) &&
        may_spin(call.thread, from + own, until)) {
      rest.cause = Cause::unknown;
    }
    extend(slices, rest, from + own, until);
  }
}

// Returns the kept slices that overlap [begin, end). `overlaid` holds the result if the trace lost
// records in that time.
std::span<const Slice> CallCutter::slices_of(const CallTimes& call, Ticks begin, Ticks end,
                                             Slices& overlaid) const {
  const auto first =
      std::upper_bound(kept_.begin(), kept_.end(), begin,
                       [](Ticks wanted, const Slice& slice) { return wanted < slice.end; });
  const auto last = std::lower_bound(first, kept_.end(), end, [](const Slice& slice, Ticks wanted) {
    return slice.begin < wanted;
  });
  const Slices lost = untraced(call, begin, end);
  if (lost.empty()) return {first, last};
  overlaid = overlay(Slices(first, last), lost);
  return overlaid;
}

}  // namespace tailgate::activity
