#include "harness/run/duet/side_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>

#include "harness/histogram/histogram.h"
#include "harness/result/latency.h"
#include "harness/trial/judged_call.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kLongCallNs = 100'000;
constexpr double kTrimmedShare = 0.99;
// Share of the planned time by which a side may be late and still holds the rate.
constexpr double kLateShare = 0.01;

// Carry-over is computed from the first part of each turn. With fewer calls than this in either
// group it is not computed.
constexpr double kBeginningShare = 0.25;
constexpr std::size_t kMinBeginningCalls = 50;

std::uint64_t service_of(const CallRecord& call) {
  return call.end_ns - call.start_ns;
}

// The calls of one thread in one turn, and the times computed from them.
struct Turn {
  std::span<const CallRecord> calls;
  std::vector<std::uint64_t> service_ns;   // classified
  std::vector<std::uint64_t> response_ns;  // classified
  std::size_t first = 0;                   // first call that is not dropped

  std::uint32_t number() const { return calls.front().turn; }
};

// The turns of one thread, in order.
using Turns = std::vector<Turn>;

Turns split(std::span<const CallRecord> calls, unsigned dropped) {
  Turns turns;
  while (!calls.empty()) {
    const auto other = std::find_if(calls.begin(), calls.end(), [&](const CallRecord& call) {
      return call.turn != calls.front().turn;
    });
    const auto count = static_cast<std::size_t>(other - calls.begin());
    Turn turn;
    turn.calls = calls.first(count);
    turn.first = std::min<std::size_t>(dropped, count);
    turns.push_back(turn);
    calls = calls.subspan(count);
  }
  return turns;
}

std::uint64_t raw_median(const std::vector<Turns>& threads) {
  std::vector<std::uint64_t> all;
  for (const Turns& turns : threads) {
    for (const Turn& turn : turns) {
      for (const CallRecord& call : turn.calls.subspan(turn.first)) all.push_back(service_of(call));
    }
  }
  return lower_median(std::move(all));
}

std::uint64_t ran_ns(const CallRecord& call) {
  return call.ran_us * std::uint64_t{1000};
}

// Whoever takes the processor from a call that lasts must not hide that it lasts.
std::uint64_t classified_ns(const CallRecord& call, std::uint64_t median_ns) {
  if (!lost_processor(call.kind)) return service_of(call);
  return only_lost_processor(call) ? median_ns : std::max(ran_ns(call), median_ns);
}

void classify(Turn& turn, std::uint64_t median_ns, bool closed_loop) {
  std::vector<std::uint64_t> due_ns;
  for (const CallRecord& call : turn.calls) {
    due_ns.push_back(call.intended_ns);
    turn.service_ns.push_back(classified_ns(call, median_ns));
  }
  turn.response_ns = closed_loop ? turn.service_ns : lindley_response_ns(due_ns, turn.service_ns);
}

void count_kinds(const Turn& turn, DuetSide& side) {
  for (const CallRecord& call : turn.calls.subspan(turn.first)) {
    side.slow += service_of(call) > kSlowCallNs ? 1 : 0;
    side.preempted += call.kind == CallKind::preempted ? 1 : 0;
    *side.stolen += call.kind == CallKind::stolen ? 1 : 0;
    side.blocked += call.kind == CallKind::blocked ? 1 : 0;
  }
}

// The times of all threads together.
class Distributions {
 public:
  explicit Distributions(const HistogramRange& range)
      : service_(range), response_(range), raw_service_(range), raw_response_(range) {}

  void add(const Turn& turn, DuetSide& side) {
    for (std::size_t i = turn.first; i < turn.calls.size(); ++i) {
      const CallRecord& call = turn.calls[i];
      service_.record(turn.service_ns[i]);
      response_.record(turn.response_ns[i]);
      raw_service_.record(service_of(call));
      raw_response_.record(call.end_ns - call.intended_ns);
      all_service_ns_.push_back(turn.service_ns[i]);
      all_response_ns_.push_back(turn.response_ns[i]);
      side.over_100us += turn.service_ns[i] > kLongCallNs ? 1 : 0;
    }
  }

