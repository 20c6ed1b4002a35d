#include "harness/report/merged_tails.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace tailgate {
namespace {

std::uint64_t lower_median(std::vector<std::uint64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The sum of the tails of one measure.
class TailSum {
 public:
  void add(const ExplainedTail& tail) {
    if (thresholds_.empty()) {
      sum_.measure = tail.measure;
      sum_.quantile = tail.quantile;
    }
    thresholds_.push_back(tail.threshold_ns);
    usuals_.push_back(tail.usual_ns);
    sum_.calls += tail.calls;
    sum_.calls_missing += tail.calls_missing;
    sum_.time_ns += tail.time_ns;
    sum_.excess_ns += tail.excess_ns;
    for (const CauseTime& cause : tail.causes) {
      CauseTime& all = causes_[cause.cause];
      all.cause = cause.cause;
      all.time_ns += cause.time_ns;
      all.excess_ns += cause.excess_ns;
      all.calls += cause.calls;
    }
    for (const Culprit& culprit : tail.culprits) {
      Culprit& all = culprits_[{culprit.cause, culprit.name}];
      if (all.time_ns == 0) all = {culprit.cause, culprit.name, culprit.pid, 0, 0};
      all.time_ns += culprit.time_ns;
      all.calls += culprit.calls;
    }
    if (tail.functions) add(*tail.functions);
  }

  ExplainedTail sum() {
    sum_.threshold_ns = *std::min_element(thresholds_.begin(), thresholds_.end());
    sum_.usual_ns = lower_median(usuals_);
    for (auto& [name, cause] : causes_) sum_.causes.push_back(std::move(cause));
    for (auto& [key, culprit] : culprits_) sum_.culprits.push_back(std::move(culprit));
    std::stable_sort(sum_.causes.begin(), sum_.causes.end(), [](const auto& a, const auto& b) {
      return std::pair(a.excess_ns, a.time_ns) > std::pair(b.excess_ns, b.time_ns);
    });
    std::stable_sort(sum_.culprits.begin(), sum_.culprits.end(),
                     [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
    if (sum_.functions) list_functions(*sum_.functions);
    return std::move(sum_);
  }

 private:
  void add(const TailFunctions& functions) {
    if (!sum_.functions) sum_.functions.emplace();
    sum_.functions->left_out_ns += functions.left_out_ns;
    for (const FunctionTime& one : functions.functions) {
      FunctionTime& all = functions_[one.name];
      all.name = one.name;
      all.time_ns += one.time_ns;
      all.calls += one.calls;
      all.entries += one.entries;
    }
  }

  void list_functions(TailFunctions& functions) {
    for (auto& [name, one] : functions_) functions.functions.push_back(std::move(one));
    std::stable_sort(functions.functions.begin(), functions.functions.end(),
                     [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  }

  ExplainedTail sum_;
  std::vector<std::uint64_t> thresholds_;
  std::vector<std::uint64_t> usuals_;
  std::map<std::string, CauseTime> causes_;
  std::map<std::pair<std::string, std::string>, Culprit> culprits_;
  std::map<std::string, FunctionTime> functions_;
};

}  // namespace

std::vector<const Trial*> explained_trials(const Result& result, unsigned step) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : result.traced) {
    if (trial.step == step && trial.explanation) trials.push_back(&trial);
  }
  return trials;
}

std::vector<ExplainedTail> merged_tails(const Result& result, unsigned step) {
  std::map<std::string, TailSum> sums;
  std::vector<std::string> order;
  for (const Trial* trial : explained_trials(result, step)) {
    for (const ExplainedTail& tail : trial->explanation->tails) {
      if (!sums.contains(tail.measure)) order.push_back(tail.measure);
      sums[tail.measure].add(tail);
    }
  }
  std::vector<ExplainedTail> tails;
  for (const std::string& measure : order) tails.push_back(sums[measure].sum());
  return tails;
}

}  // namespace tailgate
