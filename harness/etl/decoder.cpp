#include "harness/etl/decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/etl/decompress.h"
#include "harness/etl/kernel_groups.h"
#include "harness/etl/kernel_layouts.h"
#include "harness/etl/provider_names.h"
#include "harness/etl/schema_records.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/tracelogging.h"

namespace tailgate::etl {
namespace {

constexpr std::uint32_t kClassicBit = 0x10000;
constexpr std::uint64_t kMaxSchemas = 65536;
constexpr std::size_t kMaxTraceLoggingSchemas = 16384;
constexpr std::size_t kMaxSchemaBytes = 128u << 20;  // of manifests, event infos and maps

// An EventSource sends its manifest in an event with this id, opcode and task.
constexpr std::uint16_t kManifestId = 0xFFFE;
constexpr std::uint8_t kManifestOpcode = 0xFE;

constexpr std::uint16_t kFlagStringOnly = 0x0004;

const Guid& metadata_class() {
  static const Guid guid = *parse_guid("bbccf6c1-6cd1-48c4-80ff-839482e37671");
  return guid;
}
constexpr std::uint8_t kOpcodeEventInfo = 32;
constexpr std::uint8_t kOpcodeMapInfo = 33;

bool is_stream_manifest(const RecordHeader& header) {
  return header.id == kManifestId && header.opcode == kManifestOpcode && header.task == kManifestId;
}

const EventSchema& string_only_schema() {
  static const EventSchema schema = [] {
    EventSchema built;
    built.source = SchemaSource::string_only;
    built.event_name = "Message";
    auto layout = std::make_shared<PayloadLayout>();
    Property& text = layout->properties.emplace_back();
    text.name = "Message";
    text.type = ValueType::utf16;
    built.layout = std::move(layout);
    return built;
  }();
  return schema;
}

const EventSchema& stream_manifest_schema() {
  static const EventSchema schema = [] {
    EventSchema built;
    built.source = SchemaSource::event_source_manifest;
    built.event_name = "ManifestData";
    constexpr std::pair<std::string_view, ValueType> kFields[] = {
        {"Format", ValueType::u8},       {"MajorVersion", ValueType::u8},
        {"MinorVersion", ValueType::u8}, {"Magic", ValueType::u8},
        {"TotalChunks", ValueType::u16}, {"ChunkNumber", ValueType::u16},
        {"Xml", ValueType::rest_ansi}};
    auto layout = std::make_shared<PayloadLayout>();
    for (auto [name, type] : kFields) {
      Property& property = layout->properties.emplace_back();
      property.name = std::string(name);
      property.type = type;
      property.slot = 0xFFFF;
    }
    built.layout = std::move(layout);
    return built;
  }();
  return schema;
}

void set_maps(std::vector<Property>& properties, const std::vector<std::string>& names,
              const Guid& provider,
              const std::map<std::pair<Guid, std::string>, std::shared_ptr<const ValueMap>>& maps) {
  for (Property& property : properties) {
    set_maps(property.members, names, provider, maps);
    if (property.slot >= names.size() || names[property.slot].empty()) continue;
    auto at = maps.find({provider, names[property.slot]});
    if (at != maps.end()) property.map = at->second;
  }
}

// The memory of properties and of what they own, without maps.
std::size_t held_bytes(const std::vector<Property>& properties) {
  std::size_t bytes = properties.capacity() * sizeof(Property);
  for (const Property& property : properties) {
    bytes += property.name.capacity() + held_bytes(property.members);
  }
  return bytes;
}

std::size_t held_bytes(const EventInfo& info) {
  const EventSchema& schema = *info.schema;
  std::size_t bytes = sizeof schema + schema.provider_name.view().size() +
                      schema.event_name.size() + schema.task_name.size() +
                      schema.opcode_name.size();
  if (schema.layout) bytes += held_bytes(schema.layout->properties);
  for (const std::string& name : info.map_names) bytes += sizeof name + name.size();
  return bytes;
}

std::size_t held_bytes(const ValueMap& map) {
  std::size_t bytes = sizeof map + map.name.size();
  for (const auto& entry : map.entries) bytes += sizeof entry + entry.second.view().size();
  return bytes;
}

// Replaces the compressed text of an event by the text itself.
void unpack(DecodedEvent& event) {
  constexpr std::size_t kMaxUnpackedBytes = 1u << 20;
  event.unpacked.clear();
  // Without the text the payload ends before fields, which counts them as missing.
  if (event.fields.empty() || event.fields.back().type != ValueType::rest_binary) return;
  Field& packed = event.fields.back();
  const Field& size = event.fields[event.fields.size() - 2];
  const std::size_t bytes = load<std::uint32_t>(size.data.data());
  bool unpacked = bytes <= kMaxUnpackedBytes;
  if (unpacked) {
    event.unpacked.resize(bytes);
    unpacked = decompress_lznt1(packed.data, event.unpacked);
  }
  if (!unpacked) {
    event.complete = false;
    return;
  }
  packed.data = event.unpacked;
  packed.type = ValueType::rest_utf16;
}

}  // namespace

bool describes_events(const Record& record, const RecordHeader& header) {
  if (record.kind == RecordKind::full && header.provider == metadata_class()) {
    return (header.opcode == kOpcodeEventInfo && parse_event_info(header.payload)) ||
           (header.opcode == kOpcodeMapInfo && parse_map_info(header.payload));
  }
  return record.kind == RecordKind::event && is_stream_manifest(header) &&
         is_manifest_chunk(header.payload) &&
         find_extended(header.extended, ExtendedType::tracelogging_schema).empty();
}

std::optional<std::uint16_t> DecodedEvent::other_version() const {
  if (!schema || !schema->versions) return std::nullopt;
  if (header.version < schema->versions->first) return schema->versions->first;
  if (header.version > schema->versions->last) return schema->versions->last;
  return std::nullopt;
}

void Decoder::add_manifest(Bytes xml) {
  std::size_t skipped = 0;
  add_manifest_events(parse_manifest(xml, SchemaSource::manifest_file, &skipped), xml.size());
  counts_.unusable += skipped;
}

void Decoder::add_tmf(std::string_view text, const std::string& name) {
  tmf_.add(text, name);
  counts_.tmf_messages = tmf_.size();
}

void Decoder::add_manifest_events(Manifest&& manifest, std::size_t xml_bytes) {
  // Its events share templates and texts, so each takes a part of the whole.
  constexpr std::size_t kBytesPerXmlByte = 4;
  const std::size_t shared =
      kBytesPerXmlByte * xml_bytes / std::max<std::size_t>(1, manifest.events.size());
  for (auto& [guid, name] : manifest.providers) provider_names_[guid] = name;
  counts_.manifest_events += manifest.events.size();
  for (EventInfo& info : manifest.events) {
    add_event(std::move(info), sizeof(EventSchema) + shared);
  }
}

void Decoder::add_event(EventInfo&& info, std::size_t bytes) {
  if (schema_count_ >= kMaxSchemas || bytes > kMaxSchemaBytes - schema_bytes_) {
    ++counts_.dropped_over_limit;
    return;
  }
  ++schema_count_;
  schema_bytes_ += bytes;
  EventKey key = info.classic ? EventKey{info.event_class, kClassicBit | info.opcode}
                              : EventKey{info.provider, info.id};
  EventSchema* schema = info.schema.get();
  schema->versions = VersionRange{info.version, info.version};
  Kept& place = events_[key][info.version];
  if (place.schema) {
    // Each merge of a file writes its schemas again; the last copy counts.
    unresolved_.erase(place.schema.get());
    --schema_count_;
    schema_bytes_ -= place.bytes;
  }
  place = {std::move(info.schema), bytes};
  if (info.needs_maps) {
    unresolved_[schema] = {std::move(info.needs_maps), std::move(info.map_names)};
  }
  if (!schema->provider_name.empty()) provider_names_[schema->provider] = schema->provider_name;
}

void Decoder::learn(std::span<const TraceFile* const> files) {
  TraceReader reader({files.begin(), files.end()}, ReadOrder::file);
  while (const Record* record = reader.next()) learn(*record);
  finish_learning();
}

void Decoder::learn(const Record& record) {
  if (record.kind == RecordKind::full) {
    if (load_guid(record.data + 0x18) == metadata_class()) learn_metadata(decode_header(record));
    return;
  }
  if (record.kind != RecordKind::event) return;
  if (load<std::uint16_t>(record.data + 0x28) != kManifestId) return;
  RecordHeader header = decode_header(record);
  if (!is_stream_manifest(header)) return;
  std::vector<std::uint8_t> xml =
      assembler_.add(header.provider, header.process_id, header.payload);
  if (xml.empty()) return;
  std::size_t skipped = 0;
  try {
    add_manifest_events(parse_manifest(xml, SchemaSource::event_source_manifest, &skipped),
                        xml.size());
    ++counts_.stream_manifests;
  } catch (const Error&) {
    // The trace contains an invalid manifest: its events stay undecoded, and the count says why.
    ++counts_.unusable;
  }
  counts_.unusable += skipped;
}

void Decoder::learn_metadata(const RecordHeader& header) {
  if (header.opcode == kOpcodeEventInfo) {
    auto info = parse_event_info(header.payload);
    if (!info) {
      ++counts_.unusable;
      return;
    }
    ++counts_.event_infos;
    const std::size_t bytes = held_bytes(*info);
    add_event(std::move(*info), bytes);
  } else if (header.opcode == kOpcodeMapInfo) {
    auto info = parse_map_info(header.payload);
    if (!info) {
      ++counts_.unusable;
      return;
    }
    ++counts_.maps;
    add_map(std::move(*info));
  }
}

void Decoder::add_map(MapInfo&& info) {
  const std::size_t bytes = held_bytes(*info.map);
  if (maps_.size() >= kMaxSchemas || bytes > kMaxSchemaBytes - schema_bytes_) {
    ++counts_.dropped_over_limit;
    return;
  }
  auto& place = maps_[{info.provider, info.map->name}];
  if (place) schema_bytes_ -= held_bytes(*place);
  place = std::move(info.map);
  schema_bytes_ += bytes;
}

void Decoder::finish_learning() {
  for (auto& [schema, unresolved] : unresolved_) {
    set_maps(unresolved.layout->properties, unresolved.map_names, schema->provider, maps_);
  }
  unresolved_.clear();
  counts_.incomplete_manifests = assembler_.incomplete();
  counts_.unusable += assembler_.bad_chunks();
}

const EventSchema* Decoder::find(const EventKey& key, std::uint16_t version) const {
  auto at = events_.find(key);
  if (at == events_.end()) return nullptr;
  // An event of a newer version has the fields of the described version and more at its end.
  auto above = at->second.upper_bound(version);
  return above == at->second.begin() ? above->second.schema.get()
                                     : std::prev(above)->second.schema.get();
}

const EventSchema* Decoder::tracelogging_schema(const RecordHeader& header, Bytes metadata,
                                                const Place& place) {
  DecodeMemory& memory = place.memory;
  memory.key_.assign(reinterpret_cast<const char*>(header.provider.bytes.data()), 16);
  memory.key_.append(reinterpret_cast<const char*>(metadata.data()), metadata.size());
  auto at = memory.schemas_.find(std::string_view(memory.key_));
  if (at != memory.schemas_.end()) return at->second.get();
  auto schema = parse_tracelogging(metadata);
  if (schema) {
    schema->provider = header.provider;
    if (const SharedText* name = place.name_of(header)) schema->provider_name = *name;
  } else {
    ++place.counts.unusable;
  }
  std::size_t bytes = memory.key_.size();
  if (schema) bytes += schema->event_name.size() + held_bytes(schema->layout->properties);
  if (memory.schemas_.size() >= kMaxTraceLoggingSchemas ||
      memory.bytes_ + bytes > memory.max_bytes_) {
    place.counts.dropped_over_limit += memory.schemas_.size();
    memory.schemas_.clear();
    memory.bytes_ = 0;
  }
  memory.bytes_ += bytes;
  return (memory.schemas_[memory.key_] = std::move(schema)).get();
}

const EventSchema* Decoder::find_event_schema(const RecordHeader& header,
                                              const Place& place) const {
  if (!header.extended.empty()) {
    Bytes metadata = find_extended(header.extended, ExtendedType::tracelogging_schema);
    if (!metadata.empty()) return tracelogging_schema(header, metadata, place);
  }
  if (is_stream_manifest(header) && is_manifest_chunk(header.payload)) {
    return &stream_manifest_schema();
  }
  if (header.flags & kFlagStringOnly) return &string_only_schema();
  return find({header.provider, header.id}, header.version);
}

const EventSchema* Decoder::schema_of(const Record& record, const RecordHeader& header,
                                      const Place& place, const TmfMessage*& message) const {
  if (header.is_kernel()) return kernel_layout(header.hook_id, header.version);
  switch (record.kind) {
    case RecordKind::event:
      return find_event_schema(header, place);
    case RecordKind::full:
    case RecordKind::instance: {
      const EventSchema* described =
          find({header.provider, kClassicBit | header.opcode}, header.version);
      return described ? described : classic_layout(header.provider, header.opcode, header.version);
    }
    case RecordKind::message:
      message = tmf_.find(header.provider, header.id);
      return message ? &message->schema : nullptr;
    default:
      return nullptr;
  }
}

void Decoder::decode(const Record& record, DecodedEvent& event) {
  decode(record, {memory_, counts_, this, nullptr}, event);
}

void Decoder::decode(const Record& record, const SharedText* own_name, DecodeMemory& memory,
                     DecodedEvent& event) const {
  decode(record, {memory, memory.counts_, nullptr, own_name}, event);
}

void Decoder::decode(const Record& record, const Place& place, DecodedEvent& event) const {
  event.header = decode_header(record);
  event.fields.clear();
  event.message.clear();
  event.padding_bytes = 0;
  event.missing_fields = 0;
  event.complete = !event.header.extended_damaged;
  const TmfMessage* message = nullptr;
  event.schema = schema_of(record, event.header, place, message);
  event.undecoded = event.header.payload;
  if (event.schema) {
    PayloadResult result =
        decode_payload(*event.schema, event.header.payload, record.pointer_bytes, event.fields);
    event.complete = event.complete && result.complete;
    event.padding_bytes = result.padding_bytes;
    event.missing_fields = result.missing_fields;
    event.undecoded = event.header.payload.subspan(result.consumed_bytes);
    if (event.schema->packed) unpack(event);
  }
  if (message && !append_tmf_message(*message, event.fields, event.message)) {
    event.complete = false;
  }
  name_event(record, place, event);
}

std::string_view Decoder::provider_name(const Guid& provider) const {
  auto at = provider_names_.find(provider);
  return at == provider_names_.end() ? std::string_view() : at->second.view();
}

// Its sources: what describes events, and the events' provider traits.
const SharedText* Decoder::remember_provider(const RecordHeader& header) {
  auto known = provider_names_.find(header.provider);
  if (known != provider_names_.end()) return &known->second;
  Bytes bytes = find_extended(header.extended, ExtendedType::provider_traits);
  if (bytes.empty() || provider_names_.size() >= kMaxSchemas) return nullptr;
  auto traits = parse_provider_traits(bytes);
  if (!traits || traits->name.empty()) return nullptr;
  return &(provider_names_[header.provider] = SharedText(std::move(traits->name)));
}

void Decoder::name_event(const Record& record, const Place& place, DecodedEvent& event) {
  const RecordHeader& header = event.header;
  event.name_storage.clear();
  event.provider_name = event.schema ? event.schema->provider_name.view() : std::string_view();
  if (event.provider_name.empty()) {
    if (const SharedText* name = place.name_of(header)) event.provider_name = name->view();
  }
  if (event.provider_name.empty()) event.provider_name = known_provider_name(header.provider);
  event.event_name = event.schema ? std::string_view(event.schema->event_name) : std::string_view();
  if (!event.provider_name.empty() && !event.event_name.empty()) return;
  // Both names may be built in one string, so it is completed before views into it are made.
  std::size_t provider_bytes = 0;
  if (event.provider_name.empty()) {
    if (header.is_kernel()) {
      event.name_storage = "Windows Kernel";
    } else if (!header.provider.is_zero()) {
      event.name_storage = to_text(header.provider);
    } else {
      event.name_storage = std::string(kind_name(record.kind));
    }
    provider_bytes = event.name_storage.size();
  }
  if (event.event_name.empty()) {
    auto out = std::back_inserter(event.name_storage);
    if (header.is_kernel()) {
      std::string_view group = kernel_group_name(header.hook_id);
      if (group.empty()) {
        fmt::format_to(out, "Group({:#04x})/Opcode({})", header.hook_id >> 8, header.opcode);
      } else {
        fmt::format_to(out, "{}/Opcode({})", group, header.opcode);
      }
    } else if (record.kind == RecordKind::event || record.kind == RecordKind::message) {
      fmt::format_to(out, "EventID({})", header.id);
    } else {
      fmt::format_to(out, "Opcode({})", header.opcode);
    }
  }
  std::string_view storage = event.name_storage;
  if (provider_bytes > 0) event.provider_name = storage.substr(0, provider_bytes);
  if (event.event_name.empty()) event.event_name = storage.substr(provider_bytes);
}

}  // namespace tailgate::etl
