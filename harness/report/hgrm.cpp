// HdrHistogram's percentile distribution (.hgrm): one distribution of all completed trials
// together, for HdrHistogram's plotter. Values in nanoseconds, unscaled.
#include <fmt/format.h>

#include <optional>
#include <set>

#include "harness/base/error.h"
#include "harness/base/histogram_log.h"
#include "harness/report/exporter.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr int kTicksPerHalfDistance = 5;

class HgrmExporter : public Exporter {
 public:
  std::string name() const override { return "hgrm"; }
  std::string description() const override {
    return "percentile distribution in ns, for HdrHistogram's plotter";
  }
  std::string extension() const override { return ".hgrm"; }

  void write(const Result& result, const ExportOptions& options, std::ostream& out) const override {
    std::set<unsigned> steps;
    std::optional<Histogram> whole;
    for (const Trial& trial : result.trials) {
      steps.insert(trial.step);
      const Latency* latency = find_latency(trial, options.kind);
      if (trial.outcome != kOutcomeCompleted || latency == nullptr) continue;
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
                              latency_kind_name(options.kind)),
                  "choose another with --metric, or run again");
    }
    out << format_percentile_distribution(*whole, kTicksPerHalfDistance, 1.0);
  }
};

}  // namespace

const Exporter& hgrm_exporter() {
  static const HgrmExporter exporter;
  return exporter;
}

}  // namespace tailgate
