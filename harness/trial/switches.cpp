#include "harness/trial/switches.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/result/latency.h"
#include "harness/trial/collector.h"
#include "harness/trial/thread_counts.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kLongestWaitNs = 50'000'000;
constexpr std::chrono::microseconds kCallPoll{20};

// The calls of one thread between two switches, or in one.
struct Calls {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return at_least_zero(end, first); }
};

// Counts one thread's events, switch after switch.
class ThreadReader {
 public:
  ThreadReader(const TrialMemory& memory, unsigned thread, const DeliveredAt& delivered_at,
               SwitchRead& read)
      : memory_(memory), thread_(thread), delivered_at_(delivered_at), read_(read) {}

  void read_before_first() {
    const std::uint64_t end = memory_.switch_mark(0, thread_).finished_before.load();
    for (std::uint64_t i = 0; i < end; ++i) {
      if (!at(i)) ++read_.events.lost_between;
    }
    next_ = end;
  }

  // The calls in a switch.
  void read_doubtful(std::size_t number) {
    const SwitchMark& mark = memory_.switch_mark(number, thread_);
    const Calls calls{std::max(next_, mark.finished_before.load()), mark.started_after.load()};
    read_.events.in_doubt += calls.size();
    for (std::uint64_t i = calls.first; i < calls.end; ++i) {
      if (!at(i)) ++read_.not_delivered;
    }
    read_.refused += at_least_zero(mark.refused_after.load(), mark.refused_before.load());
    next_ = std::max(next_, calls.end);
  }

  // The calls from the end of that switch to the next one. Add to the counts of all threads: those
  // missed after an enable, or leaked after a disable, and for how long.
  void read_after(std::size_t number, std::size_t switches, std::uint64_t& count,
                  std::uint64_t& longest_ns) {
    const bool is_last = number + 1 == switches;
    const ThreadBlock& block = memory_.thread(thread_);
    const Calls calls{next_, is_last
                                 ? block.finished.load()
                                 : memory_.switch_mark(number + 1, thread_).finished_before.load()};
    const SwitchHead& head = memory_.switch_head(number);
    const std::uint64_t until_ns =
        is_last ? block.last_end_ns.load() : memory_.switch_head(number + 1).begin_ns.load();
    if (head.on.load() != 0) {
      read_enabled(calls, head.end_ns.load(), until_ns, count, longest_ns);
    } else {
      read_disabled(calls, head.end_ns.load(), count, longest_ns);
      const std::uint64_t refused =
          is_last ? refusals_of(block)
                  : memory_.switch_mark(number + 1, thread_).refused_before.load();
      read_.refused +=
          at_least_zero(refused, memory_.switch_mark(number, thread_).refused_after.load());
    }
    next_ = std::max(next_, calls.end);
  }

 private:
  std::optional<std::uint64_t> at(std::uint64_t sequence) const {
    return delivered_at_(thread_, sequence);
  }

  void read_enabled(const Calls& calls, std::uint64_t since_ns, std::uint64_t until_ns,
                    std::uint64_t& missed, std::uint64_t& longest_ns) {
    std::uint64_t first = calls.first;
    while (first < calls.end && !at(first)) ++first;
    if (first > calls.first) {
      const std::uint64_t recorded_ns = first < calls.end ? *at(first) : until_ns;
      longest_ns = std::max(longest_ns, at_least_zero(recorded_ns, since_ns));
      missed += first - calls.first;
    }
    for (std::uint64_t i = first; i < calls.end; ++i) {
      if (!at(i)) ++read_.events.lost_between;
    }
  }

  void read_disabled(const Calls& calls, std::uint64_t since_ns, std::uint64_t& leaked,
                     std::uint64_t& longest_ns) {
    read_.events.off += calls.size();
    for (std::uint64_t i = calls.first; i < calls.end; ++i) {
      const std::optional<std::uint64_t> call_ns = at(i);
      if (!call_ns) {
        ++read_.not_delivered;
        continue;
      }
      ++leaked;
      longest_ns = std::max(longest_ns, at_least_zero(*call_ns, since_ns));
    }
  }

  const TrialMemory& memory_;
  unsigned thread_;
  const DeliveredAt& delivered_at_;
  SwitchRead& read_;
  std::uint64_t next_ = 0;  // its first call that was not looked at
};

}  // namespace

SwitchWatch::SwitchWatch(const TrialMemory& memory)
    : memory_(memory), clock_(memory.plan().clock), at_switch_(memory.layout()) {}

bool SwitchWatch::has_room() const {
  return memory_.header().switches.load() < memory_.plan().max_switches;
}

