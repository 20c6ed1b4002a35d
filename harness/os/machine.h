// Describes the machine on which a result was measured, and decides which machines may be compared.
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
  std::string cpu_model;      // the processor's own name; "unknown" if it has none
  unsigned logical_cpus = 0;  // processors that this process may use
  std::uint64_t memory_bytes = 0;
  std::string hypervisor;  // "KVM", "VMware" …, or "none seen"
  // Further facts, name and value. Unknown facts are omitted. On Linux: architecture,
  // kernel_version, microcode, allowed_cpus, online_cpus, isolated_cpus, smt, governor, turbo,
  // cpu_quota (limit of the control group, in processors), clocksource, transparent_hugepages,
  // package_NAME (installed version, on Debian and its like: C library, systemd, LTTng …), boot
  // (8 hex digits, different after each start of the machine). On Windows: architecture,
  // allowed_cpus, smt, power_scheme, clocksource, boot, and wine, the version of Wine if the
  // program runs under Wine.
  std::vector<std::pair<std::string, std::string>> details;
  // Restriction on the use of figures measured here: "Wine: smoke, not Windows"; empty for none.
  std::string restriction;
  std::string fingerprint;  // machine_fingerprint of the above
};

MachineInfo collect_machine_info();

// Returns 16 hex digits that are equal for machines whose results may be compared. They are a hash
// of the facts that affect tail latency and stay the same from run to run: os, kernel, cpu_model,
// logical_cpus, memory in whole GiB, hypervisor, and of the details architecture, isolated_cpus,
// smt, governor, turbo, cpu_quota and power_scheme. A machine's name or serial number is not part
// of it: two machines of the same kind have the same fingerprint, so that short-lived virtual
// machines can share a baseline. The hash is FNV-1a, 64 bit (Fowler, Noll and Vo; RFC 9923), over
// "name=value\n" lines.
std::string machine_fingerprint(const MachineInfo& machine);

// Returns the common name for a hypervisor's CPUID signature: "KVM" for "KVMKVMKVM", "none seen"
// for an empty one. An unknown signature is returned unchanged.
std::string hypervisor_name(std::string_view signature);

// The FNV-1a hash of text, 64 bit, as 16 hex digits.
std::string fnv1a_hex(std::string_view text);

}  // namespace tailgate
