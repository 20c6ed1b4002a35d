// Small traces for the reader's tests, built from the format's specification.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace tailgate {

inline void append_number(std::string& bytes, std::uint64_t value, std::size_t size_bytes) {
  for (std::size_t i = 0; i < size_bytes; ++i) bytes += static_cast<char>(value >> 8 * i);
}

inline constexpr const char* kSampleUuid = "00112233-4455-6677-8899-aabbccddeeff";

// Metadata as LTTng-UST 2.13 writes it on x86-64. header: "compact" (5 + 27 bits) or "large" (16 +
// 32). fields: the body of the structure that declares the event's fields.
inline std::string sample_metadata(
    const std::string& header = "large",
    const std::string& fields = "uint32_t __payload_length; uint8_t _payload[ __payload_length ];",
    const std::string& event = "tailgate:event") {
  const bool compact = header == "compact";
  const std::string id = compact ? "5" : "16";
  const std::string bits = compact ? "27" : "32";
  const std::string last = compact ? "30" : "65534";
  const std::string extended = compact ? "31" : "65535";
  const std::string align = compact ? "1" : "8";
  return "/* CTF 1.8 */\n"
         "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
         "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
         "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
         "typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
         "typealias integer { size = " +
         id + "; align = " + align +
         "; signed = false; } := id_t;\n"
         "trace { major = 1; minor = 8; uuid = \"" +
         kSampleUuid +
         "\"; byte_order = le;\n"
         "  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id;\n"
         "    uint64_t stream_instance_id; };\n};\n"
         "env { domain = \"ust\"; tracer_name = \"lttng-ust\"; tracer_major = 2; };\n"
         "clock { name = \"tsc\"; freq = 2000000000; offset = 12345; };\n"
         "typealias integer { size = " +
         bits + "; align = " + align +
         "; signed = false; map = clock.tsc.value; } := time_t;\n"
         "typealias integer { size = 64; align = 8; signed = false; map = clock.tsc.value; } "
         ":= full_time_t;\n"
         "struct packet_context { full_time_t timestamp_begin; full_time_t timestamp_end;\n"
         "  uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
         "  unsigned long events_discarded; uint32_t cpu_id; };\n"
         "struct event_header {\n"
         "  enum : id_t { compact = 0 ... " +
         last + ", extended = " + extended +
         " } id;\n"
         "  variant <id> { struct { time_t timestamp; } compact;\n"
         "    struct { uint32_t id; full_time_t timestamp; } extended; } v;\n} align(8);\n"
         "stream { id = 0; event.header := struct event_header;\n"
         "  packet.context := struct packet_context; };\n"
         "event { name = \"" +
         event +
         "\"; id = 0; stream_id = 0; loglevel = 13;\n"
         "  fields := struct { " +
         fields + " }; };\n";
}

// A metadata packet that contains the text.
inline std::string metadata_packet(const std::string& text) {
  constexpr std::size_t kHeaderBytes = 37;
  std::string packet;
  append_number(packet, 0x75D11D57, 4);
  for (int i = 0; i < 16; ++i) packet += static_cast<char>(0x11 * i);
  append_number(packet, 0, 4);
  append_number(packet, 8 * (kHeaderBytes + text.size()), 4);
  append_number(packet, 8 * (kHeaderBytes + text.size() + 5), 4);
  append_number(packet, 0, 3);
  packet += std::string("\x01\x08") + text + std::string(5, '\0');
  return packet;
}

struct SampleEvent {
  std::uint64_t timestamp = 0;
  std::string payload;
  bool extended = false;
};

struct SamplePacket {
  std::uint64_t timestamp_begin = 0;
  std::uint64_t timestamp_end = 0;
  std::uint64_t sequence = 0;
  std::uint64_t discarded = 0;
  std::vector<SampleEvent> events = {};
  std::uint32_t cpu = 1;
  std::size_t padding_bytes = 11;
};

inline std::string sample_events(const std::vector<SampleEvent>& events, bool compact) {
  std::string bytes;
  for (const SampleEvent& event : events) {
    const std::uint64_t id = event.extended ? (compact ? 31 : 65535) : 0;
    if (event.extended) {
      append_number(bytes, id, compact ? 1 : 2);
      append_number(bytes, 0, 4);
      append_number(bytes, event.timestamp, 8);
    } else if (compact) {
      append_number(bytes, id | (event.timestamp & 0x7FFFFFF) << 5, 4);
    } else {
      append_number(bytes, id, 2);
      append_number(bytes, event.timestamp, 4);
    }
    append_number(bytes, event.payload.size(), 4);
    bytes += event.payload;
  }
  return bytes;
}

inline std::string sample_packet(const SamplePacket& packet, bool compact = false) {
  constexpr std::size_t kHeaderBytes = 84;
  const std::string events = sample_events(packet.events, compact);
  std::string bytes;
  append_number(bytes, 0xC1FC1FC1, 4);
  for (int i = 0; i < 16; ++i) bytes += static_cast<char>(0x11 * i);
  append_number(bytes, 0, 4);           // stream_id
  append_number(bytes, packet.cpu, 8);  // stream_instance_id
  append_number(bytes, packet.timestamp_begin, 8);
  append_number(bytes, packet.timestamp_end, 8);
  append_number(bytes, 8 * (kHeaderBytes + events.size()), 8);
  append_number(bytes, 8 * (kHeaderBytes + events.size() + packet.padding_bytes), 8);
  append_number(bytes, packet.sequence, 8);
  append_number(bytes, packet.discarded, 8);
  append_number(bytes, packet.cpu, 4);
  return bytes + events + std::string(packet.padding_bytes, '\0');
}

inline void write_sample(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace tailgate
