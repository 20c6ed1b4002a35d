// HdrHistogram's percentile distribution (.hgrm): one distribution, merged over all
// completed trials, for HdrHistogram's plotter. Values are in nanoseconds, unscaled.
#include <fmt/format.h>

#include <optional>
#include <set>

#include "harness/base/error.h"
#include "harness/histogram/histogram_log.h"
#include "harness/report/exporter.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr int kTicksPerHalfDistance = 5;

std::string render_hgrm(const Result& result, const ExportOptions& options) {
  std::set<unsigned> steps;
  std::optional<Histogram> whole;
  for (const Trial& trial : result.trials) {
    steps.insert(trial.step);
    const Latency* latency = find_latency(trial, options.metric);
    if (trial.outcome != TrialOutcome::completed || latency == nullptr) continue;
    const Histogram histogram = decode_latency(*latency);
    if (whole) {
      whole->add(histogram);
    } else {
      whole = histogram;
    }
  }
  if (steps.size() > 1) {
    throw Error(fmt::format("the result has {} steps, and an .hgrm file holds one distribution",
                            steps.size()),
                "choose one with --step");
  }
  if (!whole) {
    throw Error(fmt::format("no completed trial of the result recorded the metric '{}'",
                            enum_text(options.metric)),
                "choose another with --metric, or run again");
  }
  return format_percentile_distribution(*whole, kTicksPerHalfDistance, 1.0);
}

}  // namespace

constinit const Exporter exporters::hgrm = exporter_of<render_hgrm, Form::text>(
    "hgrm", "percentile distribution in ns, for HdrHistogram's plotter", ".hgrm", true);

}  // namespace tailgate
