// The machine that a result was measured on, and which machines may be compared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tailgate {

struct MachineInfo {
  std::string os;             // name and version: "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;         // release: "6.1.0-28-amd64"
  std::string cpu_model;      // as the processor names itself; "unknown" where it does not
  unsigned logical_cpus = 0;  // processors that this process was given
  std::uint64_t memory_bytes = 0;
  std::string hypervisor;  // "KVM", "VMware" …, or "none seen"
  // Further facts, name and value. What is not known is left out. On Linux: architecture,
  // kernel_version, microcode, allowed_cpus, online_cpus, isolated_cpus, smt, governor, turbo,
  // cpu_quota (of the control group: processors' worth of time), clocksource,
  // transparent_hugepages, boot (8 hex digits, different after each start of the machine). On
  // Windows: architecture, allowed_cpus, smt, power_scheme, clocksource, boot, and wine, the
  // version of Wine where it is that and no Windows.
  std::vector<std::pair<std::string, std::string>> details;
  // What figures measured here are good for, where that is not everything: "Wine: smoke, not
  // Windows".
  std::string restriction;
  std::string fingerprint;  // machine_fingerprint of the above
};

MachineInfo collect_machine_info();

// 16 hex digits, the same for results that may be compared. They follow from what moves tail
// latency and stays from run to run: os, kernel, cpu_model, logical_cpus, memory in whole GiB,
// hypervisor, and of the details architecture, isolated_cpus, smt, governor, turbo, cpu_quota
// and power_scheme.
// A machine's name or serial number is not in it: two machines of one kind are one machine here,
// which lets short-lived virtual machines share a baseline.
// The hash is FNV-1a, 64 bit (Fowler, Noll and Vo; RFC 9923), over "name=value\n" lines.
std::string machine_fingerprint(const MachineInfo& machine);

// The common name for a CPUID hypervisor signature: "KVMKVMKVM" -> "KVM"; one that is not known
// comes back as it is, and an empty one is "none seen".
std::string hypervisor_name(std::string_view signature);

// FNV-1a, 64 bit, as 16 hex digits.
std::string fnv1a_hex(std::string_view text);

}  // namespace tailgate
