#include "harness/cli/planted_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "harness/base/error.h"
#include "harness/gate/calibration.h"

namespace tailgate {
namespace {

using enum MustDetect;

constexpr PlantedChange kChanges[] = {
    {kPlantedNothing, kNothingPlanted, no, "the same on both sides"},
    {"slower-5", "plant_slower_percent=5", either, "each call 5 % slower: at the margin"},
    {"slower-10", "plant_slower_percent=10", yes, "each call 10 % slower"},
    {"slower-25", "plant_slower_percent=25", yes, "each call 25 % slower"},
    {"tail-100us", "plant_tail_share=0.002:plant_tail_ns=100000", yes, "100 us on 0.2 % of calls"},
    {"stall-5ms", "plant_stall_ms=5", yes, "one stall of 5 ms a second"},
    {kDaemonChange, "", yes, "a daemon that uses 10 % of an event's processor time"},
    {"leak", "plant_leak_bytes=64", either, "each call leaks 64 bytes"},
    {"sleep-5ms", "plant_stall_ms=5:plant_sleep=true", yes,
     "one stall of 5 ms a second, in which calls sleep"},
    {"rare-5ms", "plant_tail_share=2.5e-5:plant_tail_ns=5000000", yes,
     "5 ms on one of 40,000 calls"},
    {"rare-100ms", "plant_tail_share=5e-6:plant_tail_ns=100000000:plant_sleep=true", yes,
     "100 ms asleep on one of 200,000 calls"},
    {"bursts-200us", "plant_tail_share=5e-4:plant_tail_ns=200000:plant_tail_burst=20", yes,
     "200 us on 20 calls in a row, once in 40,000"},
    {"p99-5us", "plant_tail_share=0.006:plant_tail_ns=5000", yes, "5 us on 0.6 % of calls"},
    {"after-10s", "plant_after_s=10:plant_slower_percent=25", yes,
     "each call 25 % slower from 10 s after the first"},
    {"second-thread", "plant_thread=1:plant_slower_percent=50", yes,
     "each call of the second of four load threads 50 % slower", "threads=4"},
    {"large-events", "plant_over_bytes=4096:plant_slower_percent=100", yes,
     "events above 4 KiB, 3 % of all, take twice as long", "payload=lognormal(256,8000)"},
    {"start-20ms", "plant_start_ms=20", yes, "opening takes 20 ms longer"},
    {"stop-20ms", "plant_stop_ms=20", yes, "closing takes 20 ms longer"},
    {"system-calls", "plant_system_calls=0.1", yes, "one more system call in ten calls"},
    {"written-bytes", "plant_written_bytes=16", yes, "16 more bytes are written per call"},
    {"loss", "plant_loss_share=1e-4", yes, "one of 10,000 events is lost"},
};

const char* text_of(MustDetect must) {
  return must == yes ? "yes" : must == no ? "no" : "either";
}

}  // namespace

std::span<const PlantedChange> planted_changes() {
  return kChanges;
}

const PlantedChange& find_planted_change(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PlantedChange& change : kChanges) {
    if (change.name == name) return change;
    names.emplace_back(change.name);
  }
  throw Error(fmt::format("there is no change '{}'", name),
              fmt::format("give some of: {}", fmt::join(names, ", ")));
}

std::string planted_changes_help() {
  std::string text = "Changes, and whether each must be detected:\n";
  for (const PlantedChange& change : kChanges) {
    text +=
        fmt::format("  {:<13} {:<6} {}\n", change.name, text_of(change.must_detect), change.help);
  }
  return text;
}

}  // namespace tailgate
