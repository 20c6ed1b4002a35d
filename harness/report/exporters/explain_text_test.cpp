#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/merged_tails.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

std::string explained(const Result& result, unsigned calls) {
  return render(Results{{"", result}}, "explain", {.calls = calls});
}

void check_width(const std::string& text) {
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    INFO(line);
    CHECK(columns_of(line) <= 80);
  }
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("an explanation names causes, culprits, what was lost and what the trace changed") {
  const std::string text = explained(sample_result(), 3);
  INFO(text);
  check_width(text);
  CHECK(holds(text, "waiting for the processor"));
  CHECK(holds(text, "60.0 %"));  // 9 of the 15 ms of excess
  CHECK(holds(text, "burner (99)"));
  CHECK(holds(text, "unknown: kernel or hypervisor"));
  CHECK(holds(text, "6 lost"));
  CHECK(holds(text, "not complete"));
  CHECK(holds(text, "the trace changed service times: p50"));
  CHECK(holds(text, "38 more calls are missing"));
}

TEST_CASE("an explanation has the kernel's functions where they were recorded") {
  Result result = sample_result();
  const std::string text = explained(result, 1);
  INFO(text);
  CHECK(holds(text, "the kernel's functions"));
  CHECK(holds(text,
              "      ext4_file_write_iter [ext4]          74.9 %          2    1.498ms       2\n"));
  CHECK(holds(text, "      others                                0.1 %               2.000us\n"));
  CHECK(holds(text, "   +19.00ms   250.0us  function       vfs_write"));
  CHECK(holds(text, "1.000us  in 1 shorter stays in functions"));
  for (Trial& trial : result.traced) {
    for (ExplainedTail& tail : trial.explanation->tails) tail.functions.reset();
    for (ExplainedCall& call : trial.explanation->calls) call.functions.reset();
  }
  const std::string without = explained(result, 1);
  CHECK_FALSE(holds(without, "the kernel's functions"));
  CHECK_FALSE(holds(without, "vfs_write"));
}

