// FILETIMEs as text, and the time zone of the machine that recorded a trace. Source: Microsoft's
// documentation of FILETIME, TIME_ZONE_INFORMATION and SYSTEMTIME.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/etl/bytes.h"

namespace tailgate::etl {

inline constexpr std::int64_t kFiletimeTicksPerSecond = 10'000'000;

// "2020-07-29T00:06:22.4012345Z" for a FILETIME; "invalid(<number>)" before 1601 or after 9999.
std::string filetime_text(std::int64_t filetime);

// When clocks change: a local date and time, of the clock before the change. year 0: every year,
// and then `day` is the number of the weekday in the month, 5 for the last one. month 0: never.
struct ClockChange {
  std::uint16_t year = 0;
  std::uint16_t month = 0;
  std::uint16_t day_of_week = 0;  // 0 is Sunday
  std::uint16_t day = 0;
  std::uint16_t hour = 0;
  std::uint16_t minute = 0;
  std::uint16_t second = 0;
  std::uint16_t millisecond = 0;

  // Decodes the 16 bytes of a SYSTEMTIME.
  static ClockChange load_from(const std::uint8_t* at);
  bool operator==(const ClockChange&) const = default;
};

// UTC = local time + the bias + the bias of the part of the year. In minutes.
struct TimeZone {
  static constexpr std::size_t kBytes = 0xAC;

  std::int32_t bias_minutes = 0;
  std::int32_t standard_bias_minutes = 0;
  std::int32_t daylight_bias_minutes = 0;
  std::string standard_name;  // UTF-8
  std::string daylight_name;
  ClockChange standard_begins;
  ClockChange daylight_begins;

  // Decodes kBytes bytes.
  static TimeZone load_from(const std::uint8_t* at);

  // Local time minus UTC at a FILETIME. Ignores rules that are no date.
  std::int32_t offset_minutes(std::int64_t filetime) const;
};

// How POSIX writes a change of clocks, "M3.5.0/02:00:00" for the last Sunday of March at 2 o'clock;
// a date for one in a certain year; "never".
std::string clock_change_text(const ClockChange& change);

// "2020-07-29T02:06:22.4012345+02:00"; "invalid(<number>)" as filetime_text().
std::string local_time_text(std::int64_t filetime, const TimeZone& zone);

// The FILETIME of a time in ISO 8601: "2020-07-29", "2020-07-29T00:06", with seconds and up to
// seven decimals, a blank for the T, and "Z" or "+02:00" at the end. Without that it is local time
// of `zone`, or UTC when there is none. Nothing when it is no such text.
std::optional<std::int64_t> parse_time(std::string_view text, const TimeZone* zone);

// The 100 ns of a duration such as "5m", "1.5h", "90s", "250ms", "2d". Nothing for other texts, and
// above 10,000 days.
std::optional<std::int64_t> parse_duration(std::string_view text);

}  // namespace tailgate::etl
