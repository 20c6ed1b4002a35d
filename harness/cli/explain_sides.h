// The rounds after those of a duet that say why its sides differ.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/difference.h"
#include "harness/result/result.h"
#include "harness/result/verdict.h"

namespace tailgate {

// For how long they go on, in seconds; 0: there are none. asked: by the user; else they follow a
// verdict that fails by a metric. seconds: as the user says, or nothing. policy: of the gate, or
// null. verdict: called where it decides.
double explain_time_s(bool asked, std::optional<double> seconds, const Policy* policy,
                      const std::function<Verdict()>& verdict);

using ExplainProgress = std::function<void(const std::string& what)>;

// What measure() returns. Where it fails, a remark says so, and the duet stands.
std::optional<Difference> explain_sides(
    bool quiet, const std::function<Difference(const ExplainProgress&)>& measure,
    std::vector<Remark>& remarks);

}  // namespace tailgate
