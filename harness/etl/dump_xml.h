// An event as XML, in the form in which Windows shows events of its log and of traces: the event
// schema, https://learn.microsoft.com/windows/win32/wes/eventschema-schema. It is XML 1.0 whatever
// the bytes of the trace are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/etl/event_path.h"

namespace tailgate::etl {

inline constexpr std::string_view kXmlHeading =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Events>\n";
inline constexpr std::string_view kXmlFooting = "</Events>\n";

// Appends an <Event> element in a line of its own. Fields are <Data Name="..."> and
// <ComplexData Name="...">; an array is as many elements of its name as it has values. Those after
// 16 MB of text are left out, and the event is marked damaged. `replaced` grows by the characters
// that XML does not allow. What the event schema has no place for stands behind, in tailgate's name
// space: Misfit, the bytes and fields that the schema and the payload do not share, and Names, the
// names of trace_names.h.
void append_xml(const EventView& view, std::uint64_t& replaced, std::string& out);

}  // namespace tailgate::etl
