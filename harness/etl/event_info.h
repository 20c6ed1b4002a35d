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
  // The schema's layout when its properties refer to maps, which may be described later; else null.
  std::shared_ptr<PayloadLayout> needs_maps;
  // Names of those maps, by property slot.
  std::vector<std::string> map_names;  // index: property slot; empty: none
};

// Decodes TRACE_EVENT_INFO. Returns nothing when an offset or a count leaves the blob, or when it
// refers to so many overlapping texts that together they are 8 times as long as the blob.
std::optional<EventInfo> parse_event_info(Bytes blob);

struct MapInfo {
  Guid provider;
  std::shared_ptr<ValueMap> map;
};

// Decodes a provider's GUID and the EVENT_MAP_INFO after it (value maps and bitmaps of manifests).
// Returns nothing when it is cut, and of texts as above.
std::optional<MapInfo> parse_map_info(Bytes blob);

// Corrects the layout of a stack of the CLR, which declares two addresses in its manifest: the
// event has as many as its FrameCount says. Source: CoreCLR's ClrEtwAll.man, whose template
// ClrStackWalk notes that the array's length cannot be expressed; real events. Leaves other layouts
// as they are.
void correct_clr_stack(const Guid& provider, PayloadLayout& layout);

// The value type of a TDH_INTYPE and the format of a TDH_OUTTYPE. Nothing for unknown types.
std::optional<ValueType> value_type_of_tdh(unsigned in_type);
ValueFormat format_of_tdh(unsigned out_type);

}  // namespace tailgate::etl
