#include <fmt/format.h>

#include <string>

#include "harness/gate/gate.h"
#include "harness/report/human.h"
#include "harness/report/metrics_text.h"
#include "harness/report/painter.h"
#include "harness/report/verdict_exporter.h"

namespace tailgate {
namespace {

std::string upper(const std::string& text) {
  std::string result = text;
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
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
    text += painter.bold(painted_decision(line, verdict.outcome, painter)) + "\n";
  }
  if (!verdict.label.empty()) text += note("restricted use: " + verdict.label, "", painter);
  text += reasons_text(verdict, painter);
  if (!verdict.metrics.empty()) {
    text += "  " + rounds_text(verdict) + "\n" + metrics_table(verdict.metrics, painter);
  }
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
