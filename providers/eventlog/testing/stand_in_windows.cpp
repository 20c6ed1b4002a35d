// A stand-in for the Windows Event Log, so that the sink's code can run where there is none: one
// log in memory that all processes share, and the functions of the classic and the newer interface
// that the sink calls. Its timings mean nothing.
//
// TAILGATE_STAND_IN_FAULT plants one fault:
//   log_full         the log holds 1000 events, then refuses
//   wrapped          the log holds 1000 events, then overwrites its oldest
//   service_stopped  the service stops after 1000 events
//   access_denied    EvtSubscribe and EvtQuery refuse
//   slow             a subscription never delivers the last 100 events
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <memory>
#include <string_view>
#include <thread>

// Makes windows.h declare the functions of advapi32 as defined here, not as imported.
#define _ADVAPI32_
#include "harness/os/api_windows.h"

// Include it after windows.h, whose types it needs.
#include <winevt.h>

namespace {

constexpr std::uint64_t kMaxRecords = 20'000;
constexpr std::uint64_t kMaxWhenFull = 1000;
constexpr std::size_t kSourceUnits = 64;
constexpr std::size_t kDataBytes = 1024;

struct Record {
  wchar_t source[kSourceUnits];
  std::uint32_t bytes;
  std::uint8_t data[kDataBytes];
};

// The mapping starts as zeros, a valid value of every field. Record n is at index n % kMaxRecords.
struct Shared {
  std::atomic<std::uint32_t> locked;
  std::uint64_t records;  // ever written, and so the number of the last one
  std::uint64_t first;    // number of the oldest record that is kept, minus 1
  Record log[kMaxRecords];
};

bool planted(std::string_view fault) {
  const char* set = std::getenv("TAILGATE_STAND_IN_FAULT");
  return set != nullptr && fault == set;
}

Shared& shared() {
  static Shared* const memory = [] {
    const HANDLE section = CreateFileMappingW(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, 0,
                                              sizeof(Shared), L"Local\\tailgate-eventlog-stand-in");
    return static_cast<Shared*>(MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0));
  }();
  return *memory;
}

