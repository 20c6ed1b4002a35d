#include "harness/history/testing/store_cases.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/history/fleet.h"
#include "harness/history/history.h"
#include "harness/history/read_records.h"
#include "harness/history/testing/sample_night.h"
#include "harness/result/json.h"
#include "harness/result/sample_duet.h"

namespace tailgate::history {
namespace {

const char* const kOtherGroup = "bbbbbbbbbbbbbbbb";

Record record_of(const SampleRun& sample, const std::string& machine = "") {
  Record record = read_records(write_result(sample_run(sample)), "run.json").at(0);
  if (!machine.empty()) record.machine = machine;
  return record;
}

std::string what_fails(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    REQUIRE_FALSE(error.remedy().empty());
    return error.what_failed();
  }
  return "";
}

void counts_once(const std::string& place) {
  const Record record = record_of({});
  History history = History::open(place, Access::write);
  CHECK(history.append(record) == Appended::added);
  CHECK(history.append(record) == Appended::present);
  CHECK(History::open(place, Access::write).append(record) == Appended::present);
  CHECK(history.list({}).size() == 1);
  const std::vector<Answer> answers = history.query({"response_ns_count"});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].value == 2000);
}

// One document comes twice and another in two states: the outcomes are those of single appends.
void appends_many_at_once(const std::string& place) {
  Result partial = sample_run({.id = "grows"});
  partial.complete = false;
  partial.finished_utc = "2026-11-01T22:05:00Z";
  const Record earlier = read_records(write_result(partial), "run.json").at(0);
  const Record later = record_of({.id = "grows", .seed = 2});
  std::vector<Record> records = {record_of({.id = "other", .seed = 3}), earlier, later, later};
  for (int run = 0; run < 100; ++run) records.push_back(record_of({.id = std::to_string(run)}));
  History history = History::open(place, Access::write);
  const std::vector<Appended> outcomes = history.append(records);
  REQUIRE(outcomes.size() == records.size());
  CHECK(std::vector<Appended>(outcomes.begin(), outcomes.begin() + 4) ==
        std::vector<Appended>{Appended::added, Appended::added, Appended::replaced,
                              Appended::present});
  CHECK(std::count(outcomes.begin(), outcomes.end(), Appended::added) == 102);
  CHECK(history.list({}).size() == 102);
  const std::vector<Answer> answers = history.query({"response_ns_p90"});
  REQUIRE(answers.size() == 102);
  std::map<std::string, double> p90;
  for (const Answer& one : answers) p90[one.document_id] = one.value;
  CHECK(p90.at("grows") == static_cast<double>(sample_responses(2).value_at_quantile(0.9)));
  CHECK(p90.at("other") == static_cast<double>(sample_responses(3).value_at_quantile(0.9)));
  CHECK(p90.at("99") == static_cast<double>(sample_responses(1).value_at_quantile(0.9)));
  CHECK(history.append(std::vector<Record>{}).empty());
}

// A verdict without a night cannot be appended, so the run before it is not either.
void appends_none_if_one_fails(const std::string& place) {
  Record verdict;
  verdict.kind = Kind::verdict;
  verdict.id = verdict.hash = verdict.duet_id = "alone";
  History history = History::open(place, Access::write);
  CHECK_THROWS_AS(history.append(std::vector<Record>{record_of({}), verdict}), NoNightError);
  CHECK(history.list({}).empty());
}

// A later state of a document may be of another night.
void replaces_a_machines_night(const std::string& place) {
  Record earlier = record_of({}, "m1");
  Record later = earlier;
  later.hash = "later";
  ++later.progress;
  later.night = "2026-11-02";
  History history = History::open(place, Access::write);
  const auto nights = [&history] {
    update_fleet(history);
    return history.database().run("SELECT DISTINCT night FROM machine_nights");
  };
  history.append(earlier);
  CHECK(nights() == std::vector<Row>{{"2026-11-01"}});
  history.append(later);
  CHECK(nights() == std::vector<Row>{{"2026-11-02"}});
  CHECK(history.database().run("SELECT id FROM machine_queue").empty());
}

void counts_the_last_nights(const std::string& place) {
  History history = History::open(place, Access::write);
  CHECK(history.first_of_last_nights(3).empty());
  for (const char* night : {"2026-11-01", "2026-11-03", "2026-11-08"}) {
    for (const char* machine : {"one", "two"}) {
      history.append(record_of({.id = std::string(night) + machine, .night = night}, machine));
    }
  }
  CHECK(history.first_of_last_nights(1) == "2026-11-08");
  CHECK(history.first_of_last_nights(2) == "2026-11-03");
  CHECK(history.first_of_last_nights(3) == "2026-11-01");
  CHECK(history.first_of_last_nights(4) == "2026-11-01");
}

