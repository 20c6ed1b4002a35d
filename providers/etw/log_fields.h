// A log line as the fields that it consists of (harness/base/log_lines.h), for events of several
// fields.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace tailgate::etw {

using EventBytes = std::span<const std::byte>;

// Time, level, logger, caller, message, and fields as JSON.
inline constexpr std::size_t kLogFields = 6;
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

}  // namespace tailgate::etw
