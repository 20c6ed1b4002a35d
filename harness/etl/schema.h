// Describes an event's payload. TraceLogging metadata, manifests, TRACE_EVENT_INFO and the built-in
// kernel layouts all become an EventSchema; one interpreter (payload.h) decodes by it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/etl/guid.h"

namespace tailgate::etl {

// Structures within structures; an event with deeper ones is not decoded.
inline constexpr int kMaxStructureDepth = 16;

// A text that many schemas refer to, such as their provider's name. Copies share it: one long text
// in a small file times many events would fill the memory.
class SharedText {
 public:
  SharedText() = default;
  explicit SharedText(std::string text)
      : text_(std::make_shared<const std::string>(std::move(text))) {}

  std::string_view view() const { return text_ ? std::string_view(*text_) : std::string_view(); }
  bool empty() const { return view().empty(); }

 private:
  std::shared_ptr<const std::string> text_;
};

// How a value is stored. Sizes in bytes; P is the record's pointer size.
enum class ValueType : std::uint8_t {
  none,   // 0
  utf16,  // up to a NUL, or of a length given elsewhere
  ansi,   // the same with 8-bit characters
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f32,
  f64,
  bool8,
  bool32,
  binary,        // of a length given elsewhere
  guid,          // 16
  pointer,       // P, shown in hex
  size,          // P, shown in decimal
  filetime,      // 8, 100 ns since 1601 UTC
  systemtime,    // 16, eight u16: year, month, day of week, day, hour, minute, second, ms
  clock_change,  // 16, a SYSTEMTIME that says when a time zone's clocks change
  sid,           // 8 + 4 * count of sub-authorities
  token_sid,     // u32 0, or 2 * P bytes of TOKEN_USER and a SID
  hex32,
  hex64,
  counted_utf16,  // u16 bytes, then text
  counted_ansi,
  counted_binary,
  counted_utf16_big,  // the count in big endian
  counted_ansi_big,
  rest_utf16,  // up to the payload's end
  rest_ansi,
  rest_binary,
  hexdump,    // u32 bytes, then data
  ipv6,       // 16
  structure,  // its members follow
  padding,    // up to `length` bytes without a meaning; no field
};

// How a value is shown when that differs from its type's standard.
enum class ValueFormat : std::uint8_t {
  standard,
  string,  // integers are characters, binary is text
  boolean,
  hex,
  process_id,
  thread_id,
  port,  // u16 in network order
  ipv4,  // u32, bytes in order
  ipv6,
  socket_address,
  win32_error,
  ntstatus,
  hresult,
  filetime,
  as_signed,
  as_unsigned,
  utf8,  // ansi text is UTF-8 (valid UTF-8 is shown as such in any case)
};

// Names of a property's values. bitmap: names of the value's bits, joined by '|'.
struct ValueMap {
  std::string name;
  bool bitmap = false;
  std::vector<std::pair<std::uint32_t, SharedText>> entries;  // sorted by value

  // The name of a value; empty when it has none.
  std::string_view find(std::uint32_t value) const;
};

struct Property {
  enum class Count : std::uint8_t {
    one,
    fixed,          // `count` values
    from_property,  // as many as the value in slot `count`
    prefixed,       // u16 count in the payload
    rest,           // up to the payload's end
  };
  enum class Length : std::uint8_t {
    natural,
    fixed,          // `length` characters of text or bytes of binary
    from_property,  // the value in slot `length`
  };

  std::string name;
  ValueType type = ValueType::none;
  ValueFormat format = ValueFormat::standard;
  Count count_kind = Count::one;
  Length length_kind = Length::natural;
  std::uint16_t count = 1;
  std::uint16_t length = 0;
  std::uint16_t slot = 0;  // where an integer's value is stored for references by count and length
  bool optional = false;   // the payload may end before it: some events have it, others do not
  std::shared_ptr<const ValueMap> map;
  std::vector<Property> members;  // of a structure
};

enum class SchemaSource : std::uint8_t {
  tracelogging,
  event_source_manifest,
  event_info,
  manifest_file,
  kernel_layout,
  tmf,
  string_only,
};

std::string_view source_name(SchemaSource source);

struct VersionRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
};

// The fields of a payload.
struct PayloadLayout {
  std::uint16_t slots = 0;  // larger than every Property::slot
  std::vector<Property> properties;
};

struct EventSchema {
  Guid provider;
  SharedText provider_name;
  std::string event_name;  // task/opcode, or the event's own name
  std::string task_name;
  std::string opcode_name;
  SchemaSource source = SchemaSource::kernel_layout;
  // The versions of the event that it describes. None: it describes any event that has it.
  std::optional<VersionRange> versions;
  // The events of one template share its layout: a layout each would multiply the template's fields
  // by the events. Null: no fields.
  std::shared_ptr<const PayloadLayout> layout;
  bool packed = false;  // the last field is text in UTF-16, compressed with LZNT1; the field before
                        // it is the text's size in bytes
};

}  // namespace tailgate::etl