void SwitchWatch::begin() {
  begun_.emplace(Begun{.begin_ns = 0, .threads = {}, .service = merged(memory_, Metric::service)});
  for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
    const ThreadBlock& block = memory_.thread(i);
    const std::uint64_t refused = refusals_of(block);
    begun_->threads.push_back({block.finished.load(std::memory_order_acquire), refused});
  }
  begun_->begin_ns = clock_.now_ns();
}

void SwitchWatch::end(bool on) {
  const std::uint64_t end_ns = clock_.now_ns();
  const std::vector<std::uint64_t> started = calls_begun();
  mark(on, end_ns, started);
  count_calls(end_ns, started);
}

void SwitchWatch::end_of_rival() {
  const std::uint64_t end_ns = clock_.now_ns();
  count_calls(end_ns, calls_begun());
}

std::vector<std::uint64_t> SwitchWatch::calls_begun() const {
  std::vector<std::uint64_t> started;
  for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
    started.push_back(memory_.thread(i).started.load(std::memory_order_acquire));
  }
  return started;
}

void SwitchWatch::mark(bool on, std::uint64_t end_ns, const std::vector<std::uint64_t>& started) {
  TrialHeader& header = memory_.header();
  const std::size_t number = header.switches.load();
  SwitchHead& head = memory_.switch_head(number);
  head.on = on ? 1 : 0;
  head.begin_ns = begun_->begin_ns;
  head.end_ns = end_ns;
  for (unsigned i = 0; i < started.size(); ++i) {
    SwitchMark& mark = memory_.switch_mark(number, i);
    mark.finished_before = begun_->threads[i].finished;
    mark.refused_before = begun_->threads[i].refused;
    mark.started_after = started[i];
  }
  // Calls that run are in doubt, so their refusals belong to the switch.
  wait_for_calls(started, end_ns + kLongestWaitNs);
  for (unsigned i = 0; i < started.size(); ++i) {
    memory_.switch_mark(number, i).refused_after = refusals_of(memory_.thread(i));
  }
  header.switches.store(static_cast<std::uint32_t>(number + 1), std::memory_order_release);
}

void SwitchWatch::count_calls(std::uint64_t end_ns, std::vector<std::uint64_t> started) {
  took_ns_.push_back(end_ns - begun_->begin_ns);
  for (std::uint64_t& calls : started) ++calls;
  wait_for_calls(started, end_ns + kLongestWaitNs);
  Histogram around = merged(memory_, Metric::service);
  around.subtract(begun_->service);
  at_switch_.add(around);
  begun_.reset();
}

void SwitchWatch::wait_for_calls(const std::vector<std::uint64_t>& finished,
                                 std::uint64_t until_ns) const {
  for (unsigned i = 0; i < finished.size(); ++i) {
    while (memory_.thread(i).finished.load(std::memory_order_acquire) < finished[i]) {
      if (clock_.now_ns() > until_ns) return;
      std::this_thread::sleep_for(kCallPoll);
    }
  }
}

std::optional<Switching> SwitchWatch::report(const std::optional<SwitchedEvents>& events) const {
  if (took_ns_.empty()) return std::nullopt;
  std::vector<std::uint64_t> took_ns = took_ns_;
  const auto middle = took_ns.begin() + static_cast<std::ptrdiff_t>((took_ns.size() - 1) / 2);
  std::nth_element(took_ns.begin(), middle, took_ns.end());
  Histogram elsewhere = merged(memory_, Metric::service);
  // Measurements that turned out to be damaged were discarded.
  const bool kept = elsewhere.total_count() >= at_switch_.total_count();
  if (kept) elsewhere.subtract(at_switch_);
  return Switching{.switches = took_ns_.size(),
                   .switch_p50_ns = *middle,
                   .at_switch = make_latency(kept ? at_switch_ : Histogram(memory_.layout())),
                   .elsewhere = make_latency(elsewhere),
                   .events = events};
}

SwitchRead read_switches(const TrialMemory& memory, const DeliveredAt& delivered_at) {
  SwitchRead read{};
  const std::size_t switches = memory.header().switches.load(std::memory_order_acquire);
  if (switches == 0) return read;
  std::vector<ThreadReader> threads;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    threads.emplace_back(memory, i, delivered_at, read).read_before_first();
  }
  for (std::size_t number = 0; number < switches; ++number) {
    std::uint64_t count = 0;
    std::uint64_t longest_ns = 0;
    for (ThreadReader& thread : threads) {
      thread.read_doubtful(number);
      thread.read_after(number, switches, count, longest_ns);
    }
    const bool on = memory.switch_head(number).on.load() != 0;
    SwitchedEvents& events = read.events;
    (on ? events.missed : events.leaked) += count;
    std::uint64_t& most = on ? events.missed_most : events.leaked_most;
    most = std::max(most, count);
    std::uint64_t& ns = on ? events.missed_ns : events.leaked_ns;
    ns = std::max(ns, longest_ns);
  }
  return read;
}

}  // namespace tailgate
