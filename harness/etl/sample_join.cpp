#include "harness/etl/sample_join.h"

#include <bit>
#include <utility>

#include "harness/etl/event_fields.h"
#include "harness/etl/kernel_hooks.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxThreads = 1u << 16;

// What a sample is beside its address and its stack, in the tag of a StackedEvent. The process is
// what the trace says of the thread; a stack knows it better.
struct SampleTag {
  std::uint32_t process = 0;
  std::uint16_t processor = 0;
  std::uint16_t count = 0;
};

}  // namespace

void SampleJoiner::learn(const Record& record, const RecordHeader& header) {
  if (!header.is_kernel()) return;
  const std::uint16_t hook = header.hook_id;
  if (hook >= kHookStackKeyCreate && hook <= kHookStackKeyRundown) {
    keys_.add(record, header);
  } else if (hook >= kHookThreadStart && hook <= kHookThreadRundownEnd) {
    add_thread(header.payload);
  }
}

void SampleJoiner::add_thread(Bytes payload) {
  if (payload.size() < 8) return;
  if (threads_.size() == kMaxThreads) threads_.clear();  // most of them have ended
  threads_[load<std::uint32_t>(payload.data() + 4)] = load<std::uint32_t>(payload.data());
}

void SampleJoiner::add(const Record& record, const RecordHeader& header, std::int64_t time_ns) {
  if (!header.is_kernel() || joiner_.add_part(record, header)) return;
  switch (header.hook_id) {
    case kHookSampledProfile:
      return add_sample(record, header, time_ns);
    case kHookThreadStart:
    case kHookThreadRundownStart:
      return add_thread(header.payload);
    default:
      return;
  }
}

void SampleJoiner::add_sample(const Record& record, const RecordHeader& header,
                              std::int64_t time_ns) {
  const Bytes payload = header.payload;
  const unsigned pointer_bytes = record.pointer_bytes;
  if (payload.size() < pointer_bytes + 6) return;
  StackedEvent event;
  event.time = record.time;
  event.time_ns = time_ns;
  event.thread = load<std::uint32_t>(payload.data() + pointer_bytes);
  event.address = pointer_at(payload.data(), pointer_bytes);
  SampleTag tag;
  tag.processor = record.processor;
  tag.count = load<std::uint16_t>(payload.data() + pointer_bytes + 4);
  const auto thread = threads_.find(event.thread);
  if (event.thread != 0 && thread != threads_.end()) tag.process = thread->second;
  event.tag = std::bit_cast<std::uint64_t>(tag);
  joiner_.add(std::move(event), header);
}

void SampleJoiner::finish_sample(StackedEvent& event) {
  const auto tag = std::bit_cast<SampleTag>(event.tag);
  CpuSample sample;
  sample.time = event.time;
  sample.process = event.process == RecordHeader::kNoId ? tag.process : event.process;
  sample.thread = event.thread;
  sample.processor = tag.processor;
  sample.count = tag.count;
  sample.has_stack = !event.frames.empty();
  if (!sample.has_stack) event.frames.push_back(event.address);
  sample.stack = event.frames;
  finish_(sample);
}

}  // namespace tailgate::etl
