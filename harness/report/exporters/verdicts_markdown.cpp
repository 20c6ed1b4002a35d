// Verdicts as Markdown: a table of all, then a section for each.
#include <fmt/format.h>

#include <string>

#include "harness/base/quoting.h"
#include "harness/gate/effect_text.h"
#include "harness/report/difference_text.h"
#include "harness/report/exporter.h"
#include "harness/report/metrics_text.h"
#include "harness/report/verdict_title.h"

namespace tailgate {
namespace {

std::string emphasised(VerdictOutcome outcome) {
  return fmt::format("**{}**", enum_text(outcome));
}

std::string summary(const std::vector<Verdict>& verdicts) {
  std::string text =
      "| verdict | comparison | rounds | first reason |\n| --- | --- | --- | --- |\n";
  for (const Verdict& verdict : verdicts) {
    text += fmt::format("| {} | {} | {} | {} |\n", emphasised(verdict.outcome),
                        markdown_text(verdict_title(verdict)), verdict.rounds_used,
                        verdict.reasons.empty() ? "" : markdown_text(verdict.reasons.front().what));
  }
  return text;
}

std::string metric_row(const MetricJudgement& metric) {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} |\n", markdown_text(metric.name),
      metric_value_text(metric, metric.median_a), metric_value_text(metric, metric.median_b),
      metric.is_measured() ? markdown_text(effect_with_interval(metric)) : "",
      metric.is_gated() ? markdown_text(effect_text(metric, metric.margin)) : "",
      metric.decision == MetricOutcome::fail ? "**fail**" : enum_text(metric.decision),
      markdown_text(metric.reason));
}

std::string bullet(const Remark& remark) {
  if (remark.remedy.empty()) return fmt::format("- {}\n", markdown_text(remark.what));
  return fmt::format("- {}: {}\n", markdown_text(remark.what), markdown_text(remark.remedy));
}

std::string why(const Difference& difference) {
  std::string text = fmt::format("\nWhy, by {} traced rounds:\n\n", difference.rounds);
  for (const DifferenceLine& line : difference_lines(difference)) {
    text += fmt::format("{}- {}\n", std::string(2 * std::size_t{line.level}, ' '),
                        markdown_text(line.text));
  }
  return text;
}

std::string section(const Verdict& verdict) {
  std::string text = fmt::format("\n## {}: {}\n\n", enum_text(verdict.outcome),
                                 markdown_text(verdict_title(verdict)));
  if (!verdict.label.empty()) text += fmt::format("**{}**\n\n", markdown_text(verdict.label));
  for (const Remark& reason : verdict.reasons) text += bullet(reason);
  if (verdict.difference) text += why(*verdict.difference);
  if (verdict.metrics.empty()) return text;
  text += fmt::format("\nFrom {}{}, policy {}", verdict_extent(verdict), layouts_text(verdict),
                      markdown_text(verdict.policy));
  if (!verdict.fingerprint.empty()) text += ", machine " + markdown_text(verdict.fingerprint);
  text += ".\n\n";
  text += "| metric | A | B | change (95 %) | margin | decision | why |\n";
  text += "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const MetricJudgement& metric : verdict.metrics) text += metric_row(metric);
  if (!verdict.remarks.empty()) text += "\n";
  for (const Remark& remark : verdict.remarks) text += bullet(remark);
  return text;
}

std::string render_verdicts_markdown(const Verdicts& verdicts, const ExportOptions&) {
  std::string text = "# Verdicts of the gate\n\n" + summary(verdicts.list);
  for (const Verdict& verdict : verdicts.list) text += section(verdict);
  return text;
}

}  // namespace

constinit const Exporter exporters::verdicts_markdown =
    exporter_of<render_verdicts_markdown, Form::markdown>(
        "markdown", "a table, then a section per duet", ".md");

}  // namespace tailgate
