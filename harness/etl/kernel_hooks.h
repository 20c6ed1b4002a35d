// Hook ids (group << 8 | type) of the kernel events for which this reader has code. Source: Geoff
// Chappell's hook id pages; Microsoft's MSNT_SystemTrace classes.
#pragma once

#include <cstdint>

namespace tailgate::etl {

inline constexpr std::uint16_t kHookLogFileHeader = 0x0000;
inline constexpr std::uint16_t kHookHeaderExtension = 0x0005;
inline constexpr std::uint16_t kHookDiskRead = 0x010A;
inline constexpr std::uint16_t kHookDiskWrite = 0x010B;
inline constexpr std::uint16_t kHookDiskReadInit = 0x010C;
inline constexpr std::uint16_t kHookDiskWriteInit = 0x010D;
inline constexpr std::uint16_t kHookDiskFlush = 0x010E;
inline constexpr std::uint16_t kHookDiskFlushInit = 0x010F;
inline constexpr std::uint16_t kHookHardFault = 0x0220;
inline constexpr std::uint16_t kHookPageFaultFirst = 0x020A;  // transition fault
inline constexpr std::uint16_t kHookPageFaultLast = 0x020F;   // access violation
inline constexpr std::uint16_t kHookProcessStart = 0x0301;
inline constexpr std::uint16_t kHookProcessEnd = 0x0302;
inline constexpr std::uint16_t kHookProcessRundownStart = 0x0303;
inline constexpr std::uint16_t kHookProcessRundownEnd = 0x0304;
inline constexpr std::uint16_t kHookImageLoad = 0x030A;
inline constexpr std::uint16_t kHookFileFirst = 0x0440;  // create a file
inline constexpr std::uint16_t kHookFileFlush = 0x0449;
inline constexpr std::uint16_t kHookFileOperationEnd = 0x044C;
inline constexpr std::uint16_t kHookFileLast = 0x044D;  // notify of a directory's changes
inline constexpr std::uint16_t kHookThreadStart = 0x0501;
inline constexpr std::uint16_t kHookThreadEnd = 0x0502;
inline constexpr std::uint16_t kHookThreadRundownStart = 0x0503;
inline constexpr std::uint16_t kHookThreadRundownEnd = 0x0504;
inline constexpr std::uint16_t kHookContextSwitch = 0x0524;
inline constexpr std::uint16_t kHookContextSwitchBatch = 0x0525;
inline constexpr std::uint16_t kHookReadyThread = 0x0532;
inline constexpr std::uint16_t kHookThreadSetName = 0x0548;
inline constexpr std::uint16_t kHookSampledProfile = 0x0F2E;
inline constexpr std::uint16_t kHookIsrMsi = 0x0F32;
inline constexpr std::uint16_t kHookSystemCallEnter = 0x0F33;
inline constexpr std::uint16_t kHookSystemCallExit = 0x0F34;
inline constexpr std::uint16_t kHookThreadedDpc = 0x0F42;
inline constexpr std::uint16_t kHookIsr = 0x0F43;
inline constexpr std::uint16_t kHookDpc = 0x0F44;
inline constexpr std::uint16_t kHookTimerDpc = 0x0F45;
inline constexpr std::uint16_t kHookImageUnload = 0x1402;
inline constexpr std::uint16_t kHookImageRundownStart = 0x1403;
inline constexpr std::uint16_t kHookImageRundownEnd = 0x1404;
inline constexpr std::uint16_t kHookStackWalk = 0x1820;
// What a key stands for: Create from then on; Delete (0x1823) up to then; Rundown up to the end.
inline constexpr std::uint16_t kHookStackKeyCreate = 0x1822;
inline constexpr std::uint16_t kHookStackKeyRundown = 0x1824;
// The stack of an event, by its key.
inline constexpr std::uint16_t kHookStackKeyKernel = 0x1825;
inline constexpr std::uint16_t kHookStackKeyUser = 0x1826;

}  // namespace tailgate::etl
