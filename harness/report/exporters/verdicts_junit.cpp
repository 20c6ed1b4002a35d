// JUnit XML as continuous-integration services read it: a test suite for each duet, a test case for
// the verdict and for each gated metric.
#include <fmt/format.h>

#include <string>

#include "harness/gate/effect_text.h"
#include "harness/report/difference_text.h"
#include "harness/report/exporter.h"
#include "harness/report/junit.h"
#include "harness/report/verdict_title.h"

namespace tailgate {
namespace {

void add_outcome(const std::string& suite, const Verdict& verdict, JunitCases& cases) {
  std::string reasons;
  for (const Remark& reason : verdict.reasons) {
    reasons += (reasons.empty() ? "" : "\n") + reason.what + ": " + reason.remedy;
  }
  if (verdict.difference) {
    for (const DifferenceLine& line : difference_lines(*verdict.difference)) {
      reasons += "\n" + std::string(2 * std::size_t{line.level}, ' ') + line.text;
    }
  }
  cases.add(suite, "verdict", junit_element(verdict.outcome),
            fmt::format("{}: {}", enum_text(verdict.outcome), reasons));
}

void add_suite(const Verdict& verdict, JunitCases& all) {
  const std::string suite = verdict_title(verdict);
  JunitCases cases;
  add_outcome(suite, verdict, cases);
  for (const MetricJudgement& metric : verdict.metrics) {
    if (!metric.is_gated()) continue;
    const std::string_view element = metric.decision == MetricOutcome::pass   ? ""
                                     : metric.decision == MetricOutcome::fail ? "failure"
                                                                              : "skipped";
    cases.add(suite, metric.name, element, effect_with_interval(metric) + ", " + metric.reason);
  }
  all.add_suite(suite, cases);
}

std::string render_verdicts_junit(const Verdicts& verdicts, const ExportOptions&) {
  JunitCases all;
  for (const Verdict& verdict : verdicts.list) add_suite(verdict, all);
  return all.document("tailgate gate");
}

}  // namespace

constinit const Exporter exporters::verdicts_junit = exporter_of<render_verdicts_junit, Form::xml>(
    "junit", "JUnit XML, a test suite per duet", ".xml");

}  // namespace tailgate
