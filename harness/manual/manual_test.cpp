// Text that means something to man(7) or to a shell comes out as it went in.
#include <catch2/catch.hpp>

#include "harness/manual/completion.h"
#include "harness/manual/page.h"

namespace tailgate {
namespace {

using Catch::Contains;

CommandText sample_program() {
  CommandText run;
  run.name = "run";
  run.description = "Run [a] load: it's all";
  run.footer =
      ".toml begins this line\nand '~' ends it\n\nSecond paragraph.\nExamples:\n  run \\\n";
  run.options = {
      {.names = {"--out", "-o"}, .description = "where to: a\\b", .value = "DIR"},
      {.names = {"--clock"}, .description = "which", .value = "auto|os", .choices = {"auto", "os"}},
      {.names = {"NAME"}, .positional = true, .description = "what", .value = "SINK|FILE"}};
  CommandText program;
  program.name = "tailgate";
  program.description = "Measures.";
  program.exit_codes = {{0, "done", ""}, {2, "usage", "wrong"}};
  program.subcommands = {run};
  return program;
}

std::string page_of(const std::string& name) {
  for (const ManualPage& page : manual_pages(sample_program(), {"1.0", "2026-01-02"})) {
    if (page.name == name) return page.roff;
  }
  return "";
}

TEST_CASE("a page keeps what man(7) would take for a request or an escape") {
  const std::string roff = page_of("tailgate-run");
  CHECK_THAT(roff,
             Contains("\n\\&.toml begins this line\nand \\(aq\\(ti\\(aq ends it\n.PP\nSecond"));
  CHECK_THAT(roff, Contains("where to: a\\eb\n"));
  CHECK_THAT(roff, Contains(".SH EXAMPLES\n.RS 4\n.EX\nrun \\e\n.EE\n.RE\n"));
  CHECK_THAT(roff, Contains(".TH tailgate\\-run 1 2026-01-02 \"tailgate 1.0\""));
  CHECK_THAT(page_of("tailgate"), Contains("\\fB2\\fR\nusage: wrong\n"));
  CHECK_THAT(page_of("tailgate"), Contains("tailgate \\- Measures\n"));
}

TEST_CASE("the name of a value says what a shell offers") {
  const auto offers = [](const std::string& value) { return offers_for({.value = value}); };
  CHECK(offers("SINK|FILE") == std::vector{Offer::sinks, Offer::files});
  CHECK(offers("FILE|DIR") == std::vector{Offer::files});
  CHECK(offers("DIR") == std::vector{Offer::folders});
  CHECK(offers("SINKS") == std::vector{Offer::sink_list});
  CHECK(offers("FILE.etl") == std::vector{Offer::files});
  CHECK(offers("UINT").empty());
  CHECK(offers_for({.value = "auto|os", .choices = {"auto", "os"}}) == std::vector{Offer::words});
}

TEST_CASE("descriptions are quoted as each shell wants it") {
  const CommandText program = sample_program();
  CHECK_THAT(zsh_completion(program), Contains(R"('run:Run \[a\] load\: it'\''s all')"));
  CHECK_THAT(zsh_completion(program), Contains(R"('--out=[where to\: a\\b]:DIR:_files -/')"));
  CHECK_THAT(fish_completion(program), Contains(R"(-a run -d 'Run [a] load: it\'s all')"));
  CHECK_THAT(bash_completion(program), Contains("\"/run \"--clock) kind=\"words:auto,os\""));
}

}  // namespace
}  // namespace tailgate
