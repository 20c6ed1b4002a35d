#include "harness/gate/make_margins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "harness/base/parallel.h"
#include "harness/gate/calibration.h"
#include "harness/gate/metrics.h"
#include "harness/gate/relabelling.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

// The margins that are tried, besides the policy's own.
constexpr double kMargins[] = {0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05, 0.06,
                               0.07, 0.08,  0.09, 0.1,   0.12, 0.15,  0.2,  0.25,  0.3,  0.4};
// Equal sides of one layout pass at smaller ones, but spreads of layouts are known of few sinks.
constexpr double kLeastTimeMargin = 0.02;
constexpr double kLargestChange = 10;

struct Halves {
  RoundPool first;
  RoundPool second;
  std::vector<std::string> first_runs;
};

Halves halves_of(const std::vector<CalibrationRun>& runs, std::uint64_t seed) {
  std::vector<CalibrationRun> shuffled = runs;
  std::mt19937_64 random(seed);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  const auto middle = shuffled.begin() + static_cast<std::ptrdiff_t>(shuffled.size() / 2);
  Halves halves;
  const auto& [sink, load] = std::pair(runs.front().sink, runs.front().scenario);
  halves.first = pool_of_equal({{shuffled.begin(), middle}}, sink, load);
  halves.second = pool_of_equal({{middle, shuffled.end()}}, sink, load);
  std::for_each(shuffled.begin(), middle,
                [&](const CalibrationRun& run) { halves.first_runs.push_back(run.started_utc); });
  std::sort(halves.first_runs.begin(), halves.first_runs.end());
  return halves;
}

// The policy, but that only the metrics which `wanted` names are gated.
Policy gating(Policy policy, const std::vector<std::string>& wanted) {
  ScopedSettings& all = policy.settings.emplace_back();
  for (const MetricKind& kind : metric_kinds()) {
    const std::string name(kind.name);
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    all.metrics.push_back(
        {.metric = name, .gate = is_wanted ? std::nullopt : std::optional(false)});
    if (!is_wanted) all.metrics.back().class_gate = false;
  }
  return policy;
}

RoundPool with_metrics(RoundPool pool, const std::vector<std::string>& wanted) {
  std::erase_if(pool.all.metrics, [&](const MetricSeries& series) {
    return std::find(wanted.begin(), wanted.end(), series.name) == wanted.end();
  });
  return pool;
}

// Relabelled gates on rounds of a pool, in which one metric of B is worse; worse_by = 0: none.
struct RelabelledGates {
  const RoundPool& pool;
  const Policy& policy;
  std::size_t count = 0;
  std::uint64_t seed = 0;
  std::string worse = "";
  double worse_by = 0;
};

// visit: called with each gate's decision, until it returns false.
template <class Visit>
void decide(const RelabelledGates& gates, Visit visit) {
  std::mt19937_64 random(gates.seed);
  const double spread = gates.policy.layout_spread(subject_of_run(gates.pool.all));
  for (std::size_t gate = 0; gate < gates.count; ++gate) {
    CalibrationRun run = draw_gate(gates.pool, gates.policy, random);
    lay_out(spread, random, run);
    worsen(gates.worse, gates.worse_by, run);
    if (!visit(decisions_on(run, gates.policy).decision.decision)) return;
  }
}

struct Shares {
  double passes = 0;
  double fails = 0;
};

Shares shares_of(const RelabelledGates& gates) {
  Shares shares;
  decide(gates, [&](Decision decision) {
    shares.passes += decision == Decision::pass ? 1 : 0;
    shares.fails += decision == Decision::fail ? 1 : 0;
    return true;
  });
  shares.passes /= static_cast<double>(gates.count);
  shares.fails /= static_cast<double>(gates.count);
  return shares;
}

// Whether at least this share of the gates is decided so. Decides no more of them than that takes.
bool reaches(double share, Decision wanted, const RelabelledGates& gates) {
  constexpr double kRounding = 1e-9;
  const auto count = static_cast<double>(gates.count);
  const auto needed = static_cast<std::size_t>(std::ceil(share * count - kRounding));
  std::size_t hits = 0;
  std::size_t misses = 0;
  decide(gates, [&](Decision decision) {
    ++(decision == wanted ? hits : misses);
    return hits < needed && misses <= gates.count - needed;
  });
  return hits >= needed;
}

