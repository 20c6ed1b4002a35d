#include "harness/gate/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/parallel.h"
#include "harness/gate/gate.h"
#include "harness/gate/metrics.h"
#include "harness/gate/relabelling.h"
#include "harness/gate/round_facts.h"
#include "harness/gate/validity.h"

namespace tailgate {
namespace {

constexpr double kCalibrationConfidence = 0.95;
// No metric comes near it, and effects of smaller values are finite.
constexpr double kLargestValue = 1e18;

using SinkAndLoad = std::pair<std::string, std::string>;

std::vector<SinkAndLoad> subjects_of(const Calibration& calibration) {
  std::vector<SinkAndLoad> subjects;
  for (const CalibrationRun& run : calibration.runs) {
    const SinkAndLoad subject(run.sink, run.scenario);
    if (std::find(subjects.begin(), subjects.end(), subject) == subjects.end()) {
      subjects.push_back(subject);
    }
  }
  return subjects;
}

std::string machine_text(const Machine& machine) {
  return fmt::format("{} x {}, hypervisor {}, {}", machine.logical_cpus, machine.cpu_model,
                     machine.hypervisor, machine.kernel);
}

CalibrationRow& row_of(const CalibrationRun& run, std::vector<CalibrationRow>& rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CalibrationRow& row) {
    return row.sink == run.sink && row.load == run.scenario && row.planted == run.planted;
  });
  if (found != rows.end()) return *found;
  CalibrationRow& row = rows.emplace_back();
  row.sink = run.sink;
  row.load = run.scenario;
  row.planted = run.planted;
  return row;
}

// One sink's rows of relabelled(), before any gate is decided.
std::vector<RelabelledRow> rows_to_fill(const RoundPool& pool, const Policy& policy) {
  RelabelledRow nothing;
  nothing.sink = pool.all.sink;
  nothing.load = pool.all.scenario;
  nothing.rounds = pool.rounds;
  std::vector<RelabelledRow> rows = {nothing};
  const DuetSubject subject = subject_of_run(pool.all);
  for (const MetricJudgement& judgement : decisions_on(pool.all, policy).judgements) {
    const MetricKind* kind = find_metric(judgement.name);
    if (!judgement.is_gated() || kind->effect != EffectKind::ratio) continue;
    RelabelledRow row = nothing;
    row.worse = judgement.name;
    row.worse_by = kind->tail_share > 0 ? policy.rule(*kind, subject).find : 2 * judgement.margin;
    rows.push_back(row);
  }
  return rows;
}

// Rare and short to rare and long: 5 ms is a wait for storage, 100 ms a rotation or a collection.
constexpr PlantedStall kStalls[] = {{5, 1}, {5, 3}, {5, 10}, {100, 3}, {100, 10}, {100, 30}};

void add_stall_rows(const RoundPool& pool, const Policy& policy, std::vector<RelabelledRow>& rows) {
  const auto judgements = decisions_on(pool.all, policy).judgements;
  const auto slow_calls = std::find_if(
      judgements.begin(), judgements.end(),
      [](const MetricJudgement& judgement) { return judgement.name == "calls_over_1ms"; });
  if (slow_calls == judgements.end() || !slow_calls->is_gated()) return;
  for (const PlantedStall& stall : kStalls) {
    RelabelledRow row = rows.front();
    row.stall = stall;
    rows.push_back(row);
  }
}

void decide_gates(const RoundPool& pool, const Policy& policy, std::size_t gates,
                  std::uint64_t seed, RelabelledRow& row) {
  std::mt19937_64 random(seed);
  for (; row.gates < gates; ++row.gates) {
    CalibrationRun run = draw_gate(pool, policy, random);
    worsen(row.worse, row.worse_by, run);
    if (row.stall) add_stalls(*row.stall, random, run);
    const Decision decision = decisions_on(run, policy).decision.decision;
    row.pass += decision == Decision::pass ? 1 : 0;
    row.fail += decision == Decision::fail ? 1 : 0;
  }
  row.failed = binomial_interval(row.fail, row.gates, kCalibrationConfidence);
}

// Throws Error when an effect of a round cannot be computed: a record may have been edited.
void check_values(const CalibrationRun& run) {
  const auto is_usable = [](double number) { return std::abs(number) <= kLargestValue; };
  for (const MetricSeries& series : run.metrics) {
    const MetricKind* kind = find_metric(series.name);
    if (kind == nullptr) continue;
    const std::vector<double> effects = effects_of(series, kind->effect);
    bool usable = true;
    bool any = effects.empty();
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const bool none = std::isnan(series.a[i]) && std::isnan(series.b[i]);
      any = any || !none;
      usable =
          usable &&
          (none || (is_usable(series.a[i]) && is_usable(series.b[i]) && is_usable(effects[i])));
    }
    if (!usable || !any) {
      throw Error(fmt::format("the run of '{}' at {} has values of {} that cannot be compared",
                              run.sink, run.started_utc, series.name),
                  "copy the record again from where it was made, or run again");
    }
  }
}

}  // namespace

