// JUnit XML as continuous-integration services read it: a test suite for each duet, a test case for
// the verdict and for each gated metric.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/gate/effect_text.h"
#include "harness/report/verdict_exporter.h"

namespace tailgate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD in UTF-8

// The number of bytes of the character at the beginning of a text, 0 when it is not UTF-8 or not a
// character of XML 1.0: #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD, #x10000 to #x10FFFF.
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

// Text as an attribute's value: what XML reads as markup or would not keep becomes a reference, and
// what it cannot hold becomes U+FFFD.
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

// element: failure, error, skipped, or empty for a test that passed.
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

std::string outcome_case(const std::string& suite, const Verdict& verdict, Counts& counts) {
  std::string reasons;
  for (const Remark& reason : verdict.reasons) {
    reasons += (reasons.empty() ? "" : "\n") + reason.what + ": " + reason.remedy;
  }
  const std::string element = verdict.outcome == "pass"           ? ""
                              : verdict.outcome == "fail"         ? "failure"
                              : verdict.outcome == "inconclusive" ? "skipped"
                                                                  : "error";
  return test_case(suite, "verdict", element, verdict.outcome + ": " + reasons, counts);
}

std::string suite_of(const Verdict& verdict, Counts& all) {
  const std::string suite = comparison_text(verdict);
  Counts counts;
  std::string cases = outcome_case(suite, verdict, counts);
  for (const MetricJudgement& metric : verdict.metrics) {
    if (metric.decision == "reported" || metric.decision == "unmeasured") continue;
    const std::string element = metric.decision == "pass"   ? ""
                                : metric.decision == "fail" ? "failure"
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

class VerdictJunit : public VerdictExporter {
 public:
  std::string name() const override { return "junit"; }
  std::string description() const override { return "JUnit XML, a test suite a duet"; }

  void write(const std::vector<Verdict>& verdicts, std::ostream& out) const override {
    Counts all;
    std::string suites;
    for (const Verdict& verdict : verdicts) suites += suite_of(verdict, all);
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tailgate gate\" "
        << all.attributes() << ">\n"
        << suites << "</testsuites>\n";
  }
};

}  // namespace

const VerdictExporter& verdict_junit_exporter() {
  static const VerdictJunit exporter;
  return exporter;
}

}  // namespace tailgate