class SinkSearch {
 public:
  SinkSearch(Halves halves, Policy policy, const MarginSearch& search)
      : halves_(std::move(halves)), policy_(std::move(policy)), search_(search) {
    class_.machines = {halves_.first.all.fingerprint};
  }

  // The metrics that the policy gates or leaves to the class.
  std::vector<MeasuredMargin> candidates() const {
    std::vector<MeasuredMargin> found;
    const DuetSubject subject = subject_of_run(halves_.first.all);
    for (const MetricKind& kind : metric_kinds()) {
      const MetricRule rule = policy_.rule(kind, subject);
      if (kind.effect != EffectKind::ratio || !(rule.gate || rule.class_gate)) continue;
      if (!is_gated(std::string(kind.name), rule.margin)) continue;
      MeasuredMargin& metric = found.emplace_back();
      metric.metric = kind.name;
      if (rule.gate) metric.policy_margin = rule.margin;
    }
    return found;
  }

  // Looks for the metric's margin on the first half.
  void search_margin(MeasuredMargin& metric) const {
    const MetricKind& kind = *find_metric(metric.metric);
    const MetricRule rule = policy_.rule(kind, subject_of_run(halves_.first.all));
    const double cap = rule.margin;
    // Differences below at_least are tolerated whatever the margin is. Equal sides therefore pass
    // at any margin that is smaller, so that their passing says nothing of it.
    const double always = rule.at_least / median_of(metric.metric);
    if (always >= cap) {
      metric.why_none = fmt::format("{:g} {} are tolerated anyway, which is its margin or more",
                                    rule.at_least, kind.unit);
      return;
    }
    std::vector<double> margins;
    for (const double margin : kMargins) {
      if (margin < always) continue;
      if (margin < cap && (kind.unit != "ns" || margin >= kLeastTimeMargin)) {
        margins.push_back(margin);
      }
    }
    margins.push_back(cap);
    // More margin never turns a pass of the same gates into anything else.
    const auto least = std::partition_point(margins.begin(), margins.end(), [&](double margin) {
      return !passes_alone(metric.metric, margin);
    });
    if (least == margins.end()) {
      metric.why_none = "equal sides of the first half do not pass often enough even at its margin";
    } else if (metric.policy_margin && *least == cap) {
      metric.why_none = "no smaller margin passes often enough on the first half";
    } else {
      metric.margin = *least;
    }
  }

  // The margins that were found are the class's from now on.
  void take(const std::vector<MeasuredMargin>& metrics) {
    for (const MeasuredMargin& metric : metrics) {
      if (metric.margin) class_.margins.push_back(entry(metric.metric, *metric.margin));
    }
  }

  // Takes out margins, the worst first, until the second half confirms those that are left.
  void confirm(MeasuredSink& sink) {
    while (true) {
      const std::vector<std::string> names = names_of_new();
      if (names.empty()) {
        sink.new_passes = 1;
        return;
      }
      const Shares shares = shares_of_second(names);
      sink.new_passes = shares.passes;
      sink.new_fails = shares.fails;
      if (shares.passes >= search_.confirmed && shares.fails == 0) return;
      drop(worst_of(names), sink);
    }
  }

  void find_changes(MeasuredMargin& metric) const {
    if (metric.policy_margin) {
      metric.policy_finds = smallest_found(metric.metric, *metric.policy_margin, policy_);
    }
    if (metric.margin) {
      metric.finds = smallest_found(metric.metric, *metric.margin, with_class(policy_));
    } else {
      metric.finds = metric.policy_finds;
    }
  }

  void whole_policy(MeasuredSink& sink) const {
    const Shares shares =
        shares_of({halves_.second, with_class(policy_), search_.gates, search_.seed});
    sink.policy_passes = shares.passes;
    sink.policy_fails = shares.fails;
  }

 private:
  Policy with_class(Policy policy) const {
    policy.classes = {class_};
    return policy;
  }

