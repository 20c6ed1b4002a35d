#include "harness/etl/event_log_record.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <pugixml.hpp>
#include <sstream>

#include "harness/etl/guid.h"
#include "harness/etl/record.h"
#include "harness/etl/text.h"
#include "harness/etl/time_zone.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxRecordBytes = 0xFFFF;
constexpr std::size_t kMaxMetadataBytes = 24'000;
constexpr std::size_t kMaxElementNameBytes = 1000;
constexpr std::size_t kMaxWrittenMembers = 100;  // a structure of TraceLogging has up to 127
constexpr int kMaxWrittenDepth = 12;  // structures within structures, which readers limit to 16

// Types of TraceLogging's metadata; see tracelogging.cpp.
constexpr unsigned kI64 = 9;
constexpr unsigned kU64 = 10;
constexpr unsigned kHex64 = 21;
constexpr unsigned kCountedAnsi = 23;
constexpr unsigned kStructure = 0x18;
constexpr unsigned kHasOutType = 0x80;
constexpr unsigned kOutUtf8 = 0x23;

void put_bytes(std::uint64_t value, unsigned size, std::string& out) {
  for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

template <typename T>
std::optional<T> number_in(std::string_view text, int base = 10) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A number of the System element; 0 when it is not there.
template <typename T>
bool read_number(std::string_view text, T& into) {
  if (text.empty()) return true;
  const bool hex = text.starts_with("0x");
  const auto value = number_in<T>(hex ? text.substr(2) : text, hex ? 16 : 10);
  if (value) into = *value;
  return value.has_value();
}

// Whether a number is written as it would be shown.
bool is_canonical(std::string_view digits) {
  if (digits.starts_with('-')) return digits != "-0" && is_canonical(digits.substr(1));
  return digits == "0" || (!digits.empty() && digits[0] != '0');
}

// The metadata and the payload of a record, field by field.
class Fields {
 public:
  void add(std::string_view name, std::string_view text) {
    add_name(name);
    if (is_canonical(text)) {
      if (const auto value = number_in<std::int64_t>(text)) {
        return number(kI64, static_cast<std::uint64_t>(*value));
      }
      if (const auto value = number_in<std::uint64_t>(text)) return number(kU64, *value);
    }
    if (const auto value = hex_in(text)) return number(kHex64, *value);
    put_bytes(kCountedAnsi | kHasOutType, 1, metadata_);
    put_bytes(kOutUtf8, 1, metadata_);
    // More than a count can say does not fit the record either: fits() is false then.
    put_bytes(std::min<std::size_t>(text.size(), 0xFFFF), 2, payload_);
    payload_ += text;
  }

  void begin_structure(std::string_view name, std::size_t members) {
    add_name(name);
    put_bytes(kStructure | kHasOutType, 1, metadata_);
    put_bytes(members, 1, metadata_);
  }

  // With the size, the tags and no name: what has no name is shown as EventID(n).
  std::string metadata() const {
    std::string whole;
    put_bytes(metadata_.size() + 4, 2, whole);
    whole.append(2, '\0');
    return whole + metadata_;
  }
  const std::string& payload() const { return payload_; }
  bool fits() const {
    return metadata_.size() <= kMaxMetadataBytes && payload_.size() <= kMaxRecordBytes;
  }

 private:
  void add_name(std::string_view name) {
    metadata_ += name.substr(0, kMaxElementNameBytes);
    metadata_ += '\0';
  }

  void number(unsigned type, std::uint64_t value) {
    put_bytes(type, 1, metadata_);
    put_bytes(value, 8, payload_);
  }

  // Windows writes hexadecimal numbers without leading zeros; libevtx with all digits of their
  // type.
  static std::optional<std::uint64_t> hex_in(std::string_view text) {
    if (!text.starts_with("0x")) return std::nullopt;
    const std::string_view digits = text.substr(2);
    const bool lower = digits.find_first_of("ABCDEF") == std::string_view::npos;
    const bool padded = digits.size() == 8 || digits.size() == 16;
    if (!lower || !(padded || is_canonical(digits))) return std::nullopt;
    return number_in<std::uint64_t>(digits, 16);
  }

  std::string metadata_;
  std::string payload_;
};

std::string text_of(const pugi::xml_node& node) {
  std::string text;
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      text += child.value();
    }
  }
  return text;
}

// The local name, without a namespace's prefix.
std::string_view name_of(const char* name) {
  const std::string_view whole = name;
  const std::size_t colon = whole.find(':');
  return colon == std::string_view::npos ? whole : whole.substr(colon + 1);
}

bool is_namespace(const pugi::xml_attribute& attribute) {
  return std::string_view(attribute.name()).starts_with("xmlns");
}

