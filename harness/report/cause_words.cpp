#include "harness/report/cause_words.h"

#include <cstddef>
#include <map>

#include "harness/report/human.h"

namespace tailgate {
namespace {

constexpr std::size_t kMaxColumns = 35;

}  // namespace

std::string words_for_cause(const std::string& cause) {
  static const std::map<std::string, std::string> words = {
      {"running", "its own code, on the processor"},
      {"syscall", "in a system call, on the processor"},
      {"page_fault", "page faults"},
      {"interrupt", "interrupts"},
      {"softirq", "softirqs"},
      {"waiting", "waiting for the processor"},
      {"blocked_io", "blocked: storage"},
      {"blocked_lock", "blocked: a lock"},
      {"blocked_socket", "blocked: a socket or pipe"},
      {"blocked_sleep", "blocked: sleeping"},
      {"blocked_other", "blocked: reason unknown"},
      {"stopped", "stopped or suspended"},
      {"queued", "queued behind earlier events"},
      {"machine", "machine: gaps in its own code"},
      {"unknown", "unknown: kernel or hypervisor"},
      {"untraced", "not traced"},
      {"page_refill", "memory: page list refill"},
      {"new_page", "memory: new page"},
      {"reclaim", "memory: reclaim or compaction"},
      {"page_cache", "page cache: new page"},
      {"fs_allocation", "file system: allocation"},
      {"fs_dirty", "file system: page or inode dirtied"},
      {"fs_journal", "file system: journal"},
      {"fs_writeback", "file system: writeback"},
      {"block_layer", "block layer"},
      {"socket", "socket: queue full"},
      {"lock", "lock: contended, in the kernel"},
      {"wake_up", "waking another thread"},
      {"io_uring", "io_uring"},
      {"kernel_gap", "machine: gaps in the kernel"},
      {"program_buffer", "in the program's buffer"},
      {"session_buffer", "in the session's buffer"},
      {"daemon", "a daemon, on the processor"},
      {"daemon_waiting", "a daemon waited for the processor"},
      {"daemon_storage", "a daemon, blocked: storage"},
      {"daemon_blocked", "a daemon, blocked: other"},
      {"reader", "the reader, on the processor"},
      {"reader_waiting", "the reader waited for the processor"},
      {"reader_storage", "the reader, blocked: storage"},
      {"reader_asleep", "the reader slept"},
  };
  const auto at = words.find(cause);
  return at == words.end() ? cut_to(cause, kMaxColumns) : at->second;
}

}  // namespace tailgate
