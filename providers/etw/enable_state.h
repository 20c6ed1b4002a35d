// What an ETW provider knows of who listens to it. Windows tells it by a callback, at any time and
// on any thread; load threads ask with every call.
#pragma once

#include <atomic>
#include <cstdint>

namespace tailgate::etw {

// The first argument of that callback (evntprov.h: EVENT_CONTROL_CODE_*).
enum class EnableCode : std::uint32_t { disable = 0, enable = 1, capture_state = 2 };

class EnableState {
 public:
  // keyword: of all events that the provider writes.
  explicit EnableState(std::uint64_t keyword) : keyword_(keyword) {}

  // level: 0 means all levels. any, all: an event is listened to if it has one of the first
  // keywords, and all of the second ones; 0 means whichever. A request for the provider's state
  // changes nothing of that: its level and keywords say what is asked for, and tailgate's provider
  // has no state to tell.
  void told(std::uint32_t code, std::uint8_t level, std::uint64_t any, std::uint64_t all) noexcept {
    if (code == static_cast<std::uint32_t>(EnableCode::capture_state)) return;
    const bool selected = (any == 0 || (any & keyword_) != 0) && (all & keyword_) == all;
    const bool enabled = code == static_cast<std::uint32_t>(EnableCode::enable);
    const std::uint32_t up_to = level == 0 ? 255u : level;
    level_.store(enabled && selected ? up_to : 0, std::memory_order_relaxed);
  }

  // Whether anybody listens to events of that level.
  bool listens(std::uint8_t level) const noexcept {
    return level_.load(std::memory_order_relaxed) >= level;
  }

 private:
  std::uint64_t keyword_;
  std::atomic<std::uint32_t> level_ = 0;  // 0: nobody listens
};

}  // namespace tailgate::etw
