// The switch of the synthetic sink's session, in a file that session and provider map, and what the
// sink's options plant when it is used.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "harness/base/options.h"
#include "harness/os/mapped_file.h"

namespace tailgate {

// What changes when the session is disabled or enabled.
struct SwitchLaw {
  std::uint64_t off_service_ns = 0;  // of a call while it is disabled
  std::uint64_t stall_ns = 0;        // each thread's first call after a switch takes so much longer
  std::uint64_t lag_ns = 0;          // events are not stored for so long after an enable …
  std::uint64_t leak_ns = 0;         // … and are for so long after a disable
};

inline SwitchLaw switch_law(const Options& options) {
  const auto ns = [&](const char* name, double scale) {
    return static_cast<std::uint64_t>(std::llround(options.real(name) * scale));
  };
  return {.off_service_ns = static_cast<std::uint64_t>(options.integer("off_service_ns")),
          .stall_ns = ns("toggle_stall_us", 1e3),
          .lag_ns = ns("toggle_lag_ms", 1e6),
          .leak_ns = ns("toggle_leak_ms", 1e6)};
}

// Zeros are a switch that has not been used: the session listens.
class SharedSwitch {
 public:
  explicit SharedSwitch(const std::filesystem::path& path) : file_(path, kBytes) {
    file_.extend(kBytes);
    state_ = reinterpret_cast<State*>(file_.data() + kOffset);
  }

  // Does nothing if that is its state. One thread at a time.
  void set(bool on, std::uint64_t now_ns) {
    const std::uint64_t switches = state_->switches.load(std::memory_order_relaxed);
    if (is_on(switches) == on) return;
    state_->at_ns.store(now_ns, std::memory_order_relaxed);
    state_->switches.store(switches + 1, std::memory_order_release);
  }

  std::uint64_t switches() const { return state_->switches.load(std::memory_order_acquire); }
  std::uint64_t at_ns() const { return state_->at_ns.load(std::memory_order_relaxed); }

  static bool is_on(std::uint64_t switches) { return switches % 2 == 0; }

 private:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kOffset = 64;  // extend() may write the first byte of a page

  struct State {
    std::atomic<std::uint64_t> switches;
    std::atomic<std::uint64_t> at_ns;  // the last one
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  MappedFile file_;
  State* state_;
};

// What a call is to do.
struct SwitchedCall {
  bool recorded = true;
  std::uint64_t delay_ns = 0;
};

// What a switch of the second session by its own controller does to the first one.
struct RivalLaw {
  std::uint64_t stall_ns = 0;  // each thread's first call after it takes so much longer
  std::uint64_t gap_ns = 0;    // events are not stored for so long after it
};

inline RivalLaw rival_law(const Options& options) {
  return {
      .stall_ns = static_cast<std::uint64_t>(std::llround(options.real("rival_stall_us") * 1e3)),
      .gap_ns = static_cast<std::uint64_t>(std::llround(options.real("rival_gap_ms") * 1e6))};
}

class RivalSwitch {
 public:
  RivalSwitch(const std::filesystem::path& path, const RivalLaw& law) : law_(law), switch_(path) {}

  // seen: switches that the calling thread has seen.
  SwitchedCall call(std::uint64_t now_ns, std::uint64_t& seen) const noexcept {
    const std::uint64_t switches = switch_.switches();
    if (switches == 0) [[likely]]
      return {};
    SwitchedCall call{.recorded = now_ns >= switch_.at_ns() + law_.gap_ns};
    if (switches != seen) call.delay_ns = law_.stall_ns;
    seen = switches;
    return call;
  }

 private:
  RivalLaw law_;
  SharedSwitch switch_;
};

class SwitchedProvider {
 public:
  SwitchedProvider(const std::filesystem::path& path, const SwitchLaw& law)
      : law_(law), switch_(path) {}

  // seen: switches that the calling thread has seen.
  SwitchedCall call(std::uint64_t now_ns, std::uint64_t& seen) const noexcept {
    const std::uint64_t switches = switch_.switches();
    if (switches == 0) [[likely]]
      return {};
    const bool on = SharedSwitch::is_on(switches);
    const std::uint64_t for_ns = on ? law_.lag_ns : law_.leak_ns;
    const bool in_time = now_ns < switch_.at_ns() + for_ns;
    SwitchedCall call{.recorded = on != in_time};
    if (!call.recorded && !on) call.delay_ns += law_.off_service_ns;
    if (switches != seen) call.delay_ns += law_.stall_ns;
    seen = switches;
    return call;
  }

 private:
  SwitchLaw law_;
  SharedSwitch switch_;
};

}  // namespace tailgate
