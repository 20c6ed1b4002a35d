#include "providers/etw/event_field.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "harness/base/log_fields.h"
#include "harness/base/log_lines.h"
#include "harness/etl/testing/trace_writer.h"
#include "providers/etw/metadata.h"

namespace tailgate::etw {
namespace {

constexpr unsigned kInBinary = 14;  // TlgInBINARY
constexpr unsigned kInU32 = 8;      // TlgInUINT32
constexpr unsigned kInText = 23;    // TlgInCOUNTEDANSISTRING
constexpr unsigned kOutUtf8 = 35;   // TlgOutUTF8

const std::vector<std::uint8_t> kPayload = {3, 0, 'a', 'b', 'c'};

TEST_CASE("the constexpr metadata equals the metadata of TraceLogging") {
  const std::vector<std::uint8_t> expected =
      etl::MetadataBuilder("Event").field("bytes", kInBinary).bytes();
  CHECK(std::vector<std::uint8_t>(kEventMetadata.begin(), kEventMetadata.end()) == expected);
  CHECK(std::vector<std::uint8_t>(kProviderMetadata.begin(), kProviderMetadata.end()) ==
        etl::provider_traits("Tailgate"));
}

TEST_CASE("an event's bytes are located by its metadata") {
  EventField field;
  for (int twice = 0; twice < 2; ++twice) {
    const auto bytes = field.find(kEventMetadata, kPayload);
    REQUIRE(bytes);
    CHECK(std::string(bytes->begin(), bytes->end()) == "abc");
  }
}

TEST_CASE("the metadata of a log line names its fields") {
  etl::MetadataBuilder expected("Log");
  expected.field("header", kInBinary);
  for (const char* name : {"time", "level", "logger", "caller", "message", "fields"}) {
    expected.field(name, kInText, kOutUtf8);
  }
  CHECK(std::vector<std::uint8_t>(kLogMetadata.begin(), kLogMetadata.end()) == expected.bytes());
}

EventBytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The payload of an event with the header "head" and those fields.
std::vector<std::uint8_t> log_payload(const std::array<EventBytes, kLogFields>& fields) {
  std::vector<std::uint8_t> payload = {4, 0, 'h', 'e', 'a', 'd'};
  for (const EventBytes& field : fields) {
    payload.push_back(static_cast<std::uint8_t>(field.size() & 0xFF));
    payload.push_back(static_cast<std::uint8_t>(field.size() >> 8));
    for (const std::byte byte : field) payload.push_back(static_cast<std::uint8_t>(byte));
  }
  return payload;
}

TEST_CASE("every log line that has fields is split into them, and put together again") {
  const LogLines lines(EventEncoding::binary, 60 * 1024);
  EventField field;
  unsigned split = 0;
  for (std::uint64_t i = 0; i < kLogLines; ++i) {
    const EventBytes line = lines.body(i);
    const auto fields = split_line(line);
    CHECK(fields.has_value() == (line_kind(i) != LineKind::empty));
    if (!fields) continue;
    ++split;
    CHECK(fields->back().front() == std::byte{'{'});
    CHECK(fields->back().back() == std::byte{'}'});
    const std::vector<std::uint8_t> payload = log_payload(*fields);
    const auto bytes = field.find(kLogMetadata, payload);
    REQUIRE(bytes);
    const std::string whole(bytes->begin(), bytes->end());
    CHECK(whole.substr(0, 4) == "head");
    CHECK(std::ranges::equal(bytes_of(whole).subspan(4), line));
    const auto cut = etl::Bytes(payload).first(payload.size() - 1);
    CHECK_FALSE(field.find(kLogMetadata, cut));
  }
  CHECK(split > 50);
}

TEST_CASE("events of other providers are not accepted") {
  EventField field;
  CHECK_FALSE(field.find({}, kPayload));
  const auto other = etl::MetadataBuilder("Event").field("number", kInU32).bytes();
  CHECK_FALSE(field.find(other, kPayload));
  const auto two =
      etl::MetadataBuilder("Event").field("a", kInBinary).field("b", kInBinary).bytes();
  CHECK_FALSE(field.find(two, kPayload));
  CHECK(field.find(kEventMetadata, kPayload));
  for (const std::vector<std::uint8_t>& payload :
       {std::vector<std::uint8_t>{}, {3}, {3, 0, 'a', 'b'}, {3, 0, 'a', 'b', 'c', 'd'}}) {
    CHECK_FALSE(field.find(kEventMetadata, payload));
  }
}

}  // namespace
}  // namespace tailgate::etw
