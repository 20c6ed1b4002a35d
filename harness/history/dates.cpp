#include "harness/history/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

namespace tailgate::history {
namespace {

// The number that the digits are; nothing where one is no digit.
std::optional<int> number(std::string_view digits) {
  int value = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return {};
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<std::chrono::sys_days> day_of(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return {};
  const auto year = number(text.substr(0, 4));
  const auto month = number(text.substr(5, 2));
  const auto day = number(text.substr(8, 2));
  if (!year || !month || !day) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  return std::chrono::sys_days(date);
}

}  // namespace

bool is_date(std::string_view text) {
  return day_of(text).has_value();
}

std::string date_of(std::int64_t unix_ms) {
  using namespace std::chrono;
  const year_month_day date(floor<days>(sys_time<milliseconds>(milliseconds(unix_ms))));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::optional<std::int64_t> unix_ms_of(std::string_view utc) {
  constexpr std::size_t kWithoutFraction = 20;  // 2026-11-25T18:00:00Z
  if (utc.size() < kWithoutFraction || utc[10] != 'T' || utc[13] != ':' || utc[16] != ':' ||
      utc.back() != 'Z') {
    return {};
  }
  const auto day = day_of(utc.substr(0, 10));
  const auto hour = number(utc.substr(11, 2));
  const auto minute = number(utc.substr(14, 2));
  const auto second = number(utc.substr(17, 2));
  if (!day || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return {};
  const std::string_view fraction = utc.substr(19, utc.size() - kWithoutFraction);
  if (fraction.size() > 10 || (!fraction.empty() && fraction[0] != '.')) return {};
  if (!fraction.empty() && !number(fraction.substr(1))) return {};
  int milliseconds = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    milliseconds = milliseconds * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  using namespace std::chrono;
  const auto since = day->time_since_epoch() + hours(*hour) + minutes(*minute) + seconds(*second);
  return duration_cast<std::chrono::milliseconds>(since).count() + milliseconds;
}

std::string utc_of(std::int64_t unix_ms) {
  using namespace std::chrono;
  const auto time = sys_time<milliseconds>(milliseconds(unix_ms));
  const hh_mm_ss clock(floor<seconds>(time) - floor<days>(time));
  return fmt::format("{}T{:02}:{:02}:{:02}Z", date_of(unix_ms), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string days_later(const std::string& night, std::int64_t days) {
  constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;
  const auto start = unix_ms_of(night + "T00:00:00Z");
  return start ? date_of(*start + days * kDayMs) : night;
}

}  // namespace tailgate::history
