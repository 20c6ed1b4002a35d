#include "harness/report/junit.h"

#include <fmt/format.h>

#include "harness/base/quoting.h"

namespace tailgate {

void JunitCases::add(std::string_view suite, std::string_view name, std::string_view element,
                     std::string_view message) {
  ++tests_;
  failures_ += element == "failure" ? 1 : 0;
  errors_ += element == "error" ? 1 : 0;
  skipped_ += element == "skipped" ? 1 : 0;
  text_ += fmt::format(R"(    <testcase classname="{}" name="{}")", xml_attribute(suite),
                       xml_attribute(name));
  text_ += element.empty() ? "/>\n"
                           : fmt::format(">\n      <{} message=\"{}\"/>\n    </testcase>\n",
                                         element, xml_attribute(message));
}

void JunitCases::say(std::string_view line) {
  said_ += fmt::format("{}\n", line);
}

void JunitCases::add_suite(std::string_view name, const JunitCases& cases) {
  const std::string said = cases.said_.empty() ? ""
                                               : fmt::format("    <system-out>{}</system-out>\n",
                                                             xml_attribute(cases.said_));
  text_ += fmt::format("  <testsuite name=\"{}\" {}>\n{}{}  </testsuite>\n", xml_attribute(name),
                       cases.counts(), cases.text_, said);
  tests_ += cases.tests_;
  failures_ += cases.failures_;
  errors_ += cases.errors_;
  skipped_ += cases.skipped_;
}

std::string JunitCases::document(std::string_view program) const {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n{}</testsuites>\n",
      xml_attribute(program), counts(), text_);
}

std::string JunitCases::counts() const {
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", tests_, failures_,
                     errors_, skipped_);
}

std::string_view junit_element(VerdictOutcome outcome) {
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

}  // namespace tailgate
