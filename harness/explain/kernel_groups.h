// Switches groups of the kernel's events on, to see what each of them costs a load: Linux'
// tracepoints, in an instance of tracefs of their own, or flags of a session of Windows' kernel.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "harness/result/kernel_events.h"

namespace tailgate::activity {

class KernelEvents {
 public:
  // Switches the group on, if it can; else use() says why not. directory: of the trial; exists.
  // Also `none` makes the buffer, so that rounds with and without differ by the events alone.
  KernelEvents(const std::filesystem::path& directory, KernelGroup group);
  ~KernelEvents();
  KernelEvents(const KernelEvents&) = delete;
  KernelEvents& operator=(const KernelEvents&) = delete;

  // Switches it off. Call it once.
  void stop();

  // Counts what was recorded. Call it after stop(); it may read a whole file, so call it when
  // nothing is measured.
  KernelEventsUse use();

 private:
  class Buffer;

  KernelEventsUse use_;
  std::chrono::steady_clock::time_point began_;
  std::unique_ptr<Buffer> buffer_;  // nothing if it could not be made
};

}  // namespace tailgate::activity
