#include "harness/etl/packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <unordered_map>
#include <utility>

#include "harness/base/error.h"
#include "harness/etl/event_stream.h"
#include "harness/etl/new_file.h"
#include "harness/os/process.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxPacketBytes = 262'144;  // tcpdump reads no larger ones
constexpr std::size_t kMaxOpenPackets = 128;
constexpr std::size_t kMaxInterfaces = 65'536;

// Microsoft-Windows-NDIS-PacketCapture: PacketFragment (1001) is u32 MiniportIfIndex,
// u32 LowerIfIndex, u32 FragmentSize and the fragment; later versions append fields. Sources: the
// names, ids and keywords in Microsoft's etl2pcapng (MIT), and the order of the fields in the
// provider's manifest as public tools list it. VMSwitchPacketFragment (1003) has texts before the
// fragment whose layout no public source gives.
const Guid kNdisCapture = *parse_guid("2ed6006e-4729-4609-b423-3ee7bcd678ef");
constexpr std::uint16_t kPacketFragment = 1001;
constexpr std::uint16_t kSwitchPacketFragment = 1003;
constexpr std::size_t kNdisHeadBytes = 12;
constexpr std::uint64_t kWirelessWan = 0x200;
constexpr std::uint64_t kNative80211 = 0x1'0000;
constexpr std::uint64_t kPacketStart = 0x4000'0000;
constexpr std::uint64_t kPacketEnd = 0x8000'0000;
constexpr std::uint64_t kSend = 0x1'0000'0000;
constexpr std::uint64_t kReceive = 0x2'0000'0000;

// Microsoft-Windows-PktMon: FramePayload (160) and FrameDropPayload (170) are u64 PktGroupId,
// u16 PktNumber, u16 AppearanceCount, u16 DirTag, u16 PacketType, u16 ComponentId, u16 EdgeId,
// u16 FilterId, u32 DropReason, u32 DropLocation, u16 OriginalPayloadSize, u16 LoggedPayloadSize
// and the frame. Sources: the parser of Microsoft's SQL networking tools
// (microsoft/CSS_SQL_Networking_Tools, MIT), and PKTMON_PACKET_TYPE and PKTMON_DIRECTION_TAG in
// Microsoft's pktmonnpik.h.
const Guid kPktMon = *parse_guid("4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac");
constexpr std::uint16_t kFramePayload = 160;
constexpr std::uint16_t kFrameDropPayload = 170;
constexpr std::size_t kPktMonHeadBytes = 34;

PacketEvent read_ndis(const RecordHeader& header, Packet& packet) {
  if (header.id == kSwitchPacketFragment) return PacketEvent::unreadable;
  if (header.id != kPacketFragment) return PacketEvent::none;
  const Bytes payload = header.payload;
  if (payload.size() < kNdisHeadBytes) return PacketEvent::unreadable;
  const std::size_t size = load<std::uint32_t>(payload.data() + 8);
  if (size > payload.size() - kNdisHeadBytes) return PacketEvent::unreadable;
  packet.interface = fmt::format("ndis {}", load<std::uint32_t>(payload.data() + 4));
  packet.link = (header.keyword & kNative80211) != 0   ? LinkType::ieee802_11
                : (header.keyword & kWirelessWan) != 0 ? LinkType::raw_ip
                                                       : LinkType::ethernet;
  packet.direction = (header.keyword & kSend) != 0      ? Direction::outbound
                     : (header.keyword & kReceive) != 0 ? Direction::inbound
                                                        : Direction::unknown;
  packet.begins = (header.keyword & kPacketStart) != 0;
  packet.ends = (header.keyword & kPacketEnd) != 0;
  packet.data = payload.subspan(kNdisHeadBytes, size);
  packet.original_bytes = static_cast<std::uint32_t>(size);
  return PacketEvent::packet;
}

Direction direction_of_tag(std::uint16_t tag) {
  switch (tag) {
    case 1:  // in
    case 3:  // Rx
    case 5:  // ingress
      return Direction::inbound;
    case 2:  // out
    case 4:  // Tx
    case 6:  // egress
      return Direction::outbound;
    default:
      return Direction::unknown;
  }
}

std::optional<LinkType> link_of_type(std::uint16_t type) {
  switch (type) {
    case 1:
      return LinkType::ethernet;
    case 2:
      return LinkType::ieee802_11;
    case 3:
      return LinkType::raw_ip;
    default:
      return std::nullopt;
  }
}

