// TRACE_EVENT_INFO and EVENT_MAP_INFO. Merge tools write them into a file, so that it can be
// decoded where the providers are not installed. Source: tdh.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/etl/bytes.h"
#include "harness/etl/guid.h"
#include "harness/etl/schema.h"

namespace tailgate::etl {

// A schema and the events that it describes.
struct EventInfo {
  Guid provider;
  Guid event_class;  // classic (WBEM) events only
  std::uint16_t id = 0;
  std::uint8_t version = 0;
  std::uint8_t opcode = 0;
  bool classic = false;
  std::unique_ptr<EventSchema> schema;
  // Names of the maps that the properties refer to, by property slot; see resolve_maps().
  std::vector<std::string> map_names;  // index: property slot; empty: none
};

// Decodes TRACE_EVENT_INFO. Returns nothing when an offset or a count leaves the blob.
std::optional<EventInfo> parse_event_info(Bytes blob);

struct MapInfo {
  Guid provider;
  std::shared_ptr<ValueMap> map;
};

// Decodes a provider's GUID and the EVENT_MAP_INFO after it (value maps and bitmaps of manifests).
// Returns nothing when it is cut.
std::optional<MapInfo> parse_map_info(Bytes blob);

// The value type of a TDH_INTYPE and the format of a TDH_OUTTYPE. Nothing for unknown types.
std::optional<ValueType> value_type_of_tdh(unsigned in_type);
ValueFormat format_of_tdh(unsigned out_type);

}  // namespace tailgate::etl