TEST_CASE("the tails of several trials add up") {
  const std::vector<ExplainedTail> tails = merged_tails(sample_result(), 0);
  REQUIRE(tails.size() == 2);
  CHECK(tails[0].measure == "service");
  CHECK(tails[0].calls == 2);
  CHECK(tails[0].time_ns == 40'000'000);
  CHECK(tails[0].excess_ns == 30'000'000);
  CHECK(tails[0].causes.front().cause == "waiting");
  CHECK(tails[0].causes.front().excess_ns == 18'000'000);
  CHECK(tails[0].culprits.front().time_ns == 18'000'000);
  REQUIRE(tails[0].functions);
  CHECK(tails[0].functions->functions.front().time_ns == 2 * 749'000);
  CHECK(tails[0].functions->functions.front().entries == 2);
  CHECK(tails[0].functions->left_out_ns == 2000);
  CHECK(tails[1].measure == "response");
}

TEST_CASE("the tail of several trials begins where the lowest of theirs does") {
  Result result = sample_result();
  result.traced[1].explanation->tails[0].threshold_ns = 13'940;
  CHECK(merged_tails(result, 0)[0].threshold_ns == 13'940);
  CHECK(holds(explained(result, 0), "service time, p99.9 and beyond: 2 calls of 13.94us or more"));
}

TEST_CASE("names of any length and with any bytes fit the page") {
  Result result = sample_result();
  for (Trial& trial : result.traced) {
    trial.explanation->trace.limits = std::string(300, 'x') + "\x1b[2J";
    for (ExplainedTail& tail : trial.explanation->tails) {
      for (Culprit& culprit : tail.culprits) culprit.name = std::string(200, 'n');
      for (FunctionTime& one : tail.functions->functions) one.name = std::string(200, '\x7f');
      tail.causes.front().cause = "a cause of later";
    }
    ExplainedCall& call = trial.explanation->calls.front();
    for (int i = 0; i < 100; ++i) call.slices.push_back(call.slices.back());
    for (CallSlice& slice : call.slices) slice.detail = std::string(200, '\x7f');
    for (FunctionStep& step : call.functions->steps) step.name = std::string(200, '\x1b');
  }
  result.sink.label = std::string(200, 's');
  const std::string text = explained(result, 48);
  check_width(text);
  CHECK_FALSE(holds(text, "\x1b"));
}

TEST_CASE("what the kernel did is said in words") {
  const std::vector<std::string> causes = {
      "page_refill", "new_page",     "reclaim", "page_cache",    "fs_dirty",
      "fs_journal",  "fs_writeback", "socket",  "fs_allocation", "wake_up",
      "kernel_gap",  "block_layer",  "lock",    "io_uring"};
  Result result = sample_result();
  for (Trial& trial : result.traced) {
    for (ExplainedTail& tail : trial.explanation->tails) {
      tail.culprits.clear();
      for (const std::string& cause : causes) tail.causes.push_back({cause, 1'000'000, 500'000, 1});
    }
    trial.explanation->calls.clear();
  }
  const std::string text = explained(result, 0);
  INFO(text);
  check_width(text);
  CHECK(holds(text, "page cache: new page"));
  CHECK(holds(text, "machine: gaps in the kernel"));
  for (const std::string& cause : causes) {
    INFO(cause);
    CHECK((cause == "io_uring" || !holds(text, "\n    " + cause + " ")));
  }
}

TEST_CASE("noise is the mean of the trials that were watched, and nothing where none was") {
  Result result = sample_result();
  REQUIRE(result.traced.size() == 2);
  result.traced[0].noise.observed_ns = 0;
  result.traced[0].noise.lost_share = 0;
  result.traced[1].noise.observed_ns = 100'000'000;
  result.traced[1].noise.lost_share = 0.05;
  CHECK(holds(explained(result, 0), "lost 5.00 % of its time"));
  result.traced[1].noise.observed_ns = 0;
  const std::string text = explained(result, 0);
  CHECK(holds(text, "was not observed"));
  CHECK_FALSE(holds(text, "of its time in gaps"));
  check_width(text);
}

TEST_CASE("the functions are shown by role, and those that slow calls were in") {
  const std::string text = explained(sample_result(), 0);
  INFO(text);
  CHECK(holds(text, "997 samples a second"));
  CHECK(holds(text, "the load's threads: 200 samples"));
  // 25 of 100 samples were in the kernel, and 30 in the provider's call and below.
  CHECK(holds(text,
              "    ksys_write                                kernel             25.0 %   "
              "25.0 %\n"));
  CHECK(holds(text,
              "    FileProvider::emit(unsigned)              tailgate            5.0 %   "
              "30.0 %\n"));
  CHECK(holds(text, "the session's daemons: 20 samples"));
  CHECK(holds(text, "the callers of 20 of these samples are not known"));
  CHECK(holds(text, "slow calls by service time: 2 samples, in 2 of 2 calls"));
}

TEST_CASE("functions that were not sampled say why, and names of any length fit") {
  Result result = sample_result();
  for (Trial& trial : result.traced) {
    Profile& profile = *trial.explanation->profile;
    for (ProfiledFunction& function : profile.functions) {
      function = {std::string(400, 'f'), std::string(400, 'm')};
    }
    for (RoleProfile& role : profile.roles) role.role = std::string(400, 'r');
    profile.limits = std::string(400, 'l');
    profile.roles[0].functions.front().function = 77;  // names none
  }
  check_width(explained(result, 0));
  for (Trial& trial : result.traced) {
    trial.explanation->profile = Profile{.method = "none", .limits = "no such event; be root"};
  }
  CHECK(holds(explained(result, 0), "no function was sampled: no such event; be root"));
  for (Trial& trial : result.traced) {
    trial.explanation->profile.reset();
    for (ExplainedTail& tail : trial.explanation->tails) tail.functions.reset();
  }
  CHECK_FALSE(holds(explained(result, 0), "function"));
}

TEST_CASE("a result without explained trials says what to do") {
  Result result = sample_result();
  result.traced.clear();
  CHECK(holds(explained(result, 3), "run it with --explain"));
}

}  // namespace
}  // namespace tailgate
