#include "harness/etl/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>

#include "harness/etl/durations.h"
#include "harness/etl/event_fields.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/module_reader.h"
#include "harness/etl/stack_join.h"
#include "harness/etl/text.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kKnownFrames = 16'384;
// These take 28 MB at most, beside the stacks' 34.
constexpr std::size_t kMaxFrameNumbers = 1u << 18;
constexpr std::size_t kMaxPendingSamples = 1u << 15;
constexpr std::size_t kMaxPendingSampleFrames = 1u << 19;
constexpr std::size_t kMaxProfiledThreads = 1u << 16;

}  // namespace

// Fills a profile in two passes.
class ProfileReader {
 public:
  ProfileReader(const std::vector<const TraceFile*>& files, Profile& profile)
      : files_(files),
        profile_(profile),
        images_(files.front()->header().pointer_bytes, profile.modules_) {}

  void read() {
    collect_names();
    profile_.modules_.finish();
    join();
  }

 private:
  struct Pending {
    std::int64_t time;
    CpuSample sample;
  };

  // Names, images, threads and the stacks that keys stand for.
  void collect_names() {
    TraceReader reader(files_, ReadOrder::file);
    DecodedEvent event;
    while (const Record* record = reader.next()) {
      const RecordHeader header = decode_header(*record);
      if (images_.add(*record, header) || !header.is_kernel()) continue;
      const std::uint16_t hook = header.hook_id;
      if (hook >= kHookStackKeyCreate && hook <= kHookStackKeyRundown) {
        keys_.add(*record, header);
      } else if (hook >= kHookProcessStart && hook <= kHookProcessRundownEnd) {
        decoder_.decode(*record, event);
        add_process(event);
      } else if (hook >= kHookThreadStart && hook <= kHookThreadRundownEnd) {
        add_thread(header.payload);
      }
    }
    keys_.sort();
    profile_.keys_over_limit_ = keys_.over_limit();
  }

  void add_process(const DecodedEvent& event) {
    const Field* name = find_field(event.fields, "ImageFileName");
    if (name == nullptr || profile_.names_.size() == kMaxProfiledThreads) return;
    profile_.names_[static_cast<std::uint32_t>(number_in(event.fields, "ProcessId"))] =
        utf8_of(name->data);
  }

  void add_thread(Bytes payload) {
    if (payload.size() < 8) return;
    if (threads_.size() == kMaxProfiledThreads) threads_.clear();  // most of them have ended
    threads_[load<std::uint32_t>(payload.data() + 4)] = load<std::uint32_t>(payload.data());
  }

  void join() {
    TraceReader reader(files_, ReadOrder::time);
    while (const Record* record = reader.next()) {
      const RecordHeader header = decode_header(*record);
      if (!header.is_kernel()) continue;
      switch (header.hook_id) {
        case kHookSampledProfile:
          add_sample(*record, header.payload);
          finish_before(reader.clock(), record->time);
          break;
        case kHookStackWalk:
          add_stack(header.payload, record->pointer_bytes);
          break;
        case kHookStackKeyKernel:
        case kHookStackKeyUser:
          add_stack_key(*record, header.payload);
          break;
        case kHookThreadStart:
        case kHookThreadRundownStart:
          add_thread(header.payload);
          break;
        default:
          break;
      }
    }
    for (const Pending& pending : pending_) profile_.add(pending.sample);
    profile_.samples_cut_short_ = early_.counted();
  }

  void add_sample(const Record& record, Bytes payload) {
    const unsigned pointer_bytes = record.pointer_bytes;
    if (payload.size() < pointer_bytes + 6) return;
    Pending pending{record.time, {}};
    CpuSample& sample = pending.sample;
    sample.thread = load<std::uint32_t>(payload.data() + pointer_bytes);
    sample.count = load<std::uint16_t>(payload.data() + pointer_bytes + 4);
    sample.processor = record.processor;
    auto thread = threads_.find(sample.thread);
    if (sample.thread != 0 && thread != threads_.end()) sample.process = thread->second;
    sample.stack.push_back(pointer_at(payload.data(), pointer_bytes));
    pending_.push_back(std::move(pending));
  }

  // Passes on the samples whose stacks are complete by now, and the oldest when there are too many.
  void finish_before(const SessionClock& clock, std::int64_t time) {
    const std::int64_t now_ns = clock.elapsed_ns(time);
    while (!pending_.empty()) {
      const std::int64_t then_ns = clock.elapsed_ns(pending_.front().time);
      const bool waited = duration_between(then_ns, now_ns) > kMaxStackWaitNs;
      if (!waited && pending_.size() <= kMaxPendingSamples) return;
      if (!waited) early_.add(pending_.front().time, pending_.front().sample.thread);
      finish_first();
    }
  }

  void finish_first() {
    const CpuSample& sample = pending_.front().sample;
    pending_frames_ -= sample.has_stack ? sample.stack.size() : 0;
    profile_.add(sample);
    pending_.pop_front();
  }

  // The sample that a stack belongs to; null for a stack of another event.
  CpuSample* sample_of(Bytes payload) {
    if (payload.size() < 16) return nullptr;
    const auto time = load<std::int64_t>(payload.data());
    const auto thread = load<std::uint32_t>(payload.data() + 12);
    auto at = pending_.end();
    // Most stacks follow their sample at once.
    for (int i = 0; i < 4 && at != pending_.begin() && std::prev(at)->time >= time; ++i) --at;
    if (at != pending_.begin() && std::prev(at)->time >= time) {
      at = std::lower_bound(
          pending_.begin(), at, time,
          [](const Pending& pending, std::int64_t wanted) { return pending.time < wanted; });
    }
    for (; at != pending_.end() && at->time == time; ++at) {
      if (at->sample.thread != thread) continue;
      at->sample.process = load<std::uint32_t>(payload.data() + 8);
      return &at->sample;
    }
    return nullptr;
  }

