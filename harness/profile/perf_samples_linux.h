// Reads the samples of the kernel's perf rings (perf_event_open(2)).
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tailgate::profile {

// The user's registers that a sample holds, in the order of their DWARF numbers (System V ABI,
// AMD64 Architecture Processor Supplement, figure 3.36: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8
// to r15, the return address). Other processors' are not asked for.
#if defined(__x86_64__)
inline constexpr bool kStackOfUser = true;
inline constexpr std::uint64_t kUserRegisters = 0xff'01ff;  // asm/perf_regs.h: ax to ip, r8 to r15
inline constexpr std::array<std::uint8_t, 17> kDwarfOrder = {0,  3,  2,  1,  4,  5,  6,  7, 9,
                                                             10, 11, 12, 13, 14, 15, 16, 8};
inline constexpr std::size_t kStackPointer = 7;
#else
inline constexpr bool kStackOfUser = false;
inline constexpr std::uint64_t kUserRegisters = 0;
inline constexpr std::array<std::uint8_t, 0> kDwarfOrder = {};
inline constexpr std::size_t kStackPointer = 0;
#endif

// The fields that perf_samples_linux.cpp expects, in their order in a record.
inline constexpr std::uint64_t kSampleType =
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
    PERF_SAMPLE_CALLCHAIN | (kStackOfUser ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0);

// The innermost part of a thread's user stack that a sample holds.
inline constexpr std::uint32_t kStackBytes = 8192;

struct PerfSample {
  std::uint64_t time_ns = 0;  // CLOCK_MONOTONIC_RAW
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  int cpu = -1;
  std::uint64_t address = 0;       // of the instruction
  std::uint64_t data_address = 0;  // of what it touched, where the event is a page fault
  bool in_kernel = false;
  bool has_registers = false;  // of a 64-bit program
  std::array<std::uint64_t, kDwarfOrder.size()> registers{};
  std::span<const std::uint64_t> kernel_chain;  // from the function that ran outwards
  std::span<const std::uint64_t> user_chain;    // by frame pointers
  std::span<const std::byte> stack;             // from the stack pointer on
};

// Holds at most max_bytes of samples; their stacks at most half of that. A sample beyond is counted
// only, and a stack beyond is left out.
class PerfSamples {
 public:
  explicit PerfSamples(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Takes records of one ring in their order. Accepts any bytes.
  void add(std::span<const std::byte> records);

  std::size_t size() const { return samples_.size(); }
  // Valid until the next add().
  PerfSample at(std::size_t index) const;

  std::uint64_t lost() const { return lost_; }            // did not fit into the ring
  std::uint64_t no_room() const { return no_room_; }      // nor here
  std::uint64_t no_stack() const { return no_stack_; }    // have no stack: no room
  std::uint64_t throttled() const { return throttled_; }  // times that the kernel paused
  std::uint64_t damaged() const { return damaged_; }      // records that hold no whole sample

 private:
  struct Stored {
    PerfSample sample;  // with empty spans
    std::size_t chain_begin = 0;
    std::size_t kernel_frames = 0;
    std::size_t user_frames = 0;
    std::size_t stack_begin = 0;
    std::size_t stack_bytes = 0;
  };
  class Fields;

  void add_sample(std::span<const std::byte> record);
  bool read_chain(Fields& fields, Stored& stored);
  bool read_registers(Fields& fields, PerfSample& sample);
  bool read_stack(Fields& fields, Stored& stored);
  bool has_room(std::size_t bytes);

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::vector<Stored> samples_;
  std::vector<std::uint64_t> chains_;
  std::vector<std::byte> stacks_;
  std::uint64_t lost_ = 0;
  std::uint64_t no_room_ = 0;
  std::uint64_t no_stack_ = 0;
  std::uint64_t throttled_ = 0;
  std::uint64_t damaged_ = 0;
};

}  // namespace tailgate::profile
