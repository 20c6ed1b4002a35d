// Which kinds of records and buffers this reader was tested on with made-up data only: none of the
// real traces that its tests read has them. README.md, "What is verified and what is not", lists
// them; testing/made_up_main.cpp holds the kernel's against real traces.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "harness/etl/record.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

class MadeUpKinds {
 public:
  // The kind of a kernel event that only made-up data tests; empty for others.
  static std::string_view of_hook(std::uint16_t hook);

  void add(const Record& record, const RecordHeader& header);
  // What concerns whole sessions: clocks, compression, files that wrap.
  void add(const TraceFile& file);

  // Records (of sessions: sessions) by kind, without those that there are none of.
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace tailgate::etl
