#include "harness/report/difference_text.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/verdict.h"

namespace tailgate {
namespace {

using Catch::Contains;

DifferencePart part(const char* cause, const char* name, double ns, bool distinct) {
  return {.cause = cause,
          .name = name,
          .module = std::string(cause) == "function" ? "mylog.so" : "",
          .caller = {},
          .a_ns = 0,
          .b_ns = ns,
          .difference_ns = ns,
          .low_ns = ns - 5,
          .high_ns = ns + 5,
          .distinct = distinct};
}

// A checksum of 38 ns, and a daemon that does 600 ns more.
Difference checksum() {
  Difference difference;
  difference.rounds = 8;
  difference.samples = 12'000;
  DifferenceSum& call = difference.sums.emplace_back();
  call.measure = "call";
  call.difference_ns = 44;
  call.low_ns = 40;
  call.high_ns = 48;
  call.untraced_ns = 41;
  call.untraced_low_ns = 39;
  call.untraced_high_ns = 43;
  call.parts = {part("function", "checksum(char const*, unsigned long)", 38, true),
                part("syscall", "write", 4, false), part("rest", "", 2, false)};
  DifferenceSum& slow = difference.sums.emplace_back();
  slow.measure = "slow_call";
  slow.difference_ns = 900;
  slow.low_ns = -100;
  slow.high_ns = 1900;
  slow.parts = {part("rest", "", 900, false)};
  DifferenceSum& daemons = difference.sums.emplace_back();
  daemons.measure = "daemons";
  daemons.processes = "systemd-journald";
  daemons.difference_ns = 600;
  daemons.low_ns = 550;
  daemons.high_ns = 650;
  daemons.parts = {part("function", "journal_file_append_entry", 590, true),
                   part("rest", "", 10, false)};
  return difference;
}

std::vector<std::string> texts(const Difference& difference) {
  std::vector<std::string> all;
  for (const DifferenceLine& line : difference_lines(difference)) {
    all.push_back(std::string(line.level, '>') + line.text);
  }
  return all;
}

TEST_CASE("lines say the whole, then its parts, the largest difference first") {
  CHECK(texts(checksum()) ==
        std::vector<std::string>{
            "+600ns (+550ns to +650ns) processor time an event in systemd-journald",
            ">+590ns (+585ns to +595ns): journal_file_append_entry() in mylog.so",
            ">+10ns: all the rest",
            "+44ns (+40ns to +48ns) a call; without the trace +41ns (+39ns to +43ns), so +3ns is "
            "the trace's own",
            ">+38ns (+33ns to +43ns): checksum() in mylog.so", ">+6ns: all the rest"});
}

AmountPart loss(const char* name, const char* module, double difference, bool distinct) {
  return {.cause = std::string(name).empty() ? "rest" : "loss",
          .name = name,
          .module = module,
          .caller = {},
          .a = 0,
          .b = difference,
          .difference = difference,
          .low = difference - 5,
          .high = difference + 5,
          .distinct = distinct};
}

// Besides checksum(): a queue that loses 120 events of a million more.
Difference losses() {
  Difference difference = checksum();
  AmountSum& sum = difference.amounts.emplace().emplace_back();
  sum.measure = "losses";
  sum.unit = "per million events";
  sum.rounds = 8;
  sum.difference = 1170;
  sum.low = 1150;
  sum.high = 1190;
  sum.untraced = 1100;
  sum.untraced_low = 1000;
  sum.untraced_high = 1200.4;
  sum.parts = {loss("overrun", "provider", 1200, true), loss("refused", "call", -30, true),
               loss("", "", 0, false)};
  return difference;
}

TEST_CASE("losses come before times, with who reported them") {
  const std::vector<std::string> lines = texts(losses());
  REQUIRE(lines.size() == 9);
  CHECK(lines[0] ==
        "+1170 (+1150 to +1190) events lost of a million; without the trace +1100 (+1000 to "
        "+1200)");
  CHECK(lines[1] == ">+1200 (+1195 to +1205): overrun, reported by the provider");
  CHECK(lines[2] == ">-30 (-35 to -25): refused, calls that were refused");
  CHECK_THAT(lines[3], Contains("systemd-journald"));
}

Difference memory(double difference) {
  Difference explained;
  explained.rounds = 5;
  AmountSum& sum = explained.amounts.emplace().emplace_back();
  sum.measure = "memory";
  sum.unit = "bytes";
  sum.rounds = 5;
  sum.a = 100e6;
  sum.b = sum.a + difference;
  sum.difference = difference;
  sum.low = 0.99 * difference;
  sum.high = 1.01 * difference;
  sum.untraced = difference;
  sum.parts = {{.cause = "memory",
                .name = "tailgate::(anonymous namespace)::Leak::grow(unsigned long)",
                .module = "tailgate",
                .caller = "Planted::emit(int)",
                .difference = difference - 2000,
                .distinct = true},
               {.cause = "memory", .name = "before the trace", .difference = 2000},
               {.cause = "rest"}};
  return explained;
}

TEST_CASE("memory is shown in bytes, by function, where it differs by a hundredth or more") {
  CHECK(texts(memory(2'000'000)) ==
        std::vector<std::string>{
            "+2.000MB (+1.980MB to +2.020MB) memory; without the trace +2.000MB",
            ">+1.998MB: Leak::grow() in tailgate, from Planted::emit()", ">+2000B: all the rest"});
  CHECK(texts(memory(-2'000'000)).at(0) ==
        "-2.000MB (-1.980MB to -2.020MB) memory; without the trace -2.000MB");
  CHECK(
      texts(memory(900'000)) ==
      std::vector<std::string>{"in 5 traced rounds no difference is larger than chance explains"});
}

AmountSum allocated() {
  AmountSum sum;
  sum.measure = "allocated";
  sum.unit = "bytes";
  sum.rounds = 3;
  sum.b = 1'500'000;
  sum.difference = sum.b;
  sum.low = 1'490'000;
  sum.high = 1'510'000;
  sum.parts = {{.cause = "allocated",
                .name = "blocks of 33 to 64 bytes",
                .caller = "tailgate::Leak::grow(unsigned long)",
                .difference = sum.b,
                .distinct = true},
               {.cause = "rest"}};
  return sum;
}

TEST_CASE("allocations are shown by the size of the blocks, behind the memory") {
  Difference difference = memory(2'000'000);
  difference.amounts->push_back(allocated());
  const std::vector<std::string> lines = texts(difference);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3] == "+1.500MB (+1.490MB to +1.510MB) allocated and not freed");
  CHECK(lines[4] == ">+1.500MB: blocks of 33 to 64 bytes, from Leak::grow()");

  Difference with_times = checksum();
  with_times.amounts = memory(6'000'000).amounts;
  with_times.amounts->push_back(allocated());
  CHECK_THAT(texts(with_times)[3], Contains("allocated and not freed"));
}

TEST_CASE("memory comes before times where the default policy does not tolerate it") {
  Difference difference = checksum();
  difference.amounts = memory(6'000'000).amounts;
  CHECK_THAT(texts(difference).front(), Contains("+6.000MB"));
  difference.amounts = memory(4'000'000).amounts;
  CHECK_THAT(texts(difference).front(), Contains("systemd-journald"));
  CHECK_THAT(texts(difference)[6], Contains("+4.000MB"));
}

TEST_CASE("losses that may be chance are said so, or not at all") {
  Difference difference = losses();
  AmountSum& sum = difference.amounts->front();
  for (AmountPart& part : sum.parts) part.distinct = false;
  CHECK(texts(difference)[1] ==
        ">+1200 (+1195 to +1205): overrun, reported by the provider (may be chance)");
  CHECK(texts(difference)[2] ==
        ">-30 (-35 to -25): refused, calls that were refused (may be chance)");
  sum.low = -10;
  CHECK(texts(difference) == texts(checksum()));
  sum.rounds = 1;  // no intervals, and nothing is distinct
  sum.low = sum.high = std::nullopt;
  CHECK_THAT(texts(difference)[0], Contains("+1170 events lost of a million"));
}

TEST_CASE("a sum of which no part is distinct says so of the largest") {
  Difference difference = checksum();
  difference.sums[0].parts[0].distinct = false;
  CHECK_THAT(texts(difference)[4], Contains("checksum() in mylog.so (may be chance)"));
}

TEST_CASE("equal sides are said to be equal, and what was not seen is said") {
  Difference difference;
  difference.rounds = 5;
  difference.limits = "no time in the kernel: run as root";
  CHECK(texts(difference) ==
        std::vector<std::string>{"in 5 traced rounds no difference is larger than chance explains",
                                 "not seen: no time in the kernel: run as root"});
}

TEST_CASE("causes are said in words, with who called") {
  Difference difference = checksum();
  DifferenceSum& call = difference.sums[0];
  call.parts = {part("syscall", "fsync", 30, true), part("page_cache", "mm_filemap_add", 9, true),
                part("waiting", "kworker/1:2", 7, true), part("rest", "", 0, false)};
  call.parts[0].caller = "ns::Log<int>::flush(bool)";
  const std::vector<std::string> lines = texts(difference);
  CHECK_THAT(lines[4], Contains("+30ns (+25ns to +35ns): system call fsync, from Log::flush()"));
  CHECK_THAT(lines[5], Contains("page cache: new page (mm_filemap_add)"));
  CHECK_THAT(lines[6], Contains("waiting for the processor (kworker/1:2)"));
  call.parts[0].name = "system call 110";  // one that has no name here
  CHECK_THAT(texts(difference)[4], Contains("+35ns): system call 110, from Log::flush()"));
}

TEST_CASE("a function's name is brief") {
  CHECK(brief_function("tailgate::(anonymous namespace)::PlantedProvider::emit(unsigned int, "
                       "std::span<std::byte const, 18446744073709551615ul>)") ==
        "PlantedProvider::emit()");
  CHECK(brief_function("unsigned long tailgate::Pacer::wait_until<std::vector<int> >(int)") ==
        "Pacer::wait_until()");
  CHECK(brief_function("__memmove_avx_unaligned_erms") == "__memmove_avx_unaligned_erms()");
  CHECK(brief_function("[libc.so.6]") == "[libc.so.6]");
  CHECK(brief_function("operator new(unsigned long)") == "operator new()");
  CHECK(brief_function("") == "");
  CHECK(brief_function("(anonymous namespace)::f(int)") == "f()");
}

TEST_CASE("on a terminal lines fit 80 columns, whatever the names are") {
  Difference difference = checksum();
  difference.sums[0].parts[0].name = std::string(400, 'x') + "::y(int)";
  difference.limits = std::string(300, 'z') + " and more";
  std::istringstream lines(difference_text(difference));
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kColumns);
}

TEST_CASE("a verdict's formats all say why") {
  Verdict verdict;
  verdict.outcome = VerdictOutcome::fail;
  verdict.reasons = {{"slower", "repair it"}};
  verdict.difference = losses();
  const Verdicts verdicts{{verdict}};
  CHECK_THAT(render(verdicts, "text"),
             Contains("\n      +38ns (+33ns to +43ns): checksum() in mylog.so\n"));
  CHECK_THAT(render(verdicts, "junit"), Contains("+38ns (+33ns to +43ns): checksum() in mylog.so"));
  CHECK_THAT(render(verdicts, "markdown"), Contains("\nWhy, by 8 traced rounds:\n\n- +1170 ") &&
                                               Contains("\n- +600ns ") && Contains("\n  - +38ns "));
  CHECK_THAT(render(verdicts, "json"), Contains("\"measure\": \"daemons\""));
  for (const char* format : {"text", "junit", "markdown"}) {
    CHECK_THAT(render(verdicts, format), Contains("overrun, reported by the provider"));
  }
}

}  // namespace
}  // namespace tailgate
