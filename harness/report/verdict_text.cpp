#include <fmt/format.h>

#include <string>

#include "harness/gate/effect_text.h"
#include "harness/gate/gate.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"
#include "harness/report/verdict_exporter.h"

namespace tailgate {
namespace {

std::string upper(const std::string& text) {
  std::string result = text;
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

std::string painted(const std::string& text, const std::string& decision, const Painter& painter) {
  if (decision == "fail" || decision == "invalid") return painter.red(text);
  if (decision == "pass") return painter.green(text);
  return decision == "undecided" || decision == "inconclusive" ? painter.yellow(text) : text;
}

std::string interval_cell(const MetricJudgement& metric) {
  if (!metric.effect_low || !metric.effect_high) return "";
  return fmt::format("{} .. {}", effect_cell(metric, *metric.effect_low),
                     effect_cell(metric, *metric.effect_high));
}

std::string row(const MetricJudgement& metric, const Painter& painter) {
  const bool gated = metric.decision != "reported" && metric.decision != "unmeasured";
  const bool measured = metric.decision != "unmeasured";
  const std::string decision = gated ? metric.decision == "fail" ? "FAIL" : metric.decision : "-";
  return fmt::format("{:<19}{:>8}{:>8} {:>8} {:>16} {:>6} ", metric.name,
                     metric_value_text(metric, metric.median_a),
                     metric_value_text(metric, metric.median_b),
                     measured ? effect_cell(metric, metric.effect) : "-",
                     measured ? interval_cell(metric) : "",
                     gated ? effect_cell(metric, metric.margin) : "-") +
         painted(decision, metric.decision, painter) + "\n";
}

std::string metrics_table(const Verdict& verdict, const Painter& painter) {
  std::string gated;
  std::string others;
  for (const MetricJudgement& metric : verdict.metrics) {
    const bool other = metric.decision == "reported" || metric.decision == "unmeasured";
    (other ? others : gated) += row(metric, painter);
  }
  return fmt::format("{:<19}{:>8}{:>8} {:>8} {:>16} {:>6} {}\n", "metric", "A", "B", "change",
                     "95 % interval", "margin", "verdict") +
         gated + others;
}

std::string rounds_text(const Verdict& verdict) {
  std::string text =
      fmt::format("{} of {} rounds used", verdict.rounds_used, verdict.rounds_recorded);
  if (verdict.rounds_needed) {
    text += *verdict.rounds_needed >= 100'000
                ? "; more would hardly decide it"
                : fmt::format("; about {} would decide it", *verdict.rounds_needed);
  }
  return text;
}

// What several reasons in a row have for a remedy is said once.
std::string reasons_text(const Verdict& verdict, const Painter& painter) {
  std::string text;
  for (std::size_t i = 0; i < verdict.reasons.size(); ++i) {
    const Remark& reason = verdict.reasons[i];
    if (verdict.outcome == kVerdictPass) {
      text += "  " + printable(reason.what) + "\n";
      continue;
    }
    const bool said_next =
        i + 1 < verdict.reasons.size() && verdict.reasons[i + 1].remedy == reason.remedy;
    text += note(reason.what, said_next ? "" : reason.remedy, painter);
  }
  return text;
}

std::string render(const Verdict& verdict, const Painter& painter) {
  std::string text;
  const std::string heading = upper(verdict.outcome) + "  " + printable(comparison_text(verdict));
  for (const std::string& line : wrapped(heading, kColumns, 2)) {
    text += painter.bold(painted(line, verdict.outcome, painter)) + "\n";
  }
  if (!verdict.label.empty()) text += note("restricted use: " + verdict.label, "", painter);
  text += reasons_text(verdict, painter);
  text += "  " + rounds_text(verdict) + "\n" + metrics_table(verdict, painter);
  for (const Remark& remark : verdict.remarks) text += note(remark.what, remark.remedy, painter);
  return text;
}

class VerdictText : public VerdictExporter {
 public:
  std::string name() const override { return "text"; }
  std::string description() const override { return "what the terminal shows"; }

  void write(const std::vector<Verdict>& verdicts, std::ostream& out) const override {
    out << render_verdicts(verdicts, false);
  }
};

}  // namespace

std::string render_verdicts(const std::vector<Verdict>& verdicts, bool colour) {
  const Painter painter(colour);
  std::string text;
  for (const Verdict& verdict : verdicts)
    text += (text.empty() ? "" : "\n") + render(verdict, painter);
  return text;
}

const VerdictExporter& verdict_text_exporter() {
  static const VerdictText exporter;
  return exporter;
}

}  // namespace tailgate
