// The stand-in's system logger session: beside the other one, of one process, and with a story of
// its own. From its start to its end the thread that started it runs on processor 0, interrupted by
// one DPC in the middle of that time. Under the fault slow_calls it is the load's thread instead,
// which twice goes away for kAwayMs while it writes an event: it sleeps, then it is preempted.
#pragma once

#include "providers/etw/testing/stand_in_memory_windows.h"

namespace tailgate::etw::stand_in {

inline constexpr ULONG kSystemLogger = 0x02000000;  // EVENT_TRACE_SYSTEM_LOGGER_MODE

// What tests know, too: the thread that preempts, and in which events since the session's start.
inline constexpr std::uint32_t kPreemptor = 44444;
inline constexpr std::uint32_t kSleepsInEvent = 6000;
inline constexpr std::uint32_t kPreemptedInEvent = 9000;
inline constexpr DWORD kAwayMs = 20;

ULONG start_kernel(const wchar_t* name, const EVENT_TRACE_PROPERTIES* properties,
                   TRACEHANDLE* handle);

// Whether ControlTraceW means that session, which runs.
bool is_kernel(TRACEHANDLE handle, const wchar_t* name);

// Query and stop; writes the file when it stops.
ULONG control_kernel(EVENT_TRACE_PROPERTIES* properties, ULONG code);

// What slow_calls does to the thread that writes an event, in whichever process.
void be_slow();

}  // namespace tailgate::etw::stand_in
