#include "harness/result/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/result/overhead_summary.h"

namespace tailgate {
namespace {

constexpr const char* kDamagedHistogram =
    "the result was edited or damaged: copy it again from its source, or repeat the run";

// Merges the same latency of several trials, which usually have the same histogram range.
class Merger {
 public:
  void add(const Latency& latency) {
    const Histogram histogram = decode_latency(latency);
    if (whole_) {
      whole_->add(histogram);
    } else {
      whole_ = histogram;
    }
  }

  bool empty() const { return !whole_.has_value(); }
  Latency latency() const { return make_latency(whole_ ? *whole_ : Histogram(HistogramRange())); }

 private:
  std::optional<Histogram> whole_;
};

// Whether the lower of the middle trials would have held the rate, had those that missed it by the
// machine's fault held it. Nothing where no trial says whose fault it was.
std::optional<bool> is_fault_of_machine(const std::vector<const Trial*>& trials) {
  bool judged = false;
  std::size_t by_sink = 0;
  for (const Trial* trial : trials) {
    judged = judged || trial->missed_by_machine.has_value();
    by_sink += trial->rate_missed && !trial->missed_by_machine.value_or(false) ? 1 : 0;
  }
  if (!judged) return std::nullopt;
  return by_sink <= (trials.size() - 1) / 2;
}

StepSummary summarize_step(unsigned step, std::vector<const Trial*> trials) {
  StepSummary summary;
  summary.step = step;
  summary.rate_hz = trials.front()->load.rate_hz;
  std::erase_if(trials,
                [](const Trial* trial) { return trial->outcome != TrialOutcome::completed; });
  summary.trials = static_cast<unsigned>(trials.size());
  Merger service;
  Merger response;
  Merger delivery;
  for (const Trial* trial : trials) {
    try {
      service.add(trial->service);
      response.add(trial->response);
      if (trial->consumer.delivery) delivery.add(*trial->consumer.delivery);
    } catch (const Error& error) {
      throw Error(fmt::format("trial {}: {}", trial->index, error.what_failed()), error.remedy());
    }
  }
  summary.service = service.latency();
  summary.response = response.latency();
  if (!delivery.empty()) summary.delivery = delivery.latency();
  if (!trials.empty()) {
    const auto middle = trials.begin() + static_cast<std::ptrdiff_t>((trials.size() - 1) / 2);
    std::nth_element(trials.begin(), middle, trials.end(), [](const Trial* a, const Trial* b) {
      return a->achieved_rate_hz < b->achieved_rate_hz;
    });
    summary.achieved_rate_hz = (*middle)->achieved_rate_hz;
    summary.saturated = (*middle)->rate_missed;
    if (summary.saturated) summary.saturated_by_machine = is_fault_of_machine(trials);
  }
  return summary;
}

}  // namespace

Latency make_latency(const Histogram& histogram) {
  Latency latency;
  latency.count = histogram.total_count();
  latency.min_ns = histogram.min();
  latency.mean_ns = histogram.mean();
  latency.p50_ns = histogram.value_at_quantile(0.5);
  latency.p90_ns = histogram.value_at_quantile(0.9);
  latency.p99_ns = histogram.value_at_quantile(0.99);
  latency.p99_9_ns = histogram.value_at_quantile(0.999);
  latency.p99_99_ns = histogram.value_at_quantile(0.9999);
  latency.max_ns = histogram.max();
  latency.overflow = histogram.overflow_count();
  latency.hdr = encode_v2_base64(histogram);
  return latency;
}

Histogram decode_latency(const Latency& latency) {
  if (latency.count == 0 && latency.hdr.empty()) return Histogram(HistogramRange());
  Histogram histogram = decode(latency.hdr);
  if (histogram.total_count() != latency.count) {
    throw Error(fmt::format("the distribution has {} values, but its count is {}",
                            histogram.total_count(), latency.count),
                kDamagedHistogram);
  }
  histogram.set_overflow_count(latency.overflow);
  return histogram;
}

Latency joined(const Latency& a, const Latency& b) {
  if (a.count == 0 && a.overflow == 0) return b;
  if (b.count == 0 && b.overflow == 0) return a;
  Histogram both = decode_latency(a);
  both.add(decode_latency(b));
  return make_latency(both);
}

std::vector<StepSummary> summarize(const Result& result) {
  std::map<unsigned, std::vector<const Trial*>> by_step;
  for (const Trial& trial : result.trials) by_step[trial.step].push_back(&trial);
  std::vector<StepSummary> summaries;
  for (const auto& [step, trials] : by_step) {
    StepSummary& summary = summaries.emplace_back(summarize_step(step, trials));
    const std::vector<TrialPair> pairs = overhead_pairs(result, step);
    summary.controls = result.controls.empty() ? 0 : static_cast<unsigned>(pairs.size());
    summary.overhead = summarize_overhead(pairs);
    summary.victim_slowdown_percent = summarize_victim(pairs);
  }
  return summaries;
}

}  // namespace tailgate
