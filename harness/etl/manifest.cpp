#include "harness/etl/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <pugixml.hpp>
#include <unordered_map>

#include "harness/base/error.h"
#include "harness/etl/schema_records.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxMembers = 4096;  // of a template, including the members of structures
constexpr std::size_t kEnvelopeBytes = 8;  // before the XML in a manifest's chunk

using Strings = std::unordered_map<std::string, SharedText>;

unsigned number(const char* text, unsigned otherwise = 0) {
  std::string_view digits(text);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  unsigned value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty()
             ? value
             : otherwise;
}

// The TDH_INTYPE of a type's name in winmeta.xml.
unsigned in_type_of(std::string_view name) {
  static const std::unordered_map<std::string_view, unsigned> kTypes = {
      {"UnicodeString", 1},
      {"AnsiString", 2},
      {"Int8", 3},
      {"UInt8", 4},
      {"Int16", 5},
      {"UInt16", 6},
      {"Int32", 7},
      {"UInt32", 8},
      {"Int64", 9},
      {"UInt64", 10},
      {"Float", 11},
      {"Double", 12},
      {"Boolean", 13},
      {"Binary", 14},
      {"GUID", 15},
      {"Pointer", 16},
      {"FILETIME", 17},
      {"SYSTEMTIME", 18},
      {"SID", 19},
      {"HexInt32", 20},
      {"HexInt64", 21},
      {"CountedUnicodeString", 22},
      {"CountedAnsiString", 23},
      {"CountedBinary", 25}};
  auto colon = name.find(':');
  if (colon != std::string_view::npos) name.remove_prefix(colon + 1);
  auto at = kTypes.find(name);
  return at == kTypes.end() ? 0 : at->second;
}

unsigned out_type_of(std::string_view name) {
  static const std::unordered_map<std::string_view, unsigned> kTypes = {
      {"xs:string", 1},       {"xs:boolean", 13},        {"win:HexBinary", 15},
      {"xs:hexBinary", 15},   {"win:HexInt8", 16},       {"win:HexInt16", 17},
      {"win:HexInt32", 18},   {"win:HexInt64", 19},      {"win:PID", 20},
      {"win:TID", 21},        {"win:Port", 22},          {"win:IPv4", 23},
      {"win:IPv6", 24},       {"win:SocketAddress", 25}, {"win:ErrorCode", 29},
      {"win:Win32Error", 30}, {"win:NTSTATUS", 31},      {"win:HResult", 32},
      {"win:CodePointer", 37}};
  auto at = kTypes.find(name);
  return at == kTypes.end() ? 0 : at->second;
}

// The opcodes of winmeta.xml, which every provider has. win:Info gives no name.
std::string_view standard_opcode(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string_view> kOpcodes = {
      {"win:Start", "Start"},    {"win:Stop", "Stop"},           {"win:DC_Start", "DCStart"},
      {"win:DC_Stop", "DCStop"}, {"win:Extension", "Extension"}, {"win:Reply", "Reply"},
      {"win:Resume", "Resume"},  {"win:Suspend", "Suspend"},     {"win:Send", "Send"},
      {"win:Receive", "Receive"}};
  auto at = kOpcodes.find(name);
  return at == kOpcodes.end() ? std::string_view() : at->second;
}

std::uint8_t standard_opcode_value(std::string_view name) {
  static const std::unordered_map<std::string_view, std::uint8_t> kValues = {
      {"win:Start", 1},     {"win:Stop", 2},     {"win:DC_Start", 3}, {"win:DC_Stop", 4},
      {"win:Extension", 5}, {"win:Reply", 6},    {"win:Resume", 7},   {"win:Suspend", 8},
      {"win:Send", 9},      {"win:Receive", 240}};
  auto at = kValues.find(name);
  return at == kValues.end() ? std::uint8_t{0} : at->second;
}

class TemplateParser {
 public:
  explicit TemplateParser(const std::map<std::string, std::shared_ptr<ValueMap>>& maps)
      : maps_(maps) {}

  bool parse(const pugi::xml_node& parent, std::vector<Property>& into, int depth) {
    if (depth > kMaxStructureDepth) return false;
    for (pugi::xml_node child : parent.children()) {
      std::string_view tag = child.name();
      if (tag != "data" && tag != "struct") continue;
      if (slots_ >= kMaxMembers) return false;
      Property& property = into.emplace_back();
      property.name = child.attribute("name").as_string();
      property.slot = slots_++;
      set_count(child, property);
      slot_of_name_[child.attribute("name").as_string()] = property.slot;
      if (tag == "struct") {
        property.type = ValueType::structure;
        if (!parse(child, property.members, depth + 1)) return false;
      } else if (!set_type(child, property)) {
        return false;
      }
    }
    return true;
  }

  std::uint16_t slots() const { return slots_; }

