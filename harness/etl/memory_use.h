// Memory that processes allocated and did not free. Sources: MOF's PageFault_VirtualAlloc and
// PageFault_VirtualAllocRundown; the flags are those of VirtualAlloc and VirtualFree (winnt.h);
// MOF's HeapAlloc, HeapRealloc, HeapFree and Destroy.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Ranges of addresses, each with the number of what put it there.
class AddressRanges {
 public:
  // add() passes at most as many ranges that are there already.
  static constexpr std::size_t kMaxPassed = 4096;

  struct Change {
    std::uint64_t bytes = 0;  // added, or taken out
    bool complete = true;     // false: a part of the range was not added, or, behind the range that
                              // was taken out, lost_bytes are not kept any more
    std::uint64_t lost_bytes = 0;
  };

  // Adds the parts of the range that are not in it, as at most `room` ranges.
  Change add(std::uint64_t from, std::uint64_t size, std::uint32_t owner, std::size_t room);
  // Takes the range out, which may make one range more if there is room.
  Change remove(std::uint64_t from, std::uint64_t size, std::size_t room);
  // The bytes that each owner still has.
  std::map<std::uint32_t, std::uint64_t> by_owner() const;
  // Inserts the owners of ranges.
  void collect_owners(std::unordered_set<std::uint32_t>& owners) const;
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
// latter; and the same of the blocks of heaps. One report per clock. max_rows limits each table of
// the text; the JSON (one object per session and line) has all processes and 16,384 stacks of each
// kind. What a session has beyond 262,144 ranges of addresses and blocks at once, 65,536 processes,
// or 65,536 stacks with 1,048,576 frames, its notes count.
void report_memory(const std::vector<const TraceFile*>& files, TextFormat format,
                   std::size_t max_rows, const TextSink& sink);

}  // namespace tailgate::etl
