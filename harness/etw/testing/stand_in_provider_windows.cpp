#include "harness/etw/testing/stand_in_provider_windows.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/etl/testing/trace_writer.h"
#include "harness/etw/testing/stand_in_kernel_windows.h"

namespace tailgate::etw::stand_in {
namespace {

using etl::EventRecord;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// EVENT_FILTER_TYPE_*, and a value of EnableProperty.
constexpr ULONG kSchematized = 0x80000000;
constexpr ULONG kExecutableName = 0x80000008;
constexpr ULONG kStackTrace = 4;  // EVENT_ENABLE_PROPERTY_STACK_TRACE

// Windows calls back on another thread and some time later; so does this.
constexpr milliseconds kCallbackDelay{5};

// A provider of this process.
struct LocalProvider {
  Registration* shared = nullptr;
  PENABLECALLBACK callback = nullptr;
  void* context = nullptr;
  steady_clock::time_point first_call = {};  // tells what was enabled before it registered
  bool told_first = false;
  std::vector<std::uint8_t> traits = {};
};
std::mutex providers_mutex;
std::vector<LocalProvider*> providers;  // guarded by providers_mutex
std::jthread teller;                    // runs while there are any

const std::wstring& this_program() {
  static const std::wstring name = [] {
    wchar_t path[kNameUnits] = {};
    GetModuleFileNameW(nullptr, path, kNameUnits - 1);
    return std::filesystem::path(path).filename().wstring();
  }();
  return name;
}

bool admits_this_process(const Enabled& enabled) {
  return enabled.program[0] == 0 || this_program() == enabled.program;
}

// What all sessions together want of a provider in this process, as Windows tells it.
struct Wanted {
  ULONG code = EVENT_CONTROL_CODE_DISABLE_PROVIDER;
  UCHAR level = 0;
  ULONGLONG any = 0;
  ULONGLONG all = ~ULONGLONG{0};
  Filter filter = {};
};

// The caller holds the lock.
Wanted wanted_of(const GUID& provider) {
  Wanted wanted;
  for (const Session& session : shared().sessions) {
    const Enabled& one = session.enabled;
    const bool counts = session.running != 0 && one.on != 0 && same(one.provider, provider);
    if (!counts || !admits_this_process(one)) continue;
    wanted.code = EVENT_CONTROL_CODE_ENABLE_PROVIDER;
    wanted.level = std::max<UCHAR>(wanted.level, one.level == 0 ? 255 : one.level);
    wanted.any |= one.any == 0 ? ~ULONGLONG{0} : one.any;
    wanted.all &= one.all;
    if (wanted.filter.bytes == 0) wanted.filter = one.filter;
  }
  if (wanted.code == EVENT_CONTROL_CODE_DISABLE_PROVIDER) wanted.all = 0;
  return wanted;
}

void call_back(const LocalProvider& provider, const Wanted& wanted) {
  EVENT_FILTER_DESCRIPTOR filter = {};
  filter.Ptr = reinterpret_cast<ULONGLONG>(wanted.filter.data.data());
  filter.Size = wanted.filter.bytes;
  filter.Type = kSchematized;
  const bool has_filter = filter.Size > 0 && !planted("filter_lost");
  const auto level = static_cast<UCHAR>(wanted.level + (planted("level_wrong") ? 1 : 0));
  provider.callback(&provider.shared->provider, wanted.code, level, wanted.any, wanted.all,
                    has_filter ? &filter : nullptr, provider.context);
}

// A request for the provider's state is told as it was made, all else as what holds by now.
void take(const LocalProvider& provider, std::uint64_t number) {
  const auto told = [&]() -> std::optional<Wanted> {
    const Lock lock;
    const Command& command = shared().last_commands[number % kCommands];
    if (!same(command.provider, provider.shared->provider)) return std::nullopt;
    if (!admits_this_process(shared().sessions[command.session].enabled)) return std::nullopt;
    if (command.code != EVENT_CONTROL_CODE_CAPTURE_STATE) {
      if (planted("callback_lost") && number % 3 == 2) return std::nullopt;
      return wanted_of(command.provider);
    }
    if (planted("capture_lost") && number % 2 == 0) return std::nullopt;
    return Wanted{command.code, command.level, command.any, command.all, command.filter};
  }();
  if (told) call_back(provider, *told);
}

void tell(LocalProvider& provider) {
  if (!provider.told_first) {
    if (steady_clock::now() < provider.first_call) return;
    provider.told_first = true;
    const Wanted wanted = [&] {
      const Lock lock;
      return wanted_of(provider.shared->provider);
    }();
    if (wanted.code == EVENT_CONTROL_CODE_ENABLE_PROVIDER) call_back(provider, wanted);
  }
  const std::uint64_t commands = shared().commands;
  std::uint64_t next = provider.shared->told;
  for (next = std::max(next, commands - std::min<std::uint64_t>(commands, kCommands));
       next < commands; ++next) {
    take(provider, next);
    provider.shared->told = next + 1;
  }
}

void tell_in_background(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(milliseconds(1));
    const std::lock_guard lock(providers_mutex);
    for (LocalProvider* provider : providers) tell(*provider);
  }
}

// Appends a command for all processes; the caller holds the lock. Returns its number.
std::uint64_t add_command(const Command& command) {
  const std::uint64_t number = shared().commands;
  shared().last_commands[number % kCommands] = command;
  shared().commands = number + 1;
  return number;
}

bool has_ended(std::uint32_t process) {
  const Handle opened(OpenProcess(SYNCHRONIZE, FALSE, process));
  return opened.get() == nullptr || WaitForSingleObject(opened.get(), 0) == WAIT_OBJECT_0;
}

// Whether a process has not taken that command yet; forgets providers of dead ones.
bool is_awaited(const GUID& provider, std::uint64_t command) {
  bool awaited = false;
  for (Registration& registration : shared().registrations) {
    const std::uint32_t process = registration.process;
    if (process == 0 || !same(registration.provider, provider)) continue;
    if (registration.told > command) continue;
    if (has_ended(process)) {
      registration.process = 0;
    } else {
      awaited = true;
    }
  }
  return awaited;
}

void keep_filters(const ENABLE_TRACE_PARAMETERS* parameters, Enabled& enabled) {
  enabled.program[0] = 0;
  enabled.filter.bytes = 0;
  enabled.property = parameters == nullptr ? 0 : parameters->EnableProperty;
  for (ULONG i = 0; parameters != nullptr && i < parameters->FilterDescCount; ++i) {
    const EVENT_FILTER_DESCRIPTOR& filter = parameters->EnableFilterDesc[i];
    const auto* data = reinterpret_cast<const void*>(filter.Ptr);
    if (filter.Type == kExecutableName && filter.Size <= sizeof enabled.program) {
      std::memcpy(enabled.program, data, filter.Size);
    }
    if (filter.Type == kSchematized && filter.Size <= kFilterBytes) {
      enabled.filter.bytes = filter.Size;
      std::memcpy(enabled.filter.data.data(), data, filter.Size);
    }
  }
}

// Whether another session may enable the provider. The caller holds the lock.
bool has_room(const GUID& provider, const Enabled& own) {
  if (own.on != 0 && same(own.provider, provider)) return true;
  std::uint32_t taken = planted("provider_taken") ? kSessionsOfProvider - 2 : 0;
  for (const Session& session : shared().sessions) {
    const Enabled& one = session.enabled;
    taken += session.running != 0 && one.on != 0 && same(one.provider, provider) ? 1 : 0;
  }
  return taken < kSessionsOfProvider;
}

// What the session asks for from now on. The caller holds the lock.
ULONG change(Enabled& enabled, const Command& command, const ENABLE_TRACE_PARAMETERS* parameters) {
  if (command.code == EVENT_CONTROL_CODE_CAPTURE_STATE) return ERROR_SUCCESS;
  if (command.code == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
    enabled.on = 0;
    if (!planted("rival_ends_first")) return ERROR_SUCCESS;
    for (Session& session : shared().sessions) {
      if (same(session.enabled.provider, command.provider)) session.enabled.on = 0;
    }
    return ERROR_SUCCESS;
  }
  if (!has_room(command.provider, enabled)) return ERROR_NO_SYSTEM_RESOURCES;
  enabled.provider = command.provider;
  enabled.level = command.level;
  enabled.any = command.any;
  enabled.all = command.all;
  keep_filters(parameters, enabled);
  enabled.on = 1;
  return ERROR_SUCCESS;
}

etl::Guid portable(const GUID& guid) {
  etl::Guid result;
  std::memcpy(result.bytes.data(), &guid, sizeof guid);
  return result;
}

// An extended item: a number that joins the parts of a stack, here 0, and the addresses.
std::vector<std::uint8_t> caller_stack() {
  constexpr DWORD kFrames = 32;
  void* frames[kFrames];
  const USHORT count = CaptureStackBackTrace(0, kFrames, frames, nullptr);
  etl::ByteBuilder item;
  item.u64(0);
  for (USHORT i = 0; i < count; ++i) item.u64(reinterpret_cast<std::uint64_t>(frames[i]));
  return item.bytes();
}

EventRecord record_of(const GUID& provider, const EVENT_DESCRIPTOR& descriptor, ULONG count,
                      const EVENT_DATA_DESCRIPTOR* pieces) {
  EventRecord event;
  event.provider = portable(provider);
  event.level = descriptor.Level;
  event.keyword = descriptor.Keyword;
  event.thread = GetCurrentThreadId();
  event.process = GetCurrentProcessId();
  event.flags = 1;  // EVENT_HEADER_FLAG_EXTENDED_INFO
  for (ULONG i = 0; i < count; ++i) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(pieces[i].Ptr);
    const std::vector<std::uint8_t> bytes(first, first + pieces[i].Size);
    // The metadata is in extended items: 11 is EVENT_SCHEMA_TL, 12 is PROV_TRAITS.
    if (pieces[i].Reserved == 1) event.extended.emplace_back(11, bytes);
    if (pieces[i].Reserved == 2) event.extended.emplace_back(12, bytes);
    if (pieces[i].Reserved == 0) {
      event.payload.insert(event.payload.end(), bytes.begin(), bytes.end());
    }
  }
  return event;
}

