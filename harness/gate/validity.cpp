#include "harness/gate/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/gate/comparable.h"
#include "harness/gate/metrics.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

// Sums and counts of one side over all rounds.
struct SideTotal {
  std::uint64_t emitted = 0;
  std::uint64_t lost = 0;
  std::uint64_t rounds_lost = 0;
  std::uint64_t rounds_unaccounted = 0;
  std::int64_t unaccounted = 0;
  std::uint64_t rounds_missed = 0;
  std::uint64_t rounds_broken = 0;  // neither completed nor interrupted by the user
  std::uint64_t rounds_unchecked = 0;
  std::uint64_t drains = 0;
  std::uint64_t drains_cut_short = 0;
  std::string first_break;
  std::vector<double> carry_over;

  double lost_share() const {
    return emitted == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(emitted);
  }
};

SideTotal total_of(const Duet& duet, DuetSide DuetRound::*side_of) {
  SideTotal total;
  for (const DuetRound& round : duet.rounds) {
    const DuetSide& side = round.*side_of;
    if (side.outcome == TrialOutcome::interrupted) continue;
    if (side.outcome != TrialOutcome::completed) {
      ++total.rounds_broken;
      if (total.first_break.empty()) {
        total.first_break =
            side.outcome_detail.empty()
                ? std::string(enum_text(side.outcome))
                : fmt::format("{}: {}", enum_text(side.outcome), side.outcome_detail);
      }
      continue;
    }
    total.emitted += side.ledger.emitted;
    total.lost += side.ledger.lost;
    total.rounds_lost += side.ledger.lost > 0 ? 1 : 0;
    total.unaccounted += side.ledger.unaccounted;
    total.rounds_unaccounted += side.ledger.unaccounted != 0 ? 1 : 0;
    total.rounds_unchecked += side.ledger.checked ? 0 : 1;
    total.rounds_missed += side.rate_missed ? 1 : 0;
    total.drains += side.drains;
    total.drains_cut_short += side.drains_cut_short;
    if (side.carry_over) total.carry_over.push_back(*side.carry_over);
  }
  return total;
}

bool misses_too_often(const SideTotal& side, const Duet& duet, const Policy& policy) {
  return static_cast<double>(side.rounds_missed) >
         policy.most_missed_rounds * static_cast<double>(duet.rounds.size());
}

// The same load, for as long.
bool is_whole_load_same(const Load& a, const Load& b) {
  return is_same_load(a, b) && a.duration_s == b.duration_s && a.events == b.events;
}

// The same label, or the same sink with the same values of all options.
bool is_same_sink(const SinkUsed& a, const SinkUsed& b) {
  if (a.label == b.label) return true;
  if (a.name != b.name || a.options.size() != b.options.size()) return false;
  for (std::size_t i = 0; i < a.options.size(); ++i) {
    if (a.options[i].name != b.options[i].name || a.options[i].value != b.options[i].value) {
      return false;
    }
  }
  return true;
}

bool is_same_build(const Build& a, const Build& b) {
  return a.revision == b.revision && a.dirty == b.dirty && a.compiler == b.compiler &&
         a.flags == b.flags && a.type == b.type;
}

// Sides may differ in their builds, whatever changed in these, or in the sink: one at a time, or
// nobody knows whose an effect is.
bool differs_twice(const DuetSubject& a, const DuetSubject& b) {
  return !is_same_sink(a.sink, b.sink) && !is_same_build(a.build, b.build);
}

