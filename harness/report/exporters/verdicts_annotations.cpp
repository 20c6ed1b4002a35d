// Verdicts as workflow commands of GitHub Actions, which shows what they print as annotations of a
// run: an error for a fail, a warning where there is no decision. Format and escapes as in
// docs.github.com, "Workflow commands for GitHub Actions".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/gate/effect_text.h"
#include "harness/report/exporter.h"
#include "harness/report/verdict_title.h"

namespace tailgate {
namespace {

// A command ends with its line, and a property of it with a comma or colon.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool ends = c == '%' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (ends || (property && (c == ':' || c == ','))) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string command(std::string_view level, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", level, escaped(title, true), escaped(message, false));
}

std::string sentence(const Remark& reason) {
  return reason.what + (reason.remedy.empty() ? "" : ": " + reason.remedy);
}

// What decided: the reasons, then the metrics that failed, a line each.
std::string message(const Verdict& verdict) {
  std::string text;
  const auto add = [&text](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
  for (const Remark& reason : verdict.reasons) add(sentence(reason));
  for (const MetricJudgement& metric : verdict.metrics) {
    if (!metric.is_gated() || metric.decision != MetricOutcome::fail) continue;
    add(fmt::format("{}: {}, margin {}", metric.name, effect_with_interval(metric),
                    effect_text(metric, metric.margin)));
  }
  return text.empty() ? "no reason was recorded" : text;
}

std::string render_annotations(const Verdicts& verdicts, const ExportOptions&) {
  std::string text;
  for (const Verdict& verdict : verdicts.list) {
    if (verdict.outcome == VerdictOutcome::pass) continue;
    const bool fail = verdict.outcome == VerdictOutcome::fail;
    text += command(fail ? "error" : "warning",
                    fmt::format("{}: {}", enum_text(verdict.outcome), verdict_title(verdict)),
                    message(verdict));
  }
  if (!text.empty()) return text;
  return command("notice", "pass",
                 fmt::format("all {} comparisons of logging paths pass", verdicts.list.size()));
}

}  // namespace

constinit const Exporter exporters::verdicts_annotations =
    exporter_of<render_annotations, Form::text>("annotations", "GitHub's annotations of a run",
                                                ".annotations.txt");

}  // namespace tailgate
