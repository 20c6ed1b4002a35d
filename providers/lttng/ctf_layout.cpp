#include "providers/lttng/ctf_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "providers/lttng/ctf_types.h"

namespace tailgate {
namespace {

// Header of a metadata packet, CTF 1.8.3 section 7.1: u32 magic, 16 bytes uuid, u32 checksum, u32
// content_size, u32 packet_size (both in bits), u8 compression, encryption and checksum scheme, u8
// major, u8 minor.
constexpr std::uint32_t kMetadataMagic = 0x75D11D57;
constexpr std::size_t kMetadataHeaderBytes = 37;
constexpr std::size_t kContentSizeAt = 24;
constexpr std::size_t kPacketSizeAt = 28;
constexpr std::size_t kSchemesAt = 32;

constexpr const char* kLayoutRemedy =
    "record the trace with LTTng 2.13, whose layout this reader knows";

[[noreturn]] void refuse(const std::string& what) {
  throw Error("the trace's layout: " + what, kLayoutRemedy);
}

std::uint32_t u32_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The integer members of a structure with their offsets in bits, and the structure's size.
struct Placed {
  struct Member {
    std::size_t at_bits = 0;
    const CtfField* field = nullptr;
  };
  std::map<std::string, Member> members;
  std::size_t end_bits = 0;
};

constexpr std::size_t kMaxStructureBits = 1 << 16;

Placed place(const CtfType& type, std::size_t begin_bits) {
  if (type.kind != CtfType::Kind::structure) refuse("a header or context that is not a structure");
  Placed placed;
  std::size_t at = begin_bits;
  for (const CtfField& field : type.fields) {
    const bool integer = field.type.kind == CtfType::Kind::integer;
    if (!integer || field.repeat == CtfField::Repeat::counted || field.type.big_endian) {
      refuse(fmt::format("'{}' is neither a little-endian integer nor a fixed array of them",
                         field.name));
    }
    const std::size_t align = field.type.align_bits;
    if (align > 8) refuse(fmt::format("'{}' is aligned to {} bits", field.name, align));
    at = (at + align - 1) / align * align;
    placed.members[field.name] = {at, &field};
    const std::uint64_t count = field.repeat == CtfField::Repeat::fixed ? field.count : 1;
    if (count > kMaxStructureBits) refuse(fmt::format("'{}' has {} elements", field.name, count));
    at += field.type.size_bits * count;
    if (at > kMaxStructureBits) refuse(fmt::format("'{}' ends {} bits on", field.name, at));
  }
  placed.end_bits = at;
  return placed;
}

// The byte offset of a member, which must be an unsigned integer of size_bits.
std::size_t byte_offset(const Placed& placed, const std::string& name, std::uint32_t size_bits) {
  const auto found = placed.members.find(name);
  if (found == placed.members.end()) refuse(fmt::format("'{}' is missing", name));
  const auto& [at_bits, field] = found->second;
  const bool plain = field->repeat == CtfField::Repeat::no && !field->type.is_signed;
  if (!plain || field->type.size_bits != size_bits || at_bits % 8 != 0) {
    refuse(fmt::format("'{}' is not an unsigned integer of {} bits on a byte boundary", name,
                       size_bits));
  }
  return at_bits / 8;
}

const CtfType& type_of(const CtfBlock& block, const std::string& name) {
  const auto found = block.types.find(name);
  if (found == block.types.end()) refuse(fmt::format("{} declares no {}", block.kind, name));
  return found->second;
}

std::string attribute_of(const CtfBlock& block, const std::string& name) {
  const auto found = block.attributes.find(name);
  return found == block.attributes.end() ? "" : found->second;
}

std::uint64_t number_of(const CtfBlock& block, const std::string& name, std::uint64_t absent) {
  const std::string text = attribute_of(block, name);
  if (text.empty()) return absent;
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("{} of a {} is '{}'", name, block.kind, text));
  }
  return value;
}

std::uint32_t small_number_of(const CtfBlock& block, const std::string& name) {
  const std::uint64_t value = number_of(block, name, 0);
  if (value > 0xFFFFFFFFu) refuse(fmt::format("{} of a {} is {}", name, block.kind, value));
  return static_cast<std::uint32_t>(value);
}

