#include "harness/etl/time_zone.h"

#include <catch2/catch.hpp>

#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

TimeZone zone_of(std::int32_t bias, ClockChange standard, ClockChange daylight) {
  TimeZone zone;
  zone.bias_minutes = bias;
  zone.daylight_bias_minutes = -60;
  zone.standard_begins = standard;
  zone.daylight_begins = daylight;
  return zone;
}

ClockChange every(std::uint16_t month, std::uint16_t number, std::uint16_t hour) {
  ClockChange change;
  change.month = month;
  change.day = number;
  change.hour = hour;
  return change;
}

std::int64_t utc(std::string_view text) {
  auto time = parse_time(text, nullptr);
  REQUIRE(time);
  return *time;
}

const TimeZone kBerlin = zone_of(-60, every(10, 5, 3), every(3, 5, 2));
const TimeZone kPacific = zone_of(480, every(11, 1, 2), every(3, 2, 2));
const TimeZone kSydney = zone_of(-600, every(4, 1, 3), every(10, 1, 2));

}  // namespace

// The instants are those of the IANA time zone database.
TEST_CASE("time zone: clocks change when they do") {
  const auto around = [](const TimeZone& zone, std::string_view change, int before, int after) {
    INFO(change);
    CHECK(zone.offset_minutes(utc(change) - 1) == before);
    CHECK(zone.offset_minutes(utc(change)) == after);
  };
  around(kBerlin, "2020-03-29T01:00Z", 60, 120);
  around(kBerlin, "2020-10-25T01:00Z", 120, 60);
  around(kPacific, "2019-03-10T10:00Z", -480, -420);
  around(kPacific, "2019-11-03T09:00Z", -420, -480);
  around(kSydney, "2020-04-04T16:00Z", 660, 600);
  around(kSydney, "2020-10-03T16:00Z", 600, 660);
  // The turn of the year is in summer there, also where the local year is another one.
  CHECK(kSydney.offset_minutes(utc("2020-12-31T20:00Z")) == 660);
}

TEST_CASE("time zone: one without changes, with a date, and with nonsense") {
  TimeZone zone;
  zone.bias_minutes = -330;
  zone.daylight_bias_minutes = -60;
  CHECK(zone.offset_minutes(utc("2020-07-01")) == 330);
  ClockChange dated = every(3, 20, 0);
  dated.year = 2020;
  ClockChange back = every(9, 20, 0);
  back.year = 2020;
  const TimeZone once = zone_of(0, back, dated);
  CHECK(once.offset_minutes(utc("2020-06-01")) == 60);
  CHECK(once.offset_minutes(utc("2020-12-01")) == 0);
  for (ClockChange change : {every(13, 1, 0), every(3, 0, 0), every(3, 6, 0)}) {
    CHECK(zone_of(0, change, every(3, 5, 2)).offset_minutes(utc("2020-06-01")) == 0);
  }
  ClockChange late = every(3, 5, 0xFFFF);
  late.minute = late.second = late.millisecond = 0xFFFF;
  zone_of(0, late, late).offset_minutes(0);
  zone_of(0, late, late).offset_minutes(-1);
}

TEST_CASE("time zone: the bytes of TIME_ZONE_INFORMATION") {
  ByteBuilder b;
  b.u32(480).text16("Pacific Standard Time").zeros(64 - 44);
  b.u16(0).u16(11).u16(0).u16(1).u16(2).zeros(6).u32(0);
  b.text16("Pacific Daylight Time").zeros(64 - 44);
  b.u16(0).u16(3).u16(0).u16(2).u16(2).zeros(6).u32(0xFFFFFFC4);
  REQUIRE(b.bytes().size() == TimeZone::kBytes);
  const TimeZone zone = TimeZone::load_from(b.bytes().data());
  CHECK(zone.standard_name == "Pacific Standard Time");
  CHECK(zone.daylight_name == "Pacific Daylight Time");
  CHECK(zone.standard_begins == kPacific.standard_begins);
  CHECK(zone.daylight_begins == kPacific.daylight_begins);
  CHECK(zone.offset_minutes(utc("2019-07-01")) == -420);
  CHECK(clock_change_text(zone.standard_begins) == "M11.1.0/02:00:00");
  CHECK(clock_change_text({}) == "never");
}

TEST_CASE("time zone: local times name their offset") {
  CHECK(local_time_text(utc("2020-07-29T00:06:22.4012345Z"), kBerlin) ==
        "2020-07-29T02:06:22.4012345+02:00");
  CHECK(local_time_text(utc("2020-01-01"), kPacific) == "2019-12-31T16:00:00.0000000-08:00");
  TimeZone half;
  half.bias_minutes = 210;
  CHECK(local_time_text(utc("2020-01-01"), half) == "2019-12-31T20:30:00.0000000-03:30");
  CHECK(local_time_text(-1, kBerlin) == "invalid(-1)");
}

TEST_CASE("times are read in ISO 8601") {
  CHECK(utc("1970-01-01") == 116'444'736'000'000'000);
  CHECK(utc("1970-01-01T00:01Z") == 116'444'736'000'000'000 + 600'000'000);
  CHECK(utc("1970-01-01 00:00:01.5") == 116'444'736'000'000'000 + 15'000'000);
  CHECK(utc("1970-01-01T02:00:00+02:00") == 116'444'736'000'000'000);
  CHECK(utc("1969-12-31T20:30:00-03:30") == 116'444'736'000'000'000);
  CHECK(filetime_text(utc("2020-02-29T23:59:59.1234567Z")) == "2020-02-29T23:59:59.1234567Z");
  CHECK(parse_time("2020-07-29T02:06", &kBerlin) == utc("2020-07-29T00:06Z"));
  CHECK(parse_time("2020-12-29T01:06", &kBerlin) == utc("2020-12-29T00:06Z"));
  CHECK(parse_time("2020-07-29T02:06Z", &kBerlin) == utc("2020-07-29T02:06Z"));
  for (const char* wrong : {"", "today", "2020", "2020-13-01", "2020-02-30", "2020-01-01T24:00",
                            "2020-01-01T1:00", "2020-01-01T10:00:00.", "2020-01-01T10:00Zx",
                            "2020-01-01T10:00+2", "1600-01-01", "2020-01-01T10", "-020-01-01"}) {
    INFO(wrong);
    CHECK_FALSE(parse_time(wrong, nullptr));
  }
}

TEST_CASE("durations are read with their unit") {
  CHECK(parse_duration("5m") == 3'000'000'000);
  CHECK(parse_duration("1.5h") == 54'000'000'000);
  CHECK(parse_duration("90s") == 900'000'000);
  CHECK(parse_duration("250ms") == 2'500'000);
  CHECK(parse_duration("2d") == 1'728'000'000'000);
  for (const char* wrong : {"", "5", "m", "-5m", "5 m", "5min", "nan s", "inf", "1e9d", "5mm"}) {
    INFO(wrong);
    CHECK_FALSE(parse_duration(wrong));
  }
}
