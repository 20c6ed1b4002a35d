// What the history keeps of a run.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/history/record_maker.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate::history {
namespace {

std::optional<double> mean_of(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(estimate->mean) : std::nullopt;
}

void add_overhead(RecordMaker& maker, const std::vector<RoleOverhead>& roles) {
  for (const RoleOverhead& role : roles) {
    maker.part(role.role);
    maker.add("cpu_ns_per_event", "ns", mean_of(role.cpu_ns_per_event));
    maker.add("machine_percent", "%", mean_of(role.machine_percent));
    maker.add("switches_per_event", "switches", mean_of(role.switches_per_event));
    maker.add("faults_per_event", "faults", mean_of(role.faults_per_event));
    maker.add("written_bytes_per_event", "bytes", mean_of(role.written_bytes_per_event));
  }
  maker.part("");
}

// What became of the events, and how free the machine was, over the step's completed trials.
void add_trials(RecordMaker& maker, const Result& result, unsigned step) {
  double lost = 0;
  double unaccounted = 0;
  std::vector<double> floors;
  std::vector<double> noise;
  for (const Trial& trial : result.trials) {
    if (trial.step != step || trial.outcome != TrialOutcome::completed) continue;
    lost += static_cast<double>(trial.ledger.lost);
    unaccounted += static_cast<double>(trial.ledger.unaccounted);
    floors.push_back(trial.floor.loop_ns);
    noise.push_back(trial.noise.lost_share);
  }
  if (floors.empty()) return;
  maker.add("lost_events", "events", lost);
  maker.add("unaccounted_events", "events", unaccounted);
  maker.add("floor_loop_ns", "ns", median(floors));
  maker.add("noise_lost_share", "share", median(noise));
}

// Time of the traced trials' slow calls by cause, for each slow call.
void add_causes(RecordMaker& maker, const Result& result, unsigned step) {
  std::map<std::string, double> time_ns;
  double calls = 0;
  for (const Trial& trial : result.traced) {
    if (trial.step != step || !trial.explanation) continue;
    for (const ExplainedTail& tail : trial.explanation->tails) {
      if (tail.measure != "response") continue;
      calls += static_cast<double>(tail.calls);
      for (const CauseTime& cause : tail.causes) {
        time_ns[cause.cause] += static_cast<double>(cause.time_ns);
      }
    }
  }
  if (calls == 0) return;
  for (const auto& [cause, time] : time_ns) {
    maker.part(cause);
    maker.add("cause_ns_per_slow_call", "ns", time / calls);
  }
  maker.part("");
}

void add_step(Record& record, const Result& result, const StepSummary& step) {
  const auto planned = std::find_if(result.trials.begin(), result.trials.end(),
                                    [&](const Trial& trial) { return trial.step == step.step; });
  Series series = series_of(record);
  if (planned != result.trials.end()) series.load = load_text(planned->load);
  RecordMaker maker(record, series);
  maker.add("response_ns", step.response);
  maker.add("service_ns", step.service);
  if (step.delivery) maker.add("delivery_ns", *step.delivery);
  if (step.trials > 0) maker.add("achieved_rate_hz", "events/s", step.achieved_rate_hz);
  maker.add("victim_slowdown_percent", "%", mean_of(step.victim_slowdown_percent));
  add_overhead(maker, step.overhead);
  add_trials(maker, result, step.step);
  add_causes(maker, result, step.step);
}

}  // namespace

Record record_of(const Result& result, const std::string& origin) {
  Record record;
  record.kind = Kind::result;
  record.id = result.id;
  record.progress = time_of(result.finished_utc, "finished_utc", origin);
  record.started_ms = time_of(result.started_utc, "started_utc", origin);
  record.fingerprint = result.machine.fingerprint;
  record.outcome = result.complete ? "complete" : "partial";
  record.label = result.label;
  record.revision = result.build.revision;
  record.version = result.build.version;
  record.environment = environment_of(result.machine, result.build);
  record.scenario = result.scenario.name;
  record.preset = result.scenario.preset;
  record.sink = result.sink.label;
  // The steps of a scenario's question are parts of its answer, several of them of one load.
  if (result.answer) return record;
  for (const StepSummary& step : result.summary) add_step(record, result, step);
  return record;
}

}  // namespace tailgate::history
