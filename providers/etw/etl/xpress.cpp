// Plain LZ77 of [MS-XCA] 2.3 and 2.4: a 32-bit word of flags, taken from bit 31 down, then one
// item a flag: 0 a literal byte, 1 a match of 16 bits (distance - 1 in the upper 13, length - 3 in
// the lower 3) whose longer lengths continue in nibbles, bytes and words.
#include <bit>

#include "providers/etw/etl/decompress.h"
#include "providers/etw/etl/match_copy.h"

namespace tailgate::etl {
namespace {

struct XpressInput {
  const std::uint8_t* at;
  const std::uint8_t* end;
  const std::uint8_t* half_used_nibble = nullptr;

  std::size_t left() const { return static_cast<std::size_t>(end - at); }
};

// The rest of a length whose 3 bits were all set. False when the input ends or the length makes no
// sense.
bool read_long_length(XpressInput& in, std::size_t& length) {
  unsigned nibble;
  if (in.half_used_nibble == nullptr) {
    if (in.left() < 1) return false;
    in.half_used_nibble = in.at++;
    nibble = *in.half_used_nibble & 15u;
  } else {
    nibble = *in.half_used_nibble >> 4;
    in.half_used_nibble = nullptr;
  }
  length = nibble;
  if (nibble == 15) {
    if (in.left() < 1) return false;
    length = *in.at++;
    if (length == 255) {
      if (in.left() < 2) return false;
      length = load<std::uint16_t>(in.at);
      in.at += 2;
      if (length == 0) {
        if (in.left() < 4) return false;
        length = load<std::uint32_t>(in.at);
        in.at += 4;
      }
      if (length < 15 + 7) return false;
      length -= 15 + 7;
    }
    length += 15;
  }
  length += 7;
  return true;
}

// Copies a run of literals. Eight bytes at a time where both sides have the room.
bool copy_literals(XpressInput& in, std::uint8_t*& to, const std::uint8_t* end, std::size_t count) {
  auto room = static_cast<std::size_t>(end - to);
  if (room >= kCopySlackBytes && in.left() >= kCopySlackBytes) {
    std::memcpy(to, in.at, 16);
    std::memcpy(to + 16, in.at + 16, 16);
  } else {
    // The output may be full in the middle of a flag word: the rest of its bits mean nothing.
    if (count > room) count = room;
    if (count > in.left()) return false;
    std::memcpy(to, in.at, count);
  }
  to += count;
  in.at += count;
  return true;
}

}  // namespace

bool decompress_xpress(Bytes input, std::span<std::uint8_t> out) {
  if (out.empty()) return true;
  XpressInput in{input.data(), input.data() + input.size()};
  std::uint8_t* const start = out.data();
  std::uint8_t* const end = start + out.size();
  std::uint8_t* to = start;
  while (to < end) {
    if (in.left() < 4) return false;
    auto flags = load<std::uint32_t>(in.at);
    in.at += 4;
    unsigned items = 32;
    while (items > 0 && to < end) {
      auto literals = static_cast<unsigned>(std::countl_zero(flags));
      if (literals > items) literals = items;
      if (literals > 0) {
        if (!copy_literals(in, to, end, literals)) return false;
        items -= literals;
        flags = literals == 32 ? 0 : flags << literals;
        continue;
      }
      if (in.left() < 2) return false;
      unsigned match = load<std::uint16_t>(in.at);
      in.at += 2;
      std::size_t length = match & 7;
      std::size_t distance = (match >> 3) + 1;
      if (length == 7 && !read_long_length(in, length)) return false;
      length += 3;
      if (distance > static_cast<std::size_t>(to - start) ||
          length > static_cast<std::size_t>(end - to)) {
        return false;
      }
      copy_match(to, distance, length, end);
      to += length;
      --items;
      flags <<= 1;
    }
  }
  return true;
}

}  // namespace tailgate::etl
