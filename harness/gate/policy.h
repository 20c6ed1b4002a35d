// The gate's policy: what is gated, how much worse is tolerated, and which changes are agreed on.
//
//   [gate]                                  [[waiver]]
//   looks = [15, 30, 50]                    metric = "response_ns_p50"
//   false_fail = 0.001                      ratio = [1.10, 1.20]
//                                           commit = "4f2a9c1"
//   [metrics.response_ns_p50]               reason = "checksums, agreed on by all"
//   margin = 0.05                           expires = 2027-01-31
//
// A policy starts from default_policy.toml, which holds every setting with its meaning, and adds
// its own to it. ci/policy.toml is an example.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/gate/class_margins.h"
#include "harness/gate/metrics.h"
#include "harness/stats/sequential.h"

namespace tailgate {

// What a policy says of one metric; default_policy.toml says what each setting means. What is left
// open stays as the settings before it say.
struct MetricSettings {
  std::string metric;
  std::optional<bool> gate = {};
  std::optional<double> margin = {};
  std::optional<double> find = {};
  std::optional<double> at_least = {};
  std::optional<double> more = {};
  std::optional<bool> class_gate = {};
};

// Which duets something is for. An empty field means any; else the scenario's name or preset, and
// the sink's name, alone or with the first of its options as the user gives them.
struct PolicyScope {
  std::string scenario;
  std::string sink;

  bool matches(const DuetSubject& subject) const;
};

struct ScopedSettings {
  PolicyScope scope;
  std::vector<MetricSettings> metrics = {};
  std::optional<double> layout_spread = {};
};

// An agreed change of one metric: the gate tests against this interval instead of the margin.
struct Waiver {
  PolicyScope scope;
  std::string metric;
  double low = 0;      // the effect that is expected: a ratio less 1, or a difference
  double high = 0;     // up to here
  std::string commit;  // its hash, 7 to 40 hexadecimal digits; waivers.h says when it counts
  std::string reason;
  std::string expires;  // YYYY-MM-DD, the last day on which it holds
};

// What ci/gate and ci/nightly run: one duet for each sink.
struct PolicyRun {
  std::string scenario;  // as `tailgate duet` takes it
  std::vector<std::string> sinks;
  std::vector<std::string> set;  // "name=value"
  bool nightly = false;          // by ci/nightly alone
  // Of `tailgate duet`; nothing: as it decides.
  std::optional<unsigned> generation_rounds = {};
};

// A metric's rule after all settings that match.
struct MetricRule {
  bool gate = false;
  double margin = 0;
  double find = 0;
  double at_least = 0;
  double more = 0;
  bool class_gate = false;  // gated where the machine's class has a margin for it
  std::string margin_from;  // the file of a class's margin, where that is smaller; else empty
};

// How much of a metric's margin earlier references of the nights have used (pin_chain.h).
struct SpentMargin {
  std::string metric;
  double log_ratio = 0;   // of the present reference to the first one
  double log_error = 0;   // its standard error
  std::size_t moves = 0;  // of the reference that measured it
};

// The moves of the reference up to the present one, as one duet measured them.
struct PinHistory {
  std::string first;  // short hash of the first reference; empty: it was never moved
  std::string moved;  // when it was moved away from the first one, YYYY-MM-DD
  std::vector<SpentMargin> spent;
  std::vector<std::string> gaps;  // what was not measured, and so does not count

  // What was spent of a metric; null if nothing is known.
  const SpentMargin* spent_of(std::string_view metric) const;
};

// No look before so many rounds, for the duets of a sink or scenario.
struct FirstLook {
  PolicyScope scope;
  std::size_t rounds = 0;
};

// What [nightly] may say otherwise than [gate].
struct NightRules {
  Looks looks;
  double time_budget_s = 0;
  std::vector<FirstLook> first_looks = {};  // by [nightly] alone
};

// An empty one decides nothing: take default_policy() or what a file says.
struct Policy {
  std::string origin;  // the file's name, or "built in"
  Looks looks;
  std::vector<FirstLook> first_looks;  // of several that match, the one of most rounds counts
  double time_budget_s = 0;            // for one duet, in seconds; ci/gate stops it then
  double most_missed_rounds = 0;       // share of rounds that may miss the rate; more: invalid
  bool allow_dirty_builds = false;
  double explain_s = 0;                  // for measuring why a duet failed, after it; 0: do not
  std::vector<ScopedSettings> settings;  // of several that match, the later ones win
  std::vector<Waiver> waivers;
  std::vector<std::string> waived_commits;  // not from the file: see waivers.h
  std::vector<PolicyRun> runs;
  std::filesystem::path class_margins;  // the folder of files with classes, as the policy names it
  std::vector<MachineClass> classes;    // from there; load_policy() alone reads them
  // Of one machine and load (class_margins.h): caps of the settings' margins.
  std::vector<ClassMargin> caps;
  std::string nightly_reference;  // git revision; empty: none is pinned
  std::string nightly_chain;      // file of the moves of the reference; empty: none is kept
  PinHistory history;             // not from the file: of the duet that is judged
  NightRules at_night;            // as [gate] where [nightly] says nothing else

  // The policy as a night uses it: with at_night in place of [gate].
  Policy of_nights() const;

  // The looks at a duet of that side B. generation_rounds: as the duet has them, 0: any.
  Looks looks_at(const DuetSubject& subject, unsigned generation_rounds) const;

  MetricRule rule(const MetricKind& kind, const DuetSubject& subject) const;

  // The standard deviation of what a pair of layouts in memory does to the logarithm of a time's
  // ratio, as margins of a machine class are made for it (make_margins.h).
  double layout_spread(const DuetSubject& subject) const;

  // The waiver for a metric of a duet, or null; of several the last. It may have expired, or be for
  // another commit: with_valid_waivers (waivers.h) takes out those that do not hold.
  const Waiver* waiver(std::string_view metric, const DuetSubject& subject) const;
};

// A side of a duet with the names by which a policy selects its settings. `sink` is as the user
// gives it, with its options; an empty one matches no scope that names a sink.
DuetSubject subject_named(const std::string& scenario, const std::string& sink);

// The policy with the margins of the machine's class for that sink and load as caps. judge() takes
// them out for two builds of which one has fewer than kClassLayouts layouts.
Policy with_class_margins(Policy policy, std::string_view fingerprint, const DuetSubject& subject);

// What holds without a file: default_policy.toml, compiled into the program.
const Policy& default_policy();

// Reads a policy, on top of default_policy(). Throws Error with "FILE:LINE: " in front for anything
// that is not TOML or does not fit: an unknown key or metric, a wrong type, a value out of range, a
// waiver without reason, expiry or a commit's hash.
Policy load_policy(const std::filesystem::path& file);

// The same from text; origin stands for the file's name in errors.
Policy parse_policy(std::string_view text, const std::string& origin);

}  // namespace tailgate
