#include "harness/cli/explain_sides.h"

#include <algorithm>
#include <filesystem>

#include "harness/base/error.h"
#include "harness/cli/terminal.h"
#include "harness/os/process.h"
#include "harness/run/duet/duet_difference.h"

namespace tailgate {
namespace {

bool fails_by_metric(const Verdict& verdict) {
  return verdict.outcome == VerdictOutcome::fail &&
         std::any_of(verdict.metrics.begin(), verdict.metrics.end(),
                     [](const auto& metric) { return metric.decision == MetricOutcome::fail; });
}

}  // namespace

double explain_time_s(bool asked, std::optional<double> seconds, const Policy* policy,
                      const std::function<Verdict()>& verdict) {
  const double max_s = seconds.value_or(policy != nullptr ? policy->explain_s : kMaxDifferenceS);
  if (max_s <= 0 || InterruptFlag::raised()) return 0;
  const bool wanted = asked || (policy != nullptr && fails_by_metric(verdict()));
  return wanted ? max_s : 0;
}

std::optional<Difference> explain_sides(
    bool quiet, const std::function<Difference(const ExplainProgress&)>& measure,
    std::vector<Remark>& remarks) {
  StatusLine status;
  const ExplainProgress progress = [&](const std::string& what) {
    if (!quiet) status.show(what);
  };
  const std::string failed = "why the sides differ could not be measured: ";
  std::optional<Difference> difference;
  try {
    difference = measure(progress);
  } catch (const Error& error) {
    remarks.push_back({failed + error.what_failed(), error.remedy()});
  } catch (const std::filesystem::filesystem_error& error) {
    remarks.push_back({failed + error.what(), "make room, or name another folder with --scratch"});
  }
  status.clear();
  return difference;
}

}  // namespace tailgate
