// Names and class GUIDs of the kernel's event groups, the high byte of a hook id.
// Source: Microsoft's MSNT_SystemTrace classes; Geoff Chappell for the groups without a class.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "providers/etw/etl/guid.h"

namespace tailgate::etl {

// Class GUID under which consumers see this hook; zero for a group without a documented one.
// Image load has a hook of the process group and shows up as an image event.
const Guid& kernel_group_guid(std::uint16_t hook_id);

// "Process", "DiskIo"; empty for an unknown group.
std::string_view kernel_group_name(std::uint16_t hook_id);

// The group whose class GUID this is; nothing for another GUID. Classic events carry the GUID
// instead of the group.
std::optional<std::uint8_t> kernel_group_of(const Guid& guid);

}  // namespace tailgate::etl
