// What the scenario parity answers, on sinks that change lines in a known way.
#include <catch2/catch.hpp>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const std::vector<std::pair<std::string, std::string>> kParitySmoke = {
    {"rate_hz", "5000"}, {"events", "200"}, {"longest_bytes", "4096"}};

const Answer& answer_of(const Result& result) {
  REQUIRE(result.answer);
  UNSCOPED_INFO(result.answer->sentence);
  return *result.answer;
}

const LineKindRead& kind_of(const Result& result, std::size_t copy, LineKind kind) {
  for (const LineKindRead& read : result.trials.at(0).copies.value().at(copy).kinds) {
    if (read.kind == kind) return read;
  }
  throw std::out_of_range("no line of that kind");
}

// Of 200 lines, 64 different ones again and again.
constexpr std::uint64_t lines_of(LineKind kind) {
  std::uint64_t lines = 0;
  for (std::uint64_t i = 0; i < 200; ++i) lines += line_kind(i) == kind ? 1 : 0;
  return lines;
}

TEST_CASE("parity says that all of a tee's sinks hold the same lines") {
  const Result result =
      run_scenario("parity", "tee:first=synthetic:second=file:third=file+mode=mmap", kParitySmoke);
  const Answer& answer = answer_of(result);
  CHECK(answer.sentence ==
        "`synthetic`, `file` and `file:mode=mmap` hold the same 200 lines, exactly as sent.");
  CHECK(answer.holds == true);
  CHECK(figure_value(answer, "sent_lines") == 600);
  CHECK(figure_value(answer, "differing_lines") == 0);
  CHECK(result.trials.at(0).ledger.delivered == 200);
  CHECK(result.trials.at(0).ledger.unaccounted == 0);
}

TEST_CASE("parity says so of one sink, too") {
  CHECK(answer_of(run_scenario("parity", "synthetic", kParitySmoke)).sentence ==
        "`synthetic` holds 200 lines exactly as they were sent.");
}

TEST_CASE("parity finds the one line that a sink drops and the others have") {
  const Result result =
      run_scenario("parity", "tee:first=file:second=synthetic+hide_every=150", kParitySmoke);
  const Answer& answer = answer_of(result);
  // The 150th call has number 149, and 149 - 2 * 64 = 21.
  CHECK(answer.sentence ==
        "`file` holds 200 lines exactly as they were sent. `synthetic:hide_every=150` lacks 1 line "
        "(UTF-8: 1 of " +
            std::to_string(lines_of(LineKind::utf8)) + ").");
  CHECK(answer.holds == false);
  CHECK(figure_value(answer, "missing_lines") == 1);
  CHECK(figure_value(answer, "differing_lines") == 1);
}

TEST_CASE("parity finds the one byte that a sink changes, with its place") {
  const Result result = run_scenario("parity", "synthetic:corrupt_every=120", kParitySmoke);
  const Answer& answer = answer_of(result);
  CHECK(figure_value(answer, "changed_lines") == 1);
  CHECK(figure_value(answer, "differing_lines") == 1);
  // The last byte, '}', differs in its lowest bit.
  const LineKindRead& read = kind_of(result, 0, line_kind(119));
  REQUIRE(read.first);
  CHECK(read.first->sequence == 119);
  CHECK(read.first->offset_bytes + 1 == LogLines(EventEncoding::binary, 4096).body(119).size());
  CHECK(read.first->field == "fields");
  CHECK(read.first->expected == "}");
  CHECK(read.first->found == "|");
  CHECK_THAT(answer.sentence,
             Contains("changes 1 line (") && Contains("where \"}\" was sent and \"|\" came back"));
}

TEST_CASE("parity finds the length at which a sink cuts") {
  const Result result =
      run_scenario("parity", "tee:first=synthetic+cut_over_bytes=2000:second=file", kParitySmoke);
  const Answer& answer = answer_of(result);
  const std::uint64_t longest = lines_of(LineKind::longest);
  CHECK(figure_value(answer, "cut_lines") == static_cast<double>(longest));
  CHECK(figure_value(answer, "differing_lines") == static_cast<double>(longest));
  const LineKindRead& read = kind_of(result, 0, LineKind::longest);
  CHECK(read.cut == longest);
  REQUIRE(read.first);
  CHECK(read.first->offset_bytes == 2000 - kBinaryHeaderBytes);
  CHECK(read.first->expected.size() == 16);
  CHECK(read.first->found.empty());
  CHECK_THAT(answer.sentence,
             Contains("`file` holds 200 lines") &&
                 Contains("cuts " + std::to_string(longest) + " lines (the longest: ") &&
                 Contains("at byte 1968, in the field \"message\"") &&
                 Contains("and the line ends"));
}

TEST_CASE("parity finds the lines whose invalid UTF-8 a sink replaces, and no other") {
  const Result result = run_scenario("parity", "synthetic:replace_invalid_utf8=true", kParitySmoke);
  const Answer& answer = answer_of(result);
  const std::uint64_t invalid = lines_of(LineKind::surrogate) + lines_of(LineKind::invalid_utf8);
  CHECK(figure_value(answer, "changed_lines") == static_cast<double>(invalid));
  CHECK(figure_value(answer, "differing_lines") == static_cast<double>(invalid));
  CHECK(kind_of(result, 0, LineKind::utf8).same == lines_of(LineKind::utf8));
  const LineKindRead& read = kind_of(result, 0, LineKind::surrogate);
  REQUIRE(read.first);
  CHECK(read.first->sequence == 2);
  CHECK(read.first->expected.starts_with("\\xed\\xa0\\xbd"));
  CHECK(read.first->found.starts_with("\uFFFD\uFFFD\uFFFD"));
}

TEST_CASE("parity names what cannot be read back") {
  const Result result = run_scenario("parity", "null", kParitySmoke);
  const Answer& answer = answer_of(result);
  CHECK(answer.cannot == std::vector<std::string>{"be read back"});
  CHECK_FALSE(answer.holds);
}

}  // namespace
}  // namespace tailgate
