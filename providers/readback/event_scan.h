// Finds where events begin in bytes that were damaged.
#pragma once

#include <cstddef>
#include <span>

#include "harness/base/event.h"

namespace tailgate {

inline constexpr std::size_t kNoHeader = static_cast<std::size_t>(-1);

// The first position at or after `from` where an intact event header begins, or kNoHeader. A
// header that bytes cut off is not found: the last min_event_bytes - 1 positions stay open.
std::size_t find_header(std::span<const std::byte> bytes, std::size_t from, EventEncoding encoding);

}  // namespace tailgate
