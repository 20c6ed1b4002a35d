#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "harness/base/library_windows.h"
#include "harness/duet/runnable.h"

// After windows.h, whose types they need.
#include <winternl.h>

namespace tailgate {
namespace {

constexpr LONG kInfoLengthMismatch = static_cast<LONG>(0xC0000004);  // ntstatus.h

// Of KTHREAD_STATE, those of a thread that has a processor or waits for nothing else. Wine leaves
// the state out: there no thread is one of them.
bool is_runnable_state(ULONG state) {
  enum : ULONG { kReady = 1, kRunning = 2, kStandby = 3, kDeferredReady = 7 };
  return state == kReady || state == kRunning || state == kStandby || state == kDeferredReady;
}

// All zero where the bytes have ended.
template <class Value>
Value value_at(const std::vector<std::byte>& bytes, std::size_t at) {
  Value value = {};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value) {
    std::memcpy(&value, bytes.data() + at, sizeof value);
  }
  return value;
}

// For each process its SYSTEM_PROCESS_INFORMATION, and behind it a SYSTEM_THREAD_INFORMATION for
// each of its threads. Empty if the system does not tell.
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
    // Twice that: more processes may have started until the next call.
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
