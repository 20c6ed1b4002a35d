#include <fmt/format.h>

#include <string>

#include "harness/gate/effect_text.h"
#include "harness/report/human.h"
#include "harness/report/metrics_text.h"
#include "harness/report/verdict_exporter.h"

namespace tailgate {
namespace {

// Text in which Markdown finds nothing to format, also within a table (CommonMark: a backslash
// before ASCII punctuation makes it literal).
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>#|&!~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string emphasised(const std::string& outcome) {
  return "**" + plain(outcome) + "**";
}

std::string summary(const std::vector<Verdict>& verdicts) {
  std::string text =
      "| verdict | comparison | rounds | first reason |\n| --- | --- | --- | --- |\n";
  for (const Verdict& verdict : verdicts) {
    text += fmt::format("| {} | {} | {} | {} |\n", emphasised(verdict.outcome),
                        plain(comparison_text(verdict)), verdict.rounds_used,
                        verdict.reasons.empty() ? "" : plain(verdict.reasons.front().what));
  }
  return text;
}

std::string metric_row(const MetricJudgement& metric) {
  const bool measured = metric.decision != "unmeasured";
  const bool gated = measured && metric.decision != "reported";
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} |\n", plain(metric.name),
      metric_value_text(metric, metric.median_a), metric_value_text(metric, metric.median_b),
      measured ? effect_with_interval(metric) : "", gated ? effect_text(metric, metric.margin) : "",
      metric.decision == "fail" ? "**fail**" : metric.decision, plain(metric.reason));
}

std::string bullet(const Remark& remark) {
  if (remark.remedy.empty()) return fmt::format("- {}\n", plain(remark.what));
  return fmt::format("- {}: {}\n", plain(remark.what), plain(remark.remedy));
}

std::string section(const Verdict& verdict) {
  std::string text =
      fmt::format("\n## {}: {}\n\n", plain(verdict.outcome), plain(comparison_text(verdict)));
  if (!verdict.label.empty()) text += fmt::format("**{}**\n\n", plain(verdict.label));
  for (const Remark& reason : verdict.reasons) text += bullet(reason);
  if (verdict.metrics.empty()) return text;
  text += fmt::format("\nFrom {} of {} rounds, policy {}, machine {}.\n\n", verdict.rounds_used,
                      verdict.rounds_recorded, plain(verdict.policy), plain(verdict.fingerprint));
  text += "| metric | A | B | change (95 %) | margin | decision | why |\n";
  text += "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const MetricJudgement& metric : verdict.metrics) text += metric_row(metric);
  if (!verdict.remarks.empty()) text += "\n";
  for (const Remark& remark : verdict.remarks) text += bullet(remark);
  return text;
}

class VerdictMarkdown : public VerdictExporter {
 public:
  std::string name() const override { return "markdown"; }
  std::string description() const override { return "a table, then a section a duet"; }

  void write(const std::vector<Verdict>& verdicts, std::ostream& out) const override {
    out << "# Verdicts of the gate\n\n" << summary(verdicts);
    for (const Verdict& verdict : verdicts) out << section(verdict);
  }
};

}  // namespace

const VerdictExporter& verdict_markdown_exporter() {
  static const VerdictMarkdown exporter;
  return exporter;
}

}  // namespace tailgate
