#include "harness/profile/perf_samples_linux.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/profile/testing/perf_record.h"

namespace tailgate::profile {
namespace {

using Bytes = std::vector<std::byte>;
using U64 = std::uint64_t;

constexpr auto kKernel = static_cast<U64>(PERF_CONTEXT_KERNEL);
constexpr auto kUser = static_cast<U64>(PERF_CONTEXT_USER);

// A sample of thread 12 of process 11 on processor 3, as far as the chain.
PerfRecord begun(std::uint16_t misc, const std::vector<U64>& chain) {
  PerfRecord record(PERF_RECORD_SAMPLE, misc);
  record.add(U64{0x4711}).add(std::uint32_t{11}).add(std::uint32_t{12}).add(U64{5'000'000});
  record.add(U64{0x7000});
  record.add(std::uint32_t{3}).add(std::uint32_t{0}).add(U64{chain.size()});
  for (const U64 address : chain) record.add(address);
  return record;
}

// Registers whose values are 100, 101 … in the kernel's order, and a stack of 16 bytes of which 8
// were used.
Bytes sample(std::uint16_t misc, const std::vector<U64>& chain) {
  PerfRecord record = begun(misc, chain);
  if (kStackOfUser) {
    record.add(U64{PERF_SAMPLE_REGS_ABI_64});
    for (U64 i = 0; i < kDwarfOrder.size(); ++i) record.add(100 + i);
    record.add(U64{16}).add(U64{0xabc}).add(U64{0xdef}).add(U64{8});
  }
  return record.finish();
}

TEST_CASE("a sample's fields are read in their order", "[perf]") {
  PerfSamples samples(1 << 20);
  samples.add(sample(PERF_RECORD_MISC_KERNEL, {kKernel, 0xf001, 0xf002, kUser, 0x501}));
  REQUIRE(samples.size() == 1);
  CHECK(samples.damaged() == 0);
  const PerfSample read = samples.at(0);
  CHECK(read.address == 0x4711);
  CHECK(read.process == 11);
  CHECK(read.thread == 12);
  CHECK(read.time_ns == 5'000'000);
  CHECK(read.data_address == 0x7000);
  CHECK(read.cpu == 3);
  CHECK(read.in_kernel);
  CHECK(std::vector(read.kernel_chain.begin(), read.kernel_chain.end()) ==
        std::vector<U64>{0xf001, 0xf002});
  CHECK(std::vector(read.user_chain.begin(), read.user_chain.end()) == std::vector<U64>{0x501});
  if (!kStackOfUser) return;
  CHECK(read.has_registers);
  REQUIRE(read.stack.size() == 8);
  U64 word = 0;
  std::memcpy(&word, read.stack.data(), sizeof word);
  CHECK(word == 0xabc);
}

#if defined(__x86_64__)
TEST_CASE("registers come in the order of their DWARF numbers", "[perf]") {
  PerfSamples samples(1 << 20);
  samples.add(sample(PERF_RECORD_MISC_USER, {}));
  REQUIRE(samples.size() == 1);
  // asm/perf_regs.h: ax 0, bx 1, cx 2, dx 3, si 4, di 5, bp 6, sp 7, ip 8; of the asked ones r8 is
  // the ninth. DWARF: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 …, return address.
  const auto& registers = samples.at(0).registers;
  CHECK(registers[0] == 100);
  CHECK(registers[1] == 103);
  CHECK(registers[3] == 101);
  CHECK(registers[6] == 106);
  CHECK(registers[7] == 107);
  CHECK(registers[8] == 109);
  CHECK(registers[15] == 116);
  CHECK(registers[16] == 108);
}
#endif

TEST_CASE("lost samples and pauses are counted", "[perf]") {
  PerfSamples samples(1 << 20);
  Bytes records = PerfRecord(PERF_RECORD_LOST).add(U64{1}).add(U64{7}).finish();
  const Bytes pause = PerfRecord(PERF_RECORD_THROTTLE).add(U64{1}).add(U64{2}).add(U64{3}).finish();
  records.insert(records.end(), pause.begin(), pause.end());
  samples.add(records);
  CHECK(samples.lost() == 7);
  CHECK(samples.throttled() == 1);
  CHECK(samples.size() == 0);
}

TEST_CASE("a record that ends early, or whose chain or stack is longer than it, is damaged",
          "[perf]") {
  const Bytes whole = sample(PERF_RECORD_MISC_USER, {kUser, 0x501});
  for (std::size_t bytes = sizeof(perf_event_header); bytes < whole.size(); ++bytes) {
    Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    const auto size = static_cast<std::uint16_t>(bytes);
    std::memcpy(cut.data() + offsetof(perf_event_header, size), &size, sizeof size);
    PerfSamples samples(1 << 20);
    samples.add(cut);
    CHECK(samples.size() == 0);
    CHECK(samples.damaged() == 1);
  }
  PerfSamples samples(1 << 20);
  samples.add(std::span(whole).first(whole.size() - 1));
  CHECK(samples.damaged() == 1);
  PerfRecord lying = begun(PERF_RECORD_MISC_USER, {});
  if (kStackOfUser) lying.add(U64{0}).add(U64{8}).add(U64{1}).add(U64{9});
  samples.add(lying.finish());
  CHECK(samples.damaged() == (kStackOfUser ? 2 : 1));
}

TEST_CASE("memory is bounded: stacks are left out first, then samples", "[perf]") {
  const Bytes record = sample(PERF_RECORD_MISC_USER, {kUser, 0x501});
  PerfSamples samples(4096);
  for (int i = 0; i < 1000; ++i) samples.add(record);
  CHECK(samples.size() > 0);
  CHECK(samples.size() + samples.no_room() == 1000);
  CHECK(samples.size() < 4096 / sizeof(PerfSample));
  CHECK(samples.at(samples.size() - 1).address == 0x4711);
  const Bytes kernel_thread = PerfRecord(begun(PERF_RECORD_MISC_KERNEL, {kKernel, 0xf001}))
                                  .add(U64{PERF_SAMPLE_REGS_ABI_NONE})
                                  .add(U64{0})
                                  .finish();
  PerfSamples others(4096);
  others.add(kernel_thread);
  REQUIRE(others.size() == 1);
  CHECK_FALSE(others.at(0).has_registers);
  CHECK(others.at(0).stack.empty());
}

}  // namespace
}  // namespace tailgate::profile
