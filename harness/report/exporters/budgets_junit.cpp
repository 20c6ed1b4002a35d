// Verdicts on budgets as JUnit XML: a test suite for each path, a test case for each bound.
#include <fmt/format.h>

#include <string>

#include "harness/report/budget_text.h"
#include "harness/report/exporter.h"
#include "harness/report/junit.h"

namespace tailgate {
namespace {

std::string render_budgets_junit(const BudgetVerdicts& verdicts, const ExportOptions&) {
  JunitCases all;
  for (const BudgetVerdict& verdict : verdicts.list) {
    const std::string suite = budget_title(verdict);
    JunitCases cases;
    for (const BoundVerdict& bound : verdict.bounds) {
      const Remark reason = bound_reason(verdict, bound);
      cases.add(suite, bound.bound.text, junit_element(bound.outcome),
                fmt::format("{}: {}{}{}", enum_text(bound.outcome), reason.what,
                            reason.remedy.empty() ? "" : ": ", reason.remedy));
    }
    for (const Remark& remark : verdict.remarks) {
      cases.say(fmt::format("{}: {}", remark.what, remark.remedy));
    }
    all.add_suite(suite, cases);
  }
  return all.document("tailgate budget");
}

}  // namespace

constinit const Exporter exporters::budgets_junit = exporter_of<render_budgets_junit, Form::xml>(
    "junit", "JUnit XML, a test case per bound", ".xml");

}  // namespace tailgate
