// The verdict on a duet: is B worse than A by more than the policy tolerates? ci/GATE.md explains
// the procedure, harness/stats/sequential.h what its errors are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/duet.h"
#include "harness/result/verdict.h"
#include "harness/stats/sequential.h"

namespace tailgate {

// The exit code of an outcome: pass 0, fail 1, inconclusive 3, invalid 4. Of several verdicts the
// worst one's counts; from the worst on: fail, invalid, inconclusive, pass.
int verdict_exit_code(VerdictOutcome outcome);
VerdictOutcome worst_of(const std::vector<VerdictOutcome>& outcomes);
int verdict_exit_code(const std::vector<Verdict>& verdicts);

// The decisions that follow from the metrics' values alone: on each metric, and on all together.
struct MetricsDecision {
  SequentialDecision decision;              // of the gated metrics
  std::vector<MetricJudgement> judgements;  // all metrics, as metric_kinds() orders them
};

// series: as metric_series gives them. coins: of the rounds of series, or none. stops: as
// looks_with_stops() takes them. subject: selects what the policy says of scenario and sink. All of
// the policy's waivers count.
MetricsDecision decide_metrics(const std::vector<MetricSeries>& series, const RoundLoad& load,
                               const RoundCoins& coins, const std::vector<std::size_t>& stops,
                               const DuetSubject& subject, const Policy& policy);

// Every metric of a duet without a decision: medians (of rates the means), effect and interval over
// all completed rounds, as metric_kinds() orders them.
std::vector<MetricJudgement> describe_metrics(const Duet& duet);

// The verdict; `duet` (the file's name) is left to the caller. today: YYYY-MM-DD, on which waivers
// must hold. Throws Error when a distribution of the duet cannot be decoded.
Verdict judge(const Duet& duet, const Policy& policy, std::string_view today);

// Whether a duet may end here, since further rounds cannot change the verdict. True only after a
// number of rounds at which the policy has a look.
bool is_decided(const Duet& duet, const Policy& policy, std::string_view today);

// Whether more rounds can change the verdict: it is not decided, and the policy has a look after
// those that the duet's rounds have reached.
bool can_go_on(const Duet& duet, const Policy& policy, std::string_view today);

// Today in UTC, YYYY-MM-DD.
std::string today_utc();

}  // namespace tailgate
