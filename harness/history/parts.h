// The series of a duet's traced rounds: a time by cause, such as call_ns_in_syscall_write, and the
// whole of it, call_ns_traced. Times are harness/result/difference.h's: call, slow_call, daemons,
// other_threads; causes are its CauseRounds'.
//
// The effect on a part is how much the whole would differ if only this part did: +0.005 is half a
// percent of the whole, whatever the part's own size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate::history {

std::string whole_metric(std::string_view measure);
std::string part_metric(std::string_view measure, std::string_view cause);

struct PartMetric {
  std::string measure;
  std::string cause;
};

// Nothing where the metric is not of a part.
std::optional<PartMetric> part_of_metric(std::string_view metric);

// What a night keeps of a part's values in its traced rounds; one or more. Of waits the mean: most
// rounds have none, so that their middle is 0 in one night and something else in the next. Of other
// causes their middle (harness/stats/pseudomedian.h).
double middle_of_part(std::string_view cause, const std::vector<double>& values);

}  // namespace tailgate::history
