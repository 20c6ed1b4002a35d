#include "harness/etl/kernel_groups.h"

#include <array>

#include "harness/etl/kernel_hooks.h"

namespace tailgate::etl {
namespace {

struct GroupRow {
  std::uint8_t group;
  std::string_view name;
  std::string_view guid;
};

constexpr GroupRow kGroups[] = {
    {0x00, "EventTrace", "68fdd900-4a3e-11d1-84f4-0000f80464e3"},
    {0x01, "DiskIo", "3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c"},
    {0x02, "PageFault", "3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c"},
    {0x03, "Process", "3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c"},
    {0x04, "FileIo", "90cbdc39-4a3e-11d1-84f4-0000f80464e3"},
    {0x05, "Thread", "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c"},
    {0x06, "TcpIp", "9a280ac0-c8e0-11d1-84e2-00c04fb998a2"},
    {0x07, "Job", "3282fc76-feed-498e-8aa7-e70f459d430e"},
    {0x08, "UdpIp", "bf3a50c5-a9c9-4988-a005-2df0b7c80f80"},
    {0x09, "Registry", "ae53722e-c863-11d2-8659-00c04fa321a1"},
    {0x0A, "DbgPrint", "13976d09-a327-438c-950b-7f03192815c7"},
    {0x0B, "SystemConfig", "01853a65-418f-4f36-aefc-dc0f1d2fd235"},
    {0x0D, "Wnf", "42695762-ea50-497a-9068-5cbbb35e0b95"},
    {0x0E, "Pool", "0268a8b6-74fd-4302-9dd0-6e8f1795c0cf"},
    {0x0F, "PerfInfo", "ce1dbfb4-137e-4da6-87b0-3f59aa102cbc"},
    {0x10, "Heap", "222962ab-6180-4b88-a825-346b75f2a24a"},
    {0x11, "Object", "89497f50-effe-4440-8cf2-ce6b1cdcaca7"},
    {0x12, "Power", "e43445e0-0903-48c3-b878-ff0fccebdd04"},
    {0x14, "Image", "2cb15d1d-5fc1-11d2-abe1-00a0c911f518"},
    {0x15, "Dpc", "b2d14872-7c5b-463d-8419-ee9bf7d23e04"},
    {0x17, "CritSec", "3ac66736-cc59-4cff-8115-8df50e39816b"},
    {0x18, "StackWalk", "def2fe46-7bd6-4b80-bd94-f57fe20d0ce3"},
    {0x1A, "ALPC", "45d8cccd-539f-4b72-a8b7-5c683142609a"},
    {0x1B, "SplitIo", "d837ca92-12b9-44a5-ad6a-3a65b3578aa8"},
    {0x1C, "ThreadPool", "c861d0e2-a2c1-4d36-9f9c-970bab943a12"},
};

struct GroupTable {
  std::array<Guid, 256> guids{};
  std::array<std::string_view, 256> names{};

  GroupTable() {
    for (const GroupRow& row : kGroups) {
      guids[row.group] = *parse_guid(row.guid);
      names[row.group] = row.name;
    }
  }
};

const GroupTable& table() {
  static const GroupTable the_table;
  return the_table;
}

std::uint8_t shown_group(std::uint16_t hook_id) {
  return hook_id == kHookImageLoad ? 0x14 : static_cast<std::uint8_t>(hook_id >> 8);
}

}  // namespace

const Guid& kernel_group_guid(std::uint16_t hook_id) {
  return table().guids[shown_group(hook_id)];
}

std::string_view kernel_group_name(std::uint16_t hook_id) {
  return table().names[shown_group(hook_id)];
}

std::optional<std::uint8_t> kernel_group_of(const Guid& guid) {
  for (const GroupRow& row : kGroups) {
    if (table().guids[row.group] == guid) return row.group;
  }
  return std::nullopt;
}

}  // namespace tailgate::etl
