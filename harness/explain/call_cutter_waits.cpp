// The part of CallCutter that decides what a blocked thread was waiting for.
#include <algorithm>
#include <map>

#include "harness/explain/call_cutter.h"

namespace tailgate::activity {
namespace {

// A wait that ends within this time after a storage request completed is taken to end because of
// it.
constexpr Ticks kStorageWakeNs = 500'000;

Cause cause_of(WaitsFor waits_for, Wait wait) {
  switch (waits_for) {
    case WaitsFor::lock:
      return Cause::blocked_lock;
    case WaitsFor::socket:
      return wait == Wait::uninterruptible ? Cause::blocked_lock : Cause::blocked_socket;
    case WaitsFor::sleep:
      return Cause::blocked_sleep;
    case WaitsFor::storage:
      return Cause::blocked_storage;
    case WaitsFor::io:
      return Cause::blocked_other;
    case WaitsFor::unknown:
      break;
  }
  return wait == Wait::uninterruptible ? Cause::blocked_lock : Cause::blocked_other;
}

void add_detail(Slice& slice, const std::string& more) {
  slice.detail += slice.detail.empty() ? more : ", " + more;
}

}  // namespace

// Returns whether the wait was for storage: requests were in flight for at least half of it, or one
// completed just before its end. If so, fills the slice and names it after the owner of the request
// that covers most of the wait.
bool CallCutter::blocked_by_storage(const Piece& piece, Slice& slice) const {
  const std::vector<StorageSpan>& all = timeline_.storage();
  const Ticks wait_begin = piece.history->stretches()[piece.stretch].begin;
  const Ticks wait_end = piece.stretch + 1 < piece.history->stretches().size()
                             ? piece.history->stretches()[piece.stretch + 1].begin
                             : piece.end;
  auto at =
      std::lower_bound(all.begin(), all.end(), wait_begin - longest_storage_,
                       [](const StorageSpan& span, Ticks wanted) { return span.begin < wanted; });
  auto longest = all.end();
  Ticks most = 0;
  Ticks covered = 0;
  Ticks covered_to = wait_begin;
  bool done_at_end = false;
  for (; at != all.end() && at->begin < wait_end; ++at) {
    const Ticks overlap = std::min(at->end, wait_end) - std::max(at->begin, wait_begin);
    if (overlap <= 0) continue;
    if (overlap > most) {
      most = overlap;
      longest = at;
    }
    covered += std::max<Ticks>(0, std::min(at->end, wait_end) - std::max(at->begin, covered_to));
    covered_to = std::max(covered_to, std::min(at->end, wait_end));
    done_at_end = done_at_end || (at->end <= wait_end && wait_end - at->end < kStorageWakeNs);
  }
  if (longest == all.end() || (!done_at_end && covered < (wait_end - wait_begin) / 2)) return false;
  slice.cause = Cause::blocked_storage;
  name_thread(slice, owner_of(static_cast<std::size_t>(longest - all.begin())));
  slice.detail += slice.detail.empty() ? longest->name : "; " + longest->name;
  return true;
}

// The thread that a storage request is for: the one that issued it. A flush is often issued by a
// thread of the kernel, and takes the longer the more was written: it is for the thread that wrote
// most since the flush before.
std::uint32_t CallCutter::owner_of(std::size_t request) const {
  constexpr std::size_t kMostRequests = 10'000;
  const std::vector<StorageSpan>& all = timeline_.storage();
  const StorageSpan& flush = all[request];
  if (!flush.flush) return flush.thread;
  std::map<std::uint32_t, std::uint64_t> sectors;
  const std::size_t first = request - std::min(request, kMostRequests);
  for (std::size_t i = request; i > first; --i) {
    const StorageSpan& before = all[i - 1];
    if (before.device != flush.device) continue;
    // What was written before an earlier flush began is on the medium.
    if (before.flush && before.end <= flush.begin) break;
    if (before.sectors > 0) sectors[before.thread] += before.sectors;
  }
  const auto most = std::max_element(sectors.begin(), sectors.end(), [](auto& one, auto& other) {
    return one.second < other.second;
  });
  return most == sectors.end() ? flush.thread : most->first;
}

// What a thread that blocks after a mark waits for, if the point that it passed says so.
WaitsFor CallCutter::waits_at(const ThreadMark& mark) const {
  if (mark.active == kNoPoint) return WaitsFor::unknown;
  switch (timeline_.kernel_point(mark.active).cause) {
    case Cause::lock:
      return WaitsFor::lock;
    case Cause::fs_writeback:
      return WaitsFor::storage;
    default:
      return WaitsFor::unknown;
  }
}

// What the thread does in its system call after a mark.
std::string CallCutter::call_name(const ThreadMark& mark) const {
  if (mark.active != kNoPoint && timeline_.kernel_point(mark.active).names_call) {
    return timeline_.kernel_point(mark.active).name;
  }
  return timeline_.system_call(mark.system_call).name;
}

Slice CallCutter::cut_blocked(const Piece& piece) const {
  const std::vector<ThreadStretch>& stretches = piece.history->stretches();
  const ThreadStretch& stretch = stretches[piece.stretch];
  Slice slice;
  slice.begin = piece.begin;
  slice.end = piece.end;
  if (stretch.wait == Wait::stopped) {
    slice.cause = Cause::stopped;
    return slice;
  }
  WaitsFor waits_for = stretch.waits_for;
  bool contended = false;
  std::uint32_t reclaim = kNoPoint;
  const std::size_t mark = piece.history->mark_at(stretch.begin);
  if (mark < piece.history->marks().size()) {
    const ThreadMark& at = piece.history->marks()[mark];
    reclaim = at.reclaim;
    if (at.in_system_call) {
      const SystemCallFact call = timeline_.system_call(at.system_call);
      if (waits_for == WaitsFor::unknown) waits_for = call.waits_for;
      slice.detail = call_name(at);
    }
    if (at.fault != kNoFault && at.fault + kMaxFaultNs > stretch.begin) {
      const std::string kind = fault_name(at.fault_kind);
      add_detail(slice, kind.empty() ? "page fault" : kind + " page fault");
    }
    const WaitsFor found = waits_at(at);
    if (found != WaitsFor::unknown) waits_for = found;
    contended = found == WaitsFor::lock;
  }
  if (stretch.reason != nullptr) add_detail(slice, stretch.reason);
  const bool may_be_storage =
      !contended && (stretch.wait == Wait::uninterruptible || waits_for == WaitsFor::storage ||
                     waits_for == WaitsFor::io);
  const bool storage = may_be_storage && blocked_by_storage(piece, slice);
  if (reclaim != kNoPoint) {
    // Whatever it waits for there, it would not have to wait if memory were left.
    add_detail(slice, storage ? "waits for storage" : "waits");
    slice.cause = Cause::reclaim;
    slice.name = timeline_.kernel_point(reclaim).name;
    slice.thread = 0;
    return slice;
  }
  if (storage) return slice;
  slice.cause = cause_of(waits_for, stretch.wait);
  if (piece.stretch + 1 < stretches.size()) {
    const ThreadStretch& next = stretches[piece.stretch + 1];
    if (next.by_interrupt) {
      slice.name = "interrupt";
    } else {
      name_thread(slice, next.waker);
    }
  }
  return slice;
}

}  // namespace tailgate::activity
