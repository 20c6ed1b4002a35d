// A log line as the fields that it consists of (log_lines.h), for events of several fields.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tailgate {

using EventBytes = std::span<const std::byte>;

// The last one is a JSON object of further fields.
inline constexpr std::array<std::string_view, 6> kLogFieldNames = {"time",   "level",   "logger",
                                                                   "caller", "message", "fields"};
inline constexpr std::size_t kLogFields = kLogFieldNames.size();
inline constexpr std::byte kBetweenFields{'\t'};

// Splits a line at its tabs; one of the message is the message's own. Nothing when it has fewer
// than five.
inline std::optional<std::array<EventBytes, kLogFields>> split_line(EventBytes line) noexcept {
  std::array<EventBytes, kLogFields> fields;
  for (std::size_t i = 0; i + 2 < kLogFields; ++i) {
    const auto tab = std::find(line.begin(), line.end(), kBetweenFields);
    if (tab == line.end()) return std::nullopt;
    const auto size = static_cast<std::size_t>(tab - line.begin());
    fields[i] = line.first(size);
    line = line.subspan(size + 1);
  }
  const auto last = std::find(line.rbegin(), line.rend(), kBetweenFields);
  if (last == line.rend()) return std::nullopt;
  const auto size = static_cast<std::size_t>(line.rend() - last) - 1;
  fields[kLogFields - 2] = line.first(size);
  fields[kLogFields - 1] = line.subspan(size + 1);
  return fields;
}

// Returns the field that contains the byte at that place; a tab belongs to the field behind it.
// Returns nothing if the line has no fields, or is shorter.
inline std::optional<std::size_t> log_field_at(EventBytes line, std::size_t offset) noexcept {
  const auto fields = split_line(line);
  if (!fields || offset >= line.size()) return std::nullopt;
  std::size_t field = 0;
  for (std::size_t end = (*fields)[0].size(); end <= offset; end += 1 + (*fields)[field].size()) {
    ++field;
  }
  return field;
}

}  // namespace tailgate
