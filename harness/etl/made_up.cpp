#include "harness/etl/made_up.h"

#include <string_view>

namespace tailgate::etl {
namespace {

// The drivers that capture packets: packets.cpp has the sources.
const Guid kMadeUpNdisCapture = *parse_guid("2ed6006e-4729-4609-b423-3ee7bcd678ef");
const Guid kMadeUpPktMon = *parse_guid("4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac");

struct HookRange {
  std::uint16_t first;
  std::uint16_t last;
  std::string_view kind;
};

constexpr HookRange kHooks[] = {
    {0x0040, 0x0043, "session rundowns of a trace"},
    {0x0052, 0x0052, "session rundowns of a trace"},
    {0x0110, 0x0110, "redirected disk I/O"},
    {0x0122, 0x0125, "driver calls"},
    {0x0134, 0x0135, "driver calls"},
    {0x0137, 0x013C, "optical disk I/O"},
    {0x020A, 0x020F, "soft page faults"},
    {0x0262, 0x0263, "VirtualAlloc and VirtualFree"},
    {0x0280, 0x0281, "VirtualAlloc and VirtualFree"},
    {0x030B, 0x030B, "ends of processes by old events"},
    {0x0400, 0x0400, "names of files by old events"},
    {0x0425, 0x0428, "file mappings"},
    {0x0440, 0x0451, "file I/O"},
    {0x0524, 0x0524, "context switches"},
    {0x0525, 0x0525, "batches of compact context switches"},
    {0x0530, 0x0531, "threads' priorities, affinities, migrations and names"},
    {0x0532, 0x0532, "ready-thread events"},
    {0x0533, 0x0548, "threads' priorities, affinities, migrations and names"},
    {0x060C, 0x060C, "TCP connections, retransmissions and copies"},
    {0x060E, 0x060E, "TCP connections, retransmissions and copies"},
    {0x0610, 0x0612, "TCP connections, retransmissions and copies"},
    {0x061C, 0x0620, "TCP connections, retransmissions and copies"},
    {0x0622, 0x0622, "TCP connections, retransmissions and copies"},
    {0x0811, 0x0811, "failures of UDP"},
    {0x0900, 0x09FF, "registry operations"},
    {0x0B0E, 0x0B0E, "video adapters"},
    {0x0B15, 0x0B15, "interrupt lines"},
    {0x0B18, 0x0B18, "NUMA nodes"},
    {0x0B1A, 0x0B1B, "processor groups and numbers"},
    {0x0B1D, 0x0B1E, "code integrity and telemetry settings"},
    {0x0B1F, 0x0B1F, "defragmentation"},
    {0x0B21, 0x0B25, "descriptions of the device, its processors and its start"},
    {0x0F2F, 0x0F30, "hardware counters' samples"},
    {0x0F32, 0x0F32, "ISRs"},
    {0x0F33, 0x0F34, "system calls"},
    {0x0F42, 0x0F42, "DPCs"},
    {0x0F43, 0x0F43, "ISRs"},
    {0x0F44, 0x0F46, "DPCs"},
    {0x0F48, 0x0F48, "changes of the sampling interval"},
    {0x0F5F, 0x0F5F, "ISRs"},
    {0x1020, 0x103A, "events of heaps"},
    {0x1722, 0x1723, "critical sections"},
    {0x1822, 0x1822, "creations of stack keys"},
    {0x1A00, 0x1AFF, "ALPC messages"},
    {0x1B20, 0x1B20, "split I/O"},
    {0x1C20, 0x1C28, "thread pools"},
};

}  // namespace

std::string_view MadeUpKinds::of_hook(std::uint16_t hook) {
  for (const HookRange& range : kHooks) {
    if (hook >= range.first && hook <= range.last) return range.kind;
  }
  return {};
}

void MadeUpKinds::add(const Record& record, const RecordHeader& header) {
  const auto count = [this](std::string_view kind) { ++counts_[std::string(kind)]; };
  switch (record.kind) {
    case RecordKind::compact:
      count("COMPACT headers");
      break;
    case RecordKind::instance:
      count("INSTANCE headers");
      break;
    case RecordKind::message:
      count("WPP messages");
      break;
    case RecordKind::perf_info:
      if (record.pointer_bytes == 4) count("32-bit PERFINFO headers");
      break;
    default:
      break;
  }
  if (header.is_kernel()) {
    const std::string_view kind = of_hook(header.hook_id);
    if (!kind.empty()) count(kind);
  } else if (header.provider == kMadeUpNdisCapture || header.provider == kMadeUpPktMon) {
    count("events of the drivers that capture packets");
  }
}

void MadeUpKinds::add(const TraceFile& file) {
  const auto count = [this](bool there, const char* kind) {
    if (there) ++counts_[kind];
  };
  count(file.epochs().size() > 1, "appended sessions");
  for (const Epoch& epoch : file.epochs()) {
    const CompressionFormat compression = epoch.header.compression;
    count(epoch.header.clock_type != ClockType::performance_counter,
          "session clocks other than the performance counter");
    count(compression == CompressionFormat::lznt1, "LZNT1 compression");
    count(compression == CompressionFormat::xpress_huffman, "XPRESS-Huffman compression");
    count(epoch.buffers_overwritten != 0, "circular files that wrapped");
    count(epoch.buffers_flagged_events_lost + epoch.buffers_flagged_buffer_lost != 0,
          "buffers flagged for lost events");
  }
}

}  // namespace tailgate::etl
