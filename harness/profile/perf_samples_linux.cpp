#include "harness/profile/perf_samples_linux.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/os/perf_ring_linux.h"

namespace tailgate::profile {
namespace {

// Frames of a call chain beyond are left out; the kernel writes 127 by default.
constexpr std::size_t kMaxChain = 256;

}  // namespace

// Reads the fields of a record one after the other.
class PerfSamples::Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class Word>
  bool read(Word& word) {
    if (left_.size() < sizeof word) return false;
    std::memcpy(&word, left_.data(), sizeof word);
    left_ = left_.subspan(sizeof word);
    return true;
  }

  bool take(std::uint64_t count, std::span<const std::byte>& bytes) {
    if (left_.size() < count) return false;
    bytes = left_.first(count);
    left_ = left_.subspan(count);
    return true;
  }

  std::size_t left() const { return left_.size(); }

 private:
  std::span<const std::byte> left_;
};

void PerfSamples::add(std::span<const std::byte> records) {
  for (auto record = next_perf_record(records); !record.empty();
       record = next_perf_record(records)) {
    Fields fields(record);
    perf_event_header header{};
    fields.read(header);
    switch (header.type) {
      case PERF_RECORD_SAMPLE:
        add_sample(record);
        break;
      case PERF_RECORD_LOST: {
        std::uint64_t id = 0;
        std::uint64_t count = 0;
        if (fields.read(id) && fields.read(count)) lost_ += count;
        break;
      }
      case PERF_RECORD_THROTTLE:
        ++throttled_;
        break;
      default:
        break;
    }
  }
  if (!records.empty()) ++damaged_;
}

bool PerfSamples::has_room(std::size_t bytes) {
  if (max_bytes_ - bytes_ < bytes) return false;
  bytes_ += bytes;
  return true;
}

void PerfSamples::add_sample(std::span<const std::byte> record) {
  if (!has_room(sizeof(Stored))) {
    ++no_room_;
    return;
  }
  Fields fields(record);
  perf_event_header header{};
  Stored stored;
  PerfSample& sample = stored.sample;
  std::uint32_t cpu = 0;
  std::uint32_t reserved = 0;
  stored.chain_begin = chains_.size();
  const bool whole =
      fields.read(header) && fields.read(sample.address) && fields.read(sample.process) &&
      fields.read(sample.thread) && fields.read(sample.time_ns) &&
      fields.read(sample.data_address) && fields.read(cpu) && fields.read(reserved) &&
      read_chain(fields, stored) &&
      (!kStackOfUser || (read_registers(fields, sample) && read_stack(fields, stored)));
  if (!whole) {
    chains_.resize(stored.chain_begin);
    ++damaged_;
    return;
  }
  sample.cpu = static_cast<int>(std::min<std::uint32_t>(cpu, 1U << 20));
  sample.in_kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
  samples_.push_back(stored);
}

// A chain is a list of addresses; numbers near the largest say of which kind those after them are.
bool PerfSamples::read_chain(Fields& fields, Stored& stored) {
  std::uint64_t count = 0;
  if (!fields.read(count) || count > fields.left() / sizeof(std::uint64_t)) return false;
  std::uint64_t context = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t address = 0;
    fields.read(address);
    if (address >= static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) {
      context = address;
      continue;
    }
    const bool kernel = context == static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
    const bool user = context == static_cast<std::uint64_t>(PERF_CONTEXT_USER);
    // Those of the kernel come first.
    if (!(kernel && stored.user_frames == 0) && !user) continue;
    if (stored.kernel_frames + stored.user_frames == kMaxChain) continue;
    if (!has_room(sizeof address)) continue;
    chains_.push_back(address);
    (kernel ? stored.kernel_frames : stored.user_frames) += 1;
  }
  return true;
}

bool PerfSamples::read_registers(Fields& fields, PerfSample& sample) {
  std::uint64_t abi = 0;
  if (!fields.read(abi)) return false;
  if (abi == PERF_SAMPLE_REGS_ABI_NONE) return true;
  std::array<std::uint64_t, std::popcount(kUserRegisters)> written{};
  for (std::uint64_t& value : written) {
    if (!fields.read(value)) return false;
  }
  sample.has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
  for (std::size_t i = 0; i < kDwarfOrder.size(); ++i) {
    sample.registers[i] = written[kDwarfOrder[i]];
  }
  return true;
}

bool PerfSamples::read_stack(Fields& fields, Stored& stored) {
  std::uint64_t size = 0;
  if (!fields.read(size)) return false;
  if (size == 0) return true;
  std::span<const std::byte> bytes;
  std::uint64_t used = 0;
  if (!fields.take(size, bytes) || !fields.read(used) || used > size) return false;
  if (stacks_.size() + used > max_bytes_ / 2 || !has_room(used)) {
    ++no_stack_;
    return true;
  }
  stored.stack_begin = stacks_.size();
  stored.stack_bytes = used;
  stacks_.insert(stacks_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(used));
  return true;
}

PerfSample PerfSamples::at(std::size_t index) const {
  const Stored& stored = samples_[index];
  PerfSample sample = stored.sample;
  const std::span chain = std::span(chains_).subspan(stored.chain_begin);
  sample.kernel_chain = chain.first(stored.kernel_frames);
  sample.user_chain = chain.subspan(stored.kernel_frames, stored.user_frames);
  sample.stack = std::span(stacks_).subspan(stored.stack_begin, stored.stack_bytes);
  return sample;
}

}  // namespace tailgate::profile
