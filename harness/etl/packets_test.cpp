#include "harness/etl/packets.h"

#include <catch2/catch.hpp>

#include "harness/etl/testing/decode_record.h"

using namespace tailgate::etl;

namespace {

const std::vector<std::uint8_t> kFrame = {1, 2, 3, 4, 5, 6, 7, 8};

RecordHeader header_of(const Held& held) {
  return decode_header(held.record);
}

Held ndis(std::uint64_t keyword, const std::vector<std::uint8_t>& payload,
          std::uint16_t id = 1001) {
  EventRecord record;
  record.provider = *parse_guid("2ed6006e-4729-4609-b423-3ee7bcd678ef");
  record.id = id;
  record.keyword = keyword;
  record.payload = payload;
  return Held(event_record(record));
}

struct PktMonFrame {
  unsigned direction = 1;
  unsigned type = 1;
  unsigned original = 60;
  unsigned logged = 8;
  std::uint16_t id = 160;
};

Held pktmon(const PktMonFrame& frame) {
  EventRecord record;
  record.provider = *parse_guid("4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac");
  record.id = frame.id;
  ByteBuilder b;
  b.u64(1).u16(2).u16(3).u16(frame.direction).u16(frame.type).u16(12).u16(5).u16(6);
  record.payload = b.u32(209).u32(0x77).u16(frame.original).u16(frame.logged).raw(kFrame).bytes();
  return Held(event_record(record));
}

}  // namespace

TEST_CASE("packets: a fragment of ndiscap") {
  const auto payload = ByteBuilder().u32(5).u32(7).u32(8).raw(kFrame).u64(0).bytes();
  const Held held = ndis(0xC000'0000 | 0x1'0000'0000, payload);
  Packet packet;
  REQUIRE(read_packet(header_of(held), packet) == PacketEvent::packet);
  CHECK(packet.interface == "ndis 7");
  CHECK(packet.link == LinkType::ethernet);
  CHECK(packet.direction == Direction::outbound);
  CHECK(packet.begins);
  CHECK(packet.ends);
  CHECK(packet.original_bytes == 8);
  CHECK(std::vector<std::uint8_t>(packet.data.begin(), packet.data.end()) == kFrame);

  const Held first = ndis(0x4000'0000 | 0x2'0000'0000 | 0x1'0000, payload);
  REQUIRE(read_packet(header_of(first), packet) == PacketEvent::packet);
  CHECK(packet.link == LinkType::ieee802_11);
  CHECK(packet.direction == Direction::inbound);
  CHECK_FALSE(packet.ends);
  const Held mobile = ndis(0x8000'0000 | 0x200, payload);
  REQUIRE(read_packet(header_of(mobile), packet) == PacketEvent::packet);
  CHECK(packet.link == LinkType::raw_ip);
  CHECK_FALSE(packet.begins);
}

TEST_CASE("packets: sizes that contradict each other, and other events") {
  Packet packet;
  const auto too_long = ByteBuilder().u32(5).u32(7).u32(9).raw(kFrame).bytes();
  CHECK(read_packet(header_of(ndis(0, too_long)), packet) == PacketEvent::unreadable);
  CHECK(read_packet(header_of(ndis(0, {1, 2, 3})), packet) == PacketEvent::unreadable);
  CHECK(read_packet(header_of(ndis(0, too_long, 1003)), packet) == PacketEvent::unreadable);
  CHECK(read_packet(header_of(ndis(0, too_long, 1002)), packet) == PacketEvent::none);
  CHECK(read_packet(header_of(pktmon({.logged = 9})), packet) == PacketEvent::unreadable);
  CHECK(read_packet(header_of(pktmon({.logged = 7})), packet) == PacketEvent::unreadable);
  CHECK(read_packet(header_of(pktmon({.type = 4})), packet) == PacketEvent::unreadable);
  CHECK(read_packet(header_of(pktmon({.id = 20})), packet) == PacketEvent::none);
  EventRecord other;
  other.id = 160;
  CHECK(read_packet(header_of(Held(event_record(other))), packet) == PacketEvent::none);
}

TEST_CASE("packets: a frame of PktMon, and a drop") {
  Packet packet;
  const Held held = pktmon({});
  REQUIRE(read_packet(header_of(held), packet) == PacketEvent::packet);
  CHECK(packet.interface == "pktmon 12");
  CHECK(packet.link == LinkType::ethernet);
  CHECK(packet.direction == Direction::inbound);
  CHECK(packet.original_bytes == 60);
  CHECK(std::vector<std::uint8_t>(packet.data.begin(), packet.data.end()) == kFrame);
  CHECK_FALSE(packet.dropped);
  const Held dropped = pktmon({.direction = 4, .type = 3, .id = 170});
  REQUIRE(read_packet(header_of(dropped), packet) == PacketEvent::packet);
  CHECK(packet.interface == "pktmon 12 dropped");
  CHECK(packet.link == LinkType::raw_ip);
  CHECK(packet.direction == Direction::outbound);
  CHECK(packet.dropped);
  CHECK(packet.drop_reason == 209);
  CHECK(packet.drop_location == 0x77);
}
