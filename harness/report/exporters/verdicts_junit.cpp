// JUnit XML as continuous-integration services read it: a test suite for each duet, a test case for
// the verdict and for each gated metric.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/gate/effect_text.h"
#include "harness/report/exporter.h"
#include "harness/report/verdict_title.h"

namespace tailgate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD in UTF-8

// The number of bytes of the text's first character; 0 when it is not UTF-8 or not a character of
// XML 1.0: #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD, #x10000 to #x10FFFF.
std::size_t xml_character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return first >= 0x20 || first == 0x9 || first == 0xA || first == 0xD ? 1 : 0;
  }
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return 0;
  std::uint32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool valid =
      code >= kLeast[bytes] && code <= 0x10FFFF && !surrogate && code != 0xFFFE && code != 0xFFFF;
  return valid ? bytes : 0;
}

// The text as an attribute's value. Markup and white space that XML would change become references;
// bytes that XML cannot hold become U+FFFD.
std::string attribute(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t bytes = xml_character_bytes(text);
    const std::string_view character = text.substr(0, bytes);
    if (bytes == 0) {
      result += kReplacement;
    } else if (std::string_view("&<>\"'\t\n\r").find(character) != std::string_view::npos) {
      result += fmt::format("&#{};", static_cast<int>(character[0]));
    } else {
      result += character;
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result;
}

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
  const std::string head =
      fmt::format(R"(    <testcase classname="{}" name="{}")", attribute(suite), attribute(name));
  if (element.empty()) return head + "/>\n";
  return fmt::format("{}>\n      <{} message=\"{}\"/>\n    </testcase>\n", head, element,
                     attribute(message));
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
  return fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", attribute(suite),
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
    exporter_of<render_verdicts>("junit", "JUnit XML, a test suite per duet", ".xml");

}  // namespace tailgate
