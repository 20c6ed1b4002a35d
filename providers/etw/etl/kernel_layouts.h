// Payload layouts of the classic events that no file describes: the kernel's and those that merge
// tools add. Source: Microsoft's MSNT_SystemTrace classes, Geoff Chappell, and real payloads.
#pragma once

#include <cstdint>

#include "providers/etw/etl/guid.h"
#include "providers/etw/etl/schema.h"

namespace tailgate::etl {

// The layout of a kernel hook at a version: the newest known one that is not newer than asked for
// (versions grow by fields at the end), the oldest for still older ones. Null for unknown hooks.
const EventSchema* kernel_layout(std::uint16_t hook_id, std::uint16_t version);

// The layout of a classic event by class GUID and opcode. Covers the kernel's groups too.
const EventSchema* classic_layout(const Guid& event_class, std::uint8_t opcode,
                                  std::uint16_t version);

}  // namespace tailgate::etl
