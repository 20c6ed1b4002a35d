#include "harness/report/exporter.h"

#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/result/sample.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

// A document of each kind.
std::vector<Document> samples() {
  return {Results{{"a.json", sample_result()}},
          Comparison{{{{"a.json", sample_result()}, {"b.json", sample_result()}}}},
          sample_duet(),
          Verdicts{{Verdict()}},
          CalibrationReport(),
          judge_budgets({parse_budget("file: p99 < 50us")}, {}),
          Recommendation(),
          ClaimVerdicts{{ClaimVerdict()}, "", ""}};
}

TEST_CASE("every kind of document has exporters, and each of them makes a text of it") {
  for (const Document& document : samples()) {
    const DocumentKind kind = kind_of(document);
    INFO(enum_text(kind));
    std::set<std::string_view> extensions;
    for (const Exporter* exporter : exporters_of(kind)) {
      INFO(exporter->format);
      CHECK(&find_exporter(kind, exporter->format) == exporter);
      CHECK_FALSE(render(document, exporter->format).empty());
      CHECK(exporter->extension.starts_with("."));
      CHECK_FALSE(exporter->help.empty());
      CHECK_FALSE(exporter->help.ends_with("."));
      CHECK(extensions.insert(exporter->extension).second);
    }
    CHECK_NOTHROW(find_exporter(kind, "text"));
  }
}

TEST_CASE("the exporters of all kinds are all exporters") {
  std::size_t listed = 0;
  for (const Document& document : samples()) listed += exporters_of(kind_of(document)).size();
  CHECK(listed == all_exporters().size());
}

TEST_CASE("a format that a document does not have is refused with those that it has") {
  CHECK_THROWS_WITH(find_exporter(DocumentKind::results, "hlg"),
                    Catch::StartsWith("there is no export format 'hlg' for results") &&
                        Catch::Contains("did you mean 'hlog'?"));
  CHECK_THROWS_WITH(find_exporter(DocumentKind::duet, "csv"),
                    Catch::EndsWith("for a duet; give one of: text"));
}

TEST_CASE("a format that holds one result takes no more and no less") {
  const NamedResult one = {"a.json", sample_result()};
  CHECK_NOTHROW(render(Results{one}, "gbench"));
  CHECK_THROWS_AS(render(Results{one, one}, "gbench"), Error);
  CHECK_THROWS_AS(render(Results{}, "gbench"), Error);
}

TEST_CASE("a format says whether it takes several results") {
  const NamedResult one = {"a.json", sample_result()};
  for (const Exporter* exporter : exporters_of(DocumentKind::results)) {
    INFO(exporter->format);
    if (exporter->takes_several) {
      CHECK_NOTHROW(render(Results{one, one}, exporter->format));
    } else {
      CHECK_THROWS_AS(render(Results{one, one}, exporter->format), Error);
    }
  }
}

TEST_CASE("metrics are found by name") {
  for (const LatencyKind kind : kLatencyKinds) CHECK(parse_latency_kind(enum_text(kind)) == kind);
  CHECK_THROWS_WITH(parse_latency_kind("lag"), Catch::StartsWith("there is no metric 'lag'"));
}

}  // namespace
}  // namespace tailgate
