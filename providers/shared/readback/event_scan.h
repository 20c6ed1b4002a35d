// Finds the next event in damaged bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "harness/base/event.h"

namespace tailgate {

// How long a poll of a live consumer reads on before it returns.
inline constexpr std::chrono::milliseconds kPollBudget{2};

inline constexpr std::size_t kNoHeader = static_cast<std::size_t>(-1);

// Returns the first position at or after `from` where an intact event header begins, or kNoHeader.
// A header whose end is not in `bytes` is not found, so the last min_event_bytes - 1 positions stay
// undecided.
std::size_t find_header(std::span<const std::byte> bytes, std::size_t from, EventEncoding encoding);

}  // namespace tailgate
