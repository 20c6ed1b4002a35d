// Payloads of every built-in layout, WinSat's compressed text among them, and times that the
// payload's bytes spell.
// Input: u8 kind (0 kernel, 1 to 4 classes of merge tools), u8 version, u16 hook id or opcode,
// payload.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/etl/decoder.h"
#include "harness/etl/time_zone.h"
#include "harness/etl/value_text.h"

using namespace tailgate::etl;

namespace {

// The headers of a PERFINFO record and of an EVENT_TRACE_HEADER.
constexpr std::size_t kPerfInfoBytes = 0x10;
constexpr std::size_t kFullBytes = 0x30;

constexpr std::string_view kClasses[] = {
    "b3e675d7-2554-4f18-830b-2762732560de", "bbccf6c1-6cd1-48c4-80ff-839482e37671",
    "9b79ee91-b5fd-41c0-a243-4248e266e9d0", "ed54dff8-c409-4cf6-bf83-05e1e61a09c4"};

std::vector<std::uint8_t> record_of(std::uint8_t kind, const std::uint8_t* head, Bytes payload,
                                    bool wide) {
  const std::size_t header_bytes = kind == 0 ? kPerfInfoBytes : kFullBytes;
  std::vector<std::uint8_t> bytes(kBufferHeaderBytes + header_bytes);
  std::uint8_t* at = bytes.data() + kBufferHeaderBytes;
  const auto size = static_cast<std::uint16_t>(header_bytes + payload.size());
  if (kind == 0) {
    const std::uint8_t header[] = {head[0], 0, static_cast<std::uint8_t>(wide ? 0x11 : 0x10), 0xC0};
    std::memcpy(at, header, sizeof header);
    std::memcpy(at + 4, &size, sizeof size);
    std::memcpy(at + 6, head + 1, 2);
  } else {
    std::memcpy(at, &size, sizeof size);
    at[2] = wide ? 0x14 : 0x0A;
    at[3] = 0xC0;
    at[4] = head[1];
    at[6] = head[0];
    const Guid guid = *parse_guid(kClasses[(kind - 1u) % 4]);
    std::memcpy(at + 0x18, guid.bytes.data(), guid.bytes.size());
  }
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

void decode(const std::vector<std::uint8_t>& bytes) {
  RecordCursor cursor(bytes, 0);
  Record record;
  if (!cursor.next(record)) return;
  Decoder decoder;
  DecodedEvent event;
  decoder.decode(record, event);
  std::string out;
  append_fields_tsv(event.fields, out);
  append_fields_json(event.fields, out);
  // Every byte is accounted for.
  if (event.undecoded.size() + event.padding_bytes > event.header.payload.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 60'000;  // a record's size is a u16
  if (size < 4 || size > kMostBytes) return 0;
  const Bytes payload(data + 4, size - 4);
  for (bool wide : {false, true}) decode(record_of(data[0] % 5, data + 1, payload, wide));
  const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
  TimeZone zone;
  if (payload.size() >= TimeZone::kBytes) zone = TimeZone::load_from(payload.data());
  if (auto time = parse_time(text, &zone)) local_time_text(*time, zone);
  parse_duration(text);
  return 0;
}
