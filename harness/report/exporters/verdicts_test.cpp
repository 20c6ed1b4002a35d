#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "harness/gate/gate.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/verdict_title.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

Verdict verdict_of(double factor, double spread = 0.01) {
  SampleDuet sample;
  sample.all = factor;
  sample.spread = spread;
  Duet duet = sample_duet(sample);
  duet.b.build.revision = "fedcba9876543210";
  return judge(duet, default_policy(), "2026-06-01");
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

TEST_CASE("text for a terminal: the verdict first, what was measured, at most 80 columns") {
  const double factor = GENERATE(1.0, 1.1, 30.0, 0.01);
  const double spread = GENERATE(0.01, 0.3);
  const Verdict verdict = verdict_of(factor, spread);
  const std::string text = render(Verdicts{{verdict}}, "text");
  INFO(text);
  for (const std::string& line : lines(text)) CHECK(columns_of(line) <= 80);
  CHECK_THAT(lines(text).front(), Contains("file, 0123456789 to fedcba9876; steady at 20k/s"));
  for (const MetricJudgement& metric : verdict.metrics) {
    CHECK((text.find("\n" + metric.name) != std::string::npos) == metric.is_measured());
  }
}

TEST_CASE("text names the quantiles that a policy gates and of which there are too few calls") {
  Verdict verdict = verdict_of(1);
  const std::string note = "too few calls are beyond them";
  for (MetricJudgement& metric : verdict.metrics) metric.tail_samples_needed.reset();
  CHECK_THAT(render(Verdicts{{verdict}}, "text"), !Contains(note));
  for (MetricJudgement& metric : verdict.metrics) {
    if (metric.name != "response_ns_p90" && metric.name != "response_ns_p99") continue;
    metric.tail_samples = 10;
    metric.tail_samples_needed = 11;
    if (metric.name == "response_ns_p99") metric.decision = MetricOutcome::reported;
  }
  const std::string text = render(Verdicts{{verdict}}, "text");
  CHECK_THAT(text, Contains(note));
  CHECK(lines(text.substr(text.find(note))).at(1) == "    response_ns_p99");
}

TEST_CASE("sides that the user named are named beside their sink") {
  Verdict verdict = verdict_of(1);
  verdict.a = "before";
  verdict.b = "after";
  CHECK(verdict_title(verdict) ==
        "file, before to after, 0123456789 to fedcba9876; steady at 20k/s");
  verdict.a = "0123456";
  verdict.b = "fedcba9876";
  CHECK(verdict_title(verdict) == "file, 0123456 to fedcba9876; steady at 20k/s");
}

TEST_CASE("text says the outcome, why, and what to do") {
  CHECK_THAT(render(Verdicts{{verdict_of(1)}}, "text"),
             Catch::StartsWith("PASS") && Contains("every gated metric is below its margin") &&
                 Contains("30 of 50 rounds used"));
  Verdict verdict = verdict_of(1);
  verdict.layouts = 15;
  CHECK_THAT(render(Verdicts{{verdict}}, "text"), Contains("used, 15 layouts of each side"));
  CHECK_THAT(render(Verdicts{{verdict}}, "markdown"), Contains("15 layouts of each side"));
  CHECK_THAT(render(Verdicts{{verdict_of(1.2)}}, "text"), Catch::StartsWith("FAIL") &&
                                                              Contains("is tolerated") &&
                                                              Contains("-> find the cause"));
  CHECK_THAT(render(Verdicts{{verdict_of(1, 0.3)}}, "text"),
             Catch::StartsWith("INCONCLUSIVE") && Contains("would decide it"));
}

TEST_CASE("colours are there when they are wanted, and nothing from a name steers the terminal") {
  Verdict verdict = verdict_of(1.2);
  verdict.b = "evil\x1b[2J";
  CHECK_THAT(render(Verdicts{{verdict}}, "text"), !Contains("\x1b"));
  CHECK_THAT(render(Verdicts{{verdict}}, "text", {.colour = true}),
             Contains("\x1b[31m") && !Contains("\x1b[2J"));
}

TEST_CASE("JSON is a list that another parser reads") {
  const std::string text = render(Verdicts{{verdict_of(1), verdict_of(1.2)}}, "json");
  const auto document = nlohmann::json::parse(text);
  REQUIRE(document.size() == 2);
  CHECK(document[0]["outcome"] == "pass");
  CHECK(document[1]["outcome"] == "fail");
  CHECK(document[1]["metrics"][0]["name"] == "response_ns_p50");
  CHECK(nlohmann::json::parse(render(Verdicts{{}}, "json")).empty());
}

TEST_CASE("Markdown has the verdicts on top and escapes what it would format") {
  Verdict verdict = verdict_of(1.2);
  verdict.a = "a|b";
  verdict.b = "*x*";
  const std::string text = render(Verdicts{{verdict_of(1), verdict}}, "markdown");
  CHECK_THAT(text, Contains("\n- every gated metric is below its margin\n"));
  CHECK_THAT(text, Contains("| **pass** | file, 0123456789 to fedcba9876; steady at 20k/s | 30 |"));
  CHECK_THAT(text, Contains("| **fail** | file, a\\|b to \\*x\\*, 0123456789"));
  CHECK_THAT(text, Contains("## fail: file, a\\|b to \\*x\\*"));
  // Every row of a table has as many cells as its head.
  std::size_t cells = 0;
  for (const std::string& line : lines(text)) {
    if (!line.starts_with("|")) {
      cells = 0;
      continue;
    }
    const std::string bare = std::regex_replace(line, std::regex(R"(\\.)"), "");
    const auto bars = static_cast<std::size_t>(std::count(bare.begin(), bare.end(), '|'));
    if (cells == 0) cells = bars;
    CHECK(bars == cells);
  }
}

// What XML 1.0 allows in a document, checked by its own rules: no control characters, every
// ampersand a reference, quotes balanced, tags nested.
void check_well_formed(const std::string& xml) {
  CHECK(std::none_of(xml.begin(), xml.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }));
  const std::regex tag(R"re(<(/?)([a-z]+)((?: [a-z]+="[^"<>&']*(?:&#\d+;[^"<>&']*)*")*)(/?)>)re");
  std::vector<std::string> open;
  const std::string body = xml.substr(xml.find("?>") + 2);
  std::size_t at = 0;
  for (std::sregex_iterator it(body.begin(), body.end(), tag), end; it != end; ++it) {
    const std::string between = body.substr(at, static_cast<std::size_t>(it->position()) - at);
    CHECK(between.find_first_not_of(" \n") == std::string::npos);
    at = static_cast<std::size_t>(it->position() + it->length());
    if (it->str(1) == "/") {
      REQUIRE_FALSE(open.empty());
      CHECK(open.back() == it->str(2));
      open.pop_back();
    } else if (it->str(4).empty()) {
      open.push_back(it->str(2));
    }
  }
  CHECK(open.empty());
  CHECK(body.substr(at) == "\n");
}

TEST_CASE("JUnit counts what it holds") {
  const std::string xml =
      render(Verdicts{{verdict_of(1), verdict_of(1.2), verdict_of(1, 0.3)}}, "junit");
  check_well_formed(xml);
  CHECK_THAT(xml, Contains(R"(name="response_ns_p50")"));
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = xml.find(what); at != std::string::npos; at = xml.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  CHECK(count("<testsuite ") == 3);
  const std::regex head(R"re(<testsuites name="tailgate gate" tests="(\d+)" failures="(\d+)" )re"
                        R"re(errors="0" skipped="(\d+)">)re");
  std::smatch match;
  REQUIRE(std::regex_search(xml, match, head));
  CHECK(std::stoul(match[1]) == count("<testcase "));
  CHECK(std::stoul(match[2]) == count("<failure "));
  CHECK(std::stoul(match[3]) == count("<skipped "));
  CHECK(count("<failure ") >= 2);
}

TEST_CASE("JUnit holds any text without becoming invalid XML") {
  Verdict verdict = verdict_of(1.2);
  verdict.outcome = VerdictOutcome::invalid;
  const std::string text =
      GENERATE(as<std::string>(), "<&>\"'", "tab\tline\nend\r", std::string("nul\0byte", 8),
               "\x1b[31m\x07", "\xff\xfe", "\xc0\xaf overlong", "\xed\xa0\x80 surrogate",
               "\xef\xbf\xbe noncharacter", "\xf4\x90\x80\x80 beyond", "\xe2\x82", "µ–€ 𝄞");
  verdict.reasons = {{text, text}};
  verdict.b = text;
  const std::string xml = render(Verdicts{{verdict}}, "junit");
  check_well_formed(xml);
  CHECK_THAT(xml, Contains("<error message="));
  // What is left is UTF-8: no bytes that it never has, and no lone surrogates.
  CHECK(xml.find_first_of("\xc0\xc1\xf5\xff\xfe") == std::string::npos);
  CHECK_THAT(xml, !Contains("\xed\xa0") && !Contains("\xef\xbf\xbe"));
  if (text.starts_with("µ")) CHECK_THAT(xml, Contains(text));
}

TEST_CASE("annotations: an error for each fail, a warning for each that is not decided") {
  Verdicts verdicts{{verdict_of(1), verdict_of(1.2), verdict_of(1, 0.3)}};
  verdicts.list[1].reasons = {{"50 % more, in B", "find: the\ncause"}};
  const std::vector<std::string> commands = lines(render(verdicts, "annotations"));
  REQUIRE(commands.size() == 2);
  CHECK_THAT(commands[0],
             Catch::StartsWith("::error title=fail%3A file%2C 0123456789 to fedcba9876; steady") &&
                 Contains("::50 %25 more, in B: find: the?cause") &&
                 Contains("%0Aresponse_ns_p50: +19.8 %25 ("));
  CHECK_THAT(commands[1], Catch::StartsWith("::warning title=inconclusive%3A file%2C "));
}

TEST_CASE("annotations say that all pass, and a text in them begins no other command") {
  CHECK(render(Verdicts{{verdict_of(1), verdict_of(1)}}, "annotations") ==
        "::notice title=pass::all 2 comparisons of logging paths pass\n");
  Verdict verdict = verdict_of(1.2);
  verdict.reasons = {{"x\n::error::y", "\r::stop-commands::z"}};
  CHECK(lines(render(Verdicts{{verdict}}, "annotations")).size() == 1);
}

}  // namespace
}  // namespace tailgate
