#include "harness/explain/delivery_path.h"

#include <algorithm>
#include <iterator>

namespace tailgate::activity {
namespace {

// At most so many threads hand an event on; the path ends there. Real sinks have fewer than ten.
constexpr int kMostHops = 64;

bool is_one_of(std::uint32_t thread, const std::vector<std::uint32_t>& threads) {
  return std::find(threads.begin(), threads.end(), thread) != threads.end();
}

// Translates the cause of a thread's time, as CallCutter gives it, into the cause of a delivery
// while that thread, a daemon or the reader, has the event.
Cause carried(Cause cause, bool by_daemon) {
  switch (cause) {
    case Cause::interrupt:
    case Cause::softirq:
    case Cause::stopped:
    case Cause::untraced:
      return cause;
    case Cause::waiting:
      return by_daemon ? Cause::daemon_waiting : Cause::reader_waiting;
    case Cause::blocked_storage:
      return by_daemon ? Cause::daemon_storage : Cause::reader_storage;
    case Cause::blocked_lock:
    case Cause::blocked_socket:
    case Cause::blocked_sleep:
    case Cause::blocked_other:
      return by_daemon ? Cause::daemon_blocked : Cause::reader_asleep;
    default:
      return by_daemon ? Cause::daemon : Cause::reader;
  }
}

}  // namespace

std::vector<Slice> DeliveryPath::cut(Ticks sent, Ticks seen) {
  Slices slices;
  std::optional<At> at = At{carriers_.reader, Role::reader, seen};
  for (int hop = 0; at && at->time > sent; ++hop) {
    if (hop == kMostHops) {
      slices.push_back(slice_of(sent, at->time, Cause::unknown));
      break;
    }
    at = before(*at, sent, slices);
  }
  std::reverse(slices.begin(), slices.end());
  return slices;
}

// Adds the thread's slices up to at.time. Returns the thread that had the event before; nothing if
// the slices reach back to `sent`.
std::optional<DeliveryPath::At> DeliveryPath::before(const At& at, Ticks sent, Slices& slices) {
  const ThreadHistory* const history = timeline_.history(at.thread);
  if (history == nullptr || history->stretches().empty()) {
    slices.push_back(slice_of(sent, at.time, Cause::untraced));
    return std::nullopt;
  }
  const std::optional<std::size_t> wait = last_wait(*history, at, sent);
  const Ticks woken = wait && *wait + 1 < history->stretches().size()
                          ? std::clamp(history->stretches()[*wait + 1].begin, sent, at.time)
                          : (wait ? at.time : sent);
  add_work(at, woken, slices);
  if (!wait || woken == sent) return std::nullopt;
  return before_wake({at.thread, at.role, woken}, *history, *wait, sent, slices);
}

// Returns the last stretch before at.time in which the thread waited for work, if it ended after
// `sent`.
std::optional<std::size_t> DeliveryPath::last_wait(const ThreadHistory& history, const At& at,
                                                   Ticks sent) {
  const std::vector<ThreadStretch>& stretches = history.stretches();
  for (std::size_t i = history.stretch_at(at.time - 1); i < stretches.size(); --i) {
    if (waits_for_work(history, at.thread, i)) return i;
    if (stretches[i].begin <= sent) break;
  }
  return std::nullopt;
}

// A blocked thread waits for work, unless a signal stopped it, it waits for storage, or its wait is
// uninterruptible, as for a lock in the kernel.
bool DeliveryPath::waits_for_work(const ThreadHistory& history, std::uint32_t thread,
                                  std::size_t stretch) {
  const ThreadStretch& one = history.stretches()[stretch];
  if (one.state != ThreadState::blocked || one.wait == Wait::stopped) return false;
  if (one.wait == Wait::uninterruptible || one.waits_for == WaitsFor::storage) return false;
  if (one.waits_for != WaitsFor::io) return true;
  const Ticks end = stretch + 1 < history.stretches().size()
                        ? history.stretches()[stretch + 1].begin
                        : one.begin + 1;
  const std::vector<Slice> slices =
      cutter_.cut({.thread = thread, .intended = one.begin, .start = one.begin, .end = end});
  return slices.empty() || slices.front().cause != Cause::blocked_storage;
}

// The thread was woken at at.time; before, it waited for work. Who brought the event?
std::optional<DeliveryPath::At> DeliveryPath::before_wake(const At& at,
                                                          const ThreadHistory& history,
                                                          std::size_t wait, Ticks sent,
                                                          Slices& slices) {
  const std::vector<ThreadStretch>& stretches = history.stretches();
  const ThreadStretch woken = wait + 1 < stretches.size() ? stretches[wait + 1] : ThreadStretch{};
  const bool timer = woken.by_interrupt && by_timer(at.thread, woken.begin);
  if (!timer && woken.waker != at.thread && is_one_of(woken.waker, carriers_.daemons)) {
    return At{woken.waker, Role::daemon, at.time};
  }
  if (!timer && is_one_of(woken.waker, carriers_.load)) {
    add_buffer(Cause::program_buffer, sent, at.time, kUnknown, false, slices);
    return std::nullopt;
  }
  if (at.role == Role::reader) return before_reader(at, stretches[wait].begin, sent, slices);
  add_buffer(Cause::session_buffer, sent, at.time, woken.waker, timer, slices);
  return std::nullopt;
}

// The reader was woken by a timer, or by a thread that is not the sink's. From the moment at which
// the last daemon stopped running, the reader's sleep delayed the event. Without daemons its whole
// sleep did; the time before that sleep is the buffer's, because the reader had looked and found
// nothing.
std::optional<DeliveryPath::At> DeliveryPath::before_reader(const At& at, Ticks slept_since,
                                                            Ticks sent, Slices& slices) {
  const Ticks from = std::max(slept_since, sent);
  const std::optional<At> daemon = last_daemon(from, at.time);
  const Ticks until = daemon ? daemon->time : from;
  if (until < at.time) {
    Slice asleep = slice_of(until, at.time, Cause::reader_asleep);
    asleep.name = timeline_.thread_name(at.thread);
    asleep.thread = at.thread;
    slices.push_back(std::move(asleep));
  }
  if (daemon) return daemon;
  if (from > sent) {
    const Cause buffer = carriers_.daemons.empty() ? Cause::program_buffer : Cause::session_buffer;
    add_buffer(buffer, sent, from, kUnknown, false, slices);
  }
  return std::nullopt;
}

// Whether a timer ended a wait, by the interrupt that ended it. The softirq NET_RX is none: over
// the loopback network it runs on top of the thread that sent, which is then the waker.
bool DeliveryPath::by_timer(std::uint32_t thread, Ticks woken) const {
  const std::vector<ReadyRecord>& ready = timeline_.ready_threads();
  auto at = std::lower_bound(
      ready.begin(), ready.end(), woken,
      [](const ReadyRecord& one, Ticks wanted) { return one.ready.time < wanted; });
  while (at != ready.end() && at->ready.time == woken && at->ready.thread != thread) ++at;
  if (at == ready.end() || at->ready.time != woken) return true;
  const std::span<const Interrupt> all = timeline_.interrupts(at->ready.processor);
  const auto innermost =
      std::upper_bound(all.begin(), all.end(), woken,
                       [](Ticks wanted, const Interrupt& one) { return wanted < one.end; });
  if (innermost == all.end() || innermost->begin > woken) return true;
  return timeline_.routine_name(innermost->kind, innermost->routine) != "NET_RX";
}

// Returns the daemon thread that ran last in [from, until), and when it stopped running (at most
// `until`).
std::optional<DeliveryPath::At> DeliveryPath::last_daemon(Ticks from, Ticks until) const {
  std::optional<At> last;
  for (const std::uint32_t thread : carriers_.daemons) {
    const ThreadHistory* const history = timeline_.history(thread);
    if (history == nullptr || history->stretches().empty()) continue;
    const std::vector<ThreadStretch>& stretches = history->stretches();
    for (std::size_t i = history->stretch_at(until - 1); i < stretches.size(); --i) {
      const Ticks end = i + 1 < stretches.size() ? std::min(stretches[i + 1].begin, until) : until;
      if (end <= from) break;
      if (stretches[i].state != ThreadState::running) continue;
      if (!last || end > last->time) last = At{thread, Role::daemon, end};
      break;
    }
  }
  return last;
}

// Adds the slices of [from, at.time), while the thread had the event.
void DeliveryPath::add_work(const At& at, Ticks from, Slices& slices) {
  if (from >= at.time) return;
  std::vector<Slice> work = cutter_.cut({.thread = at.thread,
                                         .intended = from,
                                         .start = from,
                                         .end = at.time,
                                         .usual = at.time - from});
  for (auto slice = work.rbegin(); slice != work.rend(); ++slice) {
    const Cause cause = carried(slice->cause, at.role == Role::daemon);
    if (cause != slice->cause && slice->cause != Cause::waiting) {
      slice->name = timeline_.thread_name(at.thread);
      slice->thread = at.thread;
    } else if (cause != slice->cause) {
      slice->detail = timeline_.thread_name(at.thread);
    }
    slice->cause = cause;
    slice->gap = std::nullopt;
    slices.push_back(std::move(*slice));
  }
}

void DeliveryPath::add_buffer(Cause cause, Ticks from, Ticks until, std::uint32_t waker, bool timer,
                              Slices& slices) const {
  if (from >= until) return;
  Slice slice = slice_of(from, until, cause);
  if (timer) {
    slice.name = "until a timer";
  } else if (waker != kUnknown && waker != 0) {
    slice.name = timeline_.thread_name(waker);
    slice.thread = waker;
  }
  slices.push_back(std::move(slice));
}

}  // namespace tailgate::activity
