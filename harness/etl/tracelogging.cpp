#include "harness/etl/tracelogging.h"

#include <array>

#include "harness/etl/text.h"

namespace tailgate::etl {
namespace {

constexpr std::uint8_t kInTypeMask = 0x1F;
constexpr std::uint8_t kCountMask = 0x60;
constexpr std::uint8_t kCountFixed = 0x20;
constexpr std::uint8_t kCountPrefixed = 0x40;
constexpr std::uint8_t kCustom = 0x60;
constexpr std::uint8_t kChain = 0x80;
constexpr std::uint8_t kStruct = 0x18;
constexpr std::uint8_t kTraitGroup = 1;

constexpr std::array<ValueType, 0x1A> kInTypes = {ValueType::none,
                                                  ValueType::utf16,
                                                  ValueType::ansi,
                                                  ValueType::i8,
                                                  ValueType::u8,
                                                  ValueType::i16,
                                                  ValueType::u16,
                                                  ValueType::i32,
                                                  ValueType::u32,
                                                  ValueType::i64,
                                                  ValueType::u64,
                                                  ValueType::f32,
                                                  ValueType::f64,
                                                  ValueType::bool32,
                                                  ValueType::counted_binary,
                                                  ValueType::guid,
                                                  ValueType::pointer,
                                                  ValueType::filetime,
                                                  ValueType::systemtime,
                                                  ValueType::sid,
                                                  ValueType::hex32,
                                                  ValueType::hex64,
                                                  ValueType::counted_utf16,
                                                  ValueType::counted_ansi,
                                                  ValueType::structure,
                                                  ValueType::counted_binary};

ValueFormat format_of(std::uint8_t out_type) {
  switch (out_type) {
    case 0x02:
      return ValueFormat::string;
    case 0x03:
      return ValueFormat::boolean;
    case 0x04:
      return ValueFormat::hex;
    case 0x05:
      return ValueFormat::process_id;
    case 0x06:
      return ValueFormat::thread_id;
    case 0x07:
      return ValueFormat::port;
    case 0x08:
      return ValueFormat::ipv4;
    case 0x09:
      return ValueFormat::ipv6;
    case 0x0A:
      return ValueFormat::socket_address;
    case 0x0B:
    case 0x0C:
    case 0x23:
      return ValueFormat::utf8;
    case 0x0D:
      return ValueFormat::win32_error;
    case 0x0E:
      return ValueFormat::ntstatus;
    case 0x0F:
      return ValueFormat::hresult;
    case 0x10:
      return ValueFormat::filetime;
    case 0x11:
      return ValueFormat::as_signed;
    case 0x12:
      return ValueFormat::as_unsigned;
    case 0x25:
      return ValueFormat::hex;
    case 0x26:
      return ValueFormat::filetime;
    default:
      return ValueFormat::standard;
  }
}

// Skips the tags: 1 to 4 bytes; bit 7 says that another byte follows.
bool skip_tags(ByteCursor& cursor) {
  for (int i = 0; i < 4; ++i) {
    auto byte = cursor.take<std::uint8_t>();
    if (!byte) return false;
    if (!(*byte & kChain)) return true;
  }
  return false;
}

// Takes a name, which must end with a NUL: otherwise the metadata was cut.
bool take_name(ByteCursor& cursor, std::string& name) {
  std::size_t before = cursor.position();
  Bytes text = cursor.take_string8();
  if (cursor.position() - before != text.size() + 1) return false;
  name = utf8_of(text);
  return true;
}

class MetadataParser {
 public:
  explicit MetadataParser(Bytes fields) : cursor_(fields) {}

  bool parse_all(std::vector<Property>& into) {
    while (cursor_.left() > 0) {
      if (!parse_field(into.emplace_back(), 0)) return false;
    }
    return true;
  }

 private:
  bool parse_field(Property& property, int depth) {
    if (depth > kMaxStructureDepth || !take_name(cursor_, property.name)) return false;
    auto in = cursor_.take<std::uint8_t>();
    if (!in) return false;
    std::uint8_t out = 0;
    if (*in & kChain) {
      auto taken = cursor_.take<std::uint8_t>();
      if (!taken) return false;
      out = *taken;
      if ((out & kChain) && !skip_tags(cursor_)) return false;
    }
    std::uint8_t type = *in & kInTypeMask;
    if (type >= kInTypes.size()) return false;
    property.type = kInTypes[type];
    property.slot = 0xFFFF;
    if (!take_count(property, *in & kCountMask)) return false;
    out &= static_cast<std::uint8_t>(~kChain);
    if (type == kStruct) return parse_members(property, out, depth);
    property.format = format_of(out);
    return true;
  }

  bool take_count(Property& property, std::uint8_t count_bits) {
    if (count_bits == kCountPrefixed) {
      property.count_kind = Property::Count::prefixed;
    } else if (count_bits == kCountFixed) {
      auto count = cursor_.take<std::uint16_t>();
      if (!count) return false;
      property.count_kind = Property::Count::fixed;
      property.count = *count;
    } else if (count_bits == kCustom) {
      auto size = cursor_.take<std::uint16_t>();
      if (!size || !cursor_.take_bytes(*size)) return false;
      // Data of a custom serializer begins with a count, like binary data.
      property.type = ValueType::counted_binary;
    }
    return true;
  }

  bool parse_members(Property& property, std::uint8_t count, int depth) {
    for (std::uint8_t i = 0; i < count; ++i) {
      if (!parse_field(property.members.emplace_back(), depth + 1)) return false;
    }
    return true;
  }

  ByteCursor cursor_;
};

}  // namespace

std::unique_ptr<EventSchema> parse_tracelogging(Bytes metadata) {
  ByteCursor cursor(metadata);
  auto size = cursor.take<std::uint16_t>();
  if (!size || *size < 2 || *size > metadata.size()) return nullptr;
  cursor = ByteCursor(metadata.subspan(2, *size - 2u));
  auto schema = std::make_unique<EventSchema>();
  schema->source = SchemaSource::tracelogging;
  if (!skip_tags(cursor) || !take_name(cursor, schema->event_name)) return nullptr;
  MetadataParser parser(cursor.rest());
  auto layout = std::make_shared<PayloadLayout>();
  if (!parser.parse_all(layout->properties)) return nullptr;
  schema->layout = std::move(layout);
  return schema;
}

std::optional<ProviderTraits> parse_provider_traits(Bytes traits) {
  ByteCursor cursor(traits);
  auto size = cursor.take<std::uint16_t>();
  if (!size || *size < 2 || *size > traits.size()) return std::nullopt;
  cursor = ByteCursor(traits.subspan(2, *size - 2u));
  ProviderTraits parsed;
  if (!take_name(cursor, parsed.name)) return std::nullopt;
  while (cursor.left() >= 3) {
    auto trait_bytes = *cursor.take<std::uint16_t>();
    auto type = *cursor.take<std::uint8_t>();
    if (trait_bytes < 3) return std::nullopt;
    auto data = cursor.take_bytes(trait_bytes - 3u);
    if (!data) return std::nullopt;
    if (type == kTraitGroup && data->size() == 16) parsed.group = load_guid(data->data());
  }
  return parsed;
}

}  // namespace tailgate::etl
