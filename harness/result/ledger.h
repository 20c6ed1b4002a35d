// The account of a trial's events: emitted = delivered + lost + unaccounted, and what was not meant
// to be recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

struct LossCount {
  std::string cause;
  std::string reported_by;
  std::uint64_t events = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cause", &LossCount::cause, "the sink's name of the cause");
    v("reported_by", &LossCount::reported_by,
      "who reported the loss: call (the call was refused), provider, session, consumer, or "
      "scenario (it killed the process that had the events, or had just enabled the session)");
    v("events", &LossCount::events, "events lost for this cause");
  }
};

// What the consumer found when it read a trial's events back.
struct LedgerCounts {
  std::uint64_t delivered = 0;            // distinct events, intact
  std::uint64_t delivered_in_flight = 0;  // of these, events of calls that had not returned
  std::uint64_t duplicates = 0;           // read back more than once
  std::uint64_t reordered = 0;            // read back after a later event of their thread
  std::uint64_t corrupted = 0;            // read back, but changed
  std::uint64_t damaged_bytes = 0;
  std::uint64_t foreign = 0;  // not emitted by this trial
};

// The account of all events: emitted = delivered + lost + unaccounted; where the scenario disabled
// the session, + switched_off.
struct LedgerAccount : LedgerCounts {
  bool checked = false;
  std::uint64_t emitted = 0;
  std::uint64_t lost = 0;
  std::int64_t unaccounted = 0;
  std::vector<LossCount> losses;
  std::uint64_t in_flight = 0;
  std::string unaccounted_cause;
  std::optional<std::string> unchecked_cause;
  std::optional<std::uint64_t> switched_off;

  // Whether the events should have been read back, but were not: nobody knows what became of them.
  bool unchecked() const { return unchecked_cause.has_value(); }
  bool all_lost() const { return emitted > 0 && lost >= emitted; }

  template <class Visitor>
  static void describe(Visitor& v) {
    // Visitors need pointers to members of this struct, also for inherited members.
    const auto own = [](std::uint64_t LedgerCounts::*count) {
      return static_cast<std::uint64_t LedgerAccount::*>(count);
    };
    v("checked", &LedgerAccount::checked,
      "whether events were read back; if false, only emitted and the reported losses are known, "
      "and delivered and unaccounted are 0 and mean nothing");
    v("emitted", &LedgerAccount::emitted,
      "calls to the sink, including the warm-up and calls that the sink refused");
    v("delivered", own(&LedgerCounts::delivered),
      "distinct events that the consumer read back intact");
    v("lost", &LedgerAccount::lost, "events that the sink reports as lost: the sum of losses");
    v("unaccounted", &LedgerAccount::unaccounted,
      "emitted - delivered - lost - switched_off: events that disappeared without a report. If it "
      "is not zero, "
      "the trial is invalid. (Older versions: below zero where the sink reports losses of events "
      "that were delivered; such a ledger is unchecked now)");
    v("losses", &LedgerAccount::losses, "lost events by cause");
    v("duplicates", own(&LedgerCounts::duplicates), "events that were read back more than once");
    v("reordered", own(&LedgerCounts::reordered),
      "events that were read back after a later event of the same thread");
    v("corrupted", own(&LedgerCounts::corrupted),
      "events whose header or body differs from what was emitted; not counted in delivered");
    v("damaged_bytes", own(&LedgerCounts::damaged_bytes),
      "bytes read back that could not be parsed as events");
    v("foreign", own(&LedgerCounts::foreign), "events read back that this trial did not emit");
    v("in_flight", &LedgerAccount::in_flight,
      "calls that had not returned when the provider died; such an event counts as emitted only if "
      "it was delivered");
    v("unaccounted_cause", &LedgerAccount::unaccounted_cause,
      "what is known about why events are unaccounted; empty if there are none");
    v("unchecked_cause", &LedgerAccount::unchecked_cause,
      "why the events could not be read back, or which counts contradict each other (then losses "
      "are empty, too); absent if the events were read back, or if the sink or the user does not "
      "let them be read back");
    v("switched_off", &LedgerAccount::switched_off,
      "events of calls that were made while the scenario had the session disabled, or in the "
      "switch itself, or that the sink's options leave out, and were not read back: they were not "
      "meant to be, so they are neither lost nor unaccounted; absent if none was left out");
  }
};

}  // namespace tailgate