// "Data" and "ComplexData" are named by an attribute.
std::string_view field_name(const pugi::xml_node& node) {
  const std::string_view element = name_of(node.name());
  const char* name = node.attribute("Name").value();
  const bool named = element == "Data" || element == "ComplexData";
  return named && *name != '\0' ? std::string_view(name) : element;
}

class EventBuilder {
 public:
  explicit EventBuilder(std::string_view xml) : xml_(xml) {}

  std::optional<EventLogRecord> build() {
    pugi::xml_document document;
    constexpr unsigned kKeepBlanks = pugi::parse_default | pugi::parse_ws_pcdata_single;
    if (!document.load_buffer(xml_.data(), xml_.size(), kKeepBlanks, pugi::encoding_utf8)) {
      return std::nullopt;
    }
    const pugi::xml_node event = document.child("Event");
    if (!read_system(event.child("System"))) return std::nullopt;
    Fields fields;
    add_rest_of_system(event.child("System"), fields);
    for (const pugi::xml_node& part : event.children()) add_part(part, fields);
    std::string record = record_of(fields);
    if (record.size() > kMaxRecordBytes || !fields.fits()) record = record_of(as_xml());
    return EventLogRecord{filetime_, std::move(record)};
  }

 private:
  bool read_system(const pugi::xml_node& system) {
    const pugi::xml_node provider = system.child("Provider");
    const pugi::xml_node execution = system.child("Execution");
    const pugi::xml_node correlation = system.child("Correlation");
    provider_ = provider.attribute("Name").value();
    if (provider_.empty()) provider_ = provider.attribute("EventSourceName").value();
    if (provider_.empty()) provider_ = provider.attribute("Guid").value();
    provider_.resize(std::min(provider_.size(), kMaxElementNameBytes));
    const auto guid = parse_guid(provider.attribute("Guid").value());
    guid_ = guid ? *guid : guid_of_name(provider_);
    activity_ = parse_guid(correlation.attribute("ActivityID").value()).value_or(Guid());
    related_ = parse_guid(correlation.attribute("RelatedActivityID").value());
    const auto time =
        parse_time(shortened(system.child("TimeCreated").attribute("SystemTime").value()), nullptr);
    if (!time || provider_.empty()) return false;
    filetime_ = *time;
    return read_number(text_of(system.child("EventID")), id_) &&
           read_number(text_of(system.child("Version")), version_) &&
           read_number(text_of(system.child("Level")), level_) &&
           read_number(text_of(system.child("Task")), task_) &&
           read_number(text_of(system.child("Opcode")), opcode_) &&
           read_number(text_of(system.child("Keywords")), keyword_) &&
           read_number(execution.attribute("ProcessID").value(), process_) &&
           read_number(execution.attribute("ThreadID").value(), thread_);
  }

  // Times have up to nine decimals here; FILETIMEs have seven.
  static std::string shortened(std::string_view time) {
    const std::size_t point = time.find('.');
    if (point == std::string_view::npos) return std::string(time);
    std::size_t end = point + 1;
    while (end < time.size() && time[end] >= '0' && time[end] <= '9') ++end;
    const std::size_t kept = std::min(end, point + 8);
    return std::string(time.substr(0, kept)) + std::string(time.substr(end));
  }

