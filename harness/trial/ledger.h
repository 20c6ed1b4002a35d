// The ledger: counts by sequence number which of the emitted events were read back. Also the
// account of a whole trial: emitted = delivered + lost + unaccounted, and + switched_off where the
// scenario switched the session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/event.h"
#include "harness/base/log_lines.h"
#include "harness/result/result.h"
#include "harness/sink/sink.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Uses one bit of memory per emitted event.
class Ledger {
 public:
  // begun(thread): returns how many calls that load thread has begun so far. An event with a higher
  // number was not emitted by this trial.
  // mark(thread): from that number on, its events are none of those that read_of() counts as before
  // the mark; it may change while they are added. Nothing: no such number.
  // lines: the events' bodies, if they are log lines; they must outlive the ledger.
  Ledger(std::uint32_t run, unsigned threads, EventEncoding encoding,
         std::function<std::uint64_t(unsigned)> begun,
         std::function<std::uint64_t(unsigned)> mark = {}, const LogLines* lines = nullptr);

  // Adds an event that was read back. Returns true and sets stamp if it is a new event of this
  // trial.
  bool add(std::span<const std::byte> bytes, EventStamp& stamp);

  // Keeps the time of each event that is added from now on, for time_of(): 8 bytes each.
  void keep_times() { keeps_times_ = true; }

  void add_damage(std::size_t bytes) { counts_.damaged_bytes += bytes; }

  const LedgerCounts& counts() const { return counts_; }

  // Whether that event was delivered.
  bool has(unsigned thread, std::uint64_t sequence) const;

  // The start of the call whose event was delivered; nothing if it was not. Needs keep_times().
  std::optional<std::uint64_t> time_of(unsigned thread, std::uint64_t sequence) const;

  // What was read of that thread. end: numbers below it are before the mark.
  ThreadRead read_of(unsigned thread, std::uint64_t end) const;

 private:
  struct Thread {
    std::vector<std::uint64_t> seen;      // a bit for each sequence number
    std::uint64_t next = 0;               // highest number seen + 1
    std::uint64_t begun = 0;              // at the last query
    std::uint64_t youngest = 0;           // highest number before the mark + 1, …
    std::uint64_t youngest_ns = 0;        // … and that event's time
    std::uint64_t oldest = 0;             // lowest number + 1, 0: none, …
    std::uint64_t oldest_ns = 0;          // … and that event's time
    std::vector<std::uint64_t> times_ns;  // by sequence number
  };

  static void keep_time(Thread& thread, const EventStamp& stamp);
  bool was_emitted(Thread& thread, unsigned number, std::uint64_t sequence);

  std::uint32_t run_;
  EventEncoding encoding_;
  std::function<std::uint64_t(unsigned)> begun_;
  std::function<std::uint64_t(unsigned)> mark_;
  bool keeps_times_ = false;
  const LogLines* lines_;
  std::vector<Thread> threads_;
  LedgerCounts counts_;
};

// Events that a call accepted, but that were neither delivered nor counted as lost by the provider.
// counts: what was read back. Call it after the provider has ended.
std::uint64_t missing_events(const TrialMemory& memory, const LedgerCounts& counts);

// What the three processes know about losses, and whether the consumer's counts are valid.
struct LedgerInputs {
  bool read_back = false;            // the consumer read everything
  std::string unchecked_cause = {};  // why it did not, although it should have; else empty
  bool interrupted = false;          // by the user: what was on its way was not waited for
  bool accounts_losses = false;
  bool switched_off = false;  // nothing was meant to be recorded (Capabilities::switched_off)
  std::uint64_t killed = 0;   // events that a process took with it which the scenario killed
  std::optional<SwitchRead> switched = {};  // if the scenario switched the session
  std::vector<Loss> session_losses = {};
  std::string session_failure = {};  // what failed when the session was stopped
  std::string provider_end = {};     // how the provider ended, if not by itself
};

// An account that cannot be (more delivered and lost than emitted), or that an interrupt cut short,
// is unchecked, with that as its cause.
LedgerAccount balance_ledger(const TrialMemory& memory, const LedgerInputs& inputs);

}  // namespace tailgate
