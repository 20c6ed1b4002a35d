// Verdicts as text for a terminal of 80 columns.
#include <fmt/format.h>

#include <string>

#include "harness/gate/gate.h"
#include "harness/report/difference_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/metrics_text.h"
#include "harness/report/painter.h"
#include "harness/report/verdict_title.h"

namespace tailgate {
namespace {

std::string rounds_text(const Verdict& verdict) {
  std::string text = verdict_extent(verdict) + " used" + layouts_text(verdict);
  if (verdict.rounds_needed) {
    text += *verdict.rounds_needed >= 100'000
                ? "; more are unlikely to decide it"
                : fmt::format("; about {} would decide it", *verdict.rounds_needed);
  }
  return text;
}

// A remedy that several reasons in a row share is printed once, after the last of them.
std::string reasons_text(const Verdict& verdict, const Painter& painter) {
  std::string text;
  for (std::size_t i = 0; i < verdict.reasons.size(); ++i) {
    const Remark& reason = verdict.reasons[i];
    if (verdict.outcome == VerdictOutcome::pass) {
      text += "  " + reason.what + "\n";
      continue;
    }
    const bool said_next =
        i + 1 < verdict.reasons.size() && verdict.reasons[i + 1].remedy == reason.remedy;
    text += note(reason.what, said_next ? "" : reason.remedy, painter);
  }
  return text;
}

std::string verdict_text(const Verdict& verdict, const Painter& painter) {
  std::string text;
  const std::string heading =
      upper_case(enum_text(verdict.outcome)) + "  " + verdict_title(verdict);
  for (const std::string& line : wrapped(heading, kColumns, 2)) {
    text += painter.bold(painted_outcome(line, verdict.outcome, painter)) + "\n";
  }
  if (!verdict.label.empty()) text += note("restricted use: " + verdict.label, "", painter);
  text += reasons_text(verdict, painter);
  if (verdict.difference) text += difference_text(*verdict.difference);
  if (!verdict.metrics.empty()) {
    text += "  " + rounds_text(verdict) + "\n" + metrics_table(verdict.metrics, painter);
  }
  for (const Remark& remark : verdict.remarks) text += note(remark.what, remark.remedy, painter);
  return text;
}

std::string render_verdicts_text(const Verdicts& verdicts, const ExportOptions& options) {
  const Painter painter(options.colour);
  std::string text;
  for (const Verdict& verdict : verdicts.list) {
    text += (text.empty() ? "" : "\n") + verdict_text(verdict, painter);
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::verdicts_text =
    exporter_of<render_verdicts_text, Form::text>("text", "what the terminal shows", ".txt");

}  // namespace tailgate
