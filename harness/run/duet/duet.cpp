#include "harness/run/duet/duet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/os/process.h"
#include "harness/result/latency.h"
#include "harness/run/duet/resume.h"
#include "harness/trial/collector.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

// A stall of 100 ms meets a probe, also where the turns of 50 ms and their drains are in between.
constexpr std::chrono::milliseconds kProbeInterval{40};

Capabilities capabilities_of(const DuetSubjectRequest& subject) {
  const SinkChoice& sink = subject.side.sink;
  return sink.type->capabilities(sink.options);
}

DuetSubject describe_subject(const DuetSubjectRequest& request, const TurnPlan& turns) {
  const SinkChoice& sink = request.side.sink;
  return {.label = request.label.empty() ? sink.text : request.label,
          .program = request.side.program.string(),
          .build = request.build,
          .sink = describe_sink(sink),
          .scenario = request.scenario,
          .load = describe_load(load_in_turns(request.side.load, turns)),
          .granted = {},
          .layouts = layouts_used(request.layouts)};
}

bool has_failed(const DuetRound& round) {
  return round.a.outcome != TrialOutcome::completed || round.b.outcome != TrialOutcome::completed;
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
        layouts_(request.a.layouts, request.b.layouts, request.seed),
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
    duet_.long_rounds = request.long_rounds;
    duet_.generation_rounds = request.generation_rounds;
    duet_.turn_ns = turns_.length_ns;
    duet_.turns = turns_.count - turns_.warmup;
    duet_.warmup_turns = turns_.warmup;
    duet_.dropped_per_turn = kDroppedPerTurn;
    duet_.drain = needs_drain(request) ? "delivered" : "none";
    duet_.classified = "none";
    if (request.earlier != nullptr) go_on_after(duet_, *request.earlier);
    begin_part(duet_);
    failed_ =
        static_cast<unsigned>(std::count_if(duet_.rounds.begin(), duet_.rounds.end(), has_failed));
    refresh();
  }

  Duet run() {
    while (!is_over()) run_generation();
    return std::move(duet_);
  }

 private:
  // A round that other rounds run between.
  struct LongRound {
    std::unique_ptr<Round> round;
    unsigned index;
    std::optional<RoundOutcome> outcome = {};  // once it has ended
  };

  bool is_over() const {
    return duet_.complete || failed_ >= kMaxFailedRounds || full_ || InterruptFlag::raised();
  }

  // Long rounds begin first and are numbered and recorded last.
  void run_generation() {
    const Generation generation =
        plan_generation(rounds_to_look(), request_.long_rounds, request_.generation_rounds);
    const unsigned first = duet_.rounds.empty() ? 0 : duet_.rounds.back().index + 1;
    for (unsigned i = first + generation.fresh; i < first + generation.rounds(); ++i) {
      if (is_over()) break;
      std::unique_ptr<Round> round = begin_round(i, generation.fresh);
      long_rounds_.push_back({std::move(round), i});
      end_if_failed(long_rounds_.back());
    }
    for (unsigned i = first; i < first + generation.fresh && !is_over(); ++i) {
      const std::unique_ptr<Round> fresh = begin_round(i, 1);
      fresh->visit();
      RoundOutcome outcome = end_round(*fresh, i);
      rounds_run_ += 1;
      for (LongRound& one : long_rounds_) visit(one, generation);
      record(std::move(outcome));
    }
    end_generation(std::exchange(long_rounds_, {}));
  }

  void visit(LongRound& one, const Generation& generation) {
    if (one.outcome || InterruptFlag::raised()) return;
    one.round->visit();
    rounds_run_ += 1.0 / generation.fresh;
    end_if_failed(one);
  }

  // Between turns and during waits of other rounds. A stall that comes by the clock rarely falls
  // into a visit.
  void probe_long_rounds() {
    const auto now = std::chrono::steady_clock::now();
    if (now - probed_ < kProbeInterval || InterruptFlag::raised()) return;
    for (LongRound& one : long_rounds_) {
      if (!one.outcome) one.round->probe();
    }
    probed_ = std::chrono::steady_clock::now();
  }

  // At once, so that what has failed does not wait beside the other rounds.
  void end_if_failed(LongRound& one) const {
    if (one.round->has_failed()) one.outcome = end_round(*one.round, one.index);
  }

  void end_generation(std::vector<LongRound> long_rounds) {
    std::size_t left_out = 0;
    for (LongRound& one : long_rounds) {
      const bool ended = one.round->has_failed() || one.round->has_had_all_turns();
      if (!one.outcome && ended && !InterruptFlag::raised()) {
        one.outcome = end_round(*one.round, one.index);
      }
      if (!one.outcome) one.round->abandon();
      if (one.outcome && !one.outcome->interrupted && !full_ && failed_ < kMaxFailedRounds) {
        record(std::move(*one.outcome));
      } else {
        ++left_out;
      }
    }
    if (left_out == 0) return;
    duet_.remarks.push_back(
        {fmt::format("the duet ended before {} long rounds did, which are left out", left_out),
         "nothing: its other rounds are whole"});
    refresh();
  }

  unsigned rounds_to_look() const {
    const auto planned = request_.rounds - static_cast<unsigned>(duet_.rounds.size());
    const unsigned completed = static_cast<unsigned>(duet_.rounds.size()) - failed_;
    const auto look = std::upper_bound(request_.looks.begin(), request_.looks.end(), completed);
    return look == request_.looks.end() ? planned : std::min(planned, *look - completed);
  }

  std::unique_ptr<Round> begin_round(unsigned index, unsigned visits) {
    auto round = std::make_unique<Round>(
        RoundPlan{.a = request_.a.side,
                  .b = request_.b.side,
                  .settings = settings_,
                  .turns = turns_,
                  .drained = needs_drain(request_),
                  .order = round_order(request_.seed, index, duet_.turns, duet_.warmup_turns),
                  .visits = visits,
                  .directory = environment_.scratch / fmt::format("round-{}", index),
                  .between_turns = [this] { probe_long_rounds(); }},
        [this](const RoundProgress& progress) {
          observer_.progress(duet_, progress, left_s());
          probe_long_rounds();
        });
    layouts_.place(index);  // its processes start now
    round->begin();
    return round;
  }

  RoundOutcome end_round(Round& round, unsigned index) const {
    RoundOutcome outcome = round.end();
    outcome.round.index = index;
    outcome.round.layout_pair = layouts_.pair_of(index);
    return outcome;
  }

  // Estimates the time left from the mean duration of the rounds so far.
  double left_s() const {
    if (rounds_run_ <= 0) return 0;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
    const double before =
        request_.earlier != nullptr ? static_cast<double>(request_.earlier->rounds.size()) : 0;
    return std::max(0.0, elapsed.count() * ((request_.rounds - before) / rounds_run_ - 1));
  }

  // Adds a round to the duet, and finds out whether others are to follow. Does nothing for a round
  // that the user interrupted.
  void record(RoundOutcome outcome) {
    if (outcome.interrupted) return;
    const DuetRound& round = outcome.round;
    failed_ += has_failed(round) ? 1 : 0;
    if (duet_.rounds.empty()) {
      duet_.a.granted = std::move(outcome.granted_a);
      duet_.b.granted = std::move(outcome.granted_b);
      if (outcome.classified) duet_.classified = "switches";
      if (!outcome.why_calls_not_counted.empty()) {
        duet_.remarks.push_back({"system calls were not counted: " + outcome.why_calls_not_counted,
                                 "compare the other metrics"});
      }
    }
    duet_.rounds.push_back(std::move(outcome.round));
    if (!duet_.complete) decide_whether_over();
    refresh();
    observer_.round_ended(duet_);
  }

  void decide_whether_over() {
    if (failed_ == kMaxFailedRounds) {
      duet_.remarks.push_back({fmt::format("the duet was ended after {} failed rounds", failed_),
                               "see the rounds' remarks for the causes"});
      return;
    }
    duet_.complete = duet_.rounds.size() == request_.rounds || observer_.enough(duet_);
    full_ = !duet_.complete && observer_.full(duet_);
    if (full_) {
      duet_.remarks.push_back(
          {"the duet ended early, because it is as large as it may be", "use less of --rounds"});
    }
  }

  void refresh() {
    duet_.finished_utc = utc_now();
    duet_.parts->back().stopped = duet_.complete || full_ || failed_ == kMaxFailedRounds;
    duet_.parts->back().rounds = static_cast<unsigned>(duet_.rounds.size());
    duet_.clock = describe_clock(settings_.clock, drift_.read());
  }

  const DuetRequest& request_;
  const Environment& environment_;
  TrialSettings settings_;  // one clock for both sides
  DuetObserver& observer_;
  TurnPlan turns_;
  DriftMeter drift_;
  PlacedLayouts layouts_;
  std::chrono::steady_clock::time_point began_;
  double rounds_run_ = 0;  // with the parts of long ones
  unsigned failed_ = 0;    // rounds in which a side did not complete
  bool full_ = false;
  std::vector<LongRound> long_rounds_;  // of this generation, once they have begun
  std::chrono::steady_clock::time_point probed_;
  Duet duet_;
};

// Programs in other languages take turns with one thread.
void check_threads(const DuetSubjectRequest& subject) {
  const SinkChoice& sink = subject.side.sink;
  const std::string language = sink.type->capabilities(sink.options).driver_language;
  const std::uint32_t threads = subject.side.load.threads;
  if (threads == 1 || language.empty()) return;
  throw Error(fmt::format("sink '{}' is driven in {}, with one thread in a duet, but threads = {}",
                          sink.text, language, threads),
              "set threads=1; compare more threads with 'tailgate run'");
}

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

bool needs_drain(const DuetRequest& request) {
  const auto needs = [](const Capabilities& can) { return can.asynchronous || can.deferred_work; };
  return needs(capabilities_of(request.a)) || needs(capabilities_of(request.b));
}

TurnPlan turns_of(const DuetRequest& request) {
  return common_turns(request.a.side.load, request.b.side.load, needs_drain(request),
                      request.wishes);
}

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
    check_sink_load(sink, subject->side.load);
    check_threads(*subject);
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
