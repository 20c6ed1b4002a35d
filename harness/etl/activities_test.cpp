#include "harness/etl/activities.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

constexpr std::uint16_t kRelated = 0x01;
constexpr std::uint16_t kMetadata = 0x0B;
constexpr std::uint16_t kTraits = 0x0C;
constexpr std::uint8_t kStart = 1;
constexpr std::uint8_t kStop = 2;
constexpr std::uint8_t kSend = 9;

Guid guid_of(unsigned number) {
  Guid guid;
  guid.bytes[0] = static_cast<std::uint8_t>(number);
  guid.bytes[1] = static_cast<std::uint8_t>(number >> 8);
  guid.bytes[2] = static_cast<std::uint8_t>(number >> 16);
  return guid;
}

std::string id_of(unsigned number) {
  return to_text(guid_of(number));
}

class ActivityTrace {
 public:
  // Times are in ms since the trace's start; activity and related are 0 for none.
  void event(std::int64_t time_ms, std::string_view name, unsigned activity, unsigned related = 0,
             std::uint8_t opcode = 0, std::uint32_t process = 500) {
    EventRecord record;
    record.provider = guid_of(77);
    record.opcode = opcode;
    record.time = options_.start_raw + time_ms * 10'000;
    record.thread = 8;
    record.process = process;
    if (activity != 0) record.activity = guid_of(activity);
    if (related != 0) {
      record.extended.emplace_back(kRelated, ByteBuilder().guid(guid_of(related)).bytes());
    }
    record.extended.emplace_back(kMetadata, MetadataBuilder(name).bytes());
    record.extended.emplace_back(kTraits, provider_traits("Maker"));
    writer_.add(0, event_record(record));
  }

  std::string report(TextFormat format, std::size_t max_rows = 50, const EventFilter& filter = {}) {
    const std::vector<std::uint8_t> bytes = writer_.file();
    const TraceFile file(bytes, "test");
    Decoder decoder;
    std::string out;
    note =
        report_activities({&file}, decoder, filter, format, max_rows, [&](std::string_view text) {
          out += text;
          return true;
        });
    return out;
  }
  nlohmann::json json() { return nlohmann::json::parse(report(TextFormat::json)); }

  std::string note;

 private:
  WriterOptions options_;
  TraceWriter writer_{options_};
};

}  // namespace

