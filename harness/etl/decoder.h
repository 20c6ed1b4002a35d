// Decodes records into named, typed fields. The description comes from the record's own metadata,
// schemas in the file, manifests and TMF files that the user names, or the built-in kernel layouts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/etl/event_info.h"
#include "harness/etl/manifest.h"
#include "harness/etl/payload.h"
#include "harness/etl/record.h"
#include "harness/etl/tmf.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// One decoded event. Its views point into the record, the decoder and this object. They are valid
// until the next decode() or the end of the record, whichever comes first. Reuse one object for all
// events.
struct DecodedEvent {
  RecordHeader header;
  const EventSchema* schema = nullptr;  // null: no schema found
  std::vector<Field> fields;
  Bytes undecoded;                 // the payload's bytes that no field covers; left over with a
                                   // schema, all of them without one
  std::size_t padding_bytes = 0;   // bytes that the schema calls padding
  std::size_t missing_fields = 0;  // of the schema: the payload ends before them
  bool complete = true;            // false: the payload is cut within a field, or damaged
  std::string_view provider_name;  // the GUID as text when there is no name
  std::string_view event_name;     // EventID(n) or Opcode(n) when there is no name
  std::string message;             // WPP: the formatted message
  std::string name_storage;
  std::vector<std::uint8_t> unpacked;  // text that the payload holds compressed

  // Whether the schema accounts for every byte of the payload, and the payload for every field.
  bool fits() const { return complete && missing_fields == 0 && (!schema || undecoded.empty()); }
  // The version that the schema describes when the event has another one.
  std::optional<std::uint16_t> other_version() const;
};

// Counts of schemas by their origin, and of what could not be used.
struct SchemaCounts {
  std::uint64_t event_infos = 0;
  std::uint64_t maps = 0;
  std::uint64_t stream_manifests = 0;
  std::uint64_t manifest_events = 0;
  std::uint64_t tmf_messages = 0;
  std::uint64_t unusable = 0;  // event infos, maps, manifests or chunks that are damaged
  std::uint64_t incomplete_manifests = 0;
  // Schemas and maps beyond 65,536 of each, or beyond 128 MB; TraceLogging's schemas beyond 32 MB.
  // A compressed file may describe thousands of times its own size.
  std::uint64_t dropped_over_limit = 0;
};

// What one thread keeps between the events that it decodes: the schemas of TraceLogging, which the
// events themselves contain.
class DecodeMemory {
 public:
  static constexpr std::size_t kMaxBytes = 32u << 20;
  explicit DecodeMemory(std::size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

 private:
  friend class Decoder;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::unordered_map<std::string, std::unique_ptr<EventSchema>, TextHash, std::equal_to<>> schemas_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;  // of the schemas and their keys
  std::string key_;
  SchemaCounts counts_;
};

class Decoder {
 public:
  // Adds a manifest (.man) or TMF file that the user named. Throws Error when it is neither.
  void add_manifest(Bytes xml);
  void add_tmf(std::string_view text, const std::string& name);

  // Collects the schemas in the files; reads every buffer once. Call it before decode(), because a
  // file may describe an event after its first use.
  void learn(std::span<const TraceFile* const> files);
  // The same, record by record; call finish_learning() at the end.
  void learn(const Record& record);
  void finish_learning();

  void decode(const Record& record, DecodedEvent& event);

  // The same on several threads, each with a memory and an event of its own. own_name is what
  // remember_provider() returned for the record. No thread may learn meanwhile.
  void decode(const Record& record, const SharedText* own_name, DecodeMemory& memory,
              DecodedEvent& event) const;
  // The name of the record's provider that the trace gives; null when there is none. It is
  // remembered for events of the provider that do not give it, so the records must come in their
  // order, and from one thread at a time. The name stays where it is.
  const SharedText* remember_provider(const RecordHeader& header);

  // The provider's name from a manifest or traits; empty when unknown.
  std::string_view provider_name(const Guid& provider) const;
  const SchemaCounts& counts() const { return counts_; }

 private:
  struct EventKey {
    Guid provider;
    std::uint32_t id;  // event id, or opcode with kClassicBit
    bool operator==(const EventKey&) const = default;
  };
  struct EventKeyHash {
    std::size_t operator()(const EventKey& key) const {
      return GuidHash()(key.provider) ^ (key.id * 0x9E3779B1u);
    }
  };
  // Properties whose maps may be described later.
  struct Unresolved {
    std::shared_ptr<PayloadLayout> layout;
    std::vector<std::string> map_names;  // index: property slot
  };
  struct Kept {
    std::unique_ptr<EventSchema> schema;
    std::size_t bytes = 0;
  };
  using Versions = std::map<std::uint16_t, Kept>;

  // bytes: about how much memory it takes.
  void add_event(EventInfo&& info, std::size_t bytes);
  void add_map(MapInfo&& info);
  void add_manifest_events(Manifest&& manifest, std::size_t xml_bytes);
  void learn_metadata(const RecordHeader& header);
  const EventSchema* find(const EventKey& key, std::uint16_t version) const;
  // Where decoding keeps what it finds, and where it gets the provider's own name.
  struct Place {
    DecodeMemory& memory;
    SchemaCounts& counts;
    Decoder* names;              // null: own_name is it
    const SharedText* own_name;  // null: there is none
    const SharedText* name_of(const RecordHeader& header) const {
      return names ? names->remember_provider(header) : own_name;
    }
  };
  const EventSchema* find_event_schema(const RecordHeader& header, const Place& place) const;
  static const EventSchema* tracelogging_schema(const RecordHeader& header, Bytes metadata,
                                                const Place& place);
  const EventSchema* schema_of(const Record& record, const RecordHeader& header, const Place& place,
                               const TmfMessage*& message) const;
  void decode(const Record& record, const Place& place, DecodedEvent& event) const;
  static void name_event(const Record& record, const Place& place, DecodedEvent& event);

  std::unordered_map<EventKey, Versions, EventKeyHash> events_;
  std::unordered_map<Guid, SharedText, GuidHash> provider_names_;
  std::map<std::pair<Guid, std::string>, std::shared_ptr<const ValueMap>> maps_;
  std::unordered_map<const EventSchema*, Unresolved> unresolved_;
  DecodeMemory memory_;
  ManifestAssembler assembler_;
  TmfStore tmf_;
  SchemaCounts counts_;
  std::uint64_t schema_count_ = 0;
  std::size_t schema_bytes_ = 0;  // of events_ and maps_
};

}  // namespace tailgate::etl
