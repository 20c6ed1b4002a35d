// Joins the kernel's CPU samples with their stacks and their threads' processes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "harness/etl/stack_join.h"

namespace tailgate::etl {

// A sample with its stack, innermost address first; the sampled address alone without a stack.
struct CpuSample {
  std::int64_t time = 0;  // as its record has it
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint16_t processor = 0;
  std::uint32_t count = 1;  // of timer ticks
  std::span<const std::uint64_t> stack;
  bool has_stack = false;
};

// Takes the records of one clock twice, since a stack's key may be defined after its use.
class SampleJoiner {
 public:
  using Finish = std::function<void(const CpuSample&)>;

  // Calls finish with each sample, in order of time, when its stack is complete.
  explicit SampleJoiner(Finish finish)
      : finish_(std::move(finish)),
        joiner_(keys_, [this](StackedEvent&& event) { finish_sample(event); }) {}

  // Any record, in any order.
  void learn(const Record& record, const RecordHeader& header);
  // Call it once, after the last learn().
  void begin() { keys_.sort(); }
  // Any record, in order of time. time_ns: since the session's start.
  void add(const Record& record, const RecordHeader& header, std::int64_t time_ns);
  // Call it once, after the last add().
  void end() { joiner_.finish_all(); }

  // Stacks' keys that have no room.
  std::uint64_t keys_over_limit() const { return keys_.over_limit(); }
  // Samples whose stack lacks a part, which came after there was no room to wait for it.
  std::uint64_t cut_short() const { return joiner_.cut_short(); }
  // Stacks of other events, and of samples that the trace does not have.
  std::uint64_t other_stacks() const { return joiner_.of_others(); }

 private:
  void add_thread(Bytes payload);
  void add_sample(const Record& record, const RecordHeader& header, std::int64_t time_ns);
  void finish_sample(StackedEvent& event);

  Finish finish_;
  StackKeys keys_;
  StackJoiner joiner_;
  std::unordered_map<std::uint32_t, std::uint32_t> threads_;  // thread -> process
};

}  // namespace tailgate::etl