// A spin lock that works across processes.
class Lock {
 public:
  Lock() {
    while (shared().locked.exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
  }
  ~Lock() { shared().locked.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

struct Source {
  std::wstring name;
};

// What an EVT_HANDLE points to: a result set, one event of it, or a render context.
struct Object {
  std::wstring source;
  std::uint64_t last = 0;  // of a result set: the last record returned
  bool subscription = false;
  std::uint64_t number = 0;  // of an event: its record number
};

// The part of `text` between `before` and `after`.
std::wstring between(std::wstring_view text, std::wstring_view before, std::wstring_view after) {
  const std::size_t from = text.find(before);
  if (from == std::wstring_view::npos) return {};
  const std::size_t begin = from + before.size();
  return std::wstring(text.substr(begin, text.find(after, begin) - begin));
}

EVT_HANDLE result_set(LPCWSTR query, bool subscription) {
  if (planted("access_denied")) {
    SetLastError(ERROR_ACCESS_DENIED);
    return nullptr;
  }
  auto set = std::make_unique<Object>();
  set->source = between(query, L"@Name='", L"'");
  const std::wstring after = between(query, L"EventRecordID > ", L"]");
  set->last = after.empty() ? 0 : std::stoull(after);
  set->subscription = subscription;
  return set.release();
}

const Record& record_at(std::uint64_t number) {
  return shared().log[number % kMaxRecords];
}

}  // namespace

extern "C" {

__declspec(dllexport) HANDLE WINAPI RegisterEventSourceW(LPCWSTR, LPCWSTR source) {
  return new Source{source};
}

__declspec(dllexport) BOOL WINAPI DeregisterEventSource(HANDLE source) {
  delete static_cast<Source*>(source);
  return TRUE;
}

__declspec(dllexport) BOOL WINAPI
    ReportEventW(HANDLE source, WORD, WORD, DWORD, PSID, WORD, DWORD bytes, LPCWSTR*, void* data) {
  const Lock lock;
  Shared& memory = shared();
  const std::uint64_t kept = memory.records - memory.first;
  const bool full =
      kept >= (planted("log_full") || planted("wrapped") ? kMaxWhenFull : kMaxRecords);
  if (full && !planted("wrapped")) {
    SetLastError(ERROR_LOG_FILE_FULL);
    return FALSE;
  }
  if (planted("service_stopped") && kept >= kMaxWhenFull) {
    SetLastError(RPC_S_SERVER_UNAVAILABLE);
    return FALSE;
  }
  if (bytes > kDataBytes) {
    SetLastError(RPC_X_BAD_STUB_DATA);
    return FALSE;
  }
  if (full) ++memory.first;
  Record& record = memory.log[++memory.records % kMaxRecords];
  std::wcsncpy(record.source, static_cast<Source*>(source)->name.c_str(), kSourceUnits - 1);
  record.bytes = bytes;
  std::memcpy(record.data, data, bytes);
  return TRUE;
}

__declspec(dllexport) EVT_HANDLE WINAPI
    EvtSubscribe(EVT_HANDLE, HANDLE, LPCWSTR, LPCWSTR query, EVT_HANDLE, void*,
                 EVT_SUBSCRIBE_CALLBACK, DWORD) {
  return result_set(query, true);
}

__declspec(dllexport) EVT_HANDLE WINAPI EvtQuery(EVT_HANDLE, LPCWSTR, LPCWSTR query, DWORD) {
  return result_set(query, false);
}

__declspec(dllexport) BOOL WINAPI
    EvtNext(EVT_HANDLE results, DWORD most, EVT_HANDLE* events, DWORD, DWORD, DWORD* returned) {
  auto& set = *static_cast<Object*>(results);
  const Lock lock;
  const Shared& memory = shared();
  const std::uint64_t hidden = set.subscription && planted("slow") ? 100 : 0;
  const std::uint64_t end = memory.records > hidden ? memory.records - hidden : 0;
  *returned = 0;
  set.last = std::max(set.last, memory.first);
  while (set.last < end && *returned < most) {
    ++set.last;
    if (set.source != record_at(set.last).source) continue;
    events[(*returned)++] = new Object{.source = {}, .number = set.last};
  }
  if (*returned > 0) return TRUE;
  SetLastError(ERROR_NO_MORE_ITEMS);
  return FALSE;
}

__declspec(dllexport) EVT_HANDLE WINAPI EvtCreateRenderContext(DWORD, LPCWSTR*, DWORD) {
  return new Object;
}

// Renders the record's number and its binary data; the data follows the two values.
__declspec(dllexport) BOOL WINAPI EvtRender(EVT_HANDLE, EVT_HANDLE event, DWORD, DWORD size,
                                            void* buffer, DWORD* used, DWORD* values) {
  const std::uint64_t number = static_cast<Object*>(event)->number;
  const Lock lock;
  const Record& record = record_at(number);
  *used = static_cast<DWORD>(2 * sizeof(EVT_VARIANT)) + record.bytes;
  if (size < *used) {
    SetLastError(ERROR_INSUFFICIENT_BUFFER);
    return FALSE;
  }
  auto* const value = static_cast<EVT_VARIANT*>(buffer);
  auto* const data = reinterpret_cast<std::uint8_t*>(value + 2);
  std::memcpy(data, record.data, record.bytes);
  value[0] = {};
  value[0].Type = EvtVarTypeUInt64;
  value[0].UInt64Val = number;
  value[1] = {};
  value[1].Type = EvtVarTypeBinary;
  value[1].BinaryVal = data;
  value[1].Count = record.bytes;
  *values = 2;
  return TRUE;
}

__declspec(dllexport) BOOL WINAPI EvtClearLog(EVT_HANDLE, LPCWSTR, LPCWSTR, DWORD) {
  const Lock lock;
  shared().first = shared().records;
  return TRUE;
}

__declspec(dllexport) BOOL WINAPI EvtClose(EVT_HANDLE handle) {
  delete static_cast<Object*>(handle);
  return TRUE;
}

}  // extern "C"
