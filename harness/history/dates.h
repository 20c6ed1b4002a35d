// Times as documents write them, and as the history keeps them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tailgate::history {

// Unix time in milliseconds of "2026-11-25T18:00:00Z", which may have a fraction of a second;
// nothing where the text is no such time.
std::optional<std::int64_t> unix_ms_of(std::string_view utc);

// The text of a time, in whole seconds.
std::string utc_of(std::int64_t unix_ms);

// Whether the text is a date of the calendar as "2026-11-25".
bool is_date(std::string_view text);

// The UTC date of a time.
std::string date_of(std::int64_t unix_ms);

// The date so many days after another, or before it. night: is_date().
std::string days_later(const std::string& night, std::int64_t days);

}  // namespace tailgate::history
