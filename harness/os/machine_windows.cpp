// Reads the same registry values as Windows' "winver" and task manager.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/os/api_windows.h"
#include "harness/os/cpu_features.h"
#include "harness/os/library_windows.h"
#include "harness/os/machine.h"
#include "harness/os/wine_windows.h"

namespace tailgate {
namespace {

#if defined(_M_ARM64) || defined(__aarch64__)
constexpr const char* kArchitecture = "aarch64";
#else
constexpr const char* kArchitecture = "x86-64";
#endif
constexpr const wchar_t* kVersionKey = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
constexpr const wchar_t* kProcessorKey = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
constexpr const wchar_t* kPowerKey =
    L"SYSTEM\\CurrentControlSet\\Control\\Power\\User\\PowerSchemes";

// Returns a text of HKEY_LOCAL_MACHINE without trailing blanks; empty if it does not exist.
std::string registry_text(const wchar_t* key, const wchar_t* name) {
  wchar_t text[256] = {};
  DWORD bytes = sizeof text;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, text, &bytes) != 0) {
    return "";
  }
  std::string result = narrow(text);
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

DWORD registry_number(const wchar_t* key, const wchar_t* name) {
  DWORD value = 0;
  DWORD bytes = sizeof value;
  RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_DWORD, nullptr, &value, &bytes);
  return value;
}

// GetVersionEx reports the version for which a program was built; RtlGetVersion reports the real
// one.
std::string kernel_version() {
  using RtlGetVersion = LONG(WINAPI*)(OSVERSIONINFOW*);
  const auto get = library_function<RtlGetVersion>(L"ntdll.dll", "RtlGetVersion");
  OSVERSIONINFOW version = {};
  version.dwOSVersionInfoSize = sizeof version;
  if (get == nullptr || get(&version) != 0) return "unknown";
  return fmt::format("{}.{}.{}.{}", version.dwMajorVersion, version.dwMinorVersion,
                     version.dwBuildNumber, registry_number(kVersionKey, L"UBR"));
}

std::string os_name() {
  std::string name = registry_text(kVersionKey, L"ProductName");
  const std::string update = registry_text(kVersionKey, L"DisplayVersion");
  if (name.empty()) name = "Windows";
  if (!update.empty()) name += " " + update;
  const std::string wine = wine_version();
  return wine.empty() ? name : fmt::format("Wine {} (as {})", wine, name);
}

std::uint64_t memory_bytes() {
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof memory;
  return GlobalMemoryStatusEx(&memory) != 0 ? memory.ullTotalPhys : 0;
}

// Returns "on" if any core has two or more hardware threads.
std::string smt() {
  DWORD bytes = 0;
  GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &bytes);
  std::vector<std::byte> buffer(bytes);
  auto* const all = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer.data());
  if (GetLogicalProcessorInformationEx(RelationProcessorCore, all, &bytes) == 0) return "";
  for (std::size_t at = 0; at < bytes;) {
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX core = {};
    std::memcpy(&core, buffer.data() + at, std::min<std::size_t>(sizeof core, bytes - at));
    if ((core.Processor.Flags & LTP_PC_SMT) != 0) return "on";
    if (core.Size == 0) break;
    at += core.Size;
  }
  return "off";
}

std::string clock_source() {
  LARGE_INTEGER hz;
  QueryPerformanceFrequency(&hz);
  return fmt::format("QueryPerformanceCounter at {} Hz", hz.QuadPart);
}

// Returns a hash of the system's start time, which only serves to distinguish two starts. The time
// is the first field of SYSTEM_TIMEOFDAY_INFORMATION, class 3 of NtQuerySystemInformation.
std::string boot() {
  using QuerySystem = LONG(WINAPI*)(int, void*, ULONG, ULONG*);
  const auto query = library_function<QuerySystem>(L"ntdll.dll", "NtQuerySystemInformation");
  std::int64_t times[6] = {};
  if (query == nullptr || query(3, times, sizeof times, nullptr) < 0) return "";
  return fnv1a_hex(fmt::format("{}", times[0])).substr(0, 8);
}

}  // namespace

MachineInfo collect_machine_info() {
  MachineInfo machine;
  machine.os = os_name();
  machine.kernel = kernel_version();
  machine.cpu_model = registry_text(kProcessorKey, L"ProcessorNameString");
  if (machine.cpu_model.empty()) machine.cpu_model = "unknown";
  machine.logical_cpus = static_cast<unsigned>(initial_cpus().size());
  machine.memory_bytes = memory_bytes();
  machine.hypervisor = hypervisor_name(hypervisor_signature());
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) machine.details.emplace_back(name, std::move(value));
  };
  add("architecture", kArchitecture);
  add("allowed_cpus", format_cpu_list(initial_cpus()));
  add("smt", smt());
  add("power_scheme", registry_text(kPowerKey, L"ActivePowerScheme"));
  add("clocksource", clock_source());
  add("wine", wine_version());
  add("boot", boot());
  if (!wine_version().empty()) machine.restriction = "Wine: smoke, not Windows";
  machine.fingerprint = machine_fingerprint(machine);
  return machine;
}

}  // namespace tailgate
