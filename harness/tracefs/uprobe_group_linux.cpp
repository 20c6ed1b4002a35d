#include "harness/tracefs/uprobe_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "harness/base/error.h"
#include "harness/tracefs/instance.h"

namespace tailgate::tracefs {
namespace {

constexpr const char* kEvents = "uprobe_events";
// The number of the first namespace of processes (kernel: PROC_PID_INIT_INO).
constexpr const char* kFirstNamespace = "pid:[4026531836]";

std::string group_name() {
  std::string name = instance_name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// What cannot be removed now the next run removes.
void remove(const TraceFolder& root, const std::string& event) {
  try {
    root.write(kEvents, "-:" + event, "");
  } catch (const Error&) {
    return;
  }
}

}  // namespace

UprobeGroup::UprobeGroup(const TraceFolder& root) : root_(root), name_(group_name()) {}

UprobeGroup::~UprobeGroup() {
  for (const std::string& event : events_) remove(root_, name_ + "/" + event);
}

void UprobeGroup::add(const std::string& event, int file, std::uint64_t offset, bool at_return) {
  // By the open file, whose path may have blanks, which the kernel takes for the path's end.
  root_.write(kEvents,
              fmt::format("{}:{}/{} /proc/self/fd/{}:{:#x} sp=$stack", at_return ? 'r' : 'p', name_,
                          event, file, offset),
              "name another function, or use a kernel with CONFIG_UPROBE_EVENTS=y");
  events_.push_back(event);
}

void sweep_uprobes(const TraceFolder& root) {
  if (!root.has(kEvents)) return;
  std::istringstream lines(root.read(kEvents));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find(':') + 1;
    const std::string event = line.substr(begin, line.find(' ', begin) - begin);
    const int pid = owner_pid(event.substr(0, event.find('/')), '_');
    if (pid != 0 && process_is_gone(pid)) remove(root, event);
  }
}

Probe probe_uprobes() {
  Probe probe = probe_tracefs();
  if (!probe.available) {
    probe.remedy = "run as root (sudo)";
    return probe;
  }
  if (!TraceFolder::root().has(kEvents)) {
    return {false, "this kernel has no uprobes", "boot a kernel with CONFIG_UPROBE_EVENTS=y"};
  }
  std::error_code unreadable;
  const std::filesystem::path space =
      std::filesystem::read_symlink("/proc/self/ns/pid", unreadable);
  if (space == kFirstNamespace) return {};
  return {false,
          fmt::format("tailgate runs in a namespace of processes of its own ({}), whose numbers "
                      "the kernel's trace does not have",
                      space.string()),
          "run it outside of the container"};
}

}  // namespace tailgate::tracefs