  Policy at_margin(const std::string& metric, double margin) const {
    Policy policy = gating(policy_, {metric});
    MachineClass one{class_.machines, {entry(metric, margin)}};
    policy.classes = {one};
    return policy;
  }

  ClassMargin entry(const std::string& metric, double margin) const {
    const CalibrationRun& run = halves_.first.all;
    return {run.sink, load_text(subject_of_run(run)), metric, margin, 0, "measured"};
  }

  // Whether there are enough calls beyond a quantile to gate it.
  bool is_gated(const std::string& metric, double margin) const {
    const RoundPool pool = with_metrics(halves_.first, {metric});
    if (pool.all.metrics.empty()) return false;
    for (const MetricJudgement& judgement :
         decisions_on(pool.all, at_margin(metric, margin)).judgements) {
      if (judgement.name == metric) return judgement.is_gated();
    }
    return false;
  }

  // Of both sides in the first half.
  double median_of(const std::string& metric) const {
    std::vector<double> values;
    for (const MetricSeries& series : with_metrics(halves_.first, {metric}).all.metrics) {
      for (const std::vector<double>* side : {&series.a, &series.b}) {
        std::copy_if(side->begin(), side->end(), std::back_inserter(values),
                     [](double value) { return !std::isnan(value); });
      }
    }
    return median(values);
  }

  bool passes_alone(const std::string& metric, double margin) const {
    return reaches(search_.passes, Decision::pass,
                   {with_metrics(halves_.first, {metric}), at_margin(metric, margin), search_.gates,
                    search_.seed});
  }

  // With no other metrics than these.
  Shares shares_of_second(const std::vector<std::string>& names) const {
    return shares_of({with_metrics(halves_.second, names), with_class(gating(policy_, names)),
                      search_.gates, search_.seed});
  }

  std::vector<std::string> names_of_new() const {
    std::vector<std::string> names;
    for (const ClassMargin& margin : class_.margins) names.push_back(margin.metric);
    return names;
  }

  std::string worst_of(const std::vector<std::string>& names) const {
    std::string worst;
    double fewest = 2;
    for (const std::string& name : names) {
      const Shares shares = shares_of_second({name});
      const double good = shares.passes - shares.fails;
      if (good >= fewest) continue;
      fewest = good;
      worst = name;
    }
    return worst;
  }

  void drop(const std::string& name, MeasuredSink& sink) {
    std::erase_if(class_.margins, [&](const ClassMargin& margin) { return margin.metric == name; });
    for (MeasuredMargin& metric : sink.metrics) {
      if (metric.metric != name) continue;
      metric.why_none = fmt::format("the second half did not confirm {:g} %", *metric.margin * 100);
      metric.margin.reset();
    }
  }

  std::optional<double> smallest_found(const std::string& metric, double margin,
                                       const Policy& policy) const {
    const auto is_found = [&](double change) {
      return reaches(search_.found, Decision::fail,
                     {halves_.second, policy, search_.found_gates, search_.seed, metric, change});
    };
    double found = margin * 1.25;
    double missed = margin;
    while (!is_found(found)) {
      missed = found;
      found *= 1.5;
      if (found > kLargestChange) return {};
    }
    constexpr double kClose = 1.03;
    while (found / missed > kClose) {
      const double middle = std::sqrt(found * missed);
      (is_found(middle) ? found : missed) = middle;
    }
    return found;
  }

  Halves halves_;
  Policy policy_;
  const MarginSearch& search_;
  MachineClass class_;
};