void add_configuration(const Duet& duet, const Policy& policy, std::vector<Remark>& reasons) {
  if (!duet.label.empty()) {
    reasons.push_back({fmt::format("its use is restricted: {}", duet.label),
                       "measure on the system that the figures shall speak for"});
  } else if (duet.machine.os.find("Wine") != std::string::npos) {
    reasons.push_back({fmt::format("it was measured under '{}'", duet.machine.os),
                       "measure on Windows: figures under Wine speak for nothing else"});
  }
  if (!is_whole_load_same(duet.a.load, duet.b.load)) {
    reasons.push_back(
        {"the sides were given different loads", "give both the same scenario and settings"});
  }
  if (differs_twice(duet.a, duet.b)) {
    reasons.push_back({"the sides differ in their builds and in the sink or its options",
                       "change one at a time: an effect could not be told whose it is"});
  }
  const bool dirty = duet.a.build.dirty || duet.b.build.dirty;
  if (dirty && !policy.allow_dirty_builds) {
    reasons.push_back({"a side was built from uncommitted changes, which the policy forbids",
                       "commit and build again, or set allow_dirty_builds = true"});
  }
}

void add_ledger(const SideTotal& side, const char* name, std::vector<Remark>& reasons) {
  if (side.rounds_unaccounted == 0) return;
  reasons.push_back({fmt::format("side {}: {} events unaccounted for, in {} rounds", name,
                                 side.unaccounted, side.rounds_unaccounted),
                     "find out where they went: figures of events that vanish mean nothing"});
}

// What else than the source differs between the builds.
void add_build_remark(const Duet& duet, std::vector<Remark>& remarks) {
  const auto add = [&remarks](const char* what, const std::string& a, const std::string& b) {
    if (a == b) return;
    remarks.push_back({fmt::format("the builds differ in {}: A '{}', B '{}'", what, a, b),
                       "nothing, if that is a part of the change"});
  };
  add("the compiler", duet.a.build.compiler, duet.b.build.compiler);
  add("its flags", duet.a.build.flags, duet.b.build.flags);
  add("the build type", duet.a.build.type, duet.b.build.type);
}

void add_carry_over(const SideTotal& side, const char* name, std::vector<Remark>& remarks) {
  if (side.carry_over.empty()) return;
  constexpr double kNoticeable = 0.05;
  const QuantileInterval interval = quantile_interval(side.carry_over, 0.5, 0.95);
  const bool slower = interval.low && *interval.low > kNoticeable;
  const bool faster = interval.high && *interval.high < -kNoticeable;
  if (!slower && !faster) return;
  remarks.push_back(
      {fmt::format("side {}'s turns begin {:.0f} % {} after a turn of the other side than after "
                   "one of its own",
                   name, std::abs(std::expm1(interval.estimate)) * 100,
                   slower ? "slower" : "faster"),
       "make the turns longer, so that what one side leaves behind weighs less"});
}

// A metric that one side lacks in more rounds than may miss their rate must not go unjudged.
void add_one_sided_metrics(const Duet& duet, const Policy& policy, std::vector<Remark>& reasons) {
  for (const MetricKind& kind : metric_kinds()) {
    if (!policy.rule(kind, duet.b).gate) continue;
    const MeasuredRounds measured = measured_rounds(duet, kind);
    const auto apart =
        static_cast<double>(std::max(measured.a, measured.b) - std::min(measured.a, measured.b));
    if (apart <= policy.most_missed_rounds * static_cast<double>(measured.all)) continue;
    reasons.push_back(
        {fmt::format("{} was measured on side A in {} and on side B in {} of {} rounds", kind.name,
                     measured.a, measured.b, measured.all),
         "find out why one side lacks it, or set gate = false for it"});
  }
}

}  // namespace

std::vector<Remark> reasons_not_to_judge(const Duet& duet, const Policy& policy) {
  std::vector<Remark> reasons;
  add_configuration(duet, policy, reasons);
  const SideTotal a = total_of(duet, &DuetRound::a);
  const SideTotal b = total_of(duet, &DuetRound::b);
  add_ledger(a, "A", reasons);
  add_ledger(b, "B", reasons);
  if (a.rounds_broken > 0) {
    reasons.push_back({fmt::format("side A did not run to its end in {} rounds ({})",
                                   a.rounds_broken, a.first_break),
                       "make the sink work first; 'tailgate run' shows the error by itself"});
  }
  add_one_sided_metrics(duet, policy, reasons);
  if (misses_too_often(a, duet, policy)) {
    reasons.push_back({fmt::format("side A missed its rate in {} of {} rounds", a.rounds_missed,
                                   duet.rounds.size()),
                       "lower the rate to one that the sink can hold on this machine"});
  }
  return reasons;
}

