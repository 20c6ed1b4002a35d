// Claims about logging paths, as documents and loggers' own READMEs make them, and what must hold
// in results for a claim to hold. A file of claims:
//
//   [[claim]]
//   claim = "a call takes 100 to 300 ns"
//   source = "https://example.org/README.md"
//   run = { scenario = "steady", sink = "lttng", rate = "10k" }
//   holds = ["service p50 >= 100ns", "service p50 <= 300ns"]
//
// Optional: `means`, how the claim's words became these bounds, and `than`, a run like `run` (what
// it leaves out is as there): the bounds are then on the ratio of the two runs, and plain numbers.
// harness/report/judge_claims.h judges claims on results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/budget.h"
#include "harness/result/result.h"

namespace tailgate {

enum class ClaimKind {
  time,     // a quantile, the mean or the maximum of service, response or delivery time
  lost,     // of the emitted events, which are lost
  cpu,      // processor time that logging an event costs the machine
  machine,  // share of the machine's processor time that logging takes
  written,  // bytes that write calls accepted, an event
  rate,     // achieved
  figure,   // of the scenario's answer, by its name
};

// What the number is that a bound compares.
enum class ClaimUnit { ns, share, count, per_s, bytes, ratio };
template <>
inline constexpr auto kEnumTexts<ClaimUnit> = enum_texts<ClaimUnit>({{ClaimUnit::ns, "ns"},
                                                                     {ClaimUnit::share, "share"},
                                                                     {ClaimUnit::count, "count"},
                                                                     {ClaimUnit::per_s, "per_s"},
                                                                     {ClaimUnit::bytes, "bytes"},
                                                                     {ClaimUnit::ratio, "ratio"}});

struct ClaimMetric {
  std::string name;  // "service p99.9", "machine", "limit_bytes"
  ClaimKind kind = ClaimKind::time;
  // Of a time: whose, which of them, and which share of the calls takes longer (0 of the mean and
  // of the longest call).
  const Latency* (*times)(const Trial& trial) = nullptr;  // null where it was not measured
  double (*time_ns)(const Latency& times) = nullptr;
  double tail_share = 0;
};

struct ClaimBound {
  ClaimMetric metric;
  BoundRelation relation = BoundRelation::below;
  double limit = 0;
  ClaimUnit unit = ClaimUnit::ns;  // of the limit
  std::string text;                // "service p99.9 <= 1ms"
};

// The run that measures a claim: the results of others are not looked at.
struct ClaimRun {
  std::string scenario;           // or preset
  std::string sink;               // its label, as it was given to --sink
  std::optional<double> rate_hz;  // of the step; 0: as fast as it can; absent: any
  std::vector<Setting> set;       // options of the scenario, which the result must have

  // "steady@lttng@10k, threads=4".
  std::string subject() const;
  // Whether it is the run, all steps of it.
  bool matches(const Result& result) const;
  bool matches(const StepSummary& step) const;
};

struct Claim {
  std::string text;
  std::string source;
  std::string means;  // may be empty
  ClaimRun run;
  std::optional<ClaimRun> than;
  std::vector<ClaimBound> bounds;
  std::string place;  // "FILE:LINE"
};

// is_ratio: the bound is on the ratio of two runs. Throws Error that quotes what is wrong and shows
// the right form.
ClaimBound parse_claim_bound(std::string_view text, bool is_ratio);

// A file of claims from its text; origin stands for its name. Throws Error with "ORIGIN:LINE: " in
// front for anything that is not TOML or does not fit.
std::vector<Claim> parse_claims(std::string_view text, const std::string& origin);
std::vector<Claim> load_claims(const std::filesystem::path& file);

}  // namespace tailgate
