#include "harness/base/event.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace tailgate {
namespace {

constexpr EventEncoding kEncodings[] = {EventEncoding::binary, EventEncoding::text};

std::vector<std::byte> make_event(EventEncoding encoding, std::size_t size_bytes,
                                  std::uint64_t sequence = 7) {
  std::vector<std::byte> event = prepare_event(encoding, size_bytes);
  stamp_event(event.data(), encoding,
              {.run = 0xABCD1234,
               .thread = 513,
               .size_bytes = static_cast<std::uint16_t>(event.size()),
               .sequence = sequence,
               .emit_ns = 123456789012345});
  return event;
}

TEST_CASE("an event is read back with its stamp in both encodings and at every size") {
  for (const EventEncoding encoding : kEncodings) {
    for (const std::size_t size : {min_event_bytes(encoding), min_event_bytes(encoding) + 1,
                                   std::size_t{128}, std::size_t{4096}, kMaxEventBytes}) {
      const std::vector<std::byte> event = make_event(encoding, size);
      REQUIRE(event.size() == size);
      EventStamp stamp;
      REQUIRE(check_event(event, encoding, stamp) == EventCheck::intact);
      CHECK(stamp == EventStamp{.run = 0xABCD1234,
                                .thread = 513,
                                .size_bytes = static_cast<std::uint16_t>(size),
                                .sequence = 7,
                                .emit_ns = 123456789012345});
      CHECK(announced_size_bytes(event, encoding) == size);
    }
  }
}

TEST_CASE("the binary header has the documented layout") {
  const std::vector<std::byte> event = make_event(EventEncoding::binary, 40, 0x0102030405060708);
  const auto byte = [&](std::size_t at) { return static_cast<unsigned>(event[at]); };
  CHECK(std::string(reinterpret_cast<const char*>(event.data()), 4) == "TLG1");
  CHECK(byte(4) == 40);
  CHECK(byte(5) == 0);
  CHECK(byte(6) == 1);  // 513 = 0x0201
  CHECK(byte(7) == 2);
  CHECK(byte(8) == 8);
  CHECK(byte(15) == 1);
  CHECK(byte(24) == 0x34);
  CHECK(byte(27) == 0xAB);
}

TEST_CASE("the text encoding is the binary one as letters, low half first") {
  const std::vector<std::byte> binary = make_event(EventEncoding::binary, 96);
  std::vector<std::byte> text = prepare_event(EventEncoding::text, 96);
  stamp_event(text.data(), EventEncoding::text,
              {.run = 0xABCD1234,
               .thread = 513,
               .size_bytes = 96,
               .sequence = 7,
               .emit_ns = 123456789012345});
  for (std::size_t i = 0; i < kBinaryHeaderBytes; ++i) {
    const auto value = static_cast<unsigned>(binary[i]);
    CHECK(static_cast<unsigned>(text[2 * i]) == 'a' + (value & 15));
    CHECK(static_cast<unsigned>(text[2 * i + 1]) == 'a' + (value >> 4));
  }
  const auto printable = [](std::byte byte) {
    return byte > std::byte{' '} && byte < std::byte{127};
  };
  CHECK(std::all_of(text.begin(), text.end(), printable));
}

TEST_CASE("one prepared buffer can be used for all smaller sizes") {
  for (const EventEncoding encoding : kEncodings) {
    const std::vector<std::byte> large = prepare_event(encoding, kMaxEventBytes);
    const std::vector<std::byte> small = prepare_event(encoding, 200);
    CHECK(std::equal(small.begin(), small.end(), large.begin()));
  }
  CHECK(prepare_event(EventEncoding::binary, 0).size() == kBinaryHeaderBytes);
  CHECK(prepare_event(EventEncoding::text, 1 << 20).size() == kMaxEventBytes);
}

TEST_CASE("every single changed bit is detected") {
  for (const EventEncoding encoding : kEncodings) {
    const std::vector<std::byte> event = make_event(encoding, 100);
    for (std::size_t bit = 0; bit < 8 * event.size(); ++bit) {
      std::vector<std::byte> changed = event;
      changed[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      EventStamp stamp;
      const EventCheck found = check_event(changed, encoding, stamp);
      REQUIRE(found != EventCheck::intact);
      REQUIRE((bit / 8 < min_event_bytes(encoding)) == (found != EventCheck::bad_body));
    }
  }
}

TEST_CASE("truncated and extended events are distinguished from changed ones") {
  for (const EventEncoding encoding : kEncodings) {
    std::vector<std::byte> event = make_event(encoding, 100);
    EventStamp stamp;
    const std::size_t header = min_event_bytes(encoding);
    CHECK(check_event({}, encoding, stamp) == EventCheck::too_short);
    CHECK(check_event(std::span(event).first(header - 1), encoding, stamp) ==
          EventCheck::too_short);
    CHECK(check_event(std::span(event).first(99), encoding, stamp) == EventCheck::wrong_size);
    CHECK(stamp.sequence == 7);
    event.push_back(std::byte{0});
    CHECK(check_event(event, encoding, stamp) == EventCheck::wrong_size);
    const std::vector<std::byte> foreign(100, std::byte{'x'});
    CHECK(check_event(foreign, encoding, stamp) == EventCheck::not_an_event);
    CHECK(announced_size_bytes(foreign, encoding) == 0);
    CHECK(announced_size_bytes(std::span(event).first(header), encoding) == 100);
    CHECK(announced_size_bytes(std::span(event).first(header - 1), encoding) == 0);
  }
}

}  // namespace
}  // namespace tailgate