  void report(DuetSide& side) {
    side.service = make_latency(service_);
    side.response = make_latency(response_);
    side.raw_service = make_latency(raw_service_);
    side.raw_response = make_latency(raw_response_);
    side.trimmed_mean_ns = trimmed_mean(std::move(all_service_ns_), kTrimmedShare);
    side.tail_mean_ns = tail_mean(std::move(all_response_ns_));
  }

 private:
  Histogram service_;
  Histogram response_;
  Histogram raw_service_;
  Histogram raw_response_;
  std::vector<std::uint64_t> all_service_ns_;
  std::vector<std::uint64_t> all_response_ns_;
};

DuetThread thread_figures(const Turns& turns, const HistogramRange& range) {
  Histogram response(range);
  for (const Turn& turn : turns) {
    for (std::size_t i = turn.first; i < turn.calls.size(); ++i) {
      response.record(turn.response_ns[i]);
    }
  }
  return {.events = response.total_count(),
          .response_ns_p50 = response.value_at_quantile(0.5),
          .response_ns_p99 = response.value_at_quantile(0.99)};
}

// A stall is no matter of caches, so it counts in the first calls of a turn, too: what came due
// while the side slept is paid there.
void add_stalls(const Turns& turns, DuetSide& side) {
  for (const Turn& turn : turns) {
    for (std::size_t i = 0; i < turn.calls.size(); ++i) {
      const std::uint64_t service_ns = turn.service_ns[i];
      if (service_ns <= kLongCallNs) continue;
      if (turn.calls[i].kind != CallKind::blocked) {
        ++*side.slow_running;
        *side.slow_running_ns += service_ns;
      }
      if (service_ns <= kStallNs) continue;
      ++side.over_1ms;
      *side.stalled_ns += service_ns;
    }
  }
}

// How long a turn took. It lasts from its first intended time to its last return or its planned
// end, whichever is later, and until the last of the threads is done.
struct TurnTime {
  double needed_ns = 0;  // as measured
  double late_ns = 0;    // after the planned end, as if no thread had ever lost its processor
};

std::map<std::uint32_t, TurnTime> turn_times(const std::vector<Turns>& threads, double length_ns) {
  std::map<std::uint32_t, TurnTime> times;
  for (const Turns& turns : threads) {
    for (const Turn& turn : turns) {
      const CallRecord& last = turn.calls.back();
      const std::uint64_t start_ns = turn.calls.front().intended_ns;
      const std::uint64_t classified_end_ns = last.intended_ns + turn.response_ns.back();
      const double late_ns = static_cast<double>(classified_end_ns - start_ns) - length_ns;
      TurnTime& time = times[turn.number()];
      time.needed_ns =
          std::max({length_ns, time.needed_ns, static_cast<double>(last.end_ns - start_ns)});
      time.late_ns = std::max(late_ns, time.late_ns);
    }
  }
  return times;
}

// One pause of tens of milliseconds makes one turn late, and is counted as a stall: a side that
// cannot hold the rate is late in other turns, too.
void add_rate(const std::vector<Turns>& threads, const FiguresPlan& plan, DuetSide& side) {
  const auto length_ns = static_cast<double>(plan.turn_ns);
  const std::map<std::uint32_t, TurnTime> times = turn_times(threads, length_ns);
  TurnTime all;
  double latest_ns = 0;
  for (const auto& [number, time] : times) {
    all.needed_ns += time.needed_ns;
    all.late_ns += time.late_ns;
    latest_ns = std::max(latest_ns, time.late_ns);
  }
  if (all.needed_ns <= 0) return;
  side.achieved_rate_hz = static_cast<double>(side.events + side.dropped) / all.needed_ns * 1e9;
  const double meant_ns = length_ns * static_cast<double>(times.size());
  side.rate_missed = !plan.closed_loop && all.late_ns - latest_ns > meant_ns * kLateShare;
}

