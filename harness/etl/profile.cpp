#include "harness/etl/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "harness/etl/kernel_hooks.h"
#include "harness/etl/text.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

constexpr std::uint16_t kHookStack = 0x1820;
constexpr std::uint16_t kHookStackKeyFirst = 0x1822;  // created, deleted, rundown
constexpr std::uint16_t kHookStackKeyLast = 0x1824;
constexpr std::uint16_t kHookKeyKernel = 0x1825;
constexpr std::uint16_t kHookKeyUser = 0x1826;
constexpr std::uint16_t kHookImageUnload = 0x1402;
constexpr std::uint64_t kKernelFrom32 = 0x8000'0000;
constexpr std::size_t kMaxFrames = 1024;  // of one stack
// The user's part of a stack is logged when the thread returns to user mode.
constexpr std::int64_t kMaxWaitNs = 5'000'000'000;

std::uint64_t load_pointer(const std::uint8_t* at, unsigned pointer_bytes) {
  return pointer_bytes == 8 ? load<std::uint64_t>(at) : load<std::uint32_t>(at);
}

void append_frames(Bytes bytes, unsigned pointer_bytes, std::vector<std::uint64_t>& frames) {
  for (std::size_t at = 0; at + pointer_bytes <= bytes.size() && frames.size() < kMaxFrames;
       at += pointer_bytes) {
    frames.push_back(load_pointer(bytes.data() + at, pointer_bytes));
  }
}

