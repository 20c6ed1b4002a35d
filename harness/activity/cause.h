// The causes of a slice of a call's time. CallSlice in harness/result/explanation.h documents their
// names in a result and what each means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tailgate::activity {

enum class Cause : std::uint8_t {
  running,
  system_call,
  page_fault,
  interrupt,
  softirq,
  waiting,
  blocked_storage,
  blocked_lock,
  blocked_socket,
  blocked_sleep,
  blocked_other,
  stopped,
  queued,
  machine,
  unknown,
  untraced,
  // What the kernel did on the thread's behalf, by the points that the thread passed.
  page_refill,
  new_page,
  reclaim,
  page_cache,
  fs_allocation,
  fs_dirty,
  fs_journal,
  fs_writeback,
  block_layer,
  socket,
  lock,
  wake_up,
  io_uring,
  kernel_gap,
  // Where an event was between its call and its reader.
  program_buffer,
  session_buffer,
  daemon,
  daemon_waiting,
  daemon_storage,
  daemon_blocked,
  reader,
  reader_waiting,
  reader_storage,
  reader_asleep,
};
inline constexpr std::size_t kCauses = 40;

inline std::string_view cause_name(Cause cause) {
  constexpr std::array<std::string_view, kCauses> kNames = {
      "running",        "syscall",        "page_fault",     "interrupt",      "softirq",
      "waiting",        "blocked_io",     "blocked_lock",   "blocked_socket", "blocked_sleep",
      "blocked_other",  "stopped",        "queued",         "machine",        "unknown",
      "untraced",       "page_refill",    "new_page",       "reclaim",        "page_cache",
      "fs_allocation",  "fs_dirty",       "fs_journal",     "fs_writeback",   "block_layer",
      "socket",         "lock",           "wake_up",        "io_uring",       "kernel_gap",
      "program_buffer", "session_buffer", "daemon",         "daemon_waiting", "daemon_storage",
      "daemon_blocked", "reader",         "reader_waiting", "reader_storage", "reader_asleep"};
  return kNames[static_cast<std::size_t>(cause)];
}

}  // namespace tailgate::activity
