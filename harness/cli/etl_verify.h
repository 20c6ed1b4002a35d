// The ledger of an ETW run, taken from the trace file that the run's session wrote.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/etl/trace_file.h"
#include "harness/result/result.h"
#include "harness/trial/ledger.h"

namespace tailgate {

// One trial of the result whose events are in the file.
struct EtlTrialLedger {
  unsigned index = 0;
  std::uint32_t run = 0;
  std::uint64_t emitted = 0;  // as the result has it
  LedgerCounts found;         // in the file
  std::uint64_t result_delivered = 0;
  bool result_checked = false;  // the result's own consumer read events back
};

struct EtlLedger {
  std::vector<EtlTrialLedger> trials;  // those of which the file holds at least one event
  std::uint64_t lost = 0;              // as the files' sessions report it
  std::uint64_t foreign = 0;           // tailgate's events, of no trial of this result
  // Emitted by these trials - delivered - lost. Not zero: the run is invalid.
  std::int64_t unaccounted = 0;
  bool damaged = false;  // the files could not be read whole, so the ledger cannot be trusted

  // Balanced, nothing corrupted or foreign, and as many delivered as the result says.
  bool agrees() const;
};

// Finds tailgate's events (harness/base/event.h) as whole payloads or as binary fields of any
// event. Throws Error when the files hold none of the result's trials.
EtlLedger verify_etl(const Result& result, const std::vector<const etl::TraceFile*>& files);

// The ledger as a table, with what does not agree spelled out.
std::string etl_ledger_text(const EtlLedger& ledger);

}  // namespace tailgate
