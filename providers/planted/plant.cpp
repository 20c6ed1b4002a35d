#include "providers/planted/plant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace tailgate {

OptionTable plant_options() {
  constexpr double kMaxNs = 60e9;
  const OptionType integer = OptionType::integer;
  const OptionType real = OptionType::real;
  return {
      {"plant_slower_percent", real, "0", "each call takes longer by this, as its caller sees it",
       0, 10'000},
      {"plant_tail_share", real, "0",
       "share of the calls that take plant_tail_ns longer, at random", 0, 1},
      {"plant_tail_ns", integer, "100_000", "how much longer a call of that share takes", 0,
       kMaxNs},
      {"plant_stall_ms", real, "0",
       "length of a stall: a call that begins in it returns at its end", 0, 60e3},
      {"plant_stall_every_s", real, "1",
       "time from stall to stall; the first begins after half of it", 0.001, 86400},
      {"plant_leak_bytes", integer, "0", "memory that each call allocates and never frees", 0,
       65536},
      {"plant_daemon_ns", integer, "0", "processor time that a daemon spends per call", 0, kMaxNs},
      {"plant_daemon", OptionType::boolean, "false",
       "start that daemon even when plant_daemon_ns is 0: it sleeps"},
      {"plant_seed", integer, "1", "seed of the generator that draws the calls of the tail", 0},
  };
}

bool plants_daemon(const Options& options) {
  return options.boolean("plant_daemon") || options.integer("plant_daemon_ns") > 0;
}

Plant plant_from(const Options& options) {
  const auto whole = [&](const char* name) {
    return static_cast<std::uint64_t>(options.integer(name));
  };
  const auto every_ns =
      static_cast<std::uint64_t>(std::llround(options.real("plant_stall_every_s") * 1e9));
  const auto stall_ns =
      static_cast<std::uint64_t>(std::llround(options.real("plant_stall_ms") * 1e6));
  if (stall_ns >= every_ns) {
    throw Error(fmt::format("plant_stall_ms = {} leaves no time between stalls that begin "
                            "every plant_stall_every_s = {}",
                            options.real("plant_stall_ms"), options.real("plant_stall_every_s")),
                "make stalls shorter or rarer");
  }
  return {.slower_share = options.real("plant_slower_percent") / 100,
          .tail_share = options.real("plant_tail_share"),
          .tail_ns = whole("plant_tail_ns"),
          .stalls = {.length_ns = stall_ns, .period_ns = every_ns, .first_ns = every_ns / 2},
          .leak_bytes = whole("plant_leak_bytes"),
          .daemon = plants_daemon(options),
          .daemon_ns = whole("plant_daemon_ns"),
          .seed = whole("plant_seed")};
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
