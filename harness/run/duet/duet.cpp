#include "harness/run/duet/duet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/os/process.h"
#include "harness/result/latency.h"
#include "harness/trial/collector.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

Capabilities capabilities_of(const DuetSubjectRequest& subject) {
  const SinkChoice& sink = subject.side.sink;
  return sink.type->capabilities(sink.options);
}

// If one side needs drains, both get them, so that their turns have the same length.
bool needs_drain(const DuetRequest& request) {
  const auto needs = [](const Capabilities& can) { return can.asynchronous || can.deferred_work; };
  return needs(capabilities_of(request.a)) || needs(capabilities_of(request.b));
}

TurnPlan turns_of(const DuetRequest& request) {
  return common_turns(request.a.side.load, request.b.side.load, needs_drain(request),
                      request.wishes);
}

DuetSubject describe_subject(const DuetSubjectRequest& request, const TurnPlan& turns) {
  const SinkChoice& sink = request.side.sink;
  return {.label = request.label.empty() ? sink.text : request.label,
          .program = request.side.program.string(),
          .build = request.build,
          .sink = describe_sink(sink),
          .scenario = request.scenario,
          .load = describe_load(load_in_turns(request.side.load, turns)),
          .granted = {}};
}

class Runner {
 public:
  Runner(const DuetRequest& request, const Environment& environment, DuetObserver& observer)
      : request_(request),
        environment_(environment),
        settings_(settings_for(request.b.side.sink,
                               settings_for(request.a.side.sink, environment.trial))),
        observer_(observer),
        turns_(turns_of(request)),
        drift_(Clock(settings_.clock)),
        began_(std::chrono::steady_clock::now()) {
    duet_.id = random_id();
    duet_.started_utc = utc_now();
    duet_.label = environment.label;
    duet_.a = describe_subject(request.a, turns_);
    duet_.b = describe_subject(request.b, turns_);
    duet_.placement = environment.placement;
    duet_.machine = environment.machine;
    duet_.build = environment.build;
    duet_.seed = request.seed;
    duet_.planned_rounds = request.rounds;
    duet_.turn_ns = turns_.length_ns;
    duet_.turns = turns_.count - turns_.warmup;
    duet_.warmup_turns = turns_.warmup;
    duet_.dropped_per_turn = kDroppedPerTurn;
    duet_.drain = needs_drain(request) ? "delivered" : "none";
    duet_.classified = "none";
    refresh();
  }

  Duet run() {
    unsigned failed = 0;
    bool full = false;
    while (!duet_.complete && failed < kMaxFailedRounds && !full) {
      RoundOutcome outcome = run_next();
      if (outcome.interrupted) break;
      if (outcome.round.a.outcome != TrialOutcome::completed ||
          outcome.round.b.outcome != TrialOutcome::completed) {
        ++failed;
      }
      if (duet_.rounds.empty()) {
        duet_.a.granted = std::move(outcome.granted_a);
        duet_.b.granted = std::move(outcome.granted_b);
        if (outcome.classified) duet_.classified = "switches";
      }
      duet_.rounds.push_back(std::move(outcome.round));
      if (failed == kMaxFailedRounds) {
        duet_.remarks.push_back({fmt::format("the duet was ended after {} failed rounds", failed),
                                 "see the rounds' remarks for the causes"});
      }
      duet_.complete = failed < kMaxFailedRounds &&
                       (duet_.rounds.size() == request_.rounds || observer_.enough(duet_));
      full = !duet_.complete && observer_.full(duet_);
      if (full) {
        duet_.remarks.push_back(
            {"the duet ended early, because it is as large as it may be", "use less of --rounds"});
      }
      refresh();
      observer_.round_ended(duet_);
    }
    return std::move(duet_);
  }

 private:
  RoundOutcome run_next() {
    const auto index = static_cast<unsigned>(duet_.rounds.size());
    const RoundPlan plan = {
        .a = request_.a.side,
        .b = request_.b.side,
        .settings = settings_,
        .turns = turns_,
        .drained = needs_drain(request_),
        .order = round_order(request_.seed, index, duet_.turns, duet_.warmup_turns),
        .directory = environment_.scratch / fmt::format("round-{}", index)};
    RoundOutcome outcome = run_round(plan, [this](const RoundProgress& progress) {
      observer_.progress(duet_, progress, left_s());
    });
    outcome.round.index = index;
    return outcome;
  }

  // Estimates the time left from the mean duration of the rounds so far.
  double left_s() const {
    if (duet_.rounds.empty()) return 0;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
    const auto done = static_cast<double>(duet_.rounds.size());
    return std::max(0.0, elapsed.count() * (request_.rounds / done - 1));
  }

  void refresh() {
    duet_.finished_utc = utc_now();
    duet_.clock = describe_clock(settings_.clock, drift_.read());
  }

  const DuetRequest& request_;
  const Environment& environment_;
  TrialSettings settings_;  // one clock for both sides
  DuetObserver& observer_;
  TurnPlan turns_;
  DriftMeter drift_;
  std::chrono::steady_clock::time_point began_;
  Duet duet_;
};

// Another build may not know the clock of programs in other languages, and would read another one.
void check_builds(const DuetSubjectRequest& subject, const DuetSubjectRequest& other) {
  for (const SinkChoice& sink : {subject.side.sink, other.side.sink}) {
    const std::string language = sink.type->capabilities(sink.options).driver_language;
    if (subject.side.program.empty() || language.empty()) continue;
    throw Error(fmt::format("'{}' cannot run a side of this duet: sink '{}' is driven in {}, by "
                            "a clock that other builds of tailgate need not know",
                            subject.side.program.string(), sink.text, language),
                "let this program run both sides");
  }
}

}  // namespace

void check_duet(const DuetRequest& request, const Environment& environment) {
  for (const DuetSubjectRequest* subject : {&request.a, &request.b}) {
    const SinkChoice& sink = subject->side.sink;
    const Probe probe = sink.type->probe(sink.options);
    if (!probe.available) {
      throw Error(fmt::format("sink '{}' is not available: {}", sink.text, probe.reason),
                  probe.remedy);
    }
    consumer_mode(sink, environment.trial.consumer);
    check_load(subject->side.load);
  }
  check_builds(request.a, request.b);
  check_builds(request.b, request.a);
  turns_of(request);
}

Duet run_duet(const DuetRequest& request, const Environment& environment, DuetObserver& observer) {
  check_duet(request, environment);
  return Runner(request, environment, observer).run();
}

}  // namespace tailgate
