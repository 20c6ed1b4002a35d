#include "harness/report/overhead_text.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/human.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

StepSummary step_of(double rate_hz, double logging_percent) {
  StepSummary step;
  step.rate_hz = step.achieved_rate_hz = rate_hz;
  RoleOverhead& logging = step.overhead.emplace_back();
  logging.role = "logging";
  logging.machine_percent = Estimate{logging_percent, 0.1};
  return step;
}

TEST_CASE("the table has a row by role, the rate in the first of each step") {
  const std::string text = overhead_text(sample_result());
  CHECK_THAT(text, Catch::Contains(
                       "  rate/s role            CPU       +- machine%       +- switches  faults"
                       "   bytes\n"));
  // 20, 21 and 22 ms above the control in 20,000 events: 1.05 us, and t s / sqrt(3) = 124 ns.
  CHECK_THAT(text, Catch::Contains("     10k provider    1.050us    124ns     0.53     0.06"));
  CHECK_THAT(text, Catch::Contains("\n         daemons     2.000us      0ns     1.00     0.00"));
  CHECK_THAT(text, Catch::Contains("beyond the same load on the null sink"));
  CHECK_THAT(text, Catch::Contains("sampling took 300.0us a sample, 0.04 % of the controller's"));
  CHECK_THAT(text, Catch::Contains("not seen: the kernel's threads"));
}

TEST_CASE("without control trials the table says so, and without overhead there is none") {
  Result result = sample_result();
  result.summary[0].controls = 0;
  CHECK_THAT(overhead_text(result), Catch::Contains("there were no control trials"));
  result.summary[0].overhead.clear();
  CHECK(overhead_text(result).empty());
}

TEST_CASE("a sweep says from which rate on logging takes 5 % of the machine") {
  Result result;
  result.summary = {step_of(1000, 1), step_of(5000, 3), step_of(9000, 7)};
  CHECK_THAT(overhead_text(result), Catch::Contains("reached at about 7k events/s"));
  result.summary.pop_back();
  CHECK_THAT(overhead_text(result), Catch::Contains("not reached up to 5k events/s"));
  result.summary[0].overhead[0].machine_percent->mean = 6;
  CHECK_THAT(overhead_text(result), Catch::Contains("reached below 1k events/s"));
}

TEST_CASE("several results share a table of what logging cost") {
  const Result sweep = [] {
    Result result;
    result.summary = {step_of(1000, 1), step_of(9000, 9)};
    result.summary[0].overhead.insert(result.summary[0].overhead.begin(), RoleOverhead{});
    result.summary[0].overhead[0].role = "provider";
    result.summary[0].controls = result.summary[1].controls = 1;
    return result;
  }();
  Result uncontrolled;
  uncontrolled.summary = {step_of(1000, 2)};
  const std::string text =
      logging_text({{"sweep@a\n", sweep}, {"none\n", Result{}}, {"steady@b\n", uncontrolled}});
  CHECK(text.find("rate/s") == text.rfind("rate/s"));
  CHECK_THAT(text, Catch::Contains("sweep@a\n      1k logging"));
  CHECK_THAT(text, Catch::Contains("reached at about 5k events/s"));
  CHECK_THAT(text, Catch::Contains("there were no control trials"));
  CHECK_THAT(text, !Catch::Contains("provider"));
  CHECK_THAT(text, !Catch::Contains("none"));
  CHECK(logging_text({{"none\n", Result{}}}).empty());
}

TEST_CASE("the victim's slow-down has its interval") {
  Result result;
  result.summary = {step_of(1000, 1)};
  result.summary[0].victim_slowdown_percent = Estimate{3.5, 0.25};
  CHECK_THAT(overhead_text(result), Catch::Contains("victim at 1k/s: 3.50 % slower, +- 0.25\n"));
}

TEST_CASE("no line about overhead is wider than 80 columns, whatever the values") {
  Result result = sample_result();
  for (const double value : {1e300, -1e300, 999.9994, -999.9994, -0.0123456}) {
    for (RoleOverhead& overhead : result.summary[0].overhead) {
      overhead.role = "a role of another version";
      const Estimate estimate{value, value};
      overhead.cpu_ns_per_event = overhead.machine_percent = overhead.switches_per_event =
          overhead.faults_per_event = overhead.written_bytes_per_event = estimate;
    }
    result.summary[0].rate_hz = 123456.7;
    result.summary[0].victim_slowdown_percent = Estimate{value, value};
    result.trials[0].overhead->limits = std::string(200, 'x');
    std::istringstream lines(overhead_text(result));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(columns_of(line) <= 80);
    }
  }
}

}  // namespace
}  // namespace tailgate
