#include "providers/shared/readback/event_scan.h"

#include <array>
#include <string_view>

namespace tailgate {
namespace {

// The magic number with which every header begins, in this encoding.
std::string_view magic_text(EventEncoding encoding) {
  static const auto stamped = [](EventEncoding which) {
    std::array<std::byte, kTextHeaderBytes> header{};
    stamp_event(header.data(), which, EventStamp{});
    return header;
  };
  static const std::array<std::byte, kTextHeaderBytes> binary = stamped(EventEncoding::binary);
  static const std::array<std::byte, kTextHeaderBytes> text = stamped(EventEncoding::text);
  const bool is_text = encoding == EventEncoding::text;
  return {reinterpret_cast<const char*>((is_text ? text : binary).data()),
          is_text ? 2 * sizeof kEventMagic : sizeof kEventMagic};
}

}  // namespace

std::size_t find_header(std::span<const std::byte> bytes, std::size_t from,
                        EventEncoding encoding) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view magic = magic_text(encoding);
  std::size_t at = text.find(magic, from);
  while (at != std::string_view::npos) {
    if (announced_size_bytes(bytes.subspan(at), encoding) != 0) return at;
    at = text.find(magic, at + 1);
  }
  return kNoHeader;
}

}  // namespace tailgate
