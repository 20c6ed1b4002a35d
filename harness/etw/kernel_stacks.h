// The events of Windows' kernel whose stacks it can record, and their names on the command line.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate::etw {

// A GUID as Windows lays it out.
struct EventClass {
  std::uint32_t first;
  std::uint16_t second;
  std::uint16_t third;
  std::uint8_t rest[8];
};

// Classes: Microsoft's "NT Kernel Logger Constants", evntrace.h.
inline constexpr EventClass kProcessClass{
    0x3d6fa8d0, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}};
inline constexpr EventClass kThreadClass{
    0x3d6fa8d1, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}};
inline constexpr EventClass kPageFaultClass{
    0x3d6fa8d3, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}};
inline constexpr EventClass kDiskIoClass{
    0x3d6fa8d4, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}};
inline constexpr EventClass kImageClass{
    0x2cb15d1d, 0x5fc1, 0x11d2, {0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11, 0xf5, 0x18}};
inline constexpr EventClass kPerfInfoClass{
    0xce1dbfb4, 0x137e, 0x4da6, {0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc}};
inline constexpr EventClass kFileIoClass{
    0x90cbdc39, 0x4a3e, 0x11d1, {0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3}};
inline constexpr EventClass kRegistryClass{
    0xae53722e, 0xc863, 0x11d2, {0x86, 0x59, 0x00, 0xc0, 0x4f, 0xa3, 0x21, 0xa1}};
inline constexpr EventClass kAlpcClass{
    0x45d8cccd, 0x539f, 0x4b72, {0xa8, 0xb7, 0x5c, 0x68, 0x31, 0x42, 0x60, 0x9a}};

struct KernelStack {
  const char* name;  // the event, as `tailgate etl dump` shows it
  EventClass event_class;
  std::uint8_t type;
  const char* flag;  // of kernel_flags.h: without it, the kernel does not record the event
};

// Types: Microsoft's documentation of the classes. Events: its documentation of the element Stack
// of the Windows Performance Recorder. The version of Windows decides for which of
// these it records stacks.
inline constexpr std::array kKernelStacks = {
    KernelStack{"Process/Start", kProcessClass, 1, "process"},
    KernelStack{"Process/Stop", kProcessClass, 2, "process"},
    KernelStack{"Thread/Start", kThreadClass, 1, "thread"},
    KernelStack{"Thread/Stop", kThreadClass, 2, "thread"},
    KernelStack{"Thread/CSwitch", kThreadClass, 36, "cswitch"},
    KernelStack{"Thread/ReadyThread", kThreadClass, 50, "dispatcher"},
    KernelStack{"Image/Load", kImageClass, 10, "img"},
    KernelStack{"Image/Unload", kImageClass, 2, "img"},
    KernelStack{"PerfInfo/SampledProfile", kPerfInfoClass, 46, "profile"},
    KernelStack{"PerfInfo/SysClEnter", kPerfInfoClass, 51, "syscall"},
    KernelStack{"PerfInfo/SysClExit", kPerfInfoClass, 52, "syscall"},
    KernelStack{"DiskIo/ReadInit", kDiskIoClass, 12, "diskioinit"},
    KernelStack{"DiskIo/WriteInit", kDiskIoClass, 13, "diskioinit"},
    KernelStack{"DiskIo/FlushInit", kDiskIoClass, 15, "diskioinit"},
    KernelStack{"PageFault/TransitionFault", kPageFaultClass, 10, "pf"},
    KernelStack{"PageFault/DemandZeroFault", kPageFaultClass, 11, "pf"},
    KernelStack{"PageFault/CopyOnWrite", kPageFaultClass, 12, "pf"},
    KernelStack{"PageFault/GuardPageFault", kPageFaultClass, 13, "pf"},
    KernelStack{"PageFault/HardPageFault", kPageFaultClass, 14, "pf"},
    KernelStack{"PageFault/AccessViolation", kPageFaultClass, 15, "pf"},
    KernelStack{"PageFault/HardFault", kPageFaultClass, 32, "hf"},
    KernelStack{"PageFault/VirtualAlloc", kPageFaultClass, 98, "virtalloc"},
    KernelStack{"PageFault/VirtualFree", kPageFaultClass, 99, "virtalloc"},
    KernelStack{"FileIo/Create", kFileIoClass, 64, "fileioinit"},
    KernelStack{"FileIo/Cleanup", kFileIoClass, 65, "fileioinit"},
    KernelStack{"FileIo/Close", kFileIoClass, 66, "fileioinit"},
    KernelStack{"FileIo/Read", kFileIoClass, 67, "fileioinit"},
    KernelStack{"FileIo/Write", kFileIoClass, 68, "fileioinit"},
    KernelStack{"FileIo/SetInfo", kFileIoClass, 69, "fileioinit"},
    KernelStack{"FileIo/Delete", kFileIoClass, 70, "fileioinit"},
    KernelStack{"FileIo/Rename", kFileIoClass, 71, "fileioinit"},
    KernelStack{"FileIo/DirEnum", kFileIoClass, 72, "fileioinit"},
    KernelStack{"FileIo/Flush", kFileIoClass, 73, "fileioinit"},
    KernelStack{"FileIo/QueryInfo", kFileIoClass, 74, "fileioinit"},
    KernelStack{"FileIo/FSControl", kFileIoClass, 75, "fileioinit"},
    KernelStack{"FileIo/DirNotify", kFileIoClass, 77, "fileioinit"},
    KernelStack{"Registry/Create", kRegistryClass, 10, "registry"},
    KernelStack{"Registry/Open", kRegistryClass, 11, "registry"},
    KernelStack{"Registry/Delete", kRegistryClass, 12, "registry"},
    KernelStack{"Registry/Query", kRegistryClass, 13, "registry"},
    KernelStack{"Registry/SetValue", kRegistryClass, 14, "registry"},
    KernelStack{"Registry/DeleteValue", kRegistryClass, 15, "registry"},
    KernelStack{"Registry/QueryValue", kRegistryClass, 16, "registry"},
    KernelStack{"Registry/EnumerateKey", kRegistryClass, 17, "registry"},
    KernelStack{"Registry/EnumerateValueKey", kRegistryClass, 18, "registry"},
    KernelStack{"Registry/Close", kRegistryClass, 27, "registry"},
    KernelStack{"ALPC/ALPC-Send-Message", kAlpcClass, 33, "alpc"},
    KernelStack{"ALPC/ALPC-Receive-Message", kAlpcClass, 34, "alpc"},
    KernelStack{"ALPC/ALPC-Wait-For-Reply", kAlpcClass, 35, "alpc"},
    KernelStack{"ALPC/ALPC-Wait-For-New-Message", kAlpcClass, 36, "alpc"},
    KernelStack{"ALPC/ALPC-Unwait", kAlpcClass, 37, "alpc"},
};

// The events of these names: whole ones, or what is behind the slash where only one event has it
// ("CSwitch"). Throws Error for a name that is unknown, means several events, or is repeated, and
// for an event that the kernel does not record with these flags (bits of kernel_flags.h).
std::vector<KernelStack> kernel_stacks(const std::vector<std::string>& names, std::uint32_t flags);

}  // namespace tailgate::etw
