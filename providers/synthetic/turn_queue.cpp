#include "providers/synthetic/turn_queue.h"

#include "harness/os/sleep.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kPollNs = 20'000;

}  // namespace

TurnQueue::TurnQueue(const std::filesystem::path& path) : file_(path, sizeof(Turns)) {
  file_.extend(sizeof(Turns));  // a new file is zeroed: the first number is called
  turns_ = reinterpret_cast<Turns*>(file_.data());
}

void TurnQueue::enter() noexcept {
  const std::uint32_t number = turns_->taken.fetch_add(1, std::memory_order_relaxed);
  while (turns_->called.load(std::memory_order_acquire) != number) sleep_for_ns(kPollNs);
}

void TurnQueue::leave() noexcept {
  turns_->called.fetch_add(1, std::memory_order_release);
}

}  // namespace tailgate
