#include <fmt/format.h>

#include "harness/base/quoting.h"
#include "harness/history/dates.h"
#include "harness/history/export.h"

namespace tailgate::history {
namespace {

constexpr const char* kTitles =
    "night,started_utc,kind,document,machine,fingerprint,revision,label,scenario,preset,sink,load,"
    "part,metric,unit,documents,value,count,min,mean,p50,p90,p99,p99_9,p99_99,max\n";

std::string figures_of(const Histogram& histogram) {
  std::string cells =
      fmt::format(",{},{},{}", histogram.total_count(), histogram.min(), histogram.mean());
  for (const double quantile : {0.5, 0.9, 0.99, 0.999, 0.9999}) {
    cells += fmt::format(",{}", histogram.value_at_quantile(quantile));
  }
  return cells + fmt::format(",{}", histogram.max());
}

std::string row_of(const Answer& one, const std::string& metric) {
  std::string line = csv_cell(one.night) + "," + utc_of(one.started_ms);
  const Series& series = one.series;
  const bool is_one_metric = !metric.empty() && metric.find('*') == std::string::npos;
  for (const std::string& text :
       {std::string(enum_text(series.kind)), one.document_id, one.machine, one.fingerprint,
        one.revision, one.label, series.scenario, series.preset, series.sink, series.load,
        series.part, is_one_metric ? metric : series.metric, series.unit}) {
    line += "," + csv_cell(text);
  }
  line += fmt::format(",{},", one.documents);
  const bool whole = one.distribution && metric.empty();
  if (!whole) line += fmt::format("{}", one.value);
  line += one.distribution ? figures_of(*one.distribution) : std::string(9, ',');
  return line + "\n";
}

}  // namespace

std::string to_csv(History& history, const Question& question) {
  std::string text = kTitles;
  history.for_each(question, [&](const Answer& one) { text += row_of(one, question.metric); });
  return text;
}

}  // namespace tailgate::history
