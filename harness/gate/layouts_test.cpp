#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "harness/gate/gate.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

Verdict judged_layouts(const Duet& duet) {
  return judge(duet, default_policy(), "2026-06-01");
}

double p50_effect(const Verdict& verdict) {
  const auto found =
      std::find_if(verdict.metrics.begin(), verdict.metrics.end(),
                   [](const MetricJudgement& metric) { return metric.name == "response_ns_p50"; });
  REQUIRE(found != verdict.metrics.end());
  return found->effect;
}

std::string remarks_on(const Duet& duet) {
  std::string text;
  for (const Remark& remark : judged_layouts(duet).remarks) text += remark.what + "\n";
  return text;
}

// 15 pairs have patterns enough for a fail, five do not, however many rounds they have.
TEST_CASE("rounds with the same layouts count as one") {
  SampleDuet sample;
  sample.all = 1.10;
  Duet duet = sample_duet(sample);
  duet.a.layouts = duet.b.layouts = 15;
  for (DuetRound& round : duet.rounds) round.layout_pair = round.index % 15;
  const Verdict verdict = judged_layouts(duet);
  CHECK(verdict.outcome == VerdictOutcome::fail);
  CHECK(verdict.layouts == 15);
  CHECK(p50_effect(verdict) == Approx(0.10).margin(0.01));
  for (DuetRound& round : duet.rounds) round.layout_pair = round.index % 5;
  CHECK(judged_layouts(duet).outcome == VerdictOutcome::inconclusive);
}

TEST_CASE("a small fail of two builds says that one layout of each was compared") {
  SampleDuet sample;
  sample.all = 1.056;
  sample.spread = 0.001;
  Duet duet = sample_duet(sample);
  const char* const said = "one layout in memory of each build";
  REQUIRE(judged_layouts(duet).outcome == VerdictOutcome::fail);
  CHECK_THAT(remarks_on(duet), !Contains(said));
  duet.a.program = "old/tailgate";
  CHECK_THAT(remarks_on(duet), Contains(said));
  duet.a.program = duet.b.program;
  duet.a.sink.label = "old/mylog.so:queue=1";
  duet.b.sink.label = "new/mylog.so:queue=1";
  CHECK_THAT(remarks_on(duet), Contains(said));
  duet.b.layouts = 15;
  CHECK_THAT(remarks_on(duet), !Contains(said));
  sample.all = 1.10;
  duet = sample_duet(sample);
  duet.a.program = "old/tailgate";
  CHECK_THAT(remarks_on(duet), !Contains(said));
}

}  // namespace
}  // namespace tailgate