void keeps_the_later_state(const std::string& place) {
  Result partial = sample_run({});
  partial.complete = false;
  partial.finished_utc = "2026-11-01T22:05:00Z";
  partial.summary[0].delivery = partial.summary[0].response;
  const Record earlier = read_records(write_result(partial), "run.json").at(0);
  const Record later = record_of({.seed = 2});
  Record other = later;
  other.hash = "other";
  History history = History::open(place, Access::write);
  CHECK(history.append(earlier) == Appended::added);
  CHECK(history.query({"delivery_ns_count"}).size() == 1);
  CHECK(history.append(later) == Appended::replaced);
  CHECK(history.append(earlier) == Appended::outdated);
  CHECK(history.append(other) == Appended::different);
  const std::vector<Record> documents = history.list({});
  REQUIRE(documents.size() == 1);
  CHECK(documents[0].outcome == "complete");
  CHECK(documents[0].hash == later.hash);
  CHECK(history.query({"delivery_ns_count"}).empty());  // of the earlier state nothing is left
  const std::vector<Answer> answers = history.query({"response_ns_p90"});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].value == static_cast<double>(sample_responses(2).value_at_quantile(0.9)));
}

// Any percentile of any night, machine or group equals that of the histograms added up.
void merges_distributions(const std::string& place) {
  History history = History::open(place, Access::write);
  std::uint64_t seed = 0;
  for (const char* night : {"2026-11-01", "2026-11-02"}) {
    for (const char* machine : {"one", "two"}) {
      for (const char* run : {"early", "late"}) {
        const std::string id = std::string(night) + machine + run;
        history.append(record_of({.id = id, .night = night, .seed = ++seed}, machine));
      }
    }
  }
  const auto merged = [](std::vector<std::uint64_t> seeds) {
    Histogram whole{HistogramRange()};
    for (const std::uint64_t one : seeds) whole.add(sample_responses(one));
    return whole;
  };
  const std::vector<std::pair<Merge, std::vector<std::vector<std::uint64_t>>>> expected = {
      {Merge::nothing, {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}},
      {Merge::night, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}},
      {Merge::group, {{1, 2, 3, 4}, {5, 6, 7, 8}}},
      {Merge::all, {{1, 2, 3, 4, 5, 6, 7, 8}}}};
  for (const auto& [merge, groups] : expected) {
    for (const auto& [text, quantile] : std::vector<std::pair<std::string, double>>{
             {"p50", 0.5}, {"p99.9", 0.999}, {"p99_9", 0.999}, {"p12.345", 0.12345}, {"p0", 0}}) {
      const auto answers = history.query({"response_ns_" + text, {}, merge});
      REQUIRE(answers.size() == groups.size());
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const Histogram whole = merged(groups[i]);
        CHECK(answers[i].value == static_cast<double>(whole.value_at_quantile(quantile)));
        CHECK(answers[i].documents == groups[i].size());
      }
    }
  }
  std::vector<Histogram> kept;
  history.for_each({"response_ns_max", {}, Merge::all},
                   [&kept](const Answer& one) { kept.push_back(one.distribution.value()); });
  REQUIRE(kept.size() == 1);
  CHECK(kept[0] == merged({1, 2, 3, 4, 5, 6, 7, 8}));
}

void merges_figures(const std::string& place) {
  History history = History::open(place, Access::write);
  for (const double rate : {9000.0, 9900.0, 9950.0}) {
    Result result = sample_run({.id = std::to_string(rate)});
    result.summary[0].achieved_rate_hz = rate;
    history.append(read_records(write_result(result), "run.json").at(0));
  }
  const auto answers = history.query({"achieved_rate_hz", {}, Merge::night});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].value == 9900);
  CHECK(answers[0].series.unit == "events/s");
}

void filters(const std::string& place) {
  History history = History::open(place, Access::write);
  history.append(record_of({.id = "1", .night = "2026-10-31"}, "one"));
  history.append(record_of({.id = "2", .sink = "file:mode=mmap"}, "one"));
  history.append(record_of({.id = "3", .night = "2026-11-02", .sink = "filer"}, "two"));
  history.append(record_of({.id = "4", .fingerprint = kOtherGroup, .sink = "null"}));
  const auto found = [&history](const Filter& filter) {
    std::string ids;
    for (const Record& one : history.list(filter)) ids += one.id;
    std::size_t answers = history.query({"lost_events", filter}).size();
    CHECK(answers == ids.size());
    return ids;
  };
  CHECK(found({}) == "1243");
  CHECK(found({.sink = "file"}) == "12");
  CHECK(found({.sink = "file:mode=mmap"}) == "2");
  CHECK(found({.since = "2026-11-01"}) == "243");
  CHECK(found({.since = "2026-11-01", .until = "2026-11-01"}) == "24");
  CHECK(found({.machine = "one"}) == "12");
  CHECK(found({.machine = kOtherGroup}) == "4");
  CHECK(found({.machine = "aaaaaaaaaaaaaaaa"}) == "123");
  CHECK(found({.scenario = "steady"}) == "1243");
  CHECK(found({.scenario = "quick"}) == "1243");
  CHECK(found({.kind = "result", .machine = "nobody"}).empty());
  const std::string why = what_fails([&] { history.query({"lost_event"}); });
  CHECK(why.find("'lost_event'") != std::string::npos);
  CHECK(history.series({.sink = "file", .part = "provider"}).size() == 2 * 5);
}

