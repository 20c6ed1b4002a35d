#include "harness/history/testing/sample_night.h"

#include <cmath>
#include <random>

#include "harness/result/latency.h"
#include "harness/result/sample.h"

namespace tailgate::history {

Histogram sample_responses(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> times_ns(std::log(2000.0), 0.5);
  Histogram histogram{HistogramRange()};
  for (int i = 0; i < 2000; ++i) histogram.record(static_cast<std::uint64_t>(times_ns(random)));
  return histogram;
}

Result sample_run(const SampleRun& sample) {
  static const Result usual = sample_result();
  Result result = usual;
  result.id = sample.id;
  result.started_utc = sample.night + "T22:00:00Z";
  result.finished_utc = sample.night + "T22:10:00Z";
  result.machine.fingerprint = sample.fingerprint;
  result.sink.label = sample.sink;
  result.summary.resize(1);
  result.summary[0].delivery.reset();
  result.summary[0].response = make_latency(sample_responses(sample.seed));
  return result;
}

}  // namespace tailgate::history