std::array<std::byte, 16> parse_uuid(const std::string& text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [](char c) { return c != '-'; });
  std::array<std::byte, 16> uuid{};
  if (digits.size() != 2 * uuid.size()) refuse(fmt::format("uuid '{}'", text));
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    unsigned value = 0;
    const char* first = digits.data() + 2 * i;
    const auto [end, failed] = std::from_chars(first, first + 2, value, 16);
    if (failed != std::errc() || end != first + 2) refuse(fmt::format("uuid '{}'", text));
    uuid[i] = static_cast<std::byte>(value);
  }
  return uuid;
}

void take_packet_layout(const CtfType& header, const CtfType& context, CtfLayout& layout) {
  const Placed head = place(header, 0);
  layout.magic_at = byte_offset(head, "magic", 32);
  layout.stream_id_at = byte_offset(head, "stream_id", 32);
  const auto uuid = head.members.find("uuid");
  if (layout.magic_at != 0 || uuid == head.members.end() || uuid->second.field->count != 16 ||
      uuid->second.field->type.size_bits != 8 || uuid->second.at_bits % 8 != 0) {
    refuse("the packet header does not hold magic, then a uuid of 16 bytes");
  }
  layout.uuid_at = uuid->second.at_bits / 8;
  const Placed rest = place(context, head.end_bits);
  layout.timestamp_begin_at = byte_offset(rest, "timestamp_begin", 64);
  layout.timestamp_end_at = byte_offset(rest, "timestamp_end", 64);
  layout.content_size_at = byte_offset(rest, "content_size", 64);
  layout.packet_size_at = byte_offset(rest, "packet_size", 64);
  layout.sequence_at = byte_offset(rest, "packet_seq_num", 64);
  layout.discarded_at = byte_offset(rest, "events_discarded", 64);
  layout.cpu_at = byte_offset(rest, "cpu_id", 32);
  if (rest.end_bits % 8 != 0) refuse("the packet context does not end on a byte boundary");
  layout.events_at = rest.end_bits / 8;
}

// LTTng has two event headers, with 5 + 27 bits and with 16 + 32. Both are an enumeration `id` and
// a variant `v` selected by it: {timestamp} or {id, timestamp}.
void take_event_header(const CtfType& header, CtfLayout& layout) {
  const bool shape = header.kind == CtfType::Kind::structure && header.fields.size() == 2 &&
                     header.align_bits == 8 &&
                     header.fields[0].type.kind == CtfType::Kind::enumeration &&
                     header.fields[1].type.kind == CtfType::Kind::variant &&
                     header.fields[1].type.tag == header.fields[0].name;
  if (!shape)
    refuse("the event header is not an enumeration and a variant selected by it, byte-aligned");
  const CtfType& id = header.fields[0].type;
  const std::vector<CtfField>& choices = header.fields[1].type.fields;
  if (id.labels.size() != 2 || choices.size() != 2 || choices[0].name != id.labels[0].name ||
      choices[1].name != id.labels[1].name || id.labels[1].first != id.labels[1].last ||
      id.labels[0].first != 0 || id.labels[0].last + 1 != id.labels[1].first ||
      id.labels[1].first > 0xFFFF || id.big_endian) {
    refuse("the event header's ids are not a range and one that extends it");
  }
  layout.id_bits = id.size_bits;
  layout.extended_id = static_cast<std::uint32_t>(id.labels[1].first);
  const Placed compact = place(choices[0].type, id.size_bits);
  const auto timestamp = compact.members.find("timestamp");
  if (compact.members.size() != 1 || timestamp == compact.members.end()) {
    refuse("the short event header holds more than a timestamp");
  }
  layout.timestamp_bits = timestamp->second.field->type.size_bits;
  const bool packed = timestamp->second.at_bits == id.size_bits && layout.timestamp_bits < 64 &&
                      compact.end_bits % 8 == 0;
  const bool known = (layout.id_bits == 5 && layout.timestamp_bits == 27) ||
                     (layout.id_bits == 16 && layout.timestamp_bits == 32);
  if (!packed || !known) {
    refuse(fmt::format("an event header of {} + {} bits", layout.id_bits, layout.timestamp_bits));
  }
  layout.short_header_bytes = compact.end_bits / 8;
  const Placed extended = place(choices[1].type, id.size_bits);
  layout.extended_at = byte_offset(extended, "id", 32);
  const bool adjacent = byte_offset(extended, "timestamp", 64) == layout.extended_at + 4;
  if (!adjacent || extended.members.size() != 2) refuse("the extended event header");
  layout.extended_header_bytes = extended.end_bits / 8;
}

