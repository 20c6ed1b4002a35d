// Reads any bytes as records of the kernel's trace and as an event's format, then checks that the
// slices of a call cut from the resulting timeline add up.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "harness/base/error.h"
#include "harness/explain/call_cutter.h"
#include "harness/explain/ftrace_records.h"
#include "harness/explain/function_steps.h"
#include "harness/tracefs/test_pages.h"

namespace {

using namespace tailgate;
using namespace tailgate::activity;

constexpr std::uint32_t kLoad = 1;

void know(FtraceRecords& records, const char* name, int id, const std::string& fields) {
  records.add_format(tracefs::format_text(name, id, fields));
}

std::string field(const char* name, int offset, int size) {
  return std::string("\tfield:int ") + name + ";\toffset:" + std::to_string(offset) +
         ";\tsize:" + std::to_string(size) + ";\n";
}

void add_some_formats(FtraceRecords& records) {
  know(records, "sched_switch", 1,
       field("prev_pid", 8, 1) + field("prev_state", 9, 1) + field("next_pid", 10, 1) +
           field("prev_comm", 8, 4) + field("next_comm", 8, 4));
  know(records, "sched_waking", 2, field("pid", 8, 1) + field("comm", 8, 4));
  know(records, "irq_handler_entry", 3, field("irq", 8, 1) + field("name", 8, 4));
  know(records, "irq_handler_exit", 4, field("irq", 8, 1));
  know(records, "softirq_entry", 5, field("vec", 8, 1));
  know(records, "softirq_exit", 6, field("vec", 8, 1));
  know(records, "sys_enter", 7, field("id", 8, 1));
  know(records, "sys_exit", 8, field("id", 8, 1));
  know(records, "page_fault_user", 9, "");
  know(records, "block_rq_issue", 10,
       field("dev", 8, 1) + field("sector", 8, 1) + field("rwbs", 8, 2) + field("nr_sector", 8, 1));
  know(records, "block_rq_complete", 11, field("dev", 8, 1) + field("sector", 8, 1));
  know(records, "mm_page_alloc", 12, "");
  know(records, "mm_vmscan_direct_reclaim_begin", 13, "");
  know(records, "mm_vmscan_direct_reclaim_end", 14, "");
  know(records, "contention_begin", 15, "");
  know(records, "function", 17, field("ip", 8, 4));
  know(records, "block_bio_queue", 16, field("dev", 8, 1) + field("sector", 8, 1));
}

}  // namespace

// The input is a list of records: one byte for the processor, two for the time since the previous
// record, twelve of data.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  timeline.watch(kLoad);
  FtraceRecords records(timeline);
  add_some_formats(records);
  try {
    records.add_format({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
  }
  constexpr std::size_t kRecord = 15;
  Ticks now = 0;
  for (; size >= kRecord; data += kRecord, size -= kRecord) {
    std::uint16_t later;
    std::memcpy(&later, data + 1, sizeof later);
    now += later;
    records.add(data[0] % 4u, now, std::as_bytes(std::span(data + 3, kRecord - 3)));
  }
  timeline.finish(now);
  CallCutter cutter(timeline, {0, now, true});
  Ticks at = 0;
  const std::vector<Slice> slices = cutter.cut({kLoad, 0, 0, now / 2, now, 100, 100});
  for (const Slice& slice : slices) {
    if (slice.begin != at || slice.end <= slice.begin) std::abort();
    at = slice.end;
  }
  if (at != now) std::abort();
  at = now / 2;
  for (const FunctionStay& stay : function_stays(timeline, kLoad, slices, at)) {
    if (stay.begin < at || stay.end < stay.begin || stay.end > now) std::abort();
    at = stay.end;
  }
  return 0;
}
