#include "harness/etl/time_zone.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "harness/etl/text.h"

namespace tailgate::etl {
namespace {

using std::chrono::sys_days;

constexpr std::int64_t kTicksPerMinute = 60 * kFiletimeTicksPerSecond;
constexpr std::int64_t kTicksPerDay = 24 * 60 * kTicksPerMinute;
constexpr std::int64_t kDays1601To1970 = 134'774;
constexpr std::int64_t kYear10000 = 2'650'467'744'000'000'000;
constexpr std::size_t kNameCharacters = 32;
constexpr std::int32_t kMaxBiasMinutes = 48 * 60;  // a larger one is damage

std::string name_at(const std::uint8_t* at) {
  return utf8_of_utf16(ByteCursor(Bytes(at, 2 * kNameCharacters)).take_string16());
}

std::int32_t bias_at(const std::uint8_t* at) {
  auto bias = load<std::int32_t>(at);
  return bias >= -kMaxBiasMinutes && bias <= kMaxBiasMinutes ? bias : 0;
}

// The day of a change in a year; nothing when the rule is no date or says never.
std::optional<sys_days> day_of(const ClockChange& change, std::chrono::year year) {
  const std::chrono::month month{change.month};
  if (!month.ok() || change.day < 1) return std::nullopt;
  if (change.year != 0) {
    const std::chrono::year_month_day day{std::chrono::year{change.year}, month,
                                          std::chrono::day{change.day}};
    return day.ok() ? std::optional(sys_days(day)) : std::nullopt;
  }
  if (change.day > 5 || change.day_of_week > 6) return std::nullopt;
  const std::chrono::weekday weekday{change.day_of_week};
  if (change.day == 5) return sys_days(year / month / weekday[std::chrono::last]);
  return sys_days(year / month / weekday[change.day]);
}

// The FILETIME of a change in a year, by the clock that is `bias` behind UTC until then.
std::optional<std::int64_t> instant_of(const ClockChange& change, std::chrono::year year,
                                       std::int32_t bias_minutes) {
  const std::optional<sys_days> day = day_of(change, year);
  if (!day) return std::nullopt;
  const std::int64_t seconds =
      (change.hour * 60 + change.minute) * std::int64_t{60} + change.second;
  return (day->time_since_epoch().count() + kDays1601To1970) * kTicksPerDay +
         seconds * kFiletimeTicksPerSecond + change.millisecond * std::int64_t{10'000} +
         bias_minutes * kTicksPerMinute;
}

std::chrono::year year_of(std::int64_t filetime) {
  const std::int64_t days = filetime / kTicksPerDay - kDays1601To1970;
  return std::chrono::year_month_day(sys_days(std::chrono::days(days))).year();
}

}  // namespace

std::string filetime_text(std::int64_t filetime) {
  if (filetime < 0 || filetime >= kYear10000) return fmt::format("invalid({})", filetime);
  std::int64_t seconds = filetime / kFiletimeTicksPerSecond;
  std::int64_t days = seconds / 86'400;
  std::int64_t of_day = seconds % 86'400;
  std::chrono::sys_days day{std::chrono::days{days - kDays1601To1970}};
  std::chrono::year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:07}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day / 3600, of_day / 60 % 60, of_day % 60,
                     filetime % kFiletimeTicksPerSecond);
}

ClockChange ClockChange::load_from(const std::uint8_t* at) {
  auto part = [at](int index) { return load<std::uint16_t>(at + 2 * index); };
  return {part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)};
}

TimeZone TimeZone::load_from(const std::uint8_t* at) {
  TimeZone zone;
  zone.bias_minutes = bias_at(at);
  zone.standard_name = name_at(at + 0x04);
  zone.standard_begins = ClockChange::load_from(at + 0x44);
  zone.standard_bias_minutes = bias_at(at + 0x54);
  zone.daylight_name = name_at(at + 0x58);
  zone.daylight_begins = ClockChange::load_from(at + 0x98);
  zone.daylight_bias_minutes = bias_at(at + 0xA8);
  return zone;
}

std::int32_t TimeZone::offset_minutes(std::int64_t filetime) const {
  if (filetime < 0 || filetime >= kYear10000) return -bias_minutes;
  const std::int32_t standard = bias_minutes + standard_bias_minutes;
  const std::int32_t daylight = bias_minutes + daylight_bias_minutes;
  const std::chrono::year year = year_of(filetime - standard * kTicksPerMinute);
  const auto daylight_from = instant_of(daylight_begins, year, standard);
  const auto standard_from = instant_of(standard_begins, year, daylight);
  if (!daylight_from || !standard_from) return -bias_minutes;
  // South of the equator, daylight saving time lasts over the turn of the year.
  const bool within = *daylight_from < *standard_from
                          ? filetime >= *daylight_from && filetime < *standard_from
                          : filetime >= *daylight_from || filetime < *standard_from;
  return within ? -daylight : -standard;
}