// Whether the session records such an event of this process; Windows looks at that with each call.
bool records(const Session& session, const GUID& provider, const EVENT_DESCRIPTOR& event) {
  const Enabled& enabled = session.enabled;
  const bool keyword =
      (enabled.any == 0 || event.Keyword == 0 || (event.Keyword & enabled.any) != 0) &&
      (event.Keyword & enabled.all) == enabled.all;
  const bool level = enabled.level == 0 || event.Level <= enabled.level;
  return session.running != 0 && enabled.on != 0 && level && keyword &&
         same(enabled.provider, provider) && admits_this_process(enabled);
}

// The caller holds the lock.
ULONG store(std::uint32_t number, const std::vector<std::uint8_t>& record) {
  Session& session = shared().sessions[number];
  if (record.size() > 0xFFFF) return ERROR_ARITHMETIC_OVERFLOW;
  if (record.size() + 0x48 > session.buffer_bytes) return ERROR_MORE_DATA;
  std::uint8_t* const room = room_for(number, GetCurrentProcessorNumber() % kProcessors,
                                      static_cast<std::uint32_t>(record.size()));
  if (room == nullptr) {
    ++session.events_lost;
    return ERROR_NOT_ENOUGH_MEMORY;
  }
  std::memcpy(room, record.data(), record.size());
  return ERROR_SUCCESS;
}

