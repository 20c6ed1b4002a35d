#include "harness/history/metric.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tailgate::history {
namespace {

using What = DistributionFigure::What;

// The percentile "99.9" or "99_9" as a quantile; nothing where the text is none.
std::optional<double> quantile_of(std::string text) {
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  std::replace(text.begin(), text.end(), '_', '.');
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_part)) return {};
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, percent);
  if (read.ec != std::errc() || read.ptr != end || percent > 100) return {};
  return percent / 100;
}

std::optional<DistributionFigure> named(std::string_view word) {
  if (word == "min") return DistributionFigure{What::min};
  if (word == "max") return DistributionFigure{What::max};
  if (word == "mean") return DistributionFigure{What::mean};
  if (word == "count") return DistributionFigure{What::count};
  return {};
}

}  // namespace

bool Metric::is_figure(const std::string& figure_name) const {
  if (figure_name == name) return true;
  std::string with_underscores = name;
  std::replace(with_underscores.begin(), with_underscores.end(), '.', '_');
  return figure.has_value() && figure_name == with_underscores;
}

Metric parse_metric(const std::string& name) {
  // Distributions are named for their unit.
  const std::size_t unit = name.rfind("_ns_");
  if (unit == std::string::npos) return {name, "", {}};
  const std::string distribution = name.substr(0, unit + 3);
  const std::string word = name.substr(unit + 4);
  if (const auto figure = named(word)) return {name, distribution, figure};
  if (!word.starts_with('p')) return {name, "", {}};
  if (const auto quantile = quantile_of(word.substr(1))) {
    return {name, distribution, DistributionFigure{What::quantile, *quantile}};
  }
  return {name, "", {}};
}

double figure_of(const Histogram& histogram, const DistributionFigure& figure) {
  switch (figure.what) {
    case What::quantile:
      return static_cast<double>(histogram.value_at_quantile(figure.quantile));
    case What::min:
      return static_cast<double>(histogram.min());
    case What::max:
      return static_cast<double>(histogram.max());
    case What::mean:
      return histogram.mean();
    case What::count:
      return static_cast<double>(histogram.total_count());
  }
  return 0;
}

}  // namespace tailgate::history
