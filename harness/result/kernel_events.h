// A group of the kernel's events that was switched on during a trial, and what it recorded.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/enum_text.h"

namespace tailgate {

// Groups of the kernel's own: Linux' tracepoints (harness/explain/kernel_groups_linux.cpp) or flags
// of a session of Windows' kernel (kernel_groups_windows.cpp). Each system has some of them only.
enum class KernelGroup {
  none,  // a buffer of the kernel's without an event
  sched,
  irq,
  exceptions,
  block,
  syscalls,
  timer,
  kmem,
  writeback,
  filemap,
  signal,
  net,
  process,
  image,
  profile,
  fileio,
  registry,
};
template <>
inline constexpr auto kEnumTexts<KernelGroup> =
    enum_texts<KernelGroup>({{KernelGroup::none, "none"},
                             {KernelGroup::sched, "sched"},
                             {KernelGroup::irq, "irq"},
                             {KernelGroup::exceptions, "exceptions"},
                             {KernelGroup::block, "block"},
                             {KernelGroup::syscalls, "syscalls"},
                             {KernelGroup::timer, "timer"},
                             {KernelGroup::kmem, "kmem"},
                             {KernelGroup::writeback, "writeback"},
                             {KernelGroup::filemap, "filemap"},
                             {KernelGroup::signal, "signal"},
                             {KernelGroup::net, "net"},
                             {KernelGroup::process, "process"},
                             {KernelGroup::image, "image"},
                             {KernelGroup::profile, "profile"},
                             {KernelGroup::fileio, "fileio"},
                             {KernelGroup::registry, "registry"}});

struct KernelEventsUse {
  KernelGroup group = KernelGroup::none;
  std::uint64_t on_ns = 0;
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 0;
  std::uint64_t rejected = 0;
  std::string refused;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("group", &KernelEventsUse::group,
      "the group; none: a buffer of the kernel's existed, and no event was on");
    v("on_ns", &KernelEventsUse::on_ns, "how long they were on, warm-up included (duration)");
    v("records", &KernelEventsUse::records,
      "what the kernel recorded, of all processes of the machine");
    v("record_bytes", &KernelEventsUse::record_bytes,
      "their size in the buffer: of those left in it at the end, times all by those left; on "
      "Windows, in the file that has all of them");
    v("rejected", &KernelEventsUse::rejected,
      "records for which the buffer had no room, although the oldest are overwritten");
    v("refused", &KernelEventsUse::refused,
      "why they could not be switched on; empty if they were");
  }
};

}  // namespace tailgate