// A TOML text in quotes, whatever it holds: its escapes are those of JSON.
std::string json_text(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string percent_of_share(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

}  // namespace

std::vector<MeasuredSink> measure_margins(const Calibration& calibration, const Policy& given,
                                          const MarginSearch& search,
                                          const std::function<void(const std::string&)>& progress) {
  Policy policy = given;
  policy.classes.clear();
  std::vector<std::vector<CalibrationRun>> groups;
  for (const CalibrationRun& run : calibration.runs) {
    if (run.planted != kPlantedNothing || run.metrics.empty()) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& runs) {
      return runs.front().sink == run.sink && runs.front().scenario == run.scenario;
    });
    if (group == groups.end()) group = groups.emplace(groups.end());
    group->push_back(run);
  }
  std::vector<MeasuredSink> measured;
  for (const std::vector<CalibrationRun>& runs : groups) {
    Halves halves = halves_of(runs, search.seed);
    const std::size_t needed = policy.looks.rounds.back();
    if (halves.first.rounds < needed || halves.second.rounds < needed) continue;
    MeasuredSink& sink = measured.emplace_back();
    sink.sink = runs.front().sink;
    sink.load = load_text(subject_of_run(runs.front()));
    sink.first_rounds = halves.first.rounds;
    sink.second_rounds = halves.second.rounds;
    sink.first_runs = halves.first_runs;
    sink.layout_spread = policy.layout_spread(subject_of_run(runs.front()));
    SinkSearch of_sink(std::move(halves), policy, search);
    sink.metrics = of_sink.candidates();
    progress(fmt::format("{}: the margins of {} metrics", sink.sink, sink.metrics.size()));
    in_parallel(sink.metrics.size(),
                [&](std::size_t i) { of_sink.search_margin(sink.metrics[i]); });
    of_sink.take(sink.metrics);
    progress(fmt::format("{}: confirming the margins", sink.sink));
    of_sink.confirm(sink);
    of_sink.whole_policy(sink);
    progress(fmt::format("{}: the smallest changes that are found", sink.sink));
    in_parallel(sink.metrics.size(), [&](std::size_t i) { of_sink.find_changes(sink.metrics[i]); });
  }
  return measured;
}

std::string write_machine_class(const std::vector<MeasuredSink>& sinks,
                                const std::string& fingerprint, const std::string& machine,
                                const MarginSearch& search) {
  std::string text = fmt::format(
      "# Margins of a machine class, by 'tailgate selftest gate --margins'; ci/CALIBRATION.md says "
      "how.\n"
      "# A policy reads this file by [gate] class_margins. Its own margins stay the largest.\n"
      "#\n"
      "# Of each sink's runs with nothing planted one half, drawn by seed {}, found the margins: "
      "the\n"
      "# smallest at which {:g} % of {} relabelled gates of the metric alone pass. The other half\n"
      "# confirmed them together: at least {:g} % pass, none fails. 'finds' is the change that "
      "{:g} %\n"
      "# of {} gates on that half find. In these gates {} pairs of layouts in memory change times\n"
      "# by the sink's layout_spread; the margins are for duets of one build, and of two builds "
      "of\n"
      "# so many layouts each.\n\n",
      search.seed, search.passes * 100, search.gates, search.confirmed * 100, search.found * 100,
      search.found_gates, kClassLayouts);
  if (!machine.empty()) text += fmt::format("# {}\n", json_text(machine));
  text += fmt::format("machines = [{}]\n", json_text(fingerprint));
  for (const MeasuredSink& sink : sinks) {
    text += fmt::format(
        "\n# {}, {}, layout_spread {:g}: found on {} rounds,\n"
        "# confirmed on {}. Of the gates with these margins alone {} pass, {} fail; with all\n"
        "# that the policy gates {} pass, {} fail. First half, by start:\n",
        json_text(sink.sink), json_text(sink.load), sink.layout_spread, sink.first_rounds,
        sink.second_rounds, percent_of_share(sink.new_passes), percent_of_share(sink.new_fails),
        percent_of_share(sink.policy_passes), percent_of_share(sink.policy_fails));
    for (const std::string& run : sink.first_runs) text += fmt::format("#   {}\n", json_text(run));
    for (const MeasuredMargin& metric : sink.metrics) {
      if (!metric.margin) {
        text += fmt::format("\n# {}: {}\n", metric.metric, metric.why_none);
        continue;
      }
      text += fmt::format("\n[[margin]]\nsink = {}\nload = {}\nmetric = {}\nmargin = {:g}\n",
                          json_text(sink.sink), json_text(sink.load), json_text(metric.metric),
                          *metric.margin);
      if (metric.finds) text += fmt::format("finds = {:.3g}\n", *metric.finds);
    }
  }
  return text;
}

}  // namespace tailgate
