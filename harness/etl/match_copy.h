// Copies an LZ77 match, for all three decoders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tailgate::etl {

// copy_match() may write up to this many bytes after the match's end; later output overwrites them.
inline constexpr std::size_t kCopySlackBytes = 64;

namespace detail {

// Multiplying by kRepeat[distance] repeats the lowest `distance` bytes of a word through all eight.
inline constexpr std::array<std::uint64_t, 8> kRepeat = {0,
                                                         0x0101010101010101,
                                                         0x0001000100010001,
                                                         0x0001000001000001,
                                                         0x0000000100000001,
                                                         0x0000010000000001,
                                                         0x0001000000000001,
                                                         0x0100000000000001};

// Size of as many whole patterns of `distance` bytes as fit into a word.
inline constexpr std::array<std::uint8_t, 8> kWholePatternsBytes = {0, 8, 8, 6, 8, 5, 6, 7};

// Four copies of 8 bytes; correct for distances of 8 and more. Two copies of 16 would be slower: a
// load that overlaps two recent stores waits until both have left the store buffer, and loads of 8
// bytes rarely overlap two.
inline void copy_32_bytes(std::uint8_t* to, const std::uint8_t* from) {
  std::memcpy(to, from, 8);
  std::memcpy(to + 8, from + 8, 8);
  std::memcpy(to + 16, from + 16, 8);
  std::memcpy(to + 24, from + 24, 8);
}

// Repeats a short pattern: fills a word with it and stores the word again and again, each time a
// whole number of patterns further on.
inline void repeat_pattern(std::uint8_t* to, std::size_t distance, std::size_t length) {
  std::uint64_t word;
  std::memcpy(&word, to - distance, 8);
  word = (word & ((std::uint64_t{1} << (8 * distance)) - 1)) * kRepeat[distance];
  std::size_t stride = kWholePatternsBytes[distance];
  for (std::size_t done = 0; done < length; done += stride) std::memcpy(to + done, &word, 8);
}

// copy_match() for a match with at least kCopySlackBytes of room after it.
inline void copy_match_with_slack(std::uint8_t* to, std::size_t distance, std::size_t length) {
  if (distance < 8) return repeat_pattern(to, distance, length);
  const std::uint8_t* from = to - distance;
  if (distance < 32) {
    for (std::size_t done = 0; done < length; done += 32) copy_32_bytes(to + done, from + done);
    return;
  }
  // Long matches: most have a large distance, and most fit into 64 bytes.
  std::memcpy(to, from, 32);
  std::memcpy(to + 32, from + 32, 32);
  for (std::size_t done = 64; done < length; done += 32) {
    std::memcpy(to + done, from + done, 32);
  }
}

}  // namespace detail

inline constexpr std::size_t kShortMatchBytes = 32;

// copy_match() for at most kShortMatchBytes; that many bytes and 8 more may be overwritten.
inline void copy_short_match(std::uint8_t* to, std::size_t distance, std::size_t length) {
  if (distance < 8) return detail::repeat_pattern(to, distance, length);
  detail::copy_32_bytes(to, to - distance);
}

// Copies `length` bytes to `to` from `distance` bytes before it, as if byte by byte: a distance
// below the length repeats a pattern. The caller has checked that the source starts inside the
// output. Returns false and copies nothing when the match would end after `end`. Bytes between the
// match's end and `end` may be overwritten.
inline bool copy_match(std::uint8_t* to, std::size_t distance, std::size_t length,
                       const std::uint8_t* end) {
  auto room = static_cast<std::size_t>(end - to);
  if (length + kCopySlackBytes <= room) {
    detail::copy_match_with_slack(to, distance, length);
    return true;
  }
  if (length > room) return false;
  // A match at the end of a buffer is often long, so only its last bytes are copied one by one.
  std::size_t done = 0;
  if (room > kCopySlackBytes) {
    done = room - kCopySlackBytes;
    detail::copy_match_with_slack(to, distance, done);
  }
  const std::uint8_t* from = to - distance;
  for (; done < length; ++done) to[done] = from[done];
  return true;
}

}  // namespace tailgate::etl
