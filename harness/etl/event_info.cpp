#include "harness/etl/event_info.h"

#include <algorithm>

#include "harness/etl/text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kEventInfoBytes = 0x70;
constexpr std::size_t kPropertyBytes = 24;
constexpr std::size_t kMaxProperties = 1024;

constexpr std::uint32_t kSourceWbem = 1;

// Bits of PROPERTY_FLAGS.
constexpr std::uint32_t kPropertyStruct = 0x01;
constexpr std::uint32_t kPropertyLengthIsIndex = 0x02;
constexpr std::uint32_t kPropertyCountIsIndex = 0x04;
constexpr std::uint32_t kPropertyFixedCount = 0x20;

// The providers of the CLR that log stacks: Runtime, Rundown, Stress and Private.
constexpr std::string_view kClrProviders[] = {
    "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", "a669021c-c450-4609-a035-5af59af4df18",
    "cc2bcbba-16b6-4cf3-8990-d74c2e8af500", "763fd754-7086-4dfe-95eb-c01a46faf4ca"};

// The texts of a blob, by their offsets. Many offsets may point at or into one text, so the total
// is limited: otherwise the texts of a blob could grow with the square of its size.
class BlobTexts {
 public:
  explicit BlobTexts(Bytes blob) : blob_(blob), left_bytes_(kMaxRepeats * blob.size()) {}

  // Empty when the offset is 0 or leaves the blob, and over the limit.
  std::string at(std::uint32_t offset) {
    if (offset == 0 || offset >= blob_.size() || over_limit_) return {};
    Bytes stored = ByteCursor(blob_.subspan(offset)).take_string16();
    over_limit_ = stored.size() > left_bytes_;
    if (over_limit_) return {};
    left_bytes_ -= stored.size();
    std::string text = utf8_of_utf16(stored);
    // Message compilers append a blank to names.
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }

  bool over_limit() const { return over_limit_; }

 private:
  // Properties may share a map's name, so a sound blob may repeat a text.
  static constexpr std::size_t kMaxRepeats = 8;

  Bytes blob_;
  std::size_t left_bytes_;
  bool over_limit_ = false;
};

// The opcode's name in winmeta.xml without its prefix; empty for win:Info, the opcode of an event
// without one.
std::string opcode_text(std::string name) {
  if (name.starts_with("win:")) name.erase(0, 4);
  return name == "Info" ? std::string() : name;
}

class EventInfoParser {
 public:
  EventInfoParser(Bytes blob, std::size_t count, BlobTexts& texts, EventInfo& info)
      : blob_(blob), count_(count), texts_(texts), info_(info) {
    info_.map_names.resize(count);
  }

  bool parse(std::size_t first, std::size_t count, std::vector<Property>& into, int depth) {
    if (depth > kMaxStructureDepth || first > count_ || count > count_ - first) return false;
    for (std::size_t i = first; i < first + count; ++i) {
      // Members that two structures list, or that list themselves, would multiply without limit.
      if (++visited_ > count_) return false;
      if (!parse_one(i, into.emplace_back(), depth)) return false;
    }
    return true;
  }

 private:
  bool parse_one(std::size_t index, Property& property, int depth) {
    const std::uint8_t* at = blob_.data() + kEventInfoBytes + index * kPropertyBytes;
    auto flags = load<std::uint32_t>(at);
    property.name = texts_.at(load<std::uint32_t>(at + 4));
    property.slot = static_cast<std::uint16_t>(index);
    set_count(flags, load<std::uint16_t>(at + 16), property);
    if (flags & kPropertyStruct) {
      property.type = ValueType::structure;
      return parse(load<std::uint16_t>(at + 8), load<std::uint16_t>(at + 10), property.members,
                   depth + 1);
    }
    auto type = value_type_of_tdh(load<std::uint16_t>(at + 8));
    if (!type) return false;
    property.type = *type;
    unsigned out_type = load<std::uint16_t>(at + 10);
    property.format = format_of_tdh(out_type);
    info_.map_names[index] = texts_.at(load<std::uint32_t>(at + 12));
    set_length(flags, load<std::uint16_t>(at + 18), property);
    return true;
  }

  static void set_count(std::uint32_t flags, std::uint16_t count, Property& property) {
    if (flags & kPropertyCountIsIndex) {
      property.count_kind = Property::Count::from_property;
      property.count = count;
    } else if (count > 1 || ((flags & kPropertyFixedCount) && count != 0)) {
      property.count_kind = Property::Count::fixed;
      property.count = count;
    }
  }

  static void set_length(std::uint32_t flags, std::uint16_t length, Property& property) {
    bool has_length = property.type == ValueType::utf16 || property.type == ValueType::ansi ||
                      property.type == ValueType::binary;
    if (!has_length) return;
    property.length = length;
    if (flags & kPropertyLengthIsIndex) {
      property.length_kind = Property::Length::from_property;
    } else if (length != 0) {
      property.length_kind = Property::Length::fixed;
    } else if (property.type == ValueType::binary && property.format == ValueFormat::ipv6) {
      property.type = ValueType::ipv6;
    }
  }

  Bytes blob_;
  std::size_t count_;
  BlobTexts& texts_;
  EventInfo& info_;
  std::size_t visited_ = 0;
};

void name_event(EventInfo& info) {
  EventSchema& schema = *info.schema;
  if (!schema.event_name.empty()) return;
  schema.event_name = schema.task_name;
  if (!schema.opcode_name.empty()) {
    if (!schema.event_name.empty()) schema.event_name += '/';
    schema.event_name += schema.opcode_name;
  }
}

bool is_clr(const Guid& provider) {
  return std::find(std::begin(kClrProviders), std::end(kClrProviders), to_text(provider)) !=
         std::end(kClrProviders);
}

}  // namespace

