// The copy that every LZ77 decoder ends in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tailgate::etl {

// Slack behind a match's end within which copy_match() may write before the real bytes follow.
inline constexpr std::size_t kCopySlackBytes = 32;

// Copies `length` bytes to `to` from `distance` bytes before it, as if byte by byte: a distance
// below the length repeats a pattern. The caller has checked that the source starts inside the
// output and that to + length <= end. Bytes up to end may be overwritten beyond the match.
inline void copy_match(std::uint8_t* to, std::size_t distance, std::size_t length,
                       const std::uint8_t* end) {
  const std::uint8_t* from = to - distance;
  if (static_cast<std::size_t>(end - to) >= length + kCopySlackBytes) {
    if (distance >= 16) {
      std::memcpy(to, from, 16);
      for (std::size_t done = 16; done < length; done += 16) {
        std::memcpy(to + done, from + done, 16);
      }
      return;
    }
    if (distance >= 8) {
      for (std::size_t done = 0; done < length; done += 8) {
        std::memcpy(to + done, from + done, 8);
      }
      return;
    }
    // Short pattern: spell out 8 bytes, then repeat them at a distance that is a multiple of the
    // pattern's and at least 8.
    for (std::size_t i = 0; i < 8; ++i) to[i] = from[i];
    if (length <= 8) return;
    std::size_t stride = distance * ((8 + distance - 1) / distance);
    for (std::size_t i = 8; i < stride; ++i) to[i] = to[i - distance];
    for (std::size_t done = stride; done < length; done += 8) {
      std::memcpy(to + done, to + done - stride, 8);
    }
    return;
  }
  for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
}

}  // namespace tailgate::etl
