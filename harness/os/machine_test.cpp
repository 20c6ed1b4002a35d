#include "harness/os/machine.h"

#include <catch2/catch.hpp>
#include <string>

using tailgate::MachineInfo;

namespace {

MachineInfo example() {
  MachineInfo machine;
  machine.os = "Debian GNU/Linux 12 (bookworm)";
  machine.kernel = "6.1.0-28-amd64";
  machine.cpu_model = "AMD EPYC 7763 64-Core Processor";
  machine.logical_cpus = 4;
  machine.memory_bytes = std::uint64_t{16} << 30;
  machine.hypervisor = "Hyper-V";
  machine.details = {{"smt", "on"}, {"governor", "performance"}, {"boot", "0badcafe"}};
  return machine;
}

}  // namespace

TEST_CASE("FNV-1a returns its authors' published test values") {
  CHECK(tailgate::fnv1a_hex("") == "cbf29ce484222325");
  CHECK(tailgate::fnv1a_hex("a") == "af63dc4c8601ec8c");
  CHECK(tailgate::fnv1a_hex("foobar") == "85944171f73967e8");
}

TEST_CASE("a fact that decides comparability changes the fingerprint") {
  const std::string same = machine_fingerprint(example());
  const auto changed = [&](auto change) {
    MachineInfo machine = example();
    change(machine);
    return machine_fingerprint(machine) != same;
  };
  CHECK(same.size() == 16);
  CHECK(changed([](MachineInfo& m) { m.os = "Debian GNU/Linux 13 (trixie)"; }));
  CHECK(changed([](MachineInfo& m) { m.kernel = "6.1.0-29-amd64"; }));
  CHECK(changed([](MachineInfo& m) { m.cpu_model = "AMD EPYC 7V13 64-Core Processor"; }));
  CHECK(changed([](MachineInfo& m) { m.logical_cpus = 2; }));
  CHECK(changed([](MachineInfo& m) { m.memory_bytes /= 2; }));
  CHECK(changed([](MachineInfo& m) { m.hypervisor = "none seen"; }));
  CHECK(changed([](MachineInfo& m) { m.details[0].second = "off"; }));
  CHECK(changed([](MachineInfo& m) { m.details[1].second = "powersave"; }));
  CHECK(changed([](MachineInfo& m) { m.details.emplace_back("cpu_quota", "1.50"); }));
}

TEST_CASE("a fact that differs from run to run does not change the fingerprint") {
  MachineInfo machine = example();
  machine.details = {
      {"governor", "performance"}, {"smt", "on"}, {"boot", "12345678"}, {"microcode", "0xa0011d5"}};
  machine.memory_bytes -= 200'000'000;  // the kernel's own share differs from start to start
  CHECK(machine_fingerprint(machine) == machine_fingerprint(example()));
}

TEST_CASE("hypervisors go by their common names") {
  CHECK(tailgate::hypervisor_name("KVMKVMKVM") == "KVM");
  CHECK(tailgate::hypervisor_name("Microsoft Hv") == "Hyper-V");
  CHECK(tailgate::hypervisor_name("NewNewNewNew") == "NewNewNewNew");
  CHECK(tailgate::hypervisor_name("") == "none seen");
}

TEST_CASE("this machine can be read, and twice with the same fingerprint") {
  const MachineInfo machine = tailgate::collect_machine_info();
  CHECK_FALSE(machine.os.empty());
  CHECK_FALSE(machine.kernel.empty());
  CHECK(machine.logical_cpus > 0);
  CHECK(machine.memory_bytes > 0);
  CHECK(machine.fingerprint == tailgate::collect_machine_info().fingerprint);
}
