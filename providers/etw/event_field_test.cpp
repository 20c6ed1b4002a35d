#include "providers/etw/event_field.h"

#include <catch2/catch.hpp>

#include "harness/etl/testing/trace_writer.h"
#include "providers/etw/metadata.h"

namespace tailgate::etw {
namespace {

constexpr unsigned kInBinary = 14;  // TlgInBINARY
constexpr unsigned kInU32 = 8;      // TlgInUINT32

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
