// Payload layouts of the classic events that no file describes: those of the kernel and of merge
// tools. The table's rows name their sources.
#pragma once

#include <cstdint>

#include "harness/etl/guid.h"
#include "harness/etl/schema.h"

namespace tailgate::etl {

// The layout of a kernel hook in a version. Newer versions mostly add fields at the end, so for a
// version that the table does not have, this is the newest layout that is not newer, or the oldest
// one for still older versions; EventSchema::versions says so. Null for unknown hooks.
const EventSchema* kernel_layout(std::uint16_t hook_id, std::uint16_t version);

// The layout of a classic event by class GUID and opcode; the kernel's groups included.
const EventSchema* classic_layout(const Guid& event_class, std::uint8_t opcode,
                                  std::uint16_t version);

}  // namespace tailgate::etl
