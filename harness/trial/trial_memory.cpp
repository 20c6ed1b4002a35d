#include "harness/trial/trial_memory.h"

#include <fmt/format.h>

#include <cstddef>
#include <new>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kMagic = 0x304C414952544754;  // "TGTRIAL0"
constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

std::size_t histogram_bytes(const HistogramLayout& layout) {
  return whole_pages(HistogramWriter::words(layout) * sizeof(std::uint64_t));
}

// Of one thread.
std::size_t log_bytes(const TrialPlan& plan) {
  return whole_pages(sizeof(CallLogHead) + plan.turns.max_calls * sizeof(CallRecord));
}

// Of one switch.
std::size_t switch_bytes(const TrialPlan& plan) {
  return sizeof(SwitchHead) + plan.load.threads * sizeof(SwitchMark);
}

std::size_t block_bytes(const TrialPlan& plan) {
  return whole_pages(sizeof(ThreadBlock) +
                     (plan.slowest + plan.slowest_responses) * sizeof(SlowSlot));
}

}  // namespace

std::size_t TrialMemory::thread_bytes(const TrialPlan& plan, const HistogramLayout& layout) {
  return block_bytes(plan) + kThreadMetrics * histogram_bytes(layout);
}

TrialMemory::TrialMemory(SharedMemory memory, const TrialPlan& plan)
    : memory_(std::move(memory)),
      layout_(plan.range),
      histogram_bytes_(histogram_bytes(layout_)),
      thread_bytes_(thread_bytes(plan, layout_)),
      log_bytes_(log_bytes(plan)),
      tail_offset_(whole_pages(sizeof(TrialHeader)) + plan.load.threads * thread_bytes_) {}

TrialMemory TrialMemory::create(const TrialPlan& plan) {
  const HistogramLayout layout(plan.range);
  const std::size_t size_bytes = whole_pages(sizeof(TrialHeader)) +
                                 plan.load.threads * thread_bytes(plan, layout) +
                                 2 * histogram_bytes(layout) + plan.load.threads * log_bytes(plan) +
                                 whole_pages(plan.max_switches * switch_bytes(plan)) +
                                 whole_pages(plan.slow_deliveries * sizeof(DeliverySlot));
  TrialMemory memory(SharedMemory::create(size_bytes), plan);
  // The memory is zeroed, which is the initial state of these types; this starts their lifetimes.
  auto* header = new (memory.memory_.data()) TrialHeader;
  header->plan = plan;
  for (unsigned i = 0; i < plan.load.threads; ++i) new (memory.thread_base(i)) ThreadBlock{};
  header->protocol = kTrialProtocol;
  header->header_bytes = sizeof(TrialHeader);
  header->magic = kMagic;
  return memory;
}

TrialMemory TrialMemory::open_inherited(const std::string& handle) {
  SharedMemory memory = SharedMemory::open_inherited(handle);
  const auto* header = reinterpret_cast<const TrialHeader*>(memory.data());
  constexpr std::size_t kGuardBytes = offsetof(TrialHeader, plan);
  if (memory.size_bytes() < kGuardBytes || header->magic != kMagic) {
    throw Error("the shared memory '" + handle + "' contains no trial of this program",
                "this command is for tailgate's own use; start a run with 'tailgate run'");
  }
  if (header->protocol != kTrialProtocol || header->header_bytes != sizeof(TrialHeader)) {
    throw Error(
        fmt::format("the controller shares memory by protocol {} with {} bytes of header, "
                    "this program by protocol {} with {}",
                    header->protocol, header->header_bytes, kTrialProtocol, sizeof(TrialHeader)),
        "let builds of the same protocol work together");
  }
  if (memory.size_bytes() < sizeof(TrialHeader)) {
    throw Error("the shared memory '" + handle + "' is too small for a trial",
                "this command is for tailgate's own use; start a run with 'tailgate run'");
  }
  const TrialPlan& plan = header->plan;
  return TrialMemory(std::move(memory), plan);
}

std::byte* TrialMemory::thread_base(unsigned thread) const {
  return memory_.data() + whole_pages(sizeof(TrialHeader)) + thread * thread_bytes_;
}

ThreadBlock& TrialMemory::thread(unsigned thread) const {
  return *reinterpret_cast<ThreadBlock*>(thread_base(thread));
}

SlowSlot* TrialMemory::slowest(unsigned thread) const {
  return reinterpret_cast<SlowSlot*>(thread_base(thread) + sizeof(ThreadBlock));
}

SlowSlot* TrialMemory::slowest_responses(unsigned thread) const {
  return slowest(thread) + plan().slowest;
}

std::uint64_t* TrialMemory::words(unsigned thread, Metric metric) const {
  std::byte* first = thread_base(thread) + thread_bytes_ - kThreadMetrics * histogram_bytes_;
  return reinterpret_cast<std::uint64_t*>(first +
                                          static_cast<std::size_t>(metric) * histogram_bytes_);
}

std::uint64_t* TrialMemory::floor_words() const {
  return reinterpret_cast<std::uint64_t*>(memory_.data() + tail_offset_);
}

std::uint64_t* TrialMemory::delivery_words() const {
  return reinterpret_cast<std::uint64_t*>(memory_.data() + tail_offset_ + histogram_bytes_);
}

CallLogHead& TrialMemory::log(unsigned thread) const {
  std::byte* first = memory_.data() + tail_offset_ + 2 * histogram_bytes_;
  return *reinterpret_cast<CallLogHead*>(first + thread * log_bytes_);
}

CallRecord* TrialMemory::calls(unsigned thread) const {
  return reinterpret_cast<CallRecord*>(&log(thread) + 1);
}

SwitchHead& TrialMemory::switch_head(std::size_t number) const {
  std::byte* first =
      memory_.data() + tail_offset_ + 2 * histogram_bytes_ + plan().load.threads * log_bytes_;
  return *reinterpret_cast<SwitchHead*>(first + number * switch_bytes(plan()));
}

DeliverySlot* TrialMemory::deliveries() const {
  std::byte* first =
      memory_.data() + tail_offset_ + 2 * histogram_bytes_ + plan().load.threads * log_bytes_;
  return reinterpret_cast<DeliverySlot*>(first +
                                         whole_pages(plan().max_switches * switch_bytes(plan())));
}

SwitchMark& TrialMemory::switch_mark(std::size_t number, unsigned thread) const {
  return reinterpret_cast<SwitchMark*>(&switch_head(number) + 1)[thread];
}

}  // namespace tailgate
