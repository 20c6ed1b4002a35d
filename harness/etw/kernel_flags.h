// The kinds of events that Windows' kernel records, and the names by which one asks for them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate::etw {

struct KernelFlag {
  const char* name;
  std::uint32_t bit;
  const char* what;
};

// Names: Microsoft's article "Core OS Events in Windows 7" (September 2009), which xperf and logman
// use, too. Bits: EnableFlags in Microsoft's documentation of EVENT_TRACE_PROPERTIES.
inline constexpr std::array kKernelFlags = {
    KernelFlag{"process", 0x1, "processes that begin and end"},
    KernelFlag{"thread", 0x2, "threads that begin and end"},
    KernelFlag{"img", 0x4, "images that are loaded, which name the code"},
    KernelFlag{"proccounters", 0x8, "memory counters of processes"},
    KernelFlag{"cswitch", 0x10, "context switches"},
    KernelFlag{"dpc", 0x20, "deferred procedure calls"},
    KernelFlag{"isr", 0x40, "interrupt routines"},
    KernelFlag{"syscall", 0x80, "system calls"},
    KernelFlag{"diskio", 0x100, "physical disk I/O"},
    KernelFlag{"filename", 0x200, "names of the files of disk I/O"},
    KernelFlag{"diskioinit", 0x400, "beginnings of disk I/O"},
    KernelFlag{"dispatcher", 0x800, "threads that are made ready"},
    KernelFlag{"pf", 0x1000, "page faults"},
    KernelFlag{"hf", 0x2000, "page faults that read from disk"},
    KernelFlag{"virtalloc", 0x4000, "allocations of virtual memory"},
    KernelFlag{"vamap", 0x8000, "mapped files"},
    KernelFlag{"net", 0x10000, "TCP and UDP"},
    KernelFlag{"registry", 0x20000, "accesses to the registry"},
    KernelFlag{"dbgprint", 0x40000, "messages for a kernel debugger"},
    KernelFlag{"job", 0x80000, "jobs"},
    KernelFlag{"alpc", 0x100000, "local procedure calls"},
    KernelFlag{"splitio", 0x200000, "disk I/O that is split by volumes"},
    KernelFlag{"driver", 0x800000, "delays in drivers"},
    KernelFlag{"profile", 0x1000000, "samples of what each processor runs, every 1 ms"},
    KernelFlag{"fileio", 0x2000000, "file operations that end"},
    KernelFlag{"fileioinit", 0x4000000, "file operations that begin"},
};

// The flags' bits together. Throws Error for an unknown or repeated name, or none.
std::uint32_t kernel_flag_bits(const std::vector<std::string>& names);

// The names of the flags in `bits`, in the order of the table: "process, thread".
std::string kernel_flag_names(std::uint32_t bits);

}  // namespace tailgate::etw