bool anyone_records(const GUID& provider, const EVENT_DESCRIPTOR& event) {
  const Lock lock;
  const auto& sessions = shared().sessions;
  return std::any_of(sessions.begin(), sessions.end(),
                     [&](const Session& one) { return records(one, provider, event); });
}

}  // namespace

bool registered_here(const GUID& guid) {
  const std::lock_guard lock(providers_mutex);
  return std::any_of(providers.begin(), providers.end(),
                     [&](const LocalProvider* one) { return same(one->shared->provider, guid); });
}

void tell_of_end(std::uint32_t session) {
  Enabled& enabled = shared().sessions[session].enabled;
  if (enabled.on == 0) return;
  enabled.on = 0;
  add_command({.session = session,
               .code = EVENT_CONTROL_CODE_DISABLE_PROVIDER,
               .level = 0,
               .any = 0,
               .all = 0,
               .provider = enabled.provider,
               .filter = {}});
}

}  // namespace tailgate::etw::stand_in

using namespace tailgate::etw::stand_in;

extern "C" {

__declspec(dllexport) ULONG WINAPI
    EnableTraceEx2(TRACEHANDLE handle, LPCGUID provider, ULONG code, UCHAR level, ULONGLONG any,
                   ULONGLONG all, ULONG timeout_ms, ENABLE_TRACE_PARAMETERS* parameters) {
  const std::uint32_t number = session_of(handle);
  if (planted("enable_fails") || number == kSessions) return ERROR_INVALID_PARAMETER;
  std::uint64_t command_number = 0;
  {
    const Lock lock;
    Command command{.session = number,
                    .code = code,
                    .level = level,
                    .any = any,
                    .all = all,
                    .provider = *provider,
                    .filter = {}};
    Enabled& enabled = shared().sessions[number].enabled;
    const ULONG error = change(enabled, command, parameters);
    if (error != ERROR_SUCCESS) return error;
    command_number = add_command(command);
  }
  const auto give_up = steady_clock::now() + milliseconds(timeout_ms);
  while (timeout_ms > 0 && is_awaited(*provider, command_number)) {
    if (steady_clock::now() > give_up) return ERROR_TIMEOUT;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EventRegister(LPCGUID guid, PENABLECALLBACK callback, void* context, REGHANDLE* handle) {
  auto* const provider = new LocalProvider{
      .callback = callback, .context = context, .first_call = steady_clock::now() + kCallbackDelay};
  {
    const Lock lock;
    auto& all = shared().registrations;
    const auto free = std::find_if(all.begin(), all.end(),
                                   [](const Registration& one) { return one.process == 0; });
    if (free == all.end()) return ERROR_NOT_ENOUGH_MEMORY;
    free->provider = *guid;
    free->told = shared().commands.load();
    free->process = GetCurrentProcessId();
    provider->shared = &*free;
  }
  const std::lock_guard lock(providers_mutex);
  providers.push_back(provider);
  if (providers.size() == 1) teller = std::jthread(tell_in_background);
  *handle = reinterpret_cast<REGHANDLE>(provider);
  return ERROR_SUCCESS;
}

// No callback runs any more when it returns.
__declspec(dllexport) ULONG WINAPI EventUnregister(REGHANDLE handle) {
  auto* const provider = reinterpret_cast<LocalProvider*>(handle);
  bool was_last = false;
  {
    const std::lock_guard lock(providers_mutex);
    std::erase(providers, provider);
    was_last = providers.empty();
    provider->shared->process = 0;
  }
  if (was_last) teller = {};
  delete provider;
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EventSetInformation(REGHANDLE handle, EVENT_INFO_CLASS information_class, void* data,
                        ULONG bytes) {
  constexpr int kSetTraits = 2;
  if (static_cast<int>(information_class) != kSetTraits) return ERROR_INVALID_PARAMETER;
  const auto* first = static_cast<const std::uint8_t*>(data);
  reinterpret_cast<LocalProvider*>(handle)->traits.assign(first, first + bytes);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EventWriteTransfer(REGHANDLE handle, const EVENT_DESCRIPTOR* descriptor, LPCGUID, LPCGUID,
                       ULONG count, EVENT_DATA_DESCRIPTOR* pieces) {
  const GUID& provider = reinterpret_cast<const LocalProvider*>(handle)->shared->provider;
  if (!anyone_records(provider, *descriptor)) return ERROR_SUCCESS;
  hold_up_call();
  tailgate::etl::EventRecord plain = record_of(provider, *descriptor, count, pieces);
  tailgate::etl::EventRecord with_stack = plain;
  // Taken under the lock, so that the times within a buffer ascend.
  const Lock lock;
  plain.time = with_stack.time = counter();
  ULONG first_error = ERROR_SUCCESS;
  for (std::uint32_t i = 0; i < kSessions; ++i) {
    const Session& session = shared().sessions[i];
    if (!records(session, provider, *descriptor)) continue;
    const bool stack = (session.enabled.property & kStackTrace) != 0;
    if (stack && with_stack.extended.size() == plain.extended.size()) {
      with_stack.extended.emplace_back(EVENT_HEADER_EXT_TYPE_STACK_TRACE64, caller_stack());
    }
    const ULONG error = store(i, event_record(stack ? with_stack : plain));
    if (first_error == ERROR_SUCCESS) first_error = error;
  }
  return first_error;
}

}  // extern "C"