PacketEvent read_pktmon(const RecordHeader& header, Packet& packet) {
  if (header.id != kFramePayload && header.id != kFrameDropPayload) return PacketEvent::none;
  const Bytes payload = header.payload;
  if (payload.size() < kPktMonHeadBytes) return PacketEvent::unreadable;
  const auto u16 = [&](std::size_t at) { return load<std::uint16_t>(payload.data() + at); };
  const auto link = link_of_type(u16(14));
  const std::size_t logged = u16(32);
  if (!link || logged != payload.size() - kPktMonHeadBytes) return PacketEvent::unreadable;
  packet.dropped = header.id == kFrameDropPayload;
  packet.interface = fmt::format("pktmon {}{}", u16(16), packet.dropped ? " dropped" : "");
  packet.link = *link;
  packet.direction = direction_of_tag(u16(12));
  packet.drop_reason = load<std::uint32_t>(payload.data() + 22);
  packet.drop_location = load<std::uint32_t>(payload.data() + 26);
  packet.data = payload.subspan(kPktMonHeadBytes);
  packet.original_bytes = std::max<std::uint32_t>(u16(30), u16(32));
  return PacketEvent::packet;
}

// Builds the blocks of a pcapng file, in this machine's order of bytes. Source: the IETF's draft
// "PCAP Now Generic (pcapng) Capture File Format", draft-ietf-opsawg-pcapng.
class PcapngBlocks {
 public:
  static constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;
  static constexpr std::uint32_t kInterface = 1;
  static constexpr std::uint32_t kEnhancedPacket = 6;

  static std::string section() {
    std::string body;
    put<std::uint32_t>(0x1A2B3C4D, body);  // tells the order of bytes
    put<std::uint16_t>(1, body);           // version 1.0
    put<std::uint16_t>(0, body);
    put<std::int64_t>(-1, body);  // of unknown length
    return block(kSectionHeader, body);
  }

  static std::string interface(LinkType link, std::string_view name) {
    constexpr std::uint16_t kName = 2;
    constexpr std::uint16_t kTimeResolution = 9;
    std::string body;
    put<std::uint16_t>(static_cast<std::uint16_t>(link), body);
    put<std::uint16_t>(0, body);
    // tcpdump wants one snapshot length for all interfaces.
    put<std::uint32_t>(kMaxPacketBytes, body);
    put_option(kName, name, body);
    put_option(kTimeResolution, "\x07", body);  // 10^-7 s
    end_options(body);
    return block(kInterface, body);
  }

  // ticks: of 100 ns since 1970.
  static std::string packet(std::uint32_t interface, std::uint64_t ticks, const Packet& packet,
                            Bytes data) {
    constexpr std::uint16_t kComment = 1;
    constexpr std::uint16_t kFlags = 2;
    std::string body;
    put<std::uint32_t>(interface, body);
    put<std::uint32_t>(static_cast<std::uint32_t>(ticks >> 32), body);
    put<std::uint32_t>(static_cast<std::uint32_t>(ticks), body);
    put<std::uint32_t>(static_cast<std::uint32_t>(data.size()), body);
    put<std::uint32_t>(packet.original_bytes, body);
    body.append(reinterpret_cast<const char*>(data.data()), data.size());
    pad(body);
    std::string flags;
    put<std::uint32_t>(packet.direction == Direction::inbound    ? 1
                       : packet.direction == Direction::outbound ? 2
                                                                 : 0,
                       flags);
    put_option(kFlags, flags, body);
    if (packet.dropped) {
      put_option(kComment,
                 fmt::format("dropped: reason {}, location {:#x}", packet.drop_reason,
                             packet.drop_location),
                 body);
    }
    end_options(body);
    return block(kEnhancedPacket, body);
  }

 private:
  template <typename T>
  static void put(T value, std::string& out) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static void pad(std::string& out) { out.append((4 - out.size() % 4) % 4, '\0'); }
  static void put_option(std::uint16_t code, std::string_view value, std::string& out) {
    put<std::uint16_t>(code, out);
    put<std::uint16_t>(static_cast<std::uint16_t>(value.size()), out);
    out += value;
    pad(out);
  }
  static void end_options(std::string& out) { put<std::uint32_t>(0, out); }

