// Memory that processes allocated and did not free. Sources: MOF's PageFault_VirtualAlloc and
// PageFault_VirtualAllocRundown; the flags are those of VirtualAlloc and VirtualFree (winnt.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Ranges of addresses, each with the number of what put it there.
class AddressRanges {
 public:
  // Adds the parts of the range that are not in it. Returns their bytes.
  std::uint64_t add(std::uint64_t from, std::uint64_t size, std::uint32_t owner);
  // Takes the range out. Returns the bytes that were in it.
  std::uint64_t remove(std::uint64_t from, std::uint64_t size);
  // The bytes that each owner still has.
  std::map<std::uint32_t, std::uint64_t> by_owner() const;
  std::size_t count() const { return ranges_.size(); }

 private:
  struct Range {
    std::uint64_t end;
    std::uint32_t owner;
  };
  std::map<std::uint64_t, Range> ranges_;  // by begin; they do not overlap
};

// Reports, for each process, the bytes that it committed and freed while the trace was recorded,
// and what of them was neither freed nor ended with the process; and the stacks that committed the
// latter. One report per clock. max_rows limits each table of the text; the JSON (one object per
// session and line) has all rows.
void report_memory(const std::vector<const TraceFile*>& files, TextFormat format,
                   std::size_t max_rows, const TextSink& sink);

}  // namespace tailgate::etl