  // Sources without a GUID are told apart by one that is made of their name (RFC 9562, version 8).
  static Guid guid_of_name(std::string_view name) {
    Guid guid;
    std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
    for (std::size_t half = 0; half < 2; ++half) {
      for (const char c : lower_case(name)) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
      }
      std::memcpy(guid.bytes.data() + 8 * half, &hash, sizeof hash);
    }
    guid.bytes[7] = static_cast<std::uint8_t>((guid.bytes[7] & 0x0F) | 0x80);
    guid.bytes[8] = static_cast<std::uint8_t>((guid.bytes[8] & 0x3F) | 0x80);
    return guid;
  }

  void add_part(const pugi::xml_node& part, Fields& fields) {
    const std::string_view name = name_of(part.name());
    if (part.type() != pugi::node_element || name == "System") return;
    if (name == "EventData") return add_children(part, fields);
    if (name != "UserData") return add_node(part, fields, 0);
    // One element of the provider's own wraps its data.
    for (const pugi::xml_node& wrapper : part.children()) add_children(wrapper, fields);
  }

  void add_children(const pugi::xml_node& parent, Fields& fields) {
    for (const pugi::xml_node& child : parent.children()) {
      if (child.type() == pugi::node_element) add_node(child, fields, 0);
    }
  }

  static bool names_field(const pugi::xml_node& node, const pugi::xml_attribute& attribute) {
    return std::string_view(attribute.name()) == "Name" &&
           field_name(node) == std::string_view(attribute.value());
  }

  void add_node(const pugi::xml_node& node, Fields& fields, int depth) {
    const std::string_view name = field_name(node);
    const std::string text = text_of(node);
    std::size_t members = 0;
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (!is_namespace(attribute) && !names_field(node, attribute)) ++members;
    }
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) ++members;
    }
    if (members == 0) return fields.add(name, text);
    if (!text.empty()) ++members;
    if (depth == kMaxWrittenDepth || members > kMaxWrittenMembers) {
      std::ostringstream xml;
      node.print(xml, "", pugi::format_raw);
      return fields.add(name, xml.str());
    }
    fields.begin_structure(name, members);
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (is_namespace(attribute) || names_field(node, attribute)) continue;
      fields.add(name_of(attribute.name()), attribute.value());
    }
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) add_node(child, fields, depth + 1);
    }
    if (!text.empty()) fields.add("text", text);
  }

  // Adds what the System element says beyond the record's header, as fields.
  static void add_rest_of_system(const pugi::xml_node& system, Fields& fields) {
    const auto add = [&fields](const char* name, const std::string& text) {
      if (!text.empty()) fields.add(name, text);
    };
    add("Channel", text_of(system.child("Channel")));
    add("Computer", text_of(system.child("Computer")));
    add("EventRecordID", text_of(system.child("EventRecordID")));
    add("UserID", system.child("Security").attribute("UserID").value());
    add("Qualifiers", system.child("EventID").attribute("Qualifiers").value());
    const pugi::xml_node provider = system.child("Provider");
    add("EventSourceName", provider.attribute("EventSourceName").value());
    for (const pugi::xml_attribute& attribute : system.child("Execution").attributes()) {
      const std::string_view name = attribute.name();
      if (name != "ProcessID" && name != "ThreadID") add(attribute.name(), attribute.value());
    }
  }

  Fields as_xml() const {
    constexpr std::size_t kMaxXmlBytes = 60'000;
    Fields fields;
    std::string text = utf8_of(
        {reinterpret_cast<const std::uint8_t*>(xml_.data()), std::min(xml_.size(), kMaxXmlBytes)});
    text.resize(std::min(text.size(), kMaxXmlBytes));
    fields.add("EventXml", text);
    if (xml_.size() > kMaxXmlBytes) {
      fields.add("cut_bytes", std::to_string(xml_.size() - kMaxXmlBytes));
    }
    return fields;
  }

  static void put_item(ExtendedType type, std::string_view data, bool more, std::string& out) {
    const std::size_t size = align8(8 + data.size());
    put_bytes(size, 2, out);
    put_bytes(static_cast<unsigned>(type), 2, out);
    put_bytes(more ? 1 : 0, 2, out);
    put_bytes(data.size(), 2, out);
    out += data;
    out.append(size - 8 - data.size(), '\0');
  }

  static void put_guid(const Guid& guid, std::string& out) {
    out.append(reinterpret_cast<const char*>(guid.bytes.data()), guid.bytes.size());
  }

  // Layouts: EVENT_HEADER and its extended items, as record.h reads them.
  std::string record_of(const Fields& fields) const {
    std::string traits;
    put_bytes(provider_.size() + 3, 2, traits);
    traits += provider_;
    traits += '\0';
    std::string items;
    put_item(ExtendedType::tracelogging_schema, fields.metadata(), true, items);
    if (related_) {
      std::string guid;
      put_guid(*related_, guid);
      put_item(ExtendedType::related_activity_id, guid, true, items);
    }
    put_item(ExtendedType::provider_traits, traits, false, items);
    const std::size_t size = 0x50 + items.size() + fields.payload().size();
    std::string out;
    put_bytes(size, 2, out);
    put_bytes(0xC013, 2, out);  // an event of a 64-bit system
    put_bytes(0x11, 4, out);    // it has extended items, and no CPU times
    put_bytes(thread_, 4, out);
    put_bytes(process_, 4, out);
    put_bytes(0, 8, out);
    put_guid(guid_, out);
    put_bytes(id_, 2, out);
    put_bytes(version_, 1, out);
    put_bytes(0, 1, out);
    put_bytes(level_, 1, out);
    put_bytes(opcode_, 1, out);
    put_bytes(task_, 2, out);
    put_bytes(keyword_, 8, out);
    put_bytes(0, 8, out);
    put_guid(activity_, out);
    return out + items + fields.payload();
  }

  std::string_view xml_;
  std::int64_t filetime_ = 0;
  std::string provider_;
  Guid guid_;
  Guid activity_;
  std::optional<Guid> related_;
  std::uint32_t process_ = RecordHeader::kNoId;
  std::uint32_t thread_ = RecordHeader::kNoId;
  std::uint64_t keyword_ = 0;
  std::uint16_t id_ = 0;
  std::uint16_t task_ = 0;
  std::uint8_t version_ = 0;
  std::uint8_t level_ = 0;
  std::uint8_t opcode_ = 0;
};

}  // namespace

std::optional<EventLogRecord> event_log_record(std::string_view xml) {
  return EventBuilder(xml).build();
}

}  // namespace tailgate::etl
