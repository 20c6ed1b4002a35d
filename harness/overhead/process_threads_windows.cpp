#include <windows.h>

#include <tlhelp32.h>

#include <algorithm>

#include "harness/os/api_windows.h"
#include "harness/overhead/process_threads.h"

namespace tailgate {
namespace {

// Adds the processes that these, or one that they started, started.
void add_started(std::vector<int>& pids) {
  const Handle snapshot(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
  PROCESSENTRY32W entry = {};
  entry.dwSize = sizeof entry;
  if (!snapshot || Process32FirstW(snapshot.get(), &entry) == 0) return;
  std::vector<ProcessThread> started;  // each with its parent's id in `process`
  do {
    started.push_back(
        {static_cast<int>(entry.th32ParentProcessID), static_cast<int>(entry.th32ProcessID)});
  } while (Process32NextW(snapshot.get(), &entry) != 0);
  for (std::size_t i = 0; i < pids.size(); ++i) {
    for (const ProcessThread& one : started) {
      const bool known = std::find(pids.begin(), pids.end(), one.thread) != pids.end();
      if (one.process == pids[i] && !known) pids.push_back(one.thread);
    }
  }
}

}  // namespace

std::vector<ProcessThread> threads_of(std::vector<int> pids) {
  add_started(pids);
  std::vector<ProcessThread> threads;
  const Handle snapshot(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0));
  THREADENTRY32 entry = {};
  entry.dwSize = sizeof entry;
  if (!snapshot || Thread32First(snapshot.get(), &entry) == 0) return threads;
  do {
    const int process = static_cast<int>(entry.th32OwnerProcessID);
    if (std::find(pids.begin(), pids.end(), process) == pids.end()) continue;
    threads.push_back({process, static_cast<int>(entry.th32ThreadID)});
  } while (Thread32Next(snapshot.get(), &entry) != 0);
  return threads;
}

}  // namespace tailgate
