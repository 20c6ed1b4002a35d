// Which kinds of records and buffers this reader was tested on with made-up data only: nobody has
// given us a real file with them. README.md, "What is verified and what is not", lists them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/etl/record.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

class MadeUpKinds {
 public:
  void add(const Record& record, const RecordHeader& header);
  // What concerns whole sessions: clocks, compression, files that wrap.
  void add(const TraceFile& file);

  // Records (of sessions: sessions) by kind, without those that there are none of.
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace tailgate::etl