void correct_clr_stack(const Guid& provider, PayloadLayout& layout) {
  std::vector<Property>& properties = layout.properties;
  if (properties.empty() || properties.back().name != "Stack" ||
      properties.back().count_kind != Property::Count::fixed || !is_clr(provider)) {
    return;
  }
  auto count = std::find_if(properties.begin(), properties.end(),
                            [](const Property& p) { return p.name == "FrameCount"; });
  if (count == properties.end()) return;
  properties.back().count_kind = Property::Count::from_property;
  properties.back().count = count->slot;
}

std::optional<ValueType> value_type_of_tdh(unsigned in_type) {
  static constexpr ValueType kTypes[] = {ValueType::none,
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
                                         ValueType::binary,
                                         ValueType::guid,
                                         ValueType::pointer,
                                         ValueType::filetime,
                                         ValueType::systemtime,
                                         ValueType::sid,
                                         ValueType::hex32,
                                         ValueType::hex64,
                                         ValueType::counted_utf16,
                                         ValueType::counted_ansi,
                                         ValueType::none,
                                         ValueType::counted_binary};
  static constexpr ValueType kWbemTypes[] = {ValueType::counted_utf16,
                                             ValueType::counted_ansi,
                                             ValueType::counted_utf16_big,
                                             ValueType::counted_ansi_big,
                                             ValueType::rest_utf16,
                                             ValueType::rest_ansi,
                                             ValueType::u16,
                                             ValueType::u8,
                                             ValueType::size,
                                             ValueType::hexdump,
                                             ValueType::token_sid};
  if (in_type < std::size(kTypes)) return kTypes[in_type];
  if (in_type >= 300 && in_type - 300 < std::size(kWbemTypes)) return kWbemTypes[in_type - 300];
  return std::nullopt;
}

ValueFormat format_of_tdh(unsigned out_type) {
  switch (out_type) {
    case 1:
      return ValueFormat::string;
    case 13:
      return ValueFormat::boolean;
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
      return ValueFormat::hex;
    case 20:
      return ValueFormat::process_id;
    case 21:
      return ValueFormat::thread_id;
    case 22:
      return ValueFormat::port;
    case 23:
      return ValueFormat::ipv4;
    case 24:
      return ValueFormat::ipv6;
    case 25:
      return ValueFormat::socket_address;
    case 29:
    case 30:
      return ValueFormat::win32_error;
    case 31:
      return ValueFormat::ntstatus;
    case 32:
      return ValueFormat::hresult;
    case 37:
      return ValueFormat::hex;
    default:
      return ValueFormat::standard;
  }
}

std::optional<EventInfo> parse_event_info(Bytes blob) {
  if (blob.size() < kEventInfoBytes) return std::nullopt;
  const std::uint8_t* at = blob.data();
  EventInfo info;
  info.provider = load_guid(at);
  info.event_class = load_guid(at + 0x10);
  info.id = load<std::uint16_t>(at + 0x20);
  info.version = at[0x22];
  info.opcode = at[0x25];
  info.classic = load<std::uint32_t>(at + 0x30) == kSourceWbem;
  info.schema = std::make_unique<EventSchema>();
  EventSchema& schema = *info.schema;
  schema.source = SchemaSource::event_info;
  schema.provider = info.provider;
  BlobTexts texts(blob);
  schema.provider_name = SharedText(texts.at(load<std::uint32_t>(at + 0x34)));
  schema.task_name = texts.at(load<std::uint32_t>(at + 0x44));
  schema.opcode_name = opcode_text(texts.at(load<std::uint32_t>(at + 0x48)));
  std::size_t count = load<std::uint32_t>(at + 0x64);
  std::size_t top_count = load<std::uint32_t>(at + 0x68);
  if (count > kMaxProperties || blob.size() - kEventInfoBytes < count * kPropertyBytes) {
    return std::nullopt;
  }
  auto layout = std::make_shared<PayloadLayout>();
  layout->slots = static_cast<std::uint16_t>(count);
  EventInfoParser parser(blob, count, texts, info);
  if (!parser.parse(0, top_count, layout->properties, 0) || texts.over_limit()) {
    return std::nullopt;
  }
  name_event(info);
  correct_clr_stack(info.provider, *layout);
  schema.layout = layout;
  bool names_maps = std::any_of(info.map_names.begin(), info.map_names.end(),
                                [](const std::string& name) { return !name.empty(); });
  if (names_maps) info.needs_maps = std::move(layout);
  return info;
}

std::optional<MapInfo> parse_map_info(Bytes blob) {
  constexpr std::size_t kHeadBytes = 16;
  constexpr std::size_t kEntriesAt = 16;
  constexpr std::uint32_t kManifestBitmap = 2;
  if (blob.size() < kHeadBytes + kEntriesAt) return std::nullopt;
  MapInfo info;
  info.provider = load_guid(blob.data());
  Bytes body = blob.subspan(kHeadBytes);
  std::size_t count = load<std::uint32_t>(body.data() + 8);
  if (count > (body.size() - kEntriesAt) / 8) return std::nullopt;
  info.map = std::make_shared<ValueMap>();
  BlobTexts texts(body);
  info.map->name = texts.at(load<std::uint32_t>(body.data()));
  info.map->bitmap = (load<std::uint32_t>(body.data() + 4) & kManifestBitmap) != 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* entry = body.data() + kEntriesAt + 8 * i;
    info.map->entries.emplace_back(load<std::uint32_t>(entry + 4),
                                   SharedText(texts.at(load<std::uint32_t>(entry))));
  }
  if (texts.over_limit()) return std::nullopt;
  std::stable_sort(info.map->entries.begin(), info.map->entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return info;
}

}  // namespace tailgate::etl