std::vector<Remark> losses_too_large(const Duet& duet) {
  constexpr double kMostLost = 0.01;
  const SideTotal a = total_of(duet, &DuetRound::a);
  const SideTotal b = total_of(duet, &DuetRound::b);
  if (std::min(a.lost_share(), b.lost_share()) <= kMostLost) return {};
  return {{fmt::format("both sides lost more than {:g} % of their events: A {:.3g} %, B {:.3g} %",
                       kMostLost * 100, a.lost_share() * 100, b.lost_share() * 100),
           "lower the rate or enlarge the sink's buffers: times of the events that remain are not "
           "comparable"}};
}

std::vector<Remark> hard_failures(const Duet& duet) {
  std::vector<Remark> failures;
  const SideTotal a = total_of(duet, &DuetRound::a);
  const SideTotal b = total_of(duet, &DuetRound::b);
  if (b.rounds_broken > 0 && a.rounds_broken == 0) {
    failures.push_back({fmt::format("side B did not run to its end in {} rounds ({}); side A did",
                                    b.rounds_broken, b.first_break),
                        "find the error: 'tailgate run' with side B's sink shows it by itself"});
  }
  if (b.lost > 0 && a.lost == 0) {
    failures.push_back(
        {fmt::format("side B lost {} events in {} rounds; side A lost none", b.lost, b.rounds_lost),
         "lost events are never tolerated: find what discards them"});
  }
  return failures;
}

std::vector<Remark> missed_rate_of_b(const Duet& duet, const Policy& policy) {
  const SideTotal b = total_of(duet, &DuetRound::b);
  const bool gated = policy.rule(*find_metric("rate_missed"), duet.b).gate;
  if (gated || !misses_too_often(b, duet, policy)) return {};
  return {{fmt::format("side B missed its rate in {} of {} rounds", b.rounds_missed,
                       duet.rounds.size()),
           "lower the rate to one that both sides can hold"}};
}

std::vector<Remark> cautions(const Duet& duet) {
  std::vector<Remark> remarks;
  const SideTotal a = total_of(duet, &DuetRound::a);
  const SideTotal b = total_of(duet, &DuetRound::b);
  if (!duet.complete) {
    remarks.push_back({"the duet was interrupted before its last round",
                       "run it again where the verdict is inconclusive"});
  }
  if (!is_same_build(duet.a.build, duet.b.build)) add_build_remark(duet, remarks);
  if (a.lost > 0 && b.lost > 0) {
    remarks.push_back({fmt::format("both sides lost events: A {}, B {}", a.lost, b.lost),
                       "times are those of the events that remained"});
  }
  if (a.lost > 0 && b.lost == 0) {
    remarks.push_back({fmt::format("side A lost {} events, side B none", a.lost),
                       "A's times are those of the events that remained"});
  }
  if (a.rounds_unchecked > 0 || b.rounds_unchecked > 0) {
    remarks.push_back(
        {"events were not read back: losses are known only as far as the sink "
         "reports them",
         "gate a sink that can be read back where losses matter"});
  }
  if (a.drains_cut_short + b.drains_cut_short > 0) {
    remarks.push_back({fmt::format("{} of {} drains reached the time limit",
                                   a.drains_cut_short + b.drains_cut_short, a.drains + b.drains),
                       "a side may have worked into the other's turns: lower the rate"});
  }
  if (duet.a.build.dirty || duet.b.build.dirty) {
    remarks.push_back({"a side was built from uncommitted changes",
                       "commit, so that the verdict can be repeated"});
  }
  if (duet.classified == "none") {
    remarks.push_back(
        {"slow calls could not be told apart on this system: preemption counts as the "
         "sink's own time",
         "expect more inconclusive verdicts of the tail"});
  }
  add_carry_over(a, "A", remarks);
  add_carry_over(b, "B", remarks);
  return remarks;
}

}  // namespace tailgate