  // Type and length before the body, the length again behind it.
  static std::string block(std::uint32_t type, const std::string& body) {
    std::string out;
    const auto length = static_cast<std::uint32_t>(body.size() + 12);
    put(type, out);
    put(length, out);
    out += body;
    put(length, out);
    return out;
  }
};

// Writes packets, joins those that come in parts, and describes each interface before its first.
class PacketWriter {
 public:
  explicit PacketWriter(std::ofstream& out) : out_(out) { write(PcapngBlocks::section()); }

  void add(const EventStream& events, Packet packet) {
    if (packet.begins && packet.ends) return write_packet(events, packet, packet.data);
    const std::string key = fmt::format("{}/{}", packet.interface, events.event().header.thread_id);
    auto at = open_.find(key);
    if (packet.begins) {
      if (at != open_.end()) ++counts_.never_complete;
      if (at == open_.end()) {
        if (open_.size() == kMaxOpenPackets) {
          ++counts_.never_complete;
          return;
        }
        at = open_.try_emplace(key).first;
      }
      at->second.clear();
    } else if (at == open_.end()) {
      if (packet.ends) ++counts_.never_complete;
      return;
    }
    at->second.insert(at->second.end(), packet.data.begin(), packet.data.end());
    if (at->second.size() > kMaxPacketBytes) {
      ++counts_.unreadable;
      open_.erase(at);
    } else if (packet.ends) {
      packet.original_bytes = static_cast<std::uint32_t>(at->second.size());
      write_packet(events, packet, at->second);
      open_.erase(at);
    }
  }

  void finish() { counts_.never_complete += std::exchange(open_, {}).size(); }

  PacketCounts& counts() { return counts_; }

 private:
  void write_packet(const EventStream& events, const Packet& packet, Bytes data) {
    constexpr std::int64_t kEpoch = 116'444'736'000'000'000;  // FILETIME of 1970
    const std::string key = fmt::format("{}/{}", packet.interface, static_cast<int>(packet.link));
    auto at = interfaces_.find(key);
    if (at == interfaces_.end()) {
      if (interfaces_.size() == kMaxInterfaces) {
        ++counts_.unreadable;
        return;
      }
      at = interfaces_.emplace(key, static_cast<std::uint32_t>(interfaces_.size())).first;
      write(PcapngBlocks::interface(packet.link, packet.interface));
      counts_.interfaces = interfaces_.size();
    }
    const std::int64_t ticks = std::max(std::int64_t{0}, events.filetime() - kEpoch);
    write(PcapngBlocks::packet(at->second, static_cast<std::uint64_t>(ticks), packet, data));
    ++counts_.packets;
  }

  void write(const std::string& block) {
    out_.write(block.data(), static_cast<std::streamsize>(block.size()));
  }

  std::ofstream& out_;
  std::unordered_map<std::string, std::uint32_t> interfaces_;
  std::unordered_map<std::string, std::vector<std::uint8_t>> open_;
  PacketCounts counts_;
};

void check_written(bool good, const std::filesystem::path& path) {
  if (good) return;
  throw Error(fmt::format("cannot write '{}'", path.string()),
              "name a file with --out in a folder that exists, has space, and that you may write "
              "to");
}

}  // namespace

PacketEvent read_packet(const RecordHeader& header, Packet& packet) {
  packet = {};
  if (header.provider == kNdisCapture) return read_ndis(header, packet);
  if (header.provider == kPktMon) return read_pktmon(header, packet);
  return PacketEvent::none;
}

PacketCounts write_pcapng(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const EventFilter& filter, bool with_drops,
                          const std::filesystem::path& path, bool replace) {
  NewFile file(path, replace);
  std::ofstream out(file.temporary(), std::ios::binary);
  check_written(out.good(), path);
  PacketWriter writer(out);
  EventStream events(files, decoder, filter);
  Packet packet;
  while (!InterruptFlag::raised() && events.next()) {
    const PacketEvent found = read_packet(events.event().header, packet);
    if (found == PacketEvent::unreadable) ++writer.counts().unreadable;
    if (found != PacketEvent::packet) continue;
    if (packet.dropped && !with_drops) {
      ++writer.counts().drops_left_out;
    } else {
      writer.add(events, packet);
    }
  }
  writer.finish();
  out.close();
  check_written(out.good(), path);
  if (InterruptFlag::raised()) return {};
  file.complete();
  PacketCounts counts = writer.counts();
  counts.why_nothing = events.why_nothing();
  return counts;
}

}  // namespace tailgate::etl
