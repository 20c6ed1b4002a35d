#include "providers/fields/formatted_fields.h"

#include <fmt/format.h>

#include <cstring>

namespace tailgate {
namespace {

// The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): every bit of the seed
// changes about half of the result's.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9ull;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBull;
  return bits ^ bits >> 31;
}

// The sequence number as it is encoded: 8 bytes, of the text its low 4 as 8 letters.
std::uint64_t seed_of(std::span<const std::byte> event, EventEncoding encoding) {
  std::uint64_t seed = 0;
  std::memcpy(&seed, event.data() + (encoding == EventEncoding::binary ? 8 : 16), sizeof seed);
  return seed;
}

char* put_value(char* out, FieldKind kind, std::uint64_t random) {
  if (kind == FieldKind::text) {
    const std::uint64_t first = event_detail::letters(static_cast<std::uint32_t>(random));
    const std::uint64_t rest = event_detail::letters(static_cast<std::uint32_t>(random >> 32));
    std::memcpy(out, &first, 8);
    std::memcpy(out + 8, &rest, 2);
    return out + 10;
  }
  // 10 digits: from 1,000,000,000 to 3,999,999,999.
  const std::uint64_t value = 1'000'000'000 + (random >> 32) * 3'000'000'000 / (1ull << 32);
  if (kind == FieldKind::integer) return fmt::format_to(out, "{}", value);
  return fmt::format_to(out, "{}", static_cast<double>(value) / 1000);
}

}  // namespace

std::size_t format_fields(std::span<std::byte> event, EventEncoding encoding, FieldKind kind,
                          std::size_t count) noexcept {
  char* const start = reinterpret_cast<char*>(event.data());
  char* out = start + min_event_bytes(encoding);
  std::uint64_t state = seed_of(event, encoding);
  for (std::size_t field = 0; field < count; ++field) {
    *out++ = ' ';
    *out++ = 'f';
    *out++ = static_cast<char>('0' + field / 10);
    *out++ = static_cast<char>('0' + field % 10);
    *out++ = '=';
    state += 0x9E3779B97F4A7C15ull;
    out = put_value(out, kind, mixed(state));
  }
  if (count > 0) *out++ = ' ';
  return static_cast<std::size_t>(out - start);
}

}  // namespace tailgate