// A request (1) whose start came from nowhere starts a query (2) and a write (3); the write hands
// over to a flush (4), which runs on after all others. Another tree (5) is short.
TEST_CASE("activities: nested by the related activity, the longest first") {
  ActivityTrace trace;
  trace.event(0, "Alone", 0);
  trace.event(1, "RequestStart", 1, 0, kStart);
  trace.event(2, "QueryStart", 2, 1, kStart, 600);
  trace.event(3, "Row", 2);
  trace.event(4, "QueryStop", 2, 0, kStop);
  trace.event(5, "WriteStart", 3, 1, kStart);
  trace.event(6, "HandOver", 3, 4, kSend);
  trace.event(7, "Ping", 5);
  trace.event(8, "WriteStop", 3, 0, kStop);
  trace.event(9, "RequestStop", 1, 0, kStop);
  trace.event(20, "Flush", 4);
  trace.event(30, "FlushDone", 4);
  const auto json = trace.json();
  CHECK(trace.note.empty());
  CHECK(json["trees"] == 2);
  CHECK(json["events_without_activity"] == 2);  // the log file's header, and the first one
  CHECK(json["circles"] == 0);
  REQUIRE(json["activities"].size() == 5);
  // Its numbers, added up by hand.
  struct Expected {
    unsigned activity;
    unsigned parent;
    int depth;
    const char* first_event;
    int pid;
    int events;
    int in_all;
    double start_ms;
    double duration_ms;
    double own_ms;
  };
  const Expected expected[] = {{1, 0, 0, "Maker/RequestStart", 500, 2, 10, 1, 29, 8},
                               {3, 1, 1, "Maker/WriteStart", 500, 3, 5, 5, 25, 3},
                               {4, 3, 2, "Maker/Flush", 500, 2, 2, 20, 10, 10},
                               {2, 1, 1, "Maker/QueryStart", 600, 3, 3, 2, 2, 2},
                               {5, 0, 0, "Maker/Ping", 500, 1, 1, 7, 0, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    const auto& row = json["activities"][i];
    const Expected& one = expected[i];
    CHECK(row["activity"] == id_of(one.activity));
    CHECK(row["parent"] ==
          (one.parent == 0 ? nlohmann::json() : nlohmann::json(id_of(one.parent))));
    CHECK(row["depth"] == one.depth);
    CHECK(row["first_event"] == one.first_event);
    CHECK(row["pid"] == one.pid);
    CHECK(row["events"] == one.events);
    CHECK(row["events_in_all"] == one.in_all);
    CHECK(row["start_ms"].get<double>() == Approx(one.start_ms));
    CHECK(row["duration_ms"].get<double>() == Approx(one.duration_ms));
    CHECK(row["own_ms"].get<double>() == Approx(one.own_ms));
  }
}

TEST_CASE("activities: what comes from an activity without events is nested in it") {
  ActivityTrace trace;
  trace.event(3, "WorkStart", 2, 1, kStart);
  trace.event(4, "Sent", 0, 3, kSend);
  const auto json = trace.json();
  REQUIRE(json["activities"].size() == 3);
  CHECK(json["activities"][0]["activity"] == id_of(1));
  CHECK(json["activities"][0]["events"] == 0);
  CHECK(json["activities"][0]["events_in_all"] == 1);
  CHECK(json["activities"][0]["first_event"] == "(none of its events)");
  CHECK(json["activities"][0]["pid"].is_null());
  CHECK(json["activities"][1]["parent"] == id_of(1));
  // Nobody's: the event that sent it is of no activity.
  CHECK(json["activities"][2]["activity"] == id_of(3));
  CHECK(json["activities"][2]["parent"].is_null());
}

TEST_CASE("activities: circles are cut and counted") {
  ActivityTrace trace;
  trace.event(1, "A", 1, 2);
  trace.event(2, "B", 2, 3);
  trace.event(3, "C", 3, 1);  // 3 is above 1 already
  trace.event(4, "D", 1, 3);  // 1 is nested already
  trace.event(5, "E", 4, 4);  // its own
  trace.event(6, "F", 5, 6, kSend);
  trace.event(7, "G", 6, 5, kSend);
  const auto json = trace.json();
  CHECK(json["circles"] == 2);
  CHECK(json["trees"] == 3);
  CHECK(json["activities"].size() == 6);
}

TEST_CASE("activities: a chain of 50,000 is as deep") {
  ActivityTrace trace;
  constexpr unsigned kCount = 50'000;
  for (unsigned i = 2; i <= kCount; ++i) trace.event(i, "Step", i, i - 1, kStart);
  const auto json = trace.json();
  REQUIRE(json["activities"].size() == kCount);
  CHECK(json["activities"][kCount - 1]["depth"] == kCount - 1);
  CHECK(json["activities"][0]["events_in_all"] == kCount - 1);
  const std::string text = trace.report(TextFormat::text, 3);
  CHECK_THAT(text, Catch::Contains("50000 activities in 1 trees"));
  CHECK_THAT(text, Catch::EndsWith("... 49997 more\n"));
}

TEST_CASE("activities: a filter chooses events, and nothing is said to be nothing") {
  ActivityTrace trace;
  trace.event(1, "One", 1);
  trace.event(2, "Other", 2);
  EventFilter filter;
  filter.events = {"Other"};
  const std::string text = trace.report(TextFormat::text, 50, filter);
  CHECK_THAT(text, Catch::Contains("Maker/Other") && !Catch::Contains("Maker/One"));
  filter.events = {"Othr"};
  trace.report(TextFormat::text, 50, filter);
  CHECK_THAT(trace.note, Catch::Contains("Other"));
  ActivityTrace none;
  none.event(1, "One", 0);
  none.report(TextFormat::text);
  CHECK(none.note == "no event has an ActivityId");
}
