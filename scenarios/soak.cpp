// A steady load for hours: what drifts. One program writes all the time, so that what it keeps can
// be seen; a soak that was interrupted goes on with a further one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/run/scenario.h"
#include "scenarios/soak_series.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

constexpr double kLeastPart_s = 1;  // of a soak that goes on

std::string size_words(double bytes) {
  constexpr double kKibi = 1024;
  const double size = std::abs(bytes);
  if (size >= kKibi * kKibi * kKibi)
    return fmt::format("{:.3g} GiB", bytes / kKibi / kKibi / kKibi);
  if (size >= kKibi * kKibi) return fmt::format("{:.3g} MiB", bytes / kKibi / kKibi);
  if (size >= kKibi) return fmt::format("{:.3g} KiB", bytes / kKibi);
  return fmt::format("{:.0f} B", bytes);
}

std::string value_words(SoakUnit unit, double value) {
  switch (unit) {
    case SoakUnit::time_ns:
      return (value < 0 ? "-" : "") + duration_words(std::abs(value));
    case SoakUnit::bytes:
      return size_words(value);
    case SoakUnit::descriptors:
      return fmt::format("{:.3g}", value);
  }
  return "";
}

std::string hours_words(double hours) {
  if (hours * 60 < 2) return fmt::format("{:.3g} s", hours * 3600);
  return hours < 2 ? fmt::format("{:.3g} min", hours * 60) : fmt::format("{:.3g} h", hours);
}

// "-2 ns to 3 ns per h"; of a slope that is exactly one value that alone.
std::string slope_range_words(const SoakSeries& series) {
  const Slope& slope = series.trend->slope;
  const std::string low = value_words(series.unit, slope.low);
  const std::string high = value_words(series.unit, slope.high);
  return low == high ? low + " per h" : fmt::format("{} to {} per h", low, high);
}

// "response p99 grows by 36 ms per h (35 ms to 37 ms per h; from about 100 us)".
std::string growth_words(const SoakSeries& series) {
  return fmt::format("{} by {} per h ({}; median {})", series.words,
                     value_words(series.unit, series.trend->slope.slope), slope_range_words(series),
                     value_words(series.unit, series.level()));
}

std::string level_words(const SoakSeries& series) {
  return fmt::format("{} {} ({})", series.words, value_words(series.unit, series.level()),
                     slope_range_words(series));
}

bool is_shown(const SoakSeries& series) {
  return series.judged && (series.name == "response_p99_ns" || series.unit != SoakUnit::time_ns);
}

struct Drifts {
  std::size_t judged = 0;
  std::vector<const SoakSeries*> upward;
  std::vector<std::string> shown;  // in words
};

Drifts drifts_of(const std::vector<SoakSeries>& all, double hours) {
  Drifts drifts;
  drifts.judged =
      static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const SoakSeries& one) {
        return one.judged && one.trend.has_value();
      }));
  for (const SoakSeries& series : all) {
    if (!series.trend) continue;
    if (drifts_upward(series, drifts.judged, hours)) drifts.upward.push_back(&series);
    if (is_shown(series)) drifts.shown.push_back(level_words(series));
  }
  return drifts;
}

std::string drift_words(const Drifts& drifts) {
  if (drifts.judged == 0) {
    return fmt::format("this is too short for a trend, which needs {} intervals",
                       kLeastTrendPoints);
  }
  if (drifts.upward.empty()) return "nothing drifts upward: " + joined_words(drifts.shown);
  std::vector<std::string> grown;
  for (const SoakSeries* series : drifts.upward) grown.push_back(growth_words(*series));
  return "it drifts: " + joined_words(grown);
}

std::string limit_words(const EarlyEnd& end) {
  const std::string option = fmt::format(" ({} = {:.12g})", end.limit, end.allowed);
  if (end.limit == "end_at_grown_bytes") {
    return "the memory of program and daemons had grown by " + size_words(end.value) + option;
  }
  if (end.limit == "end_at_grown_descriptors") {
    return fmt::format("program and daemons had {:.0f} more descriptors open{}", end.value, option);
  }
  if (end.limit == "end_at_free_bytes") {
    return "the disk had " + size_words(end.value) + " left" + option;
  }
  if (end.limit == "end_at_refused_events") {
    return fmt::format("{} were refused{}", event_words(end.value, end.value), option);
  }
  return fmt::format("the load was {:.3g} s behind its schedule{}", end.value, option);
}

// Why it ended before its time; empty if it did not.
std::string end_words(const Result& result, double hours) {
  const Trial& last = result.trials.back();
  const std::string after = hours_words(hours);
  if (last.ended_early) {
    return fmt::format(" It ended early, after {}: {}.", after, limit_words(*last.ended_early));
  }
  if (last.outcome == TrialOutcome::interrupted) {
    return fmt::format(" It was interrupted after {}; --resume goes on.", after);
  }
  if (last.outcome != TrialOutcome::completed) {
    return fmt::format(" It ended after {}: {}: {}.", after, enum_text(last.outcome),
                       last.outcome_detail);
  }
  return "";
}

