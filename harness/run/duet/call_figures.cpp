#include "harness/run/duet/call_figures.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/exec/call_outcome.h"

namespace tailgate {
namespace {

// So many calls beyond a quantile make it a figure that is judged.
constexpr double kCallsBeyond = 10;

struct Quantile {
  const char* name;
  double of;
};
constexpr Quantile kQuantiles[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};

}  // namespace

std::string calls_format(const CallList& calls) {
  std::string text(means_name(calls.means));
  if (!calls.functions.empty()) text += ":" + functions_text(calls);
  return text;
}

std::vector<CommandFigure> call_figures(const CallList& calls, const CallMemory& memory) {
  const CallTimes times = memory.times();
  const auto count = static_cast<double>(times.service.total_count());
  if (count == 0) throw Error(why_no_call(calls, memory), "see what the program printed");
  if (const std::optional<Remark> remark = remark_on_calls_not_timed(memory.counts())) {
    throw Error(remark->what, remark->remedy);
  }
  const bool due = times.with_due > 0;
  const Histogram& histogram = due ? times.response : times.service;
  const std::string kind = due ? "response" : "service";
  std::vector<CommandFigure> figures;
  for (const Quantile& quantile : kQuantiles) {
    const std::string metric = kind + "_" + quantile.name;
    const bool told = count * (1 - quantile.of) >= kCallsBeyond;
    figures.push_back({metric, metric, "ns", told,
                       static_cast<double>(histogram.value_at_quantile(quantile.of))});
  }
  figures.push_back({kind + "_mean", kind + "_mean", "ns", false, histogram.mean()});
  figures.push_back({"calls", "calls", "", false, count});
  return figures;
}

}  // namespace tailgate
