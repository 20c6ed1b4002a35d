// Tests what the history takes from a document, and what it asks for.
#include "harness/history/read_records.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/history/dates.h"
#include "harness/history/metric.h"
#include "harness/history/testing/sample_night.h"
#include "harness/result/json.h"

namespace tailgate::history {
namespace {

std::string what_fails(const std::string& text) {
  try {
    read_records(text, "run.json");
  } catch (const Error& error) {
    return error.what_failed();
  }
  return "";
}

}  // namespace

TEST_CASE("a result's series, night and whole distributions are taken") {
  const Result result = sample_run({.night = "2026-02-28", .seed = 7});
  const Record record = read_records(write_result(result), "run.json").at(0);
  CHECK(record.night == "2026-02-28");
  CHECK(record.started_ms == 1'772'316'000'000);  // date -u -d 2026-02-28T22:00Z +%s
  CHECK(record.machine == record.fingerprint);
  CHECK(record.outcome == "complete");
  REQUIRE_FALSE(record.distributions.empty());
  const Distribution& response = record.distributions[0];
  CHECK(response.series.metric == "response_ns");
  CHECK(response.series.load == "steady 10000/s, 128 B");
  CHECK(decode(response.hdr) == sample_responses(7));
  for (const Figure& figure : record.figures) CHECK_FALSE(figure.series.unit.empty());
}

TEST_CASE("texts of a document are made printable and fit an index") {
  Result result = sample_run({});
  result.sink.label = "file\x1b[2J" + std::string(5000, 'x');
  const Record record = read_records(write_result(result), "run.json").at(0);
  CHECK(record.sink.starts_with("file?[2J"));
  CHECK(record.sink.size() < 250);
  result.sink.label.back() = 'y';
  CHECK(read_records(write_result(result), "run.json").at(0).sink != record.sink);
}

TEST_CASE("what is no document, or a damaged one, is refused by name") {
  CHECK(what_fails("").find("run.json: neither") == 0);
  CHECK(what_fails("{\"format\": \"other\"}").find("'other'") != std::string::npos);
  Result result = sample_run({});
  result.started_utc = "yesterday";
  CHECK(what_fails(write_result(result)).find("'yesterday'") != std::string::npos);
  result = sample_run({});
  result.summary[0].response.hdr.resize(40);
  CHECK(what_fails(write_result(result)).find("run.json: ") == 0);
  const std::string text = write_result(sample_run({}));
  CHECK(what_fails(text.substr(0, text.size() / 2)).find("run.json: ") == 0);
}

TEST_CASE("times are read to the millisecond") {
  CHECK(unix_ms_of("1970-01-01T00:00:01Z") == 1000);
  CHECK(unix_ms_of("2026-11-25T18:00:00.25Z") == 1'795'629'600'250);
  for (const char* text : {"", "2026-11-25", "2026-02-30T00:00:00Z", "2026-11-25T24:00:00Z",
                           "2026-11-25T18:00:00", "2026-11-25T18:00:00.Z", "2026-1a-25T18:00:00Z",
                           "2026-11-25T18:00:00.12345678901234567890Z"}) {
    INFO(text);
    CHECK_FALSE(unix_ms_of(text));
  }
  CHECK(utc_of(1'795'629'600'250) == "2026-11-25T18:00:00Z");
  CHECK(date_of(-1) == "1969-12-31");
  CHECK(is_date("2024-02-29"));
  CHECK_FALSE(is_date("2026-02-29"));
}

TEST_CASE("a metric's name says what of a distribution is asked") {
  CHECK(parse_metric("response_ns_p99.9").figure->quantile == Approx(0.999));
  CHECK(parse_metric("response_ns_p99_9").distribution == "response_ns");
  CHECK(parse_metric("response_ns_p99.9").is_figure("response_ns_p99_9"));
  CHECK(parse_metric("service_ns_max").figure->what == DistributionFigure::What::max);
  for (const char* name : {"lost_events", "response_ns", "response_ns_", "response_ns_p",
                           "response_ns_p101", "response_ns_p9x", "response_ns_p9.9.9"}) {
    INFO(name);
    CHECK_FALSE(parse_metric(name).figure);
  }
}

}  // namespace tailgate::history
