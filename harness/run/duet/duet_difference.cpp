#include "harness/run/duet/duet_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/os/remove_folder.h"
#include "harness/run/duet/loss_parts.h"
#include "harness/run/duet/round_allocations.h"
#include "harness/run/duet/round_trace.h"
#include "harness/run/duet/traced_time.h"
#include "harness/stats/trial_interval.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

constexpr double kConfidence = 0.95;
// Where memory differs, one traced round of so many follows allocations in place of times.
constexpr unsigned kRoundsPerAllocations = 3;

bool both_completed(const DuetRound& round) {
  return round.a.outcome == TrialOutcome::completed && round.b.outcome == TrialOutcome::completed;
}

// The mean of the calls beyond the 99th percentile, from those of all calls and of the others.
std::optional<double> slow_mean(const DuetSide& side) {
  const auto count = static_cast<double>(side.service.count);
  const double usual = std::ceil(0.99 * count);
  if (count - usual < 1) return {};
  return (side.service.mean_ns * count - side.trimmed_mean_ns * usual) / (count - usual);
}

std::optional<double> untraced_ns(const std::string& measure, const DuetSide& side) {
  if (measure == "call") return side.trimmed_mean_ns;
  if (measure == "slow_call") return slow_mean(side);
  if (measure != "daemons" || side.cpu_events == 0) return {};
  return static_cast<double>(side.daemon_cpu_ns.value_or(0)) / static_cast<double>(side.cpu_events);
}

// The same difference in the duet's own rounds. value: of a side, where it is known.
template <class Value>
std::vector<double> untraced_differences(const Duet& duet, Value value) {
  std::vector<double> differences;
  for (const DuetRound& round : duet.rounds) {
    if (!both_completed(round)) continue;
    const std::optional<double> a = value(round.a);
    const std::optional<double> b = value(round.b);
    if (a && b) differences.push_back(*b - *a);
  }
  return differences;
}

std::vector<double> memory_differences(const Duet& duet) {
  return untraced_differences(duet, [](const DuetSide& side) -> std::optional<double> {
    if (!side.rss_bytes) return {};
    return static_cast<double>(*side.rss_bytes);
  });
}

// Whether memory differs by more than chance, and by as much as texts show.
bool memory_differs(const Duet& duet) {
  const std::optional<TrialInterval> interval =
      trial_interval(memory_differences(duet), kConfidence);
  double most = 0;
  for (const DuetRound& round : duet.rounds) {
    most = std::max(most, static_cast<double>(round.a.rss_bytes.value_or(0)));
  }
  return interval && (interval->low > 0 || interval->high < 0) &&
         std::abs(interval->estimate) >= kLeastShareOfMemory * most;
}

void add_untraced_memory(const Duet& duet, AmountSum& sum) {
  const std::vector<double> differences = memory_differences(duet);
  if (differences.size() == 1) sum.untraced = differences.front();
  const std::optional<TrialInterval> interval = trial_interval(differences, kConfidence);
  if (!interval) return;
  sum.untraced = interval->estimate;
  sum.untraced_low = interval->low;
  sum.untraced_high = interval->high;
}

class TracedRounds {
 public:
  explicit TracedRounds(const DifferencePlan& plan)
      : plan_(plan),
        settings_(settings_for(plan.request.b.side.sink,
                               settings_for(plan.request.a.side.sink, plan.environment.trial))),
        turns_(turns_of(plan.request)),
        layouts_(plan.request.a.layouts, plan.request.b.layouts, plan.request.seed),
        time_(plan.max_s, plan.max_rounds),
        follows_allocations_(memory_differs(plan.duet)) {
    difference_.sample_hz = kDifferenceSampleHz;
  }

  Difference run() {
    while (time_.goes_on()) {
      const unsigned index = time_.begin_round();
      run_round(index);
      time_.end_round();
    }
    difference_.duration_ns = static_cast<std::uint64_t>(time_.passed_s() * 1e9);
    report();
    return std::move(difference_);
  }

