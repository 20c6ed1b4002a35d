#include "harness/etl/undescribed.h"

#include <array>
#include <iterator>

#include "harness/etl/kernel_groups.h"
#include "harness/etl/kernel_hooks.h"

namespace tailgate::etl {
namespace {

// Looked for in TraceEvent, krabsetw, wmicore.mof and the classes of root/WMI (microsoft/wmi),
// Microsoft's documentation of ETW, evntrace.h, phnt's ntwmi.h, ReactOS, and other readers: airbus
// etl-parser, dissect.etl, snail-server, libtrace. evntrace.h has the names of SystemConfig's.
struct UndescribedEvent {
  std::string_view event_class;
  std::uint8_t opcode;
  std::string_view what;
};

constexpr std::string_view kSystemConfig = "01853a65-418f-4f36-aefc-dc0f1d2fd235";
constexpr std::string_view kImageIds = "b3e675d7-2554-4f18-830b-2762732560de";
constexpr std::string_view kSysConfig = "9b79ee91-b5fd-41c0-a243-4248e266e9d0";

constexpr UndescribedEvent kUndescribed[] = {
    {kSystemConfig, 19, "SystemConfig, opcode 19 (physical disks, extended)"},
    {kImageIds, 34, "ImageID, opcode 34"},
    {kImageIds, 39, "ImageID, opcode 39"},
    {kImageIds, 41, "ImageID, opcode 41"},
    {kSysConfig, 36, "SysConfig, opcode 36"},
};

struct UndescribedRow {
  Guid event_class;
  std::uint8_t opcode;
  std::string_view what;
};

const std::array<UndescribedRow, std::size(kUndescribed)>& undescribed_rows() {
  static const auto the_rows = [] {
    std::array<UndescribedRow, std::size(kUndescribed)> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = {*parse_guid(kUndescribed[i].event_class), kUndescribed[i].opcode,
                 kUndescribed[i].what};
    }
    return made;
  }();
  return the_rows;
}

}  // namespace

std::string_view undescribed_event(const RecordHeader& header) {
  if (header.is_kernel() && header.hook_id == kHookContextSwitchBatch) {
    return "compact context switches: what their bits mean";
  }
  for (const UndescribedRow& row : undescribed_rows()) {
    if (row.opcode == header.opcode && row.event_class == header.provider) return row.what;
  }
  return {};
}

}  // namespace tailgate::etl
