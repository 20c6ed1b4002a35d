// The ledger: which of the emitted events came back, by sequence number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "harness/base/event.h"

namespace tailgate {

struct LedgerCounts {
  std::uint64_t delivered = 0;   // different events, intact
  std::uint64_t duplicates = 0;  // came again
  std::uint64_t reordered = 0;   // came after a later one of their thread
  std::uint64_t corrupted = 0;   // came, but not as they were emitted
  std::uint64_t damaged_bytes = 0;
  std::uint64_t foreign = 0;  // of another run, or never emitted by this one
};

// Memory: one bit for each event emitted.
class Ledger {
 public:
  // begun(thread): how many calls that load thread has begun so far. An event with a number beyond
  // is not one that this trial emitted.
  Ledger(std::uint32_t run, unsigned threads, EventEncoding encoding,
         std::function<std::uint64_t(unsigned)> begun);

  // One event as it was read back. True when it is of this trial and new; stamp is then set.
  bool add(std::span<const std::byte> bytes, EventStamp& stamp);

  void add_damage(std::size_t bytes) { counts_.damaged_bytes += bytes; }

  const LedgerCounts& counts() const { return counts_; }

  // Whether that event was delivered.
  bool has(unsigned thread, std::uint64_t sequence) const;

 private:
  struct Thread {
    std::vector<std::uint64_t> seen;  // a bit for each sequence number
    std::uint64_t next = 0;           // highest number seen + 1
    std::uint64_t begun = 0;          // as last asked
  };

  bool was_emitted(Thread& thread, unsigned number, std::uint64_t sequence);

  std::uint32_t run_;
  EventEncoding encoding_;
  std::function<std::uint64_t(unsigned)> begun_;
  std::vector<Thread> threads_;
  LedgerCounts counts_;
};

}  // namespace tailgate
