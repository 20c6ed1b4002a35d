// TRACE_EVENT_INFO and EVENT_MAP_INFO as merge tools write them into a file, so that it decodes
// where the providers are not installed. Source: tdh.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "providers/etw/etl/bytes.h"
#include "providers/etw/etl/guid.h"
#include "providers/etw/etl/schema.h"

namespace tailgate::etl {

// A schema and which events it is for.
struct EventInfo {
  Guid provider;
  Guid event_class;  // classic (WBEM) events only
  std::uint16_t id = 0;
  std::uint8_t version = 0;
  std::uint8_t opcode = 0;
  bool classic = false;
  std::unique_ptr<EventSchema> schema;
  // Names of the maps that properties want, by path of indexes; resolved by resolve_maps().
  std::vector<std::string> map_names;  // by slot; empty: none
};

// Decodes TRACE_EVENT_INFO. Nothing when an offset or a count goes outside the blob.
std::optional<EventInfo> parse_event_info(Bytes blob);

struct MapInfo {
  Guid provider;
  std::shared_ptr<ValueMap> map;
};

// Decodes a provider's GUID followed by EVENT_MAP_INFO (value maps and bitmaps of manifests).
// Nothing when it is cut.
std::optional<MapInfo> parse_map_info(Bytes blob);

// The storage and format behind TDH_INTYPE and TDH_OUTTYPE numbers. Nothing for unknown types.
std::optional<ValueType> value_type_of_tdh(unsigned in_type);
ValueFormat format_of_tdh(unsigned out_type);

}  // namespace tailgate::etl
