// Network packets in a trace, as a pcapng file: those that the drivers ndiscap ("netsh trace start
// capture=yes") and PktMon ("pktmon start --capture") record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Values of pcapng's LinkType registry.
enum class LinkType : std::uint16_t { ethernet = 1, raw_ip = 101, ieee802_11 = 105 };

enum class Direction : std::uint8_t { unknown, inbound, outbound };

// A packet, or a part of one, that an event holds.
struct Packet {
  std::string interface;  // "ndis 7", "pktmon 12"
  LinkType link = LinkType::ethernet;
  Direction direction = Direction::unknown;
  bool begins = true;  // false: it continues the last part from the same interface and thread
  bool ends = true;
  bool dropped = false;
  std::uint32_t drop_reason = 0;
  std::uint32_t drop_location = 0;
  std::uint32_t original_bytes = 0;  // on the wire, as far as the event says
  Bytes data;
};

// What became of an event of one of the two drivers.
enum class PacketEvent : std::uint8_t {
  none,  // of another provider, or without a packet
  packet,
  unreadable,  // its sizes contradict each other, or its layout is not known
};

// Reads the packet of an event. Layouts: see the definition.
PacketEvent read_packet(const RecordHeader& header, Packet& packet);

struct PacketCounts {
  std::uint64_t packets = 0;
  std::uint64_t interfaces = 0;
  std::uint64_t drops_left_out = 0;
  std::uint64_t unreadable = 0;      // events
  std::uint64_t never_complete = 0;  // packets of which parts are missing
  std::string why_nothing;
};

// Writes the packets that pass the filter to a new file, whole or not at all, in order of time.
// with_drops: also the reports of dropped packets, on interfaces of their own, with a comment that
// names the reason. Throws Error when it cannot be written, or exists and may not be replaced.
// Writes nothing when the user interrupts it (InterruptFlag).
PacketCounts write_pcapng(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const EventFilter& filter, bool with_drops,
                          const std::filesystem::path& path, bool replace);

}  // namespace tailgate::etl
