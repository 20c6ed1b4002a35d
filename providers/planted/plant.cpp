#include "providers/planted/plant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "harness/base/event.h"

namespace tailgate {

OptionTable plant_options() {
  constexpr double kMaxNs = 60e9;
  constexpr double kMaxMs = 60e3;
  const OptionType integer = OptionType::integer;
  const OptionType real = OptionType::real;
  return {
      {"plant_slower_percent", real, "0", "each call takes longer by this, as its caller sees it",
       0, 10'000},
      {"plant_slower_ns", integer, "0", "each call takes longer by this time", 0, kMaxNs},
      {"plant_tail_share", real, "0",
       "share of the calls that take plant_tail_ns longer, at random", 0, 1},
      {"plant_tail_ns", integer, "100_000", "how much longer a call of that share takes", 0,
       kMaxNs},
      {"plant_tail_burst", integer, "1", "so many calls of that share follow each other", 1, 1e6},
      {"plant_stall_ms", real, "0",
       "length of a stall: a call that begins in it returns at its end", 0, kMaxMs},
      {"plant_stall_every_s", real, "1",
       "time from stall to stall; the first begins after half of it", 0.001, 86400},
      {"plant_sleep", OptionType::boolean, "false",
       "calls sleep for what they take longer, and do not spin"},
      {"plant_leak_bytes", integer, "0", "memory that each call allocates and never frees", 0,
       65536},
      {"plant_daemon_ns", integer, "0", "processor time that a daemon spends per call", 0, kMaxNs},
      {"plant_daemon", OptionType::boolean, "false",
       "start that daemon even when plant_daemon_ns is 0: it sleeps"},
      {"plant_loss_share", real, "0",
       "share of the events that are dropped and counted as lost, at random", 0, 1},
      {"plant_system_calls", real, "0", "more system calls per call, on average", 0, 1000},
      {"plant_written_bytes", integer, "0", "more bytes that each call writes to a file", 0, 65536},
      {"plant_sync_every", integer, "0",
       "every n-th call of each thread writes a block to a file and syncs it (0: none)", 0, 1e9},
      {"plant_lock_us", integer, "0",
       "how long another thread holds a lock that calls take (0: there is none)", 0, 1e6},
      {"plant_lock_every_us", integer, "1000", "time from one such hold to the next", 1, 1e6},
      {"plant_start_ms", real, "0", "opening the sink takes longer by this", 0, kMaxMs},
      {"plant_stop_ms", real, "0", "closing the sink takes longer by this", 0, kMaxMs},
      {"plant_thread", integer, "-1", "change only the calls of this load thread; -1: of all", -1,
       1023},
      {"plant_after_s", real, "0",
       "change only calls that begin so long after the first call of all threads", 0, 86400},
      {"plant_over_bytes", integer, "0", "change only calls with an event longer than this", 0,
       kMaxEventBytes},
  };
}

bool plants_daemon(const Options& options) {
  return options.boolean("plant_daemon") || options.integer("plant_daemon_ns") > 0;
}

Plant plant_from(const Options& options) {
  const auto whole = [&](const char* name) {
    return static_cast<std::uint64_t>(options.integer(name));
  };
  const auto in_ns = [&](const char* name, double unit_ns) {
    return static_cast<std::uint64_t>(std::llround(options.real(name) * unit_ns));
  };
  constexpr double kSecond = 1e9;
  constexpr double kMillisecond = 1e6;
  const std::uint64_t every_ns = in_ns("plant_stall_every_s", kSecond);
  const std::uint64_t stall_ns = in_ns("plant_stall_ms", kMillisecond);
  if (stall_ns >= every_ns) {
    throw Error(fmt::format("plant_stall_ms = {} leaves no time between stalls that begin "
                            "every plant_stall_every_s = {}",
                            options.real("plant_stall_ms"), options.real("plant_stall_every_s")),
                "make stalls shorter or rarer");
  }
  if (options.integer("plant_lock_us") >= options.integer("plant_lock_every_us")) {
    throw Error(
        fmt::format("plant_lock_us = {} leaves no time between holds that begin every "
                    "plant_lock_every_us = {}",
                    options.integer("plant_lock_us"), options.integer("plant_lock_every_us")),
        "make holds shorter or rarer");
  }
  const std::int64_t thread = options.integer("plant_thread");
  return {
      .calls = {.thread = thread < 0 ? std::nullopt : std::optional(static_cast<unsigned>(thread)),
                .after_ns = in_ns("plant_after_s", kSecond),
                .over_bytes = whole("plant_over_bytes")},
      .slower_share = options.real("plant_slower_percent") / 100,
      .slower_ns = whole("plant_slower_ns"),
      .tail_share = options.real("plant_tail_share"),
      .tail_ns = whole("plant_tail_ns"),
      .tail_burst = whole("plant_tail_burst"),
      .stalls = {.length_ns = stall_ns, .period_ns = every_ns, .first_ns = every_ns / 2},
      .sleeps = options.boolean("plant_sleep"),
      .leak_bytes = whole("plant_leak_bytes"),
      .loss_share = options.real("plant_loss_share"),
      .system_calls = options.real("plant_system_calls"),
      .written_bytes = whole("plant_written_bytes"),
      .sync_every = whole("plant_sync_every"),
      .lock_ns = 1000 * whole("plant_lock_us"),
      .lock_every_ns = 1000 * whole("plant_lock_every_us"),
      .start_ns = in_ns("plant_start_ms", kMillisecond),
      .stop_ns = in_ns("plant_stop_ms", kMillisecond),
      .daemon = plants_daemon(options),
      .daemon_ns = whole("plant_daemon_ns")};
}

void Leak::grow(std::size_t bytes) noexcept {
  while (bytes > 0) {
    if (left_ == 0) {
      std::unique_ptr<std::byte[]> block(new (std::nothrow) std::byte[kBlockBytes]);
      if (!block) return;
      try {
        blocks_.push_back(std::move(block));
      } catch (const std::bad_alloc&) {
        return;
      }
      left_ = kBlockBytes;
    }
    const std::size_t piece = std::min(bytes, left_);
    std::byte* const start = blocks_.back().get() + (kBlockBytes - left_);
    std::fill_n(start, piece, std::byte{1});
    left_ -= piece;
    bytes -= piece;
  }
}

}  // namespace tailgate
