// Maps Windows' wait reason of a switched-out thread to harness/activity's terms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/activity/records.h"

namespace tailgate::etl {

struct WaitReason {
  activity::WaitsFor waits_for = activity::WaitsFor::unknown;
  activity::Wait wait = activity::Wait::unknown;
  bool ready = false;  // the thread does not wait; it lost its processor
};

namespace detail {

struct NamedReason {
  std::string_view name;
  WaitReason reason;
};

inline constexpr WaitReason kOther{};
inline constexpr WaitReason kIo{activity::WaitsFor::io};
inline constexpr WaitReason kLock{activity::WaitsFor::lock};
inline constexpr WaitReason kSleep{activity::WaitsFor::sleep};
inline constexpr WaitReason kStorage{activity::WaitsFor::storage};
inline constexpr WaitReason kStopped{activity::WaitsFor::unknown, activity::Wait::stopped};
inline constexpr WaitReason kReady{activity::WaitsFor::unknown, activity::Wait::unknown, true};

// By KWAIT_REASON. Names and numbers: Microsoft's CSwitch class (up to 36), wdm.h (up to 39) and
// System Informer's phnt (ntkeapi.h).
inline constexpr std::array kWaitReasons = {
    NamedReason{"Executive", kIo},  // 0: drivers, the kernel, above all synchronous I/O
    NamedReason{"FreePage", kOther},
    NamedReason{"PageIn", kStorage},
    NamedReason{"PoolAllocation", kOther},
    NamedReason{"DelayExecution", kSleep},
    NamedReason{"Suspended", kStopped},  // 5
    NamedReason{"UserRequest", kOther},  // 6: a wait for objects of any kind
    NamedReason{"WrExecutive", kIo},
    NamedReason{"WrFreePage", kOther},
    NamedReason{"WrPageIn", kStorage},
    NamedReason{"WrPoolAllocation", kOther},  // 10
    NamedReason{"WrDelayExecution", kSleep},
    NamedReason{"WrSuspended", kStopped},
    NamedReason{"WrUserRequest", kOther},
    NamedReason{"WrEventPair", kOther},   // 14: later WrSpare0
    NamedReason{"WrQueue", kOther},       // 15: a wait for work or completed requests of any kind
    NamedReason{"WrLpcReceive", kOther},  // 16, 17: a wait for another process's message
    NamedReason{"WrLpcReply", kOther},
    NamedReason{"WrVirtualMemory", kOther},
    NamedReason{"WrPageOut", kIo},
    NamedReason{"WrRendezvous", kOther},  // 20
    NamedReason{"WrKeyedEvent", kLock},   // 21: contended locks of user code before Windows 8
    NamedReason{"WrTerminated", kOther},
    NamedReason{"WrProcessInSwap", kStorage},
    NamedReason{"WrCpuRateControl", kOther},
    NamedReason{"WrCalloutStack", kOther},  // 25
    NamedReason{"WrKernel", kOther},
    NamedReason{"WrResource", kLock},
    NamedReason{"WrPushLock", kLock},
    NamedReason{"WrMutex", kLock},
    NamedReason{"WrQuantumEnd", kReady},  // 30
    NamedReason{"WrDispatchInt", kReady},
    NamedReason{"WrPreempted", kReady},
    NamedReason{"WrYieldExecution", kReady},
    NamedReason{"WrFastMutex", kLock},
    NamedReason{"WrGuardedMutex", kLock},     // 35
    NamedReason{"WrRundown", kLock},          // 36: until others have released an object
    NamedReason{"WrAlertByThreadId", kLock},  // 37: the same since Windows 8
    NamedReason{"WrDeferredPreempt", kReady},
    NamedReason{"WrPhysicalFault", kStorage},
    NamedReason{"WrIoRing", kIo},  // 40
    NamedReason{"WrMdlCache", kOther},
    NamedReason{"WrRcu", kLock},  // 42: until others have left what they read
};

}  // namespace detail

// reason: the OldThreadWaitReason of a switched-out thread. An unknown reason maps to kOther.
inline const WaitReason& wait_reason(std::uint8_t reason) {
  return reason < detail::kWaitReasons.size() ? detail::kWaitReasons[reason].reason
                                              : detail::kOther;
}

// The reason's name, of a constant; "unknown" for an unknown reason.
inline std::string_view wait_reason_name(std::uint8_t reason) {
  return reason < detail::kWaitReasons.size() ? detail::kWaitReasons[reason].name : "unknown";
}

}  // namespace tailgate::etl
