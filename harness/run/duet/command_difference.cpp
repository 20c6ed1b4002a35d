#include "harness/run/duet/command_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "harness/explain/difference.h"
#include "harness/os/process.h"
#include "harness/profile/sampler.h"
#include "harness/run/duet/call_parts.h"
#include "harness/run/duet/command_round.h"
#include "harness/run/duet/traced_time.h"

namespace tailgate {
namespace {

// A sample holds a piece of the stack, and the sampler has room for some 16,000 whole ones.
constexpr double kMostSamplesOfRun = 10'000;
constexpr double kLeastSampleHz = 49;

// The processor time of B's run above that of A's, in each of the duet's own rounds.
std::vector<double> untraced_differences(const CommandDuet& duet) {
  std::vector<double> differences;
  for (const CommandRound& round : duet.rounds) {
    if (!round.is_completed()) continue;
    differences.push_back(static_cast<double>(round.b.cpu_ns) -
                          static_cast<double>(round.a.cpu_ns));
  }
  return differences;
}

struct Longest {
  std::uint64_t run_cpu_ns = 1;
  std::uint64_t round_ns = 0;
};

Longest longest_of(const CommandDuet& duet) {
  Longest longest;
  for (const CommandRound& round : duet.rounds) {
    longest.run_cpu_ns = std::max({longest.run_cpu_ns, round.a.cpu_ns, round.b.cpu_ns});
    longest.round_ns = std::max(longest.round_ns, round.a.wall_ns + round.b.wall_ns);
  }
  return longest;
}

// As often as there is room for.
double sample_hz_for(const Longest& longest) {
  const double that_fits_hz = kMostSamplesOfRun * 1e9 / static_cast<double>(longest.run_cpu_ns);
  return std::clamp(that_fits_hz, kLeastSampleHz, kDifferenceSampleHz);
}

class SampledRounds {
 public:
  explicit SampledRounds(const CommandDifferencePlan& plan)
      : plan_(plan),
        longest_(longest_of(plan.duet)),
        layouts_(plan.request.layouts_a, plan.request.layouts_b, plan.request.seed),
        time_(plan.max_s, plan.max_rounds) {
    difference_.trace = "none";
    difference_.sampled = "none";
    difference_.sample_hz = sample_hz_for(longest_);
    difference_.limits = "what the runs waited for: of commands only the processor time is cut";
  }

  Difference run() {
    const double round_s = static_cast<double>(longest_.round_ns) / 1e9;
    if (round_s > plan_.max_s) {
      add_limit(
          fmt::format("any function: a round takes {:.1f} s, and there are {:.1f}: give more "
                      "time with --explain-s",
                      round_s, plan_.max_s));
    }
    while (round_s <= plan_.max_s && time_.goes_on()) {
      run_round(time_.begin_round());
      time_.end_round();
    }
    difference_.duration_ns = static_cast<std::uint64_t>(time_.passed_s() * 1e9);
    report();
    return std::move(difference_);
  }

 private:
  void run_round(unsigned index) {
    plan_.progress(fmt::format("why: traced round {}", index + 1));
    std::unique_ptr<profile::StackSampler> sampler;
    profile::Samples a;
    profile::Samples b;
    const CommandRoundHooks hooks{
        .before_start =
            [&](char, int pid) {
              sampler = profile::start_sampler({.rate_hz = difference_.sample_hz,
                                                .clock = Clock(plan_.environment.trial.clock),
                                                .command = pid,
                                                .directory = plan_.environment.scratch});
            },
        .ended =
            [&](char side) {
              if (!sampler) return;
              sampler->stop();
              (side == 'A' ? a : b) = sampler->read();
              sampler.reset();
            }};
    // Its coins are those of a round after the duet's own.
    const auto number = static_cast<unsigned>(plan_.duet.rounds.size()) + index;
    const CommandRound round =
        run_command_round(plan_.request, plan_.environment, layouts_, number, hooks);
    if (InterruptFlag::raised()) return;
    if (!round.is_completed()) {
      add_failure(round);
      return;
    }
    add(a);
    add(b);
    rounds_.push_back({.a = parts_of(a, round.a), .b = parts_of(b, round.b)});
  }

  static activity::SideAmounts parts_of(const profile::Samples& samples, const CommandRun& run) {
    return role_parts(samples, profile::SampledRole::provider, 0, ~std::uint64_t{0},
                      static_cast<double>(run.cpu_ns));
  }

  void add(const profile::Samples& samples) {
    difference_.sampled = samples.method;
    difference_.samples += samples.list.size();
    if (samples.lost > 0) add_limit("some samples: they came too fast");
    add_limit(samples.limits);
  }

  void add_failure(const CommandRound& round) {
    time_.note_failure();
    const CommandRun& run = round.a.outcome == TrialOutcome::completed ? round.b : round.a;
    add_limit(fmt::format("a traced round failed: {}", run.outcome_detail));
  }

  void add_limit(const std::string& limit) {
    if (limit.empty() || std::find(limits_.begin(), limits_.end(), limit) != limits_.end()) return;
    limits_.push_back(limit);
  }

  void report() {
    difference_.rounds = static_cast<unsigned>(rounds_.size());
    difference_.amounts.emplace();
    if (rounds_.empty() && limits_.empty()) add_limit("interrupted before a traced round");
    if (rounds_.size() == 1) {
      add_limit("one traced round has no interval: give more time with --explain-s");
    }
    for (const std::string& limit : limits_) difference_.limits += "; " + limit;
    if (rounds_.empty()) return;
    DifferenceSum sum = activity::difference_of(rounds_);
    sum.measure = "processor_time";
    set_untraced(untraced_differences(plan_.duet), sum);
    difference_.sums.push_back(std::move(sum));
  }

  const CommandDifferencePlan& plan_;
  const Longest longest_;
  PlacedLayouts layouts_;
  TracedTime time_;
  std::vector<std::string> limits_;
  std::vector<activity::RoundAmounts> rounds_;
  Difference difference_;
};

}  // namespace

Difference measure_command_difference(const CommandDifferencePlan& plan) {
  return SampledRounds(plan).run();
}

}  // namespace tailgate