std::optional<double> carry_over(const std::vector<Turns>& threads, const FiguresPlan& plan) {
  const std::vector<std::optional<char>> before =
      sides_before(plan.turn_order, plan.visit_starts, plan.side);
  std::vector<std::uint64_t> after_other;
  std::vector<std::uint64_t> after_same;
  for (const Turns& turns : threads) {
    for (const Turn& turn : turns) {
      if (turn.number() >= before.size() || !before[turn.number()]) continue;
      auto& group = *before[turn.number()] == plan.side ? after_same : after_other;
      const auto recorded = static_cast<double>(turn.calls.size() - turn.first);
      const auto end = turn.first + static_cast<std::size_t>(recorded * kBeginningShare);
      group.insert(group.end(), turn.service_ns.begin() + static_cast<std::ptrdiff_t>(turn.first),
                   turn.service_ns.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  if (std::min(after_other.size(), after_same.size()) < kMinBeginningCalls) return {};
  const double other_ns = trimmed_mean(std::move(after_other), kTrimmedShare);
  const double same_ns = trimmed_mean(std::move(after_same), kTrimmedShare);
  if (other_ns <= 0 || same_ns <= 0) return {};
  return std::log(other_ns / same_ns);
}

}  // namespace

bool only_lost_processor(const CallRecord& call) {
  return call.kind == CallKind::stolen ||
         (call.kind == CallKind::preempted && ran_ns(call) <= kSlowCallNs);
}

std::vector<std::uint64_t> lindley_response_ns(std::span<const std::uint64_t> due_ns,
                                               std::span<const std::uint64_t> service_ns) {
  std::vector<std::uint64_t> response_ns(due_ns.size());
  std::uint64_t end_ns = 0;
  for (std::size_t i = 0; i < due_ns.size(); ++i) {
    end_ns = std::max(due_ns[i], end_ns) + service_ns[i];
    response_ns[i] = end_ns - due_ns[i];
  }
  return response_ns;
}

double trimmed_mean(std::vector<std::uint64_t> values, double share) {
  if (values.empty()) return 0;
  const auto wanted =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, values.size());
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(values.begin(), end - 1, values.end());
  const std::uint64_t sum = std::accumulate(values.begin(), end, std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(count);
}

std::optional<double> tail_mean(std::vector<std::uint64_t> values) {
  constexpr std::ptrdiff_t kFewest = 10;
  const auto count_of = [&](double share) {
    return static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size())));
  };
  const auto first = values.begin() + count_of(0.99);
  const auto last = values.end() - count_of(0.001);
  if (last - first < kFewest) return {};
  std::nth_element(values.begin(), first, values.end());
  std::nth_element(first, last, values.end());
  const std::uint64_t sum = std::accumulate(first, last, std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(last - first);
}

std::uint64_t lower_median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::optional<char>> sides_before(const std::string& turn_order,
                                              const std::vector<std::size_t>& visit_starts,
                                              char side) {
  std::vector<std::optional<char>> before;
  for (std::size_t i = 0; i < turn_order.size(); ++i) {
    if (turn_order[i] != side) continue;
    const bool first = i == 0 || std::binary_search(visit_starts.begin(), visit_starts.end(), i);
    before.push_back(first ? std::nullopt : std::optional<char>(turn_order[i - 1]));
  }
  return before;
}

void add_figures(const ThreadCalls& calls, const FiguresPlan& plan, DuetSide& side) {
  std::vector<Turns> threads;
  for (const auto& of_thread : calls) threads.push_back(split(of_thread, plan.dropped_per_turn));
  const std::uint64_t median_ns = raw_median(threads);
  Distributions distributions(plan.range);
  side.stolen = 0;
  side.stalled_ns = 0;
  side.slow_running = 0;
  side.slow_running_ns = 0;
  if (threads.size() > 1) side.threads.emplace();
  for (Turns& turns : threads) {
    for (Turn& turn : turns) {
      classify(turn, median_ns, plan.closed_loop);
      count_kinds(turn, side);
      side.dropped += turn.first;
      side.events += turn.calls.size() - turn.first;
      distributions.add(turn, side);
    }
    add_stalls(turns, side);
    if (side.threads) side.threads->push_back(thread_figures(turns, plan.range));
  }
  distributions.report(side);
  add_rate(threads, plan, side);
  side.carry_over = carry_over(threads, plan);
}

}  // namespace tailgate