void check_event_fields(const CtfType& fields) {
  const auto unsigned_bits = [](const CtfType& type, std::uint32_t bits) {
    return type.kind == CtfType::Kind::integer && type.size_bits == bits && type.align_bits <= 8 &&
           !type.is_signed && !type.big_endian;
  };
  const bool known = fields.kind == CtfType::Kind::structure && fields.fields.size() == 2 &&
                     fields.align_bits <= 8 && unsigned_bits(fields.fields[0].type, 32) &&
                     fields.fields[0].repeat == CtfField::Repeat::no &&
                     unsigned_bits(fields.fields[1].type, 8) &&
                     fields.fields[1].repeat == CtfField::Repeat::counted &&
                     fields.fields[1].count_field == fields.fields[0].name;
  if (!known) {
    refuse(
        fmt::format("the fields of {} are not a 32-bit length and that many bytes", kCtfEventName));
  }
}

struct Blocks {
  const CtfBlock* trace = nullptr;
  const CtfBlock* stream = nullptr;
  const CtfBlock* event = nullptr;
  const CtfBlock* clock = nullptr;
};

Blocks sort_blocks(const std::vector<CtfBlock>& blocks) {
  Blocks sorted;
  for (const CtfBlock& block : blocks) {
    const CtfBlock** slot = block.kind == "trace"    ? &sorted.trace
                            : block.kind == "stream" ? &sorted.stream
                            : block.kind == "event"  ? &sorted.event
                            : block.kind == "clock"  ? &sorted.clock
                                                     : nullptr;
    if (slot == nullptr)
      continue;  // env, callsite: they describe the traced program, not the
                 // layout
    if (*slot != nullptr) refuse(fmt::format("more than one {} in the trace", block.kind));
    *slot = &block;
  }
  return sorted;
}

}  // namespace

std::string ctf_metadata_text(std::span<const std::byte> file) {
  const auto text_of = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (file.size() < 4) return {};
  if (u32_at(file, 0) != kMetadataMagic) {
    if (file[0] == std::byte{'/'}) return text_of(file);
    refuse(fmt::format("the metadata begins with {:#x}", u32_at(file, 0)));
  }
  std::string text;
  while (file.size() >= kMetadataHeaderBytes) {
    if (u32_at(file, 0) != kMetadataMagic) refuse("a metadata packet without its magic number");
    const std::size_t content_bytes = u32_at(file, kContentSizeAt) / 8;
    const std::size_t packet_bytes = u32_at(file, kPacketSizeAt) / 8;
    const bool plain = u32_at(file, kSchemesAt) << 8 == 0;
    if (!plain || content_bytes < kMetadataHeaderBytes || content_bytes > packet_bytes) {
      refuse(fmt::format("a metadata packet with {} of {} bytes used, or compressed", content_bytes,
                         packet_bytes));
    }
    if (packet_bytes > file.size()) break;
    text += text_of(file.subspan(kMetadataHeaderBytes, content_bytes - kMetadataHeaderBytes));
    file = file.subspan(packet_bytes);
  }
  return text;
}

std::optional<CtfLayout> read_ctf_layout(std::string_view text) {
  const std::optional<std::vector<CtfBlock>> blocks = parse_ctf_declarations(text);
  if (!blocks) return std::nullopt;
  const auto [trace, stream, event, clock] = sort_blocks(*blocks);
  if (trace == nullptr || stream == nullptr || event == nullptr) return std::nullopt;
  if (attribute_of(*trace, "byte_order") != "le") refuse("the trace is not little endian");
  if (attribute_of(*event, "name") != kCtfEventName) {
    refuse(
        fmt::format("the trace holds '{}', not {}", attribute_of(*event, "name"), kCtfEventName));
  }
  if (stream->types.count("event.context") + event->types.count("context") > 0) {
    refuse("its events have a context");
  }
  CtfLayout layout;
  layout.uuid = parse_uuid(attribute_of(*trace, "uuid"));
  layout.stream_id = small_number_of(*stream, "id");
  layout.event_id = small_number_of(*event, "id");
  if (small_number_of(*event, "stream_id") != layout.stream_id) {
    refuse("the event belongs to a stream that is not declared");
  }
  take_packet_layout(type_of(*trace, "packet.header"), type_of(*stream, "packet.context"), layout);
  take_event_header(type_of(*stream, "event.header"), layout);
  check_event_fields(type_of(*event, "fields"));
  if (clock != nullptr) {
    layout.clock_name = attribute_of(*clock, "name");
    layout.clock_hz = number_of(*clock, "freq", 0);
  }
  return layout;
}

}  // namespace tailgate