 private:
  bool set_type(const pugi::xml_node& data, Property& property) {
    unsigned in_type = in_type_of(data.attribute("inType").as_string());
    if (in_type == 0) return false;
    property.type = *value_type_of_tdh(in_type);
    property.format = format_of_tdh(out_type_of(data.attribute("outType").as_string()));
    auto map = maps_.find(data.attribute("map").as_string());
    if (map != maps_.end()) property.map = map->second;
    const char* length = data.attribute("length").as_string();
    if (*length != 0) {
      if (auto slot = slot_of(length)) {
        property.length_kind = Property::Length::from_property;
        property.length = *slot;
      } else {
        property.length_kind = Property::Length::fixed;
        property.length = static_cast<std::uint16_t>(number(length));
      }
    } else if (property.type == ValueType::binary && property.format == ValueFormat::ipv6) {
      property.type = ValueType::ipv6;
    }
    return true;
  }

  void set_count(const pugi::xml_node& data, Property& property) {
    const char* count = data.attribute("count").as_string();
    if (*count == 0) return;
    if (auto slot = slot_of(count)) {
      property.count_kind = Property::Count::from_property;
      property.count = *slot;
    } else {
      property.count_kind = Property::Count::fixed;
      property.count = static_cast<std::uint16_t>(number(count, 1));
    }
  }

  // The slot of the last property of that name before this one.
  std::optional<std::uint16_t> slot_of(std::string_view name) const {
    auto at = slot_of_name_.find(name);
    return at == slot_of_name_.end() ? std::nullopt : std::optional(at->second);
  }

  const std::map<std::string, std::shared_ptr<ValueMap>>& maps_;
  std::uint16_t slots_ = 0;
  std::unordered_map<std::string_view, std::uint16_t> slot_of_name_;  // of the document's names
};

class ProviderParser {
 public:
  ProviderParser(const pugi::xml_node& provider, const Strings& strings, SchemaSource source)
      : provider_(provider), strings_(strings), source_(source) {}

  // Returns false when the provider has no usable GUID.
  bool parse(Manifest& manifest, std::size_t& skipped) {
    auto guid = parse_guid(provider_.attribute("guid").as_string());
    if (!guid) return false;
    guid_ = *guid;
    name_ = SharedText(provider_.attribute("name").as_string());
    manifest.providers.emplace_back(guid_, name_);
    read_opcodes(provider_);
    read_tasks();
    read_maps();
    for (pugi::xml_node node : provider_.child("templates").children("template")) {
      templates_[node.attribute("tid").as_string()] = layout_of(node);
    }
    for (pugi::xml_node event : provider_.child("events").children("event")) {
      if (!add_event(event, manifest)) ++skipped;
    }
    return true;
  }

 private:
  SharedText localized(std::string_view text) const {
    if (!text.starts_with("$(string.") || !text.ends_with(")")) {
      return SharedText(std::string(text));
    }
    auto at = strings_.find(std::string(text.substr(9, text.size() - 10)));
    return at == strings_.end() ? SharedText() : at->second;
  }

  // The layout of a template; null when it uses an unknown type or is too large.
  std::shared_ptr<const PayloadLayout> layout_of(const pugi::xml_node& node) const {
    auto layout = std::make_shared<PayloadLayout>();
    TemplateParser parser(maps_);
    if (!parser.parse(node, layout->properties, 0)) return nullptr;
    layout->slots = parser.slots();
    correct_clr_stack(guid_, *layout);
    return layout;
  }

  void read_opcodes(const pugi::xml_node& parent) {
    for (pugi::xml_node opcode : parent.child("opcodes").children("opcode")) {
      const char* name = opcode.attribute("name").as_string();
      opcode_values_[name] =
          static_cast<std::uint8_t>(number(opcode.attribute("value").as_string()));
    }
  }

  void read_tasks() {
    for (pugi::xml_node task : provider_.child("tasks").children("task")) {
      read_opcodes(task);
    }
  }