void takes_duets_and_verdicts(const std::string& place) {
  Duet duet = sample_duet({.rounds = 4, .all = 1.25, .spread = 0});
  duet.id = "duet-1";
  duet.started_utc = "2026-11-03T23:59:59Z";
  duet.finished_utc = "2026-11-04T00:10:00Z";
  Verdict verdict;
  verdict.duet_id = duet.id;
  verdict.outcome = VerdictOutcome::fail;
  verdict.load = duet.b.load;
  const Record judged = read_records("[" + write_verdict(verdict) + "]", "v.json").at(0);
  History history = History::open(place, Access::write);
  CHECK(what_fails([&] { history.append(judged); }).find("duet-1") != std::string::npos);
  CHECK(history.append(read_records(write_duet(duet), "d.json").at(0)) == Appended::added);
  CHECK(history.append(judged) == Appended::added);
  const std::vector<Record> documents = history.list({.kind = "verdict"});
  REQUIRE(documents.size() == 1);
  CHECK(documents[0].outcome == "fail");
  CHECK(documents[0].night == "2026-11-03");
  // Without spread, every time of B is A's times 1.25, to the histograms' precision.
  const auto effect = history.query({"response_ns_p99", {.part = "effect"}});
  REQUIRE(effect.size() == 1);
  CHECK(effect[0].value == Approx(std::log(1.25)).margin(0.003));
  const auto sides = history.query({"response_ns_p99", {.kind = "duet"}});
  REQUIRE(sides.size() == 3);
  CHECK(sides[1].series.part == "b");
  CHECK(sides[1].value / sides[0].value == Approx(1.25).margin(0.005));
}

void writes_whole_or_nothing(const std::string& place) {
  History history = History::open(place, Access::write);
  Record record = record_of({});
  const Figure first = record.figures.front();
  Record unfit = record;
  unfit.figures.push_back({first.series, std::nan("")});
  unfit.figures.back().series.metric = "not_a_number";
  // SQLite takes "not a number" for NULL, which no figure may be; PostgreSQL keeps it.
  try {
    history.append(unfit);
  } catch (const Error&) {
    CHECK(history.list({}).empty());
    CHECK(history.series({}).empty());
  }
  {
    const Transaction undone(history.database());
    history.database().run("DELETE FROM documents");
    history.database().run("INSERT INTO figures (series, document, value) VALUES (1, 77, 1.5)");
  }
  CHECK(history.database().run("SELECT series FROM figures WHERE document = 77").empty());
}

void refuses_newer(const std::string& place) {
  CHECK_FALSE(what_fails([&] { History::open(place, Access::read); }).empty());
  History::open(place, Access::write).database().run("UPDATE tailgate_history SET version = 99");
  for (const Access access : {Access::read, Access::write}) {
    const std::string why = what_fails([&] { History::open(place, access); });
    CHECK(why.find("99") != std::string::npos);
  }
}

void refuses_foreign(const std::string& place) {
  const auto database =
      is_server(place) ? open_postgresql(place, Access::write) : open_sqlite(place, Access::write);
  database->run("CREATE TABLE customers (name TEXT)");
  const std::string why = what_fails([&] { History::open(place, Access::write); });
  CHECK(why.find("'customers'") != std::string::npos);
  CHECK(database->tables().size() == 1);
}

void reads_only(const std::string& place) {
  History::open(place, Access::write).append(record_of({}));
  History reader = History::open(place, Access::read);
  CHECK(reader.list({}).size() == 1);
  CHECK_FALSE(what_fails([&] { reader.append(record_of({.id = "2"})); }).empty());
  CHECK(reader.list({}).size() == 1);
}

constexpr StoreCase kStoreCases[] = {
    {"a document that is appended twice counts once", counts_once},
    {"many documents are appended at once", appends_many_at_once},
    {"of several documents all are appended or none", appends_none_if_one_fails},
    {"a document that got another night leaves no value in the first one",
     replaces_a_machines_night},
    {"nights without documents do not count among the last ones", counts_the_last_nights},
    {"the later state of a document replaces the earlier", keeps_the_later_state},
    {"merged distributions are the histograms added up", merges_distributions},
    {"merged figures are their median", merges_figures},
    {"filters", filters},
    {"a verdict has the night of its duet", takes_duets_and_verdicts},
    {"a document is written whole or not at all", writes_whole_or_nothing},
    {"a history of a newer version is refused", refuses_newer},
    {"a database with other tables is refused and unchanged", refuses_foreign},
    {"who reads does not write", reads_only},
};

}  // namespace

std::span<const StoreCase> store_cases() {
  return kStoreCases;
}

}  // namespace tailgate::history
