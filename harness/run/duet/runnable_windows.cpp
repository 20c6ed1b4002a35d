#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "harness/os/library_windows.h"
#include "harness/run/duet/runnable.h"

// After windows.h, whose types they need.
#include <winternl.h>

namespace tailgate {
namespace {

constexpr LONG kInfoLengthMismatch = static_cast<LONG>(0xC0000004);  // ntstatus.h

// The values of KTHREAD_STATE of a thread that has a processor or waits only for one. Wine does not
// set the state, so no thread is runnable there.
bool is_runnable_state(ULONG state) {
  enum : ULONG { kReady = 1, kRunning = 2, kStandby = 3, kDeferredReady = 7 };
  return state == kReady || state == kRunning || state == kStandby || state == kDeferredReady;
}

// Returns the value at an offset; all zero if it is beyond the end.
template <class Value>
Value value_at(const std::vector<std::byte>& bytes, std::size_t at) {
  Value value = {};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value) {
    std::memcpy(&value, bytes.data() + at, sizeof value);
  }
  return value;
}

// Returns a SYSTEM_PROCESS_INFORMATION for each process, each followed by a
// SYSTEM_THREAD_INFORMATION for each of its threads. Empty if the system call is missing or fails.
std::vector<std::byte> all_processes() {
  using QuerySystem = LONG(WINAPI*)(int, void*, ULONG, ULONG*);
  static const auto query = library_function<QuerySystem>(L"ntdll.dll", "NtQuerySystemInformation");
  std::vector<std::byte> bytes(std::size_t{256} << 10);
  for (int attempt = 0; query != nullptr && attempt < 8; ++attempt) {
    ULONG used = 0;
    const LONG status =
        query(SystemProcessInformation, bytes.data(), static_cast<ULONG>(bytes.size()), &used);
    if (status >= 0) {
      bytes.resize(std::min<std::size_t>(used, bytes.size()));
      return bytes;
    }
    if (status != kInfoLengthMismatch) break;
    // Twice the size, since more processes may start before the next call.
    bytes.resize(std::max<std::size_t>(bytes.size(), used) * 2);
  }
  return {};
}

}  // namespace

bool is_runnable(int pid) {
  const std::vector<std::byte> bytes = all_processes();
  for (std::size_t at = 0; at < bytes.size();) {
    const auto process = value_at<SYSTEM_PROCESS_INFORMATION>(bytes, at);
    if (reinterpret_cast<std::intptr_t>(process.UniqueProcessId) == pid) {
      for (ULONG i = 0; i < process.NumberOfThreads; ++i) {
        const std::size_t thread_at = at + sizeof process + i * sizeof(SYSTEM_THREAD_INFORMATION);
        const auto thread = value_at<SYSTEM_THREAD_INFORMATION>(bytes, thread_at);
        if (is_runnable_state(thread.ThreadState)) return true;
      }
      return false;
    }
    if (process.NextEntryOffset == 0) break;
    at += process.NextEntryOffset;
  }
  return false;
}

}  // namespace tailgate
