// Payload layouts of the classic events that no file describes: those of the kernel and of merge
// tools. Source: Microsoft's MSNT_SystemTrace classes, Geoff Chappell, and real payloads.
#pragma once

#include <cstdint>

#include "harness/etl/guid.h"
#include "harness/etl/schema.h"

namespace tailgate::etl {

// The layout of a kernel hook in a version. Newer versions add fields at the end, so this is the
// newest known layout that is not newer than `version`, or the oldest one for still older versions.
// Null for unknown hooks.
const EventSchema* kernel_layout(std::uint16_t hook_id, std::uint16_t version);

// The layout of a classic event by class GUID and opcode; the kernel's groups included.
const EventSchema* classic_layout(const Guid& event_class, std::uint8_t opcode,
                                  std::uint16_t version);

}  // namespace tailgate::etl