std::string file_name_of(Bytes path) {
  std::string text = utf8_of_utf16(path);
  auto slash = text.find_last_of('\\');
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

const Field* find_field(const DecodedEvent& event, std::string_view name) {
  for (const Field& field : event.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::uint64_t number_in(const DecodedEvent& event, std::string_view name) {
  const Field* field = find_field(event, name);
  if (field == nullptr || field->data.size() < 4) return 0;
  return load_pointer(field->data.data(), field->data.size() >= 8 ? 8 : 4);
}

}  // namespace

void ImageMap::add(std::uint64_t base, std::uint64_t size, std::string name) {
  images_[base] = {size, std::move(name)};
}

const std::pair<const std::uint64_t, ImageMap::Image>* ImageMap::find(std::uint64_t address) const {
  auto above = images_.upper_bound(address);
  if (above == images_.begin()) return nullptr;
  auto at = std::prev(above);
  return address - at->first < at->second.size ? &*at : nullptr;
}

std::string ImageMap::name_of(std::uint64_t address) const {
  const auto* image = find(address);
  if (image == nullptr) return fmt::format("{:#x}", address);
  return fmt::format("{}+{:#x}", image->second.name, address - image->first);
}

std::string_view ImageMap::image_of(std::uint64_t address) const {
  const auto* image = find(address);
  return image == nullptr ? std::string_view("unknown") : std::string_view(image->second.name);
}

// Fills a profile in two passes.
class ProfileReader {
 public:
  ProfileReader(const std::vector<const TraceFile*>& files, Profile& profile)
      : files_(files), profile_(profile) {}

  void read() {
    if (files_.front()->header().pointer_bytes == 4) profile_.kernel_from_ = kKernelFrom32;
    collect_names();
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
      if (!header.is_kernel()) continue;
      const std::uint16_t hook = header.hook_id;
      if (hook >= kHookStackKeyFirst && hook <= kHookStackKeyLast) {
        add_key(header.payload, record->pointer_bytes);
      } else if (is_image(hook)) {
        decoder_.decode(*record, event);
        add_image(event);
      } else if (hook >= kHookProcessStart && hook <= kHookProcessRundownEnd) {
        decoder_.decode(*record, event);
        add_process(event);
      } else if (hook >= kHookThreadStart && hook <= kHookThreadRundownEnd) {
        add_thread(header.payload);
      }
    }
  }

  static bool is_image(std::uint16_t hook) {
    return hook == kHookImageLoad || (hook >= kHookImageUnload && hook <= kHookImageRundownEnd);
  }

  void add_key(Bytes payload, unsigned pointer_bytes) {
    if (payload.size() < pointer_bytes) return;
    std::vector<std::uint64_t>& frames = keys_[load_pointer(payload.data(), pointer_bytes)];
    if (!frames.empty()) return;
    append_frames(payload.subspan(pointer_bytes), pointer_bytes, frames);
  }

  void add_image(const DecodedEvent& event) {
    const Field* name = find_field(event, "FileName");
    const std::uint64_t base = number_in(event, "ImageBase");
    if (name == nullptr || base == 0) return;
    const auto process = base >= profile_.kernel_from_
                             ? 0
                             : static_cast<std::uint32_t>(number_in(event, "ProcessId"));
    profile_.images_[process].add(base, number_in(event, "ImageSize"), file_name_of(name->data));
  }

  void add_process(const DecodedEvent& event) {
    const Field* name = find_field(event, "ImageFileName");
    if (name == nullptr) return;
    profile_.names_[static_cast<std::uint32_t>(number_in(event, "ProcessId"))] =
        utf8_of(name->data);
  }

  void add_thread(Bytes payload) {
    if (payload.size() < 8) return;
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
        case kHookStack:
          add_stack(header.payload, record->pointer_bytes);
          break;
        case kHookKeyKernel:
        case kHookKeyUser:
          add_stack_key(header.payload, record->pointer_bytes);
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
    sample.stack.push_back(load_pointer(payload.data(), pointer_bytes));
    pending_.push_back(std::move(pending));
  }

  // Passes on the samples whose stacks are complete by now.
  void finish_before(const SessionClock& clock, std::int64_t time) {
    while (!pending_.empty() &&
           clock.elapsed_ns(time) - clock.elapsed_ns(pending_.front().time) > kMaxWaitNs) {
      profile_.add(pending_.front().sample);
      pending_.pop_front();
    }
  }

  // The sample that a stack belongs to; null for a stack of another event.
  CpuSample* sample_of(Bytes payload) {
    if (payload.size() < 16) return nullptr;
    const auto time = load<std::int64_t>(payload.data());
    const auto thread = load<std::uint32_t>(payload.data() + 12);
    auto at = std::lower_bound(
        pending_.begin(), pending_.end(), time,
        [](const Pending& pending, std::int64_t wanted) { return pending.time < wanted; });
    for (; at != pending_.end() && at->time == time; ++at) {
      if (at->sample.thread != thread) continue;
      at->sample.process = load<std::uint32_t>(payload.data() + 8);
      return &at->sample;
    }
    return nullptr;
  }

  // The stack begins with the sampled address; a second part, the user's, continues the first.
  static void extend(CpuSample& sample, Bytes frames, unsigned pointer_bytes) {
    if (!sample.has_stack) sample.stack.clear();
    sample.has_stack = true;
    append_frames(frames, pointer_bytes, sample.stack);
  }

  void add_stack(Bytes payload, unsigned pointer_bytes) {
    CpuSample* sample = sample_of(payload);
    if (sample == nullptr) {
      ++profile_.other_stacks_;
      return;
    }
    extend(*sample, payload.subspan(16), pointer_bytes);
  }

  void add_stack_key(Bytes payload, unsigned pointer_bytes) {
    CpuSample* sample = sample_of(payload);
    if (sample == nullptr || payload.size() < 16u + pointer_bytes) {
      ++profile_.other_stacks_;
      return;
    }
    auto key = keys_.find(load_pointer(payload.data() + 16, pointer_bytes));
    if (key == keys_.end()) return;
    if (!sample->has_stack) sample->stack.clear();
    sample->has_stack = true;
    const std::size_t room = kMaxFrames - std::min(kMaxFrames, sample->stack.size());
    const std::size_t count = std::min(room, key->second.size());
    sample->stack.insert(sample->stack.end(), key->second.begin(),
                         key->second.begin() + static_cast<std::ptrdiff_t>(count));
  }

  const std::vector<const TraceFile*>& files_;
  Profile& profile_;
  Decoder decoder_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> keys_;
  std::unordered_map<std::uint32_t, std::uint32_t> threads_;  // thread -> process
  std::deque<Pending> pending_;                               // in order of time
};

Profile::Profile(const std::vector<const TraceFile*>& files) {
  ProfileReader(files, *this).read();
}

const ImageMap& Profile::images_at(std::uint32_t process, std::uint64_t address) const {
  static const ImageMap kNone;
  auto at = images_.find(address >= kernel_from_ ? 0 : process);
  return at == images_.end() ? kNone : at->second;
}

std::uint32_t Profile::frame_number(std::uint32_t process, std::uint64_t address) {
  std::string name = images_at(process, address).name_of(address);
  auto [at, is_new] = frame_numbers_.try_emplace(std::move(name), frames_.size());
  if (is_new) frames_.push_back(at->first);
  return at->second;
}

void Profile::add(const CpuSample& sample) {
  samples_ += sample.count;
  if (sample.has_stack) with_stack_ += sample.count;
  processors_[sample.processor] += sample.count;
  Process& process = processes_[sample.process];
  process.samples += sample.count;
  std::vector<std::uint32_t> frames;
  std::unordered_set<std::string_view> seen;
  for (std::uint64_t address : sample.stack) {
    const std::string_view image = images_at(sample.process, address).image_of(address);
    Share& share = process.images[std::string(image)];
    if (frames.empty()) share.exclusive += sample.count;
    if (seen.insert(image).second) share.inclusive += sample.count;
    frames.push_back(frame_number(sample.process, address));
  }
  std::reverse(frames.begin(), frames.end());
  process.stacks[std::move(frames)] += sample.count;
}

std::string Profile::process_name(std::uint32_t process) const {
  auto at = names_.find(process);
  return fmt::format("{} ({})", at == names_.end() ? "unknown" : at->second, process);
}

}  // namespace tailgate::etl
