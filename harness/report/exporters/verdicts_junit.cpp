// JUnit XML as continuous-integration services read it: a test suite for each duet, a test case for
// the verdict and for each gated metric.
#include <fmt/format.h>

#include <string>

#include "harness/base/quoting.h"
#include "harness/gate/effect_text.h"
#include "harness/report/exporter.h"
#include "harness/report/verdict_title.h"

namespace tailgate {
namespace {

struct Counts {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;

  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", tests, failures,
                       errors, skipped);
  }
};

// A test case. element: "failure", "error" or "skipped"; empty when the test passed.
std::string test_case(const std::string& suite, const std::string& name, const std::string& element,
                      const std::string& message, Counts& counts) {
  ++counts.tests;
  counts.failures += element == "failure" ? 1 : 0;
  counts.errors += element == "error" ? 1 : 0;
  counts.skipped += element == "skipped" ? 1 : 0;
  const std::string head = fmt::format(R"(    <testcase classname="{}" name="{}")",
                                       xml_attribute(suite), xml_attribute(name));
  if (element.empty()) return head + "/>\n";
  return fmt::format("{}>\n      <{} message=\"{}\"/>\n    </testcase>\n", head, element,
                     xml_attribute(message));
}

// What JUnit has for an outcome; a pass is a test case without anything inside.
std::string element_of(VerdictOutcome outcome) {
  switch (outcome) {
    case VerdictOutcome::pass:
      return "";
    case VerdictOutcome::fail:
      return "failure";
    case VerdictOutcome::inconclusive:
      return "skipped";
    case VerdictOutcome::invalid:
      break;
  }
  return "error";
}

std::string outcome_case(const std::string& suite, const Verdict& verdict, Counts& counts) {
  std::string reasons;
  for (const Remark& reason : verdict.reasons) {
    reasons += (reasons.empty() ? "" : "\n") + reason.what + ": " + reason.remedy;
  }
  return test_case(suite, "verdict", element_of(verdict.outcome),
                   fmt::format("{}: {}", enum_text(verdict.outcome), reasons), counts);
}

std::string suite_of(const Verdict& verdict, Counts& all) {
  const std::string suite = verdict_title(verdict);
  Counts counts;
  std::string cases = outcome_case(suite, verdict, counts);
  for (const MetricJudgement& metric : verdict.metrics) {
    if (!metric.is_gated()) continue;
    const std::string element = metric.decision == MetricOutcome::pass   ? ""
                                : metric.decision == MetricOutcome::fail ? "failure"
                                                                         : "skipped";
    cases += test_case(suite, metric.name, element,
                       effect_with_interval(metric) + ", " + metric.reason, counts);
  }
  all.tests += counts.tests;
  all.failures += counts.failures;
  all.errors += counts.errors;
  all.skipped += counts.skipped;
  return fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml_attribute(suite),
                     counts.attributes(), cases);
}

std::string render_verdicts(const Verdicts& verdicts, const ExportOptions&) {
  Counts all;
  std::string suites;
  for (const Verdict& verdict : verdicts.list) suites += suite_of(verdict, all);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tailgate gate\" "
      "{}>\n{}</testsuites>\n",
      all.attributes(), suites);
}

}  // namespace

constinit const Exporter exporters::verdicts_junit =
    exporter_of<render_verdicts, Form::xml>("junit", "JUnit XML, a test suite per duet", ".xml");

}  // namespace tailgate