std::string clock_change_text(const ClockChange& change) {
  if (change.month == 0) return "never";
  const std::string time =
      fmt::format("{:02}:{:02}:{:02}", change.hour, change.minute, change.second);
  if (change.year == 0) {
    return fmt::format("M{}.{}.{}/{}", change.month, change.day, change.day_of_week, time);
  }
  return fmt::format("{:04}-{:02}-{:02}T{}", change.year, change.month, change.day, time);
}

std::string local_time_text(std::int64_t filetime, const TimeZone& zone) {
  const std::int32_t offset = zone.offset_minutes(filetime);
  std::string text = filetime_text(filetime);
  if (!text.ends_with('Z')) return text;
  text = filetime_text(filetime + offset * kTicksPerMinute);
  if (!text.ends_with('Z')) return text;
  text.pop_back();
  const std::int32_t magnitude = offset < 0 ? -offset : offset;
  return fmt::format("{}{}{:02}:{:02}", text, offset < 0 ? '-' : '+', magnitude / 60,
                     magnitude % 60);
}

namespace {

// Reads a text from its front.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(char wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  // Takes exactly `digits` digits.
  bool take_number(std::size_t digits, int& value) {
    if (text_.size() < digits) return false;
    auto [end, error] = std::from_chars(text_.data(), text_.data() + digits, value);
    if (error != std::errc() || end != text_.data() + digits || value < 0) return false;
    text_.remove_prefix(digits);
    return true;
  }

  // Takes one to seven decimals as units of 100 ns.
  bool take_decimals(std::int64_t& ticks) {
    std::size_t count = 0;
    for (; count < 7 && !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; ++count) {
      ticks = 10 * ticks + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    if (count == 0) return false;
    for (; count < 7; ++count) ticks *= 10;
    return true;
  }

 private:
  std::string_view text_;
};

// The time of a day, in 100 ns; true when the text has none or a sound one.
bool take_time_of_day(TextReader& reader, std::int64_t& ticks) {
  if (!reader.take('T') && !reader.take(' ')) return true;
  int hour = 0, minute = 0, second = 0;
  if (!reader.take_number(2, hour) || !reader.take(':') || !reader.take_number(2, minute)) {
    return false;
  }
  std::int64_t decimals = 0;
  if (reader.take(':')) {
    if (!reader.take_number(2, second)) return false;
    if (reader.take('.') && !reader.take_decimals(decimals)) return false;
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  ticks = (hour * 60 + minute) * kTicksPerMinute + second * kFiletimeTicksPerSecond + decimals;
  return true;
}

// "Z" or "+02:00"; nothing at the text's end. False for anything else.
bool take_offset(TextReader& reader, std::optional<std::int64_t>& minutes) {
  if (reader.at_end()) return true;
  if (reader.take('Z')) {
    minutes = 0;
    return reader.at_end();
  }
  const bool negative = reader.take('-');
  int hours = 0, rest = 0;
  if ((!negative && !reader.take('+')) || !reader.take_number(2, hours) || !reader.take(':') ||
      !reader.take_number(2, rest) || rest > 59) {
    return false;
  }
  minutes = (hours * 60 + rest) * (negative ? -1 : 1);
  return reader.at_end();
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text, const TimeZone* zone) {
  TextReader reader(text);
  int year = 0, month = 0, day = 0;
  if (!reader.take_number(4, year) || !reader.take('-') || !reader.take_number(2, month) ||
      !reader.take('-') || !reader.take_number(2, day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  std::int64_t of_day = 0;
  std::optional<std::int64_t> offset;
  if (!date.ok() || year < 1601 || !take_time_of_day(reader, of_day) ||
      !take_offset(reader, offset)) {
    return std::nullopt;
  }
  const std::int64_t local =
      (sys_days(date).time_since_epoch().count() + kDays1601To1970) * kTicksPerDay + of_day;
  if (offset) return local - *offset * kTicksPerMinute;
  if (!zone) return local;
  // The offset at a time that is right but for the offset; it is exact but for hours near a change.
  const std::int64_t about =
      local - zone->offset_minutes(local + zone->bias_minutes * kTicksPerMinute) * kTicksPerMinute;
  return local - zone->offset_minutes(about) * kTicksPerMinute;
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
  constexpr double kMaxDays = 10'000;
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double ticks = number;
  if (unit == "ms") {
    ticks *= 10'000;
  } else if (unit == "s") {
    ticks *= static_cast<double>(kFiletimeTicksPerSecond);
  } else if (unit == "m") {
    ticks *= static_cast<double>(kTicksPerMinute);
  } else if (unit == "h") {
    ticks *= 60 * static_cast<double>(kTicksPerMinute);
  } else if (unit == "d") {
    ticks *= static_cast<double>(kTicksPerDay);
  } else {
    return std::nullopt;
  }
  if (ticks > kMaxDays * static_cast<double>(kTicksPerDay)) return std::nullopt;
  return static_cast<std::int64_t>(ticks);
}

}  // namespace tailgate::etl
