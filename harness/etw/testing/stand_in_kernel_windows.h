// The stand-in's system logger sessions. They exist beside other sessions, in one process, and
// their records are invented, and it has only those whose flags were asked for. Context switches:
// from the session's start to its end the thread that started it runs on processor 0; DPCs: one in
// the middle of that time; system calls, where no switches are asked for: kSystemCalls of them.
// With the fault slow_calls the thread is the load's thread instead. It is off the processor for
// kGapMs twice while it writes an event: first it sleeps, then it is preempted. A record of a kind
// of which stacks are asked for has one behind it, of the addresses kStackFrames. Samples of the
// profile: kSamples of that thread, in EventWriteTransfer of this library, with the last of
// kStackFrames as its caller; with them the library as an image of this process.
#pragma once

#include "harness/etw/testing/stand_in_memory_windows.h"

namespace tailgate::etw::stand_in {

inline constexpr ULONG kSystemLogger = 0x02000000;  // EVENT_TRACE_SYSTEM_LOGGER_MODE

// Also used by tests: the thread that preempts, and the events in which that happens, counted from
// the session's start.
inline constexpr std::uint32_t kPreemptor = 44444;
inline constexpr std::uint32_t kSleepsInEvent = 6000;
inline constexpr std::uint32_t kPreemptedInEvent = 9000;
inline constexpr DWORD kGapMs = 20;
inline constexpr std::uint32_t kSystemCalls = 50;
inline constexpr std::int64_t kSamples = 40;
// In units of 100 ns. Windows' own, by the documentation of xperf's option SetProfInt.
inline constexpr ULONG kUsualProfileInterval = 10'000;
inline constexpr ULONG kShortestProfileInterval = 1'221;
inline constexpr std::uint64_t kStackFrames[] = {0xFFFFF80000001000, 0x7FF600001000};

ULONG start_kernel(const wchar_t* name, const EVENT_TRACE_PROPERTIES* properties,
                   TRACEHANDLE* handle);

// Whether these arguments of ControlTraceW mean the kernel session and it runs.
bool is_kernel(TRACEHANDLE handle, const wchar_t* name);

// Handles query and stop; stop writes the file.
ULONG control_kernel(TRACEHANDLE handle, const wchar_t* name, EVENT_TRACE_PROPERTIES* properties,
                     ULONG code);

// TraceSetInformation's class TraceStackTracingInfo.
ULONG set_kernel_stacks(TRACEHANDLE handle, const CLASSIC_EVENT_ID* events, ULONG bytes);

// The class TraceSampledProfileIntervalInfo, of no session.
ULONG set_profile_interval(const TRACE_PROFILE_INTERVAL& interval);
ULONG get_profile_interval(TRACE_PROFILE_INTERVAL& interval);

// Holds up the calling thread, which writes an event in any process, if slow_calls plants that.
void hold_up_call();

}  // namespace tailgate::etw::stand_in
