// Learns from a trace's records which images its processes have, and the ids of their symbols.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/modules.h"
#include "harness/etl/record.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

class ModuleReader {
 public:
  // pointer_bytes: of the machine that recorded. The modules must outlive this object.
  ModuleReader(unsigned pointer_bytes, Modules& modules);

  // Returns whether the record is one of an image or of its symbols.
  bool add(const Record& record, const RecordHeader& header);

 private:
  void add_image(const DecodedEvent& event);
  void add_pdb(const DecodedEvent& event);

  Modules& modules_;
  Decoder decoder_;
  DecodedEvent event_;
};

// All images of one of the files' clocks (see TraceReader::read_only()), ready for place_of(). At
// least one file.
Modules modules_in(const std::vector<const TraceFile*>& files, std::size_t clock);

}  // namespace tailgate::etl
