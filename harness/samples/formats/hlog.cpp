// HdrHistogram's interval logs. Those of one log come from one process, which is one repetition:
// its distribution is that of all intervals together, one for each tag.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "harness/base/error.h"
#include "harness/histogram/histogram_log.h"
#include "harness/samples/format.h"

namespace tailgate {
namespace {

struct Quantile {
  std::string_view metric;
  double share;
  bool headline;
};

constexpr std::array<Quantile, 4> kQuantiles = {
    {{"p50", 0.5, true}, {"p90", 0.9, true}, {"p99", 0.99, true}, {"p99_9", 0.999, false}}};

// A short line can hold a histogram of millions of slots, so their sum over a text is bounded.
constexpr std::size_t kMaxSlots = std::size_t{32} << 20;

class LogReader {
 public:
  explicit LogReader(SampleCollector& into) : into_(into) {}

  void read_process(std::string_view log) {
    HistogramLogReader reader(log);
    try {
      while (std::optional<HistogramLogInterval> interval = reader.next()) add(*interval);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", into_.origin(), error.what_failed()), error.remedy());
    }
    for (const auto& [tag, histogram] : by_tag_) report(tag, histogram);
    by_tag_.clear();
    into_.end_process();
  }

 private:
  void add(HistogramLogInterval& interval) {
    slots_ += interval.histogram.counts().size() + 1;
    if (slots_ > kMaxSlots) {
      throw Error("the intervals' histograms are too large together",
                  "give fewer intervals, or histograms of fewer significant digits");
    }
    const auto [at, added] = by_tag_.try_emplace(interval.tag, interval.histogram);
    if (!added) at->second.add(interval.histogram);
  }

  void report(const std::string& tag, const Histogram& histogram) {
    if (histogram.total_count() == 0) return;
    for (const Quantile& quantile : kQuantiles) {
      into_.add({tag, quantile.metric, "", quantile.headline},
                static_cast<double>(histogram.value_at_quantile(quantile.share)));
    }
    into_.add({tag, "mean", ""}, histogram.mean());
  }

  SampleCollector& into_;
  std::map<std::string, Histogram> by_tag_;
  std::size_t slots_ = 0;
};

// Where a log ends and the next one begins: before the first comment behind an interval's line.
std::size_t end_of_log(std::string_view text, std::size_t at) {
  bool seen_interval = false;
  while (at < text.size()) {
    const bool comment = text[at] == '#';
    if (comment && seen_interval) return at;
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const bool interval = text[at] >= '0' && text[at] <= '9';
    seen_interval = seen_interval || interval || text.substr(at).starts_with("Tag=");
    at = end;
  }
  return text.size();
}

void read_hlog(std::string_view text, SampleCollector& into) {
  LogReader reader(into);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_log(text, at);
    reader.read_process(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace

constinit const SampleFormat sample_formats::hlog = {
    "hlog", "HdrHistogram interval logs, one process per log",
    "write one log per process: a file each, or all after each other in one file", read_hlog};

}  // namespace tailgate
