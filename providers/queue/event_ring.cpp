#include "providers/queue/event_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using Size = std::uint64_t;
constexpr std::size_t kLineBytes = 64;

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + kLineBytes - 1) / kLineBytes;
}

std::size_t lines_of(const EventRing::Plan& plan) {
  const std::size_t lines = whole_lines(sizeof(Size) + plan.max_event_bytes);
  if (plan.slots > EventRing::kMaxBytes / (lines * kLineBytes)) {
    throw Error(fmt::format("queued_events = {} with events of up to {} bytes needs more than {} "
                            "bytes of memory",
                            plan.slots, plan.max_event_bytes, EventRing::kMaxBytes),
                "use fewer slots, or smaller events");
  }
  return lines * plan.slots;
}

}  // namespace

EventRing::EventRing(const Plan& plan)
    : plan_(plan),
      slot_bytes_(kLineBytes * whole_lines(sizeof(Size) + plan.max_event_bytes)),
      lines_(lines_of(plan)) {
  // The taker must not wait for more than there can be.
  plan_.wake_events = std::clamp<std::size_t>(plan.wake_events, 1, plan.slots);
}

std::byte* EventRing::slot(std::uint64_t event) noexcept {
  return lines_.data()->bytes + event % plan_.slots * slot_bytes_;
}

EventRing::Put EventRing::put(std::span<const std::byte> event, bool waits_for_room) noexcept {
  if (event.size() > plan_.max_event_bytes) return Put::too_long;
  std::unique_lock lock(mutex_);
  while (put_ - taken_ == plan_.slots && !closed_) {
    if (!waits_for_room) return Put::full;
    ++waiting_for_room_;
    not_full_.wait(lock);
    --waiting_for_room_;
  }
  if (closed_) return Put::closed;
  std::byte* const at = slot(put_);
  const Size size = event.size();
  std::memcpy(at, &size, sizeof(size));
  std::memcpy(at + sizeof(size), event.data(), event.size());
  ++put_;
  if (!taker_sleeps_ || put_ - taken_ < plan_.wake_events) return Put::done;
  taker_sleeps_ = false;
  lock.unlock();
  not_empty_.notify_one();
  return Put::done;
}

// Returns how many events to take now; 0: none will come any more.
std::size_t EventRing::wait_for_events(std::unique_lock<std::mutex>& lock) {
  const auto enough = [this] { return closed_ || put_ - taken_ >= plan_.wake_events; };
  while (!enough()) {
    taker_sleeps_ = true;
    const bool waits_for_more = plan_.wake_us.count() > 0;
    if (!waits_for_more) {
      not_empty_.wait(lock);
    } else if (not_empty_.wait_for(lock, plan_.wake_us) == std::cv_status::timeout &&
               put_ > taken_) {
      break;
    }
  }
  taker_sleeps_ = false;
  return static_cast<std::size_t>(std::min<std::uint64_t>(put_ - taken_, kTakenAtOnce));
}

bool EventRing::take(const std::function<void(std::span<const std::byte>)>& use) {
  std::unique_lock lock(mutex_);
  const std::size_t events = wait_for_events(lock);
  const std::uint64_t first = taken_;
  lock.unlock();
  if (events == 0) return false;
  for (std::uint64_t event = first; event < first + events; ++event) {
    const std::byte* const at = slot(event);
    Size size = 0;
    std::memcpy(&size, at, sizeof(size));
    use({at + sizeof(size), static_cast<std::size_t>(size)});
  }
  lock.lock();
  taken_ += events;
  const bool anyone_waits = waiting_for_room_ > 0;
  lock.unlock();
  if (anyone_waits) not_full_.notify_all();
  return true;
}

void EventRing::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  not_full_.notify_all();
  not_empty_.notify_all();
}

}  // namespace tailgate