 private:
  void run_round(unsigned index) {
    // Its coins are those of a round after the duet's own.
    const unsigned number = static_cast<unsigned>(plan_.duet.rounds.size()) + index;
    const fs::path folder = plan_.environment.scratch / fmt::format("traced-{}", index);
    Round round({.a = plan_.request.a.side,
                 .b = plan_.request.b.side,
                 .settings = settings_,
                 .turns = turns_,
                 .drained = needs_drain(plan_.request),
                 .order = round_order(plan_.request.seed, number, turns_.count - turns_.warmup,
                                      turns_.warmup),
                 .directory = folder},
                [](const RoundProgress&) {});
    layouts_.place(number);
    round.begin();
    if (follows_allocations_ && index % kRoundsPerAllocations == 2) {
      plan_.progress(fmt::format("why: round {}, allocations", index + 1));
      follow_allocations(round);
    } else {
      plan_.progress(fmt::format("why: traced round {}", index + 1));
      trace_times(round, plan_.environment.scratch / fmt::format("trace-{}", index));
    }
  }

  void trace_times(Round& round, const fs::path& trace_folder) {
    fs::create_directories(trace_folder);
    {
      std::optional<RoundTrace> trace;
      if (!round.has_failed()) {
        trace.emplace(round, RoundTracePlan{.clock = Clock(settings_.clock),
                                            .directory = trace_folder,
                                            .sample_hz = kDifferenceSampleHz});
      }
      round.visit();
      if (trace) trace->stop(round);
      const RoundOutcome outcome = round.end();
      if (trace && !outcome.interrupted && both_completed(outcome.round)) {
        add(trace->amounts(outcome.round), *trace);
        add_losses(outcome.round);
      } else if (!outcome.interrupted) {
        add_failure(outcome.round);
      }
    }
    remove_folder(trace_folder);
  }

  void follow_allocations(Round& round) {
    std::optional<RoundAllocations> allocations;
    try {
      if (!round.has_failed()) allocations.emplace(round, Clock(settings_.clock));
    } catch (const Error& error) {
      follows_allocations_ = false;
      add_limit(fmt::format("sizes of allocations: {}", error.what()));
    }
    round.visit();
    if (allocations) allocations->stop();
    const RoundOutcome outcome = round.end();
    if (outcome.interrupted) return;
    if (!both_completed(outcome.round)) {
      add_failure(outcome.round);
      return;
    }
    if (!allocations) return;
    std::optional<activity::RoundAmounts> amounts = allocations->amounts();
    for (const std::string& limit : allocations->limits()) add_limit(limit);
    if (amounts) allocated_.push_back(std::move(*amounts));
  }

  void add(TracedAmounts amounts, const RoundTrace& trace) {
    ++difference_.rounds;
    difference_.trace = trace.trace_method();
    difference_.sampled = trace.sample_method();
    difference_.samples += trace.samples();
    for (const std::string& limit : trace.limits()) add_limit(limit);
    daemons_ = trace.daemons();
    call_.push_back(std::move(amounts.call));
    slow_call_.push_back(std::move(amounts.slow_call));
    daemon_.push_back(std::move(amounts.daemons));
    other_threads_.push_back(std::move(amounts.other_threads));
    if (amounts.memory) memory_.push_back(std::move(*amounts.memory));
  }

  void add_losses(const DuetRound& round) {
    std::optional<activity::SideAmounts> a = loss_parts(round.a.ledger);
    std::optional<activity::SideAmounts> b = loss_parts(round.b.ledger);
    if (a && b) {
      losses_.push_back({.a = std::move(*a), .b = std::move(*b)});
      return;
    }
    for (const DuetSide* side : {&round.a, &round.b}) {
      if (!side->ledger.unchecked()) continue;
      add_limit(fmt::format("losses in some traced rounds: {}", *side->ledger.unchecked_cause));
    }
  }

