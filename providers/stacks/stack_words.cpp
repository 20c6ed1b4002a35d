#include "providers/stacks/stack_words.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "providers/shared/callstack/nested_call.h"

namespace tailgate {
namespace {

std::uint64_t as_word(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

std::byte* put_word(std::byte* to, EventEncoding encoding, std::uint64_t word) {
  if (encoding == EventEncoding::binary) {
    std::memcpy(to, &word, sizeof word);
    return to + sizeof word;
  }
  for (const std::uint32_t half : {static_cast<std::uint32_t>(word),  //
                                   static_cast<std::uint32_t>(word >> 32)}) {
    const std::uint64_t letters = event_detail::letters(half);
    std::memcpy(to, &letters, sizeof letters);
    to += sizeof letters;
  }
  return to;
}

// Nothing if there are other letters.
std::optional<std::uint64_t> read_word(const std::byte* from, EventEncoding encoding) {
  std::uint64_t word = 0;
  if (encoding == EventEncoding::binary) {
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  for (unsigned half_byte = 0; half_byte < 16; ++half_byte) {
    const auto value = static_cast<unsigned>(from[half_byte]) - unsigned{'a'};
    if (value > 15) return std::nullopt;
    word |= std::uint64_t{value} << (4 * half_byte);
  }
  return word;
}

}  // namespace

void write_stack(std::span<std::byte> event, EventEncoding encoding,
                 std::span<void* const> frames) noexcept {
  std::byte* to = event.data() + event.size() - stack_bytes(encoding, frames.size());
  to = put_word(to, encoding, as_word(nested_frame_function()));
  for (const void* frame : frames) to = put_word(to, encoding, as_word(frame));
}

bool ends_in_stack(std::span<const std::byte> event, EventEncoding encoding,
                   std::span<void* const> frames) {
  const std::size_t bytes = stack_bytes(encoding, frames.size());
  if (event.size() < bytes) return false;
  const std::size_t word_bytes = stack_bytes(encoding, 0);
  const std::byte* from = event.data() + event.size() - bytes;
  const auto function = read_word(from, encoding);
  for (const void* frame : frames) {
    from += word_bytes;
    const auto word = read_word(from, encoding);
    if (!function || !word) return false;
    if (*word - *function != as_word(frame) - as_word(nested_frame_function())) return false;
  }
  return function.has_value();
}

}  // namespace tailgate
