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

namespace tailgate::history {

std::string whole_metric(std::string_view measure);
std::string part_metric(std::string_view measure, std::string_view cause);

struct PartMetric {
  std::string measure;
  std::string cause;
};

// Nothing where the metric is not of a part.
std::optional<PartMetric> part_of_metric(std::string_view metric);

}  // namespace tailgate::history
