// Maps Windows' wait reason of a switched-out thread to harness/activity's terms.
#pragma once

#include <array>
#include <cstdint>

#include "harness/activity/records.h"

namespace tailgate::etl {

struct WaitReason {
  activity::WaitsFor waits_for = activity::WaitsFor::unknown;
  activity::Wait wait = activity::Wait::unknown;
  bool ready = false;  // the thread does not wait; it lost its processor
};

namespace detail {

inline constexpr WaitReason kOther{};
inline constexpr WaitReason kIo{activity::WaitsFor::io};
inline constexpr WaitReason kLock{activity::WaitsFor::lock};
inline constexpr WaitReason kSleep{activity::WaitsFor::sleep};
inline constexpr WaitReason kStorage{activity::WaitsFor::storage};
inline constexpr WaitReason kStopped{activity::WaitsFor::unknown, activity::Wait::stopped};
inline constexpr WaitReason kReady{activity::WaitsFor::unknown, activity::Wait::unknown, true};

// By KWAIT_REASON. Names and numbers: Microsoft's CSwitch class (up to 36) and wdm.h.
inline constexpr std::array kWaitReasons = {
    kIo,       // 0 Executive: drivers and the kernel itself, above all synchronous reads and writes
    kOther,    // 1 FreePage
    kStorage,  // 2 PageIn
    kOther,    // 3 PoolAllocation
    kSleep,    // 4 DelayExecution
    kStopped,  // 5 Suspended
    kOther,    // 6 UserRequest: a wait for objects of any kind
    kIo,       // 7 WrExecutive
    kOther,    // 8 WrFreePage
    kStorage,  // 9 WrPageIn
    kOther,    // 10 WrPoolAllocation
    kSleep,    // 11 WrDelayExecution
    kStopped,  // 12 WrSuspended
    kOther,    // 13 WrUserRequest
    kOther,    // 14 WrEventPair, later WrSpare0
    kOther,    // 15 WrQueue: a wait for work or completed requests of any kind
    kOther,    // 16 WrLpcReceive: a wait for another process's message; so is the next one
    kOther,    // 17 WrLpcReply
    kOther,    // 18 WrVirtualMemory
    kIo,       // 19 WrPageOut
    kOther,    // 20 WrRendezvous
    kLock,     // 21 WrKeyedEvent: contended locks of user code before Windows 8
    kOther,    // 22 WrTerminated
    kStorage,  // 23 WrProcessInSwap
    kOther,    // 24 WrCpuRateControl
    kOther,    // 25 WrCalloutStack
    kOther,    // 26 WrKernel
    kLock,     // 27 WrResource
    kLock,     // 28 WrPushLock
    kLock,     // 29 WrMutex
    kReady,    // 30 WrQuantumEnd
    kReady,    // 31 WrDispatchInt
    kReady,    // 32 WrPreempted
    kReady,    // 33 WrYieldExecution
    kLock,     // 34 WrFastMutex
    kLock,     // 35 WrGuardedMutex
    kLock,     // 36 WrRundown: until others have released an object
    kLock,     // 37 WrAlertByThreadId: contended locks of user code since Windows 8
    kReady,    // 38 WrDeferredPreempt
    kStorage,  // 39 WrPhysicalFault
};

}  // namespace detail

// reason: the OldThreadWaitReason of a switched-out thread. An unknown reason maps to kOther.
inline const WaitReason& wait_reason(std::uint8_t reason) {
  return reason < detail::kWaitReasons.size() ? detail::kWaitReasons[reason] : detail::kOther;
}

}  // namespace tailgate::etl
