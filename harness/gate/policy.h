// The gate's policy: what is gated, how much worse is tolerated, and which changes are agreed on.
//
//   [gate]                                  [[waiver]]
//   looks = [15, 25, 35, 50]                metric = "response_ns_p50"
//   false_fail = 0.001                      ratio = [1.10, 1.20]
//                                           commit = "4f2a9c1"
//   [metrics.response_ns_p50]               reason = "checksums, agreed on by all"
//   margin = 0.05                           expires = 2027-01-31
//
// ci/policy.toml is an example that holds every key, with the values that hold without a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/gate/metrics.h"
#include "harness/stats/sequential.h"

namespace tailgate {

enum class GateMethod { looks, anytime };

// What a policy says of one metric; what it leaves open is the metric's own default.
struct MetricSettings {
  std::string metric;
  std::optional<bool> gate;        // false: reported only
  std::optional<double> margin;    // as MetricKind::margin
  std::optional<double> at_least;  // as MetricKind::at_least
  std::optional<double> chance;    // as MetricKind::chance
  std::optional<double> find;      // as MetricKind::find
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
  std::vector<MetricSettings> metrics;
};

// What holds for some sinks without a file, where their own noise leaves less to gate. A file's
// settings come after it.
const std::vector<ScopedSettings>& built_in_scoped();

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
};

// A metric's rule after all settings that match.
struct MetricRule {
  bool gate = false;
  double margin = 0;
  double at_least = 0;
  double chance = 0;
  double find = 0;
};

struct Policy {
  std::string origin = "built in";
  GateMethod method = GateMethod::looks;
  Looks looks;
  double time_budget_s = 120;       // for one duet, in seconds; ci/gate stops it then
  double most_missed_rounds = 0.1;  // share of rounds that may miss the rate; more: invalid
  bool allow_dirty_builds = false;
  std::vector<MetricSettings> metrics;
  std::vector<ScopedSettings> scoped;  // of several that match, the later ones win
  std::vector<Waiver> waivers;
  std::vector<std::string> waived_commits;  // not from the file: see waivers.h
  std::vector<PolicyRun> runs;
  std::string nightly_reference;  // git revision; empty: none is pinned

  MetricRule rule(const MetricKind& kind, const DuetSubject& subject) const;

  // The waiver for a metric of a duet, or null; of several the last. Whether it holds is not looked
  // at: with_valid_waivers (waivers.h) takes out those that do not.
  const Waiver* waiver(std::string_view metric, const DuetSubject& subject) const;
};

std::string_view gate_method_name(GateMethod method);  // "looks", "anytime"

// Reads a policy. Throws Error with "FILE:LINE: " in front for anything that is not TOML or does
// not fit: an unknown key or metric, a wrong type, a value out of range, a waiver without reason,
// expiry or a commit's hash.
Policy load_policy(const std::filesystem::path& file);

// The same from text; origin stands for the file's name in errors.
Policy parse_policy(std::string_view text, const std::string& origin);

}  // namespace tailgate
