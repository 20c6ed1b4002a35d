// The kernel's event groups (the high byte of a hook id): their names and class GUIDs. Source:
// Microsoft's MSNT_SystemTrace classes; Geoff Chappell for the groups without a class.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/etl/guid.h"

namespace tailgate::etl {

// The class GUID that consumers see for this hook; zero for a group without a documented one. The
// hook of an image load belongs to the process group, but consumers see an image event.
const Guid& kernel_group_guid(std::uint16_t hook_id);

// "Process", "DiskIo"; empty for an unknown group.
std::string_view kernel_group_name(std::uint16_t hook_id);

// The group with this class GUID; nothing for another GUID. Classic events contain the GUID instead
// of the group.
std::optional<std::uint8_t> kernel_group_of(const Guid& guid);

}  // namespace tailgate::etl