  void read_maps() {
    for (pugi::xml_node node : provider_.child("maps").children()) {
      std::string_view tag = node.name();
      if (tag != "valueMap" && tag != "bitMap") continue;
      auto map = std::make_shared<ValueMap>();
      map->name = node.attribute("name").as_string();
      map->bitmap = tag == "bitMap";
      for (pugi::xml_node entry : node.children("map")) {
        map->entries.emplace_back(number(entry.attribute("value").as_string()),
                                  localized(entry.attribute("message").as_string()));
      }
      std::stable_sort(map->entries.begin(), map->entries.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      maps_[map->name] = std::move(map);
    }
  }

  std::string event_name(const pugi::xml_node& event, EventSchema& schema) const {
    schema.task_name = event.attribute("task").as_string();
    std::string opcode = event.attribute("opcode").as_string();
    std::string_view standard = standard_opcode(opcode);
    schema.opcode_name = opcode_values_.contains(opcode) ? opcode : std::string(standard);
    std::string name = schema.task_name;
    if (!schema.opcode_name.empty()) {
      if (!name.empty()) name += '/';
      name += schema.opcode_name;
    }
    if (name.empty()) name = event.attribute("symbol").as_string();
    return name;
  }

  bool add_event(const pugi::xml_node& event, Manifest& manifest) {
    EventInfo info;
    info.provider = guid_;
    info.id = static_cast<std::uint16_t>(number(event.attribute("value").as_string()));
    info.version = static_cast<std::uint8_t>(number(event.attribute("version").as_string()));
    std::string opcode = event.attribute("opcode").as_string();
    auto value = opcode_values_.find(opcode);
    info.opcode = value != opcode_values_.end() ? value->second : standard_opcode_value(opcode);
    info.schema = std::make_unique<EventSchema>();
    EventSchema& schema = *info.schema;
    schema.source = source_;
    schema.provider = guid_;
    schema.provider_name = name_;
    schema.event_name = event_name(event, schema);
    std::string tid = event.attribute("template").as_string();
    if (!tid.empty()) {
      auto at = templates_.find(tid);
      if (at == templates_.end() || !at->second) return false;
      schema.layout = at->second;
    }
    manifest.events.push_back(std::move(info));
    return true;
  }

  pugi::xml_node provider_;
  const Strings& strings_;
  SchemaSource source_;
  Guid guid_;
  SharedText name_;
  std::map<std::string, std::uint8_t> opcode_values_;
  std::map<std::string, std::shared_ptr<ValueMap>> maps_;
  std::map<std::string, std::shared_ptr<const PayloadLayout>> templates_;  // null: unusable
};

Strings read_strings(const pugi::xml_node& root) {
  Strings strings;
  for (pugi::xml_node resources : root.child("localization").children("resources")) {
    for (pugi::xml_node text : resources.child("stringTable").children("string")) {
      strings.emplace(text.attribute("id").as_string(),
                      SharedText(text.attribute("value").as_string()));
    }
  }
  return strings;
}

// The element that holds the instrumentation: an instrumentation manifest's own root, or that of a
// component's manifest in Windows, whose prefix may be any.
pugi::xml_node manifest_root(const pugi::xml_document& document) {
  for (pugi::xml_node child : document.children()) {
    std::string_view name = child.name();
    auto colon = name.find(':');
    if (colon != std::string_view::npos) name.remove_prefix(colon + 1);
    if (name == "instrumentationManifest" || name == "assembly") return child;
  }
  return {};
}

}  // namespace

Manifest parse_manifest(Bytes xml, SchemaSource source, std::size_t* skipped_events) {
  pugi::xml_document document;
  pugi::xml_parse_result result =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_auto);
  if (!result) {
    throw Error(
        fmt::format("the manifest is not XML: {} at byte {}", result.description(), result.offset),
        "give an instrumentation manifest (.man) as the provider's author ships it");
  }
  pugi::xml_node root = manifest_root(document);
  Strings strings = read_strings(root);
  Manifest manifest;
  for (pugi::xml_node instrumentation : root.children("instrumentation")) {
    for (pugi::xml_node events : instrumentation.children("events")) {
      for (pugi::xml_node provider : events.children("provider")) {
        ProviderParser(provider, strings, source).parse(manifest, *skipped_events);
      }
    }
  }
  if (manifest.providers.empty()) {
    throw Error("the manifest describes no provider with a GUID",
                "give an instrumentation manifest, whose root is instrumentationManifest, or a "
                "component's, whose root is assembly");
  }
  return manifest;
}

bool is_manifest_chunk(Bytes payload) {
  constexpr std::uint8_t kMagic = 0x5B;
  return payload.size() > kEnvelopeBytes && payload[0] == 1 && payload[3] == kMagic &&
         load<std::uint16_t>(&payload[6]) < load<std::uint16_t>(&payload[4]);
}

std::vector<std::uint8_t> ManifestAssembler::add(const Guid& provider, std::uint32_t process_id,
                                                 Bytes payload) {
  constexpr std::size_t kMaxManifestBytes = 4u << 20;
  constexpr std::size_t kMaxPending = 8;
  if (!is_manifest_chunk(payload)) {
    ++bad_chunks_;
    return {};
  }
  const auto total = load<std::uint16_t>(&payload[4]);
  const auto number = load<std::uint16_t>(&payload[6]);
  const Bytes slice = payload.subspan(kEnvelopeBytes);
  if (total == 1) return {slice.begin(), slice.end()};
  auto version = load<std::uint16_t>(&payload[1]);
  auto at = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) {
    return p.provider == provider && p.process_id == process_id && p.version == version &&
           p.total == total;
  });
  if (at == pending_.end()) {
    if (pending_.size() == kMaxPending) pending_.erase(pending_.begin());
    Pending pending{provider, process_id, version, total, 0, 0, {}};
    pending.chunks.resize(total);
    at = pending_.insert(pending_.end(), std::move(pending));
  }
  if (at->chunks[number].empty()) {
    at->bytes += slice.size();
    ++at->received;
    at->chunks[number].assign(slice.begin(), slice.end());
  }
  if (at->bytes > kMaxManifestBytes) {
    ++bad_chunks_;
    pending_.erase(at);
    return {};
  }
  if (at->received < total) return {};
  std::vector<std::uint8_t> whole;
  whole.reserve(at->bytes);
  for (const auto& chunk : at->chunks) whole.insert(whole.end(), chunk.begin(), chunk.end());
  pending_.erase(at);
  return whole;
}

}  // namespace tailgate::etl