  void add_failure(const DuetRound& round) {
    time_.note_failure();
    const DuetSide& side = round.a.outcome == TrialOutcome::completed ? round.b : round.a;
    add_limit(fmt::format("a traced round failed: {}", side.outcome_detail));
  }

  void add_limit(const std::string& limit) {
    if (std::find(limits_.begin(), limits_.end(), limit) == limits_.end()) limits_.push_back(limit);
  }

  void report() {
    add_sum("call", call_);
    add_sum("slow_call", slow_call_);
    add_sum("daemons", daemon_);
    add_sum("other_threads", other_threads_);
    difference_.amounts.emplace();
    report_losses();
    report_memory();
    report_allocated();
    if (difference_.rounds == 0 && limits_.empty()) add_limit("interrupted before a traced round");
    if (difference_.rounds == 1)
      add_limit("one traced round has no interval: give more time with --explain-s");
    difference_.limits = fmt::format("{}", fmt::join(limits_, "; "));
  }

  void add_sum(const char* measure, const std::vector<activity::RoundAmounts>& rounds) {
    if (!any_has(rounds)) return;
    DifferenceSum sum = activity::difference_of(rounds);
    sum.measure = measure;
    if (sum.measure == "daemons") sum.processes = daemons_;
    set_untraced(
        untraced_differences(
            plan_.duet, [&sum](const DuetSide& side) { return untraced_ns(sum.measure, side); }),
        sum);
    difference_.sums.push_back(std::move(sum));
  }

  void report_losses() {
    if (!any_has(losses_)) return;
    AmountSum sum = activity::amount_difference_of(losses_);
    sum.measure = "losses";
    sum.unit = "per million events";
    add_untraced_losses(plan_.duet.rounds, sum);
    difference_.amounts->push_back(std::move(sum));
  }

  void report_memory() {
    if (!any_has(memory_)) return;
    AmountSum sum = activity::amount_difference_of(memory_);
    sum.measure = "memory";
    sum.unit = "bytes";
    add_untraced_memory(plan_.duet, sum);
    difference_.amounts->push_back(std::move(sum));
  }

  void report_allocated() {
    if (!any_has(allocated_)) return;
    AmountSum sum = activity::amount_difference_of(allocated_);
    sum.measure = "allocated";
    sum.unit = "bytes";
    difference_.amounts->push_back(std::move(sum));
  }

  static bool any_has(const std::vector<activity::RoundAmounts>& rounds) {
    return std::any_of(rounds.begin(), rounds.end(),
                       [](const auto& round) { return round.a.whole > 0 || round.b.whole > 0; });
  }

  const DifferencePlan& plan_;
  TrialSettings settings_;
  TurnPlan turns_;
  PlacedLayouts layouts_;
  TracedTime time_;
  bool follows_allocations_;
  std::string daemons_;
  std::vector<std::string> limits_;
  std::vector<activity::RoundAmounts> call_;
  std::vector<activity::RoundAmounts> slow_call_;
  std::vector<activity::RoundAmounts> daemon_;
  std::vector<activity::RoundAmounts> other_threads_;
  std::vector<activity::RoundAmounts> losses_;
  std::vector<activity::RoundAmounts> memory_;
  std::vector<activity::RoundAmounts> allocated_;
  Difference difference_;
};

}  // namespace

void set_untraced(std::span<const double> differences, DifferenceSum& sum) {
  if (differences.size() == 1) sum.untraced_ns = differences.front();
  const std::optional<TrialInterval> interval = trial_interval(differences, kConfidence);
  if (!interval) return;
  sum.untraced_ns = interval->estimate;
  sum.untraced_low_ns = interval->low;
  sum.untraced_high_ns = interval->high;
}

Difference measure_difference(const DifferencePlan& plan) {
  return TracedRounds(plan).run();
}

}  // namespace tailgate