  // The stack begins with the sampled address; a second part, the user's, continues the first.
  // The sample may be passed on then.
  template <typename Append>
  void extend(CpuSample& sample, Append append) {
    if (!sample.has_stack) sample.stack.clear();
    sample.has_stack = true;
    const std::size_t before = sample.stack.size();
    append(sample.stack);
    pending_frames_ += sample.stack.size() - before;
    while (pending_frames_ > kMaxPendingSampleFrames) {
      early_.add(pending_.front().time, pending_.front().sample.thread);
      finish_first();
    }
  }

  void count_part_of_none(Bytes payload) {
    const bool is_late =
        payload.size() >= 16 &&
        early_.count(load<std::int64_t>(payload.data()), load<std::uint32_t>(payload.data() + 12));
    if (!is_late) ++profile_.other_stacks_;
  }

  void add_stack(Bytes payload, unsigned pointer_bytes) {
    CpuSample* sample = sample_of(payload);
    if (sample == nullptr) return count_part_of_none(payload);
    extend(*sample, [&](std::vector<std::uint64_t>& stack) {
      append_frames(payload.subspan(16), pointer_bytes, stack);
    });
  }

  void add_stack_key(const Record& record, Bytes payload) {
    const unsigned pointer_bytes = record.pointer_bytes;
    CpuSample* sample = sample_of(payload);
    if (sample == nullptr || payload.size() < 16u + pointer_bytes) {
      return count_part_of_none(payload);
    }
    const auto frames = keys_.find(pointer_at(payload.data() + 16, pointer_bytes), record.time);
    if (frames.empty()) return;
    extend(*sample, [&](std::vector<std::uint64_t>& stack) { append_frames(frames, stack); });
  }

  const std::vector<const TraceFile*>& files_;
  Profile& profile_;
  ModuleReader images_;
  Decoder decoder_;
  StackKeys keys_;
  std::unordered_map<std::uint32_t, std::uint32_t> threads_;  // thread -> process
  std::deque<Pending> pending_;                               // in order of time
  std::size_t pending_frames_ = 0;
  EarlyEvents early_;
};

Profile::Profile(const std::vector<const TraceFile*>& files) : known_(kKnownFrames) {
  frames_.number_of({0, kNoModule}, kMaxFrameNumbers);
  ProfileReader(files, *this).read();
  known_ = {};
}

std::uint32_t Profile::frame_number(std::uint32_t process, std::uint64_t address) {
  const std::uint64_t hash = (address + process) * 0x9E37'79B9'7F4A'7C15ull;
  KnownFrame& known = known_[hash >> (64 - std::countr_zero(kKnownFrames))];
  if (known.frame != 0 && known.address == address && known.process == process) return known.frame;
  const Modules::Place place = modules_.place_of(process, address);
  const auto number = frames_.number_of({place.offset, place.module}, kMaxFrameNumbers);
  known = {address, process, number.value_or(0)};
  return known.frame;
}

void Profile::add(const CpuSample& sample) {
  samples_ += sample.count;
  if (sample.has_stack) with_stack_ += sample.count;
  processors_[sample.processor] += sample.count;
  stack_.clear();
  for (std::uint64_t address : sample.stack) {
    stack_.push_back(frame_number(sample.process, address));
  }
  if (!stacks_.add(sample.process, stack_, sample.count, 0)) samples_over_limit_ += sample.count;
}

void Profile::set_functions(std::vector<std::uint32_t> by_frame, std::vector<Function> functions) {
  functions_ = std::move(by_frame);
  function_names_ = std::move(functions);
  std::vector<std::uint32_t> first_frames(function_names_.size(), kNoFunction);
  std::vector<std::uint32_t> names(frames_.size());
  for (std::uint32_t frame = 0; frame < frame_count(); ++frame) {
    names[frame] = frame;
    if (functions_[frame] == kNoFunction) continue;
    std::uint32_t& first = first_frames[functions_[frame]];
    if (first == kNoFunction) first = frame;
    names[frame] = first;
  }
  stacks_.rename_frames(names);
}

std::string Profile::process_name(std::uint32_t process) const {
  auto at = names_.find(process);
  return fmt::format("{} ({})", at == names_.end() ? "unknown" : at->second, process);
}

std::string_view Profile::module_name(std::uint32_t module) const {
  if (module == kNoModule) return "(stacks that have no room)";
  // Addresses in no image, of the kernel.
  if (modules_[module].process == 0) return "unknown (kernel)";
  return modules_[module].name;
}

std::string Profile::function_name(std::uint32_t function) const {
  const Function& one = function_names_[function];
  if (modules_[one.module].process != Module::kNoProcess) return one.name;
  return fmt::format("{}!{}", module_name(one.module), one.name);
}

std::string Profile::frame_name(std::uint32_t frame) const {
  if (function(frame) != kNoFunction) return function_name(function(frame));
  const auto [module, offset] = this->frame(frame);
  if (module == kNoModule) return std::string(module_name(module));
  if (modules_[module].process != Module::kNoProcess) return fmt::format("{:#x}", offset);
  return fmt::format("{}+{:#x}", modules_[module].name, offset);
}

}  // namespace tailgate::etl