CalibrationRun calibration_run(const Duet& duet, const Verdict& verdict, const std::string& sink,
                               const std::string& planted, double duration_s) {
  CalibrationRun run;
  run.sink = sink;
  run.planted = planted;
  run.scenario = load_text(duet.b);
  run.started_utc = duet.started_utc;
  run.seed = duet.seed;
  run.revision = duet.build.revision;
  run.fingerprint = duet.machine.fingerprint;
  run.machine = machine_text(duet.machine);
  run.duration_s = duration_s;
  run.tail_events = round_load(duet).calls;
  run.outcome = enum_text(verdict.outcome);
  run.outcome_detail = verdict.reasons.empty() ? "" : verdict.reasons.front().what;
  run.by_rule = verdict.outcome == VerdictOutcome::invalid || !hard_failures(duet).empty();
  run.rounds_used = verdict.rounds_used;
  run.metrics = metric_series(duet);
  run.facts = fact_series(duet);
  return run;
}

Calibration joined(const std::vector<Calibration>& records) {
  Calibration all;
  // started_utc counts whole seconds. A duet takes longer than one, so no two runs share it.
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Calibration& record : records) {
    for (const CalibrationRun& run : record.runs) {
      if (!seen.emplace(run.fingerprint, run.started_utc, run.sink).second) {
        throw Error(
            fmt::format("the run of '{}' at {} is recorded twice", run.sink, run.started_utc),
            "give each record once, and no copies");
      }
      check_values(run);
      all.runs.push_back(run);
    }
  }
  return all;
}

std::string outcome_under(const CalibrationRun& run, const Policy& policy) {
  if (run.by_rule || run.metrics.empty()) return run.outcome;
  const Decision decision = decisions_on(run, policy).decision.decision;
  return std::string(enum_text(decision == Decision::pass   ? VerdictOutcome::pass
                               : decision == Decision::fail ? VerdictOutcome::fail
                                                            : VerdictOutcome::inconclusive));
}

std::vector<CalibrationRow> summarize(const Calibration& calibration, const Policy& policy) {
  std::vector<CalibrationRow> rows;
  for (const CalibrationRun& run : calibration.runs) {
    CalibrationRow& row = row_of(run, rows);
    const auto outcome = enum_value<VerdictOutcome>(outcome_under(run, policy));
    ++row.runs;
    row.pass += outcome == VerdictOutcome::pass ? 1 : 0;
    row.fail += outcome == VerdictOutcome::fail ? 1 : 0;
    row.inconclusive += outcome == VerdictOutcome::inconclusive ? 1 : 0;
    row.invalid += outcome == VerdictOutcome::invalid ? 1 : 0;
    row.mean_rounds += static_cast<double>(run.rounds_used);
    row.mean_duration_s += run.duration_s;
  }
  for (CalibrationRow& row : rows) {
    row.mean_rounds /= static_cast<double>(row.runs);
    row.mean_duration_s /= static_cast<double>(row.runs);
    row.failed = binomial_interval(row.fail, row.runs, kCalibrationConfidence);
    row.passed = binomial_interval(row.pass, row.runs, kCalibrationConfidence);
  }
  const std::vector<SinkAndLoad> subjects = subjects_of(calibration);
  std::stable_sort(rows.begin(), rows.end(), [&](const CalibrationRow& x, const CalibrationRow& y) {
    const auto key = [&](const CalibrationRow& row) {
      const auto at = std::find(subjects.begin(), subjects.end(), SinkAndLoad(row.sink, row.load));
      return std::pair(at, row.planted != kPlantedNothing);
    };
    return key(x) < key(y);
  });
  return rows;
}

std::vector<RelabelledRow> relabelled(const Calibration& calibration, const Policy& policy,
                                      std::size_t gates, std::uint64_t seed) {
  if (gates == 0) return {};
  std::vector<RoundPool> pools;
  std::vector<std::pair<std::size_t, RelabelledRow>> rows;  // each with its pool
  for (const auto& [sink, load] : subjects_of(calibration)) {
    const RoundPool& pool = pools.emplace_back(pool_of_equal(calibration, sink, load));
    if (pool.rounds < policy.looks.rounds.front() || pool.all.metrics.empty()) continue;
    std::vector<RelabelledRow> of_sink = rows_to_fill(pool, policy);
    add_stall_rows(pool, policy, of_sink);
    for (RelabelledRow& row : of_sink) rows.emplace_back(pools.size() - 1, std::move(row));
  }
  in_parallel(rows.size(), [&](std::size_t i) {
    auto& [pool, row] = rows[i];
    const bool nothing = row.worse.empty() && !row.stall;
    decide_gates(pools[pool], policy, nothing ? gates : (gates + 9) / 10, seed, row);
  });
  std::vector<RelabelledRow> filled;
  for (auto& [pool, row] : rows) filled.push_back(std::move(row));
  return filled;
}

}  // namespace tailgate
