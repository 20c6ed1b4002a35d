#include "harness/os/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tailgate {
namespace {

constexpr std::array<std::string_view, 7> kDecidingDetails = {
    "architecture", "isolated_cpus", "smt", "governor", "turbo", "cpu_quota", "power_scheme"};

constexpr std::pair<std::string_view, std::string_view> kHypervisors[] = {
    {"KVMKVMKVM", "KVM"},           {"Linux KVM Hv", "KVM"},   {"VMwareVMware", "VMware"},
    {"Microsoft Hv", "Hyper-V"},    {"XenVMMXenVMM", "Xen"},   {"TCGTCGTCGTCG", "QEMU TCG"},
    {"VBoxVBoxVBox", "VirtualBox"}, {"bhyve bhyve ", "bhyve"}, {" lrpepyh  vr", "Parallels"},
    {"ACRNACRNACRN", "ACRN"},       {"QNXQVMBSQG", "QNX"},     {"VirtualApple", "Rosetta"},
};

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001B3ull;
  }
  return hash;
}

}  // namespace

std::string fnv1a_hex(std::string_view text) {
  return fmt::format("{:016x}", fnv1a(text));
}

std::string hypervisor_name(std::string_view signature) {
  if (signature.empty()) return "none seen";
  for (const auto& [known, name] : kHypervisors) {
    if (signature == known) return std::string(name);
  }
  return std::string(signature);
}

std::string machine_fingerprint(const MachineInfo& machine) {
  constexpr std::uint64_t kGib = std::uint64_t{1} << 30;
  std::string text =
      fmt::format("os={}\nkernel={}\ncpu_model={}\nlogical_cpus={}\nmemory_gib={}\nhypervisor={}\n",
                  machine.os, machine.kernel, machine.cpu_model, machine.logical_cpus,
                  (machine.memory_bytes + kGib / 2) / kGib, machine.hypervisor);
  // In a fixed order, so that the order of the details does not matter.
  for (std::string_view name : kDecidingDetails) {
    const auto at = std::find_if(machine.details.begin(), machine.details.end(),
                                 [&](const auto& detail) { return detail.first == name; });
    if (at != machine.details.end()) text += fmt::format("{}={}\n", name, at->second);
  }
  return fnv1a_hex(text);
}

}  // namespace tailgate
