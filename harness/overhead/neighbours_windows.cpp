// https://learn.microsoft.com/windows/win32/toolhelp/taking-a-snapshot-and-viewing-processes
#include "harness/os/api_windows.h"

// After windows.h, whose types it needs.
#include <tlhelp32.h>

#include <string_view>
#include <utility>

#include "harness/os/process.h"
#include "harness/os/wine_windows.h"
#include "harness/overhead/neighbours.h"

namespace tailgate {
namespace {

std::string without_extension(std::string name) {
  constexpr std::string_view kExtension = ".exe";
  if (name.ends_with(kExtension)) name.resize(name.size() - kExtension.size());
  return name;
}

}  // namespace

// Wine tells of other processes that they use nothing.
std::optional<std::vector<ProcessTime>> process_times() {
  if (!wine_version().empty()) return {};
  const Handle snapshot(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
  PROCESSENTRY32W entry = {};
  entry.dwSize = sizeof entry;
  if (!snapshot || Process32FirstW(snapshot.get(), &entry) == 0) return {};
  std::vector<ProcessTime> all;
  do {
    const int pid = static_cast<int>(entry.th32ProcessID);
    // Nobody uses what the idle process, 0, counts; others may not be opened by this user.
    const std::optional<std::uint64_t> cpu_ns =
        pid == 0 ? std::optional<std::uint64_t>() : process_cpu_ns(pid);
    if (!cpu_ns) continue;
    all.push_back({pid, static_cast<int>(entry.th32ParentProcessID),
                   without_extension(narrow(entry.szExeFile)), *cpu_ns});
  } while (Process32NextW(snapshot.get(), &entry) != 0);
  return all;
}

}  // namespace tailgate
