#include "scenarios/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/base/event.h"

namespace tailgate {
namespace {

constexpr const char* kSize = "size_bytes";

}  // namespace

std::optional<LoadPlan> RoundsScenario::next_step(const Options& options,
                                                  std::span<const StepOutcome> before) const {
  if (before.size() >= max_steps(options)) return std::nullopt;
  LoadPlan plan = load_from(options);
  plan.shape = Shape::steady;
  plan.rate_hz = options.real("rate_hz");
  return plan;
}

std::optional<LoadPlan> SizedRoundsScenario::next_step(const Options& options,
                                                       std::span<const StepOutcome> before) const {
  std::optional<LoadPlan> plan = RoundsScenario::next_step(options, before);
  if (plan) {
    plan->payload = {.law = PayloadLaw::fixed,
                     .first = static_cast<double>(options.integer(kSize))};
  }
  return plan;
}

std::size_t RoundsScenario::max_steps(const Options& options) const {
  return steps_in_round(options) * static_cast<std::size_t>(options.integer("rounds"));
}

OptionTable sized_rounds_options(const OptionTable& own, const SizedRounds& rounds) {
  OptionTable table = {{"rate_hz", OptionType::real, "10000",
                        "events per second, all threads together", 0.001, 1e9}};
  table.insert(table.end(), own.begin(), own.end());
  table.push_back({kSize, OptionType::integer, rounds.size_bytes,
                   fmt::format("size of every event, its {} included", rounds.size_includes),
                   static_cast<double>(rounds.least_bytes), kMaxEventBytes});
  table.push_back({"rounds", OptionType::integer, "6",
                   fmt::format("times that every {}", rounds.a_round_has), 1, 1000});
  return without_options(with_defaults(with_load_options(std::move(table)),
                                       {{"duration_s", "0.4"}, {"warmup_s", "0.1"}}),
                         {"trials", "payload"});
}

std::vector<unsigned> counts_from(const Options& options, const char* option, unsigned most) {
  std::vector<unsigned> counts;
  for (const double count : parse_rates(options.text(option), option)) {
    if (count != std::floor(count) || count > most) {
      throw Error(fmt::format("{} has {}", option, count),
                  fmt::format("give whole numbers from 1 to {}", most));
    }
    counts.push_back(static_cast<unsigned>(count));
  }
  return counts;
}

double two_clock_reads_ns(const Result& result) {
  double most_ns = 0;
  for (const Trial& trial : result.trials) {
    most_ns = std::max(most_ns, trial.floor.two_clock_reads_ns);
  }
  return most_ns;
}

}  // namespace tailgate