std::string resumed_words(const Result& result) {
  if (!result.resumed) return "";
  std::vector<std::string> gaps;
  for (const Resumption& gap : *result.resumed) {
    gaps.push_back(fmt::format("{} to {}", gap.stopped_utc, gap.resumed_utc));
  }
  return fmt::format(
      " It was interrupted and resumed, with nothing measured from {}; each part began with a new "
      "program and session, so trends are those within the parts.",
      joined_words(gaps));
}

std::string loss_words(const Result& result) {
  std::uint64_t lost = 0;
  for (const Trial& trial : result.trials) lost += trial.ledger.lost;
  if (lost == 0) return "";
  const auto events = static_cast<double>(lost);
  return fmt::format(" Lost: {}.", event_words(events, events));
}

void add_figures(const SoakSeries& series, const Result& result, Answer& answer) {
  const auto parts = static_cast<unsigned>(result.trials.size());
  answer.figures.push_back({.name = series.name,
                            .value = series.level(),
                            .low = {},
                            .high = {},
                            .trials = parts,
                            .about = series.words + ": median of the intervals"});
  if (!series.trend) return;
  const Slope& slope = series.trend->slope;
  answer.figures.push_back(
      {.name = series.name + "_per_h",
       .value = slope.slope,
       .low = slope.low,
       .high = slope.high,
       .trials = parts,
       .about = fmt::format("{}: median slope of all pairs of {} intervals, and its 95 % "
                            "confidence interval; p = {:.2g} if nothing drifts{}",
                            series.words, series.trend->points, p_of(series),
                            series.judged ? "" : "; not judged")});
}

class Soak : public Scenario {
 public:
  std::string name() const override { return "soak"; }
  std::string description() const override {
    return "hours at a steady rate: what drifts, and what ends it early";
  }

  OptionTable options() const override;

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    for (const StepOutcome& part : before) {
      for (const StepTrial& trial : part.trials) {
        if (!trial.interrupted) return std::nullopt;
        plan.duration_s -= trial.recorded_s;
      }
    }
    if (!before.empty() && plan.duration_s < kLeastPart_s) return std::nullopt;
    return plan;
  }

  std::size_t trials(const Options&, std::span<const StepOutcome>) const override { return 1; }
  bool asks_for_storage() const override { return true; }
  bool wants_controls() const override { return false; }
  bool can_resume() const override { return true; }
  double checkpoint_s(const Options& options) const override {
    return options.real("checkpoint_s");
  }

  EndLimits end_limits(const Options& options) const override {
    const auto number = [&](const char* name) {
      return static_cast<double>(options.integer(name));
    };
    return {.grown_bytes = number("end_at_grown_bytes"),
            .grown_descriptors = number("end_at_grown_descriptors"),
            .free_bytes = number("end_at_free_bytes"),
            .refused_events = number("end_at_refused_events"),
            .late_s = options.real("end_at_late_s")};
  }

  std::optional<Answer> answer(const Result& result) const override;
};

OptionTable Soak::options() const {
  const OptionType integer = OptionType::integer;
  return without_options(
      with_defaults(
          with_load_options({
              {"rate_hz", OptionType::real, "1000", "events per second, all threads together",
               0.001, 1e9},
              {"checkpoint_s", OptionType::real, "60",
               "how often the result is written, so that --resume can go on from there (0: at the "
               "end)",
               0, 86400},
              {"end_at_grown_bytes", integer, "1Gi",
               "end early when the memory of program and daemons has grown so much (0: never)", 0,
               1e15},
              {"end_at_grown_descriptors", integer, "500",
               "… when they have so many more descriptors open (0: never)", 0, 1e9},
              {"end_at_free_bytes", integer, "512Mi",
               "… when the disk of the trial's folder has less left (0: never)", 0, 1e15},
              {"end_at_refused_events", integer, "0",
               "… when the sink has refused so many events (0: never)", 0, 1e15},
              {"end_at_late_s", OptionType::real, "10",
               "… when the load is so far behind its schedule (0: never)", 0, 86400},
          }),
          {{"duration_s", "3600"}}),
      {"events", "trials"});
}

std::optional<Answer> Soak::answer(const Result& result) const {
  if (result.scenario.name != name()) return std::nullopt;
  const double hours = soak_hours(result);
  if (hours <= 0) return std::nullopt;
  Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
  const std::vector<SoakSeries> all = soak_series(result);
  for (const SoakSeries& series : all) add_figures(series, result, answer);
  const Drifts drifts = drifts_of(all, hours);
  answer.sentence =
      fmt::format("{} ran for {}: {}.", at_rate(result), hours_words(hours), drift_words(drifts));
  for (const SoakSeries& series : all) {
    if (series.name != "files_bytes" || !series.trend) continue;
    answer.sentence += fmt::format(" Its files grow by {}.", slope_range_words(series));
  }
  const std::string end = end_words(result, hours);
  answer.sentence += loss_words(result) + end + resumed_words(result);
  const bool interrupted = result.trials.back().outcome == TrialOutcome::interrupted;
  if (!drifts.upward.empty() || (!end.empty() && !interrupted)) {
    answer.holds = false;
  } else if (drifts.judged > 0 && !interrupted) {
    answer.holds = true;
  }
  return answer;
}

}  // namespace

std::unique_ptr<const Scenario> make_soak_scenario() {
  return std::make_unique<Soak>();
}

}  // namespace tailgate
