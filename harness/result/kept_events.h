// What of a trial's events a path kept that removes old ones, and how much room its files took
// while the load ran.
#pragma once

#include <cstdint>
#include <vector>

namespace tailgate {

// The size of the files in a trial's folder, from one look to the next that is kept.
struct StorageLook {
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t most_bytes = 0;
  std::uint64_t files = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("at_ns", &StorageLook::at_ns, "when, on the run clock");
    v("bytes", &StorageLook::bytes, "sizes of all files, added up");
    v("most_bytes", &StorageLook::most_bytes,
      "the most that a look saw since the one before in this list");
    v("files", &StorageLook::files, "number of files");
  }
};

// The looks at a trial's files.
struct StorageUse {
  std::uint64_t looks = 0;
  std::uint64_t before_bytes = 0;
  std::vector<StorageLook> kept;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("looks", &StorageUse::looks, "how often the controller looked, from the start of the load");
    v("before_bytes", &StorageUse::before_bytes,
      "sizes of all files before the first call, added up");
    v("kept", &StorageUse::kept,
      "these looks, neighbours joined where there are many; the last one is after the end");
  }
};

// Which of the accepted events were left at the end.
struct KeptEvents {
  std::uint64_t accepted = 0;
  std::uint64_t kept = 0;
  std::uint64_t gone_newest = 0;
  std::uint64_t gone_between = 0;
  std::uint64_t history_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("accepted", &KeptEvents::accepted, "events that calls accepted");
    v("kept", &KeptEvents::kept, "of these, events that were read back");
    v("gone_newest", &KeptEvents::gone_newest,
      "of those that were not, events that their thread emitted after its newest one that was; "
      "calls that the sink refused are taken to be later");
    v("gone_between", &KeptEvents::gone_between,
      "of those that were not, events between their thread's oldest and newest one that was");
    v("history_ns", &KeptEvents::history_ns,
      "from the call of the oldest event that was read back to the return of the last call "
      "(duration)");
  }
};

}  // namespace tailgate
