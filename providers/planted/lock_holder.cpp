#include "providers/planted/lock_holder.h"

#include "harness/os/process.h"
#include "harness/os/sleep.h"

namespace tailgate {

LockHolder::LockHolder(std::uint64_t hold_ns, std::uint64_t every_ns)
    : thread_(&LockHolder::run, this, hold_ns, every_ns - hold_ns) {}

LockHolder::~LockHolder() {
  ends_ = true;
  thread_.join();
}

void LockHolder::run(std::uint64_t hold_ns, std::uint64_t pause_ns) {
  name_this_thread("planted-lock");
  while (!ends_) {
    sleep_for_ns(pause_ns);
    const std::lock_guard held(mutex_);
    sleep_for_ns(hold_ns);
  }
}

}  // namespace tailgate
