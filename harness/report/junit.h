// JUnit XML as continuous-integration services read it.
#pragma once

#include <string>
#include <string_view>

#include "harness/result/values.h"

namespace tailgate {

// A suite of test cases, or several suites: texts of the XML with their counts.
class JunitCases {
 public:
  // element: "failure", "error" or "skipped"; empty when the test passed. Any texts.
  void add(std::string_view suite, std::string_view name, std::string_view element,
           std::string_view message);
  // A line of the suite's output: what its cases could not take into account.
  void say(std::string_view line);
  // The cases and the output of another list as a suite of that name.
  void add_suite(std::string_view name, const JunitCases& cases);

  // The document; only suites were added. program: "tailgate gate".
  std::string document(std::string_view program) const;

 private:
  std::string counts() const;

  std::string text_;
  std::string said_;
  int tests_ = 0;
  int failures_ = 0;
  int errors_ = 0;
  int skipped_ = 0;
};

// What JUnit has for an outcome; a pass is a test case without anything inside.
std::string_view junit_element(VerdictOutcome outcome);

}  // namespace tailgate
