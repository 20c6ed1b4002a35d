#include "harness/etl/profile.h"

#include <fmt/format.h>

#include <bit>

#include "harness/etl/event_fields.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/module_reader.h"
#include "harness/etl/text.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kKnownFrames = 16'384;
// These take 24 MB at most, and those that wait for their stacks 4, beside the stacks' 34.
constexpr std::size_t kMaxFrameNumbers = 1u << 18;
constexpr std::size_t kMaxProfiledProcesses = 1u << 16;

}  // namespace

// Fills a profile in two passes.
class ProfileReader {
 public:
  ProfileReader(const std::vector<const TraceFile*>& files, std::size_t clock, Profile& profile)
      : files_(files),
        clock_(clock),
        profile_(profile),
        joiner_([this](const CpuSample& sample) { profile_.add(sample); }) {}

  void read() {
    collect_names();
    profile_.modules_.finish();
    join();
  }

 private:
  // Names, images, threads and the stacks that keys stand for.
  void collect_names() {
    TraceReader reader(files_, ReadOrder::file);
    reader.read_only(clock_);
    profile_.session_name_ = reader.header().session_name;
    ModuleReader images(reader.header().pointer_bytes, profile_.modules_);
    DecodedEvent event;
    while (const Record* record = reader.next()) {
      const RecordHeader header = decode_header(*record);
      if (images.add(*record, header) || !header.is_kernel()) continue;
      const std::uint16_t hook = header.hook_id;
      if (hook >= kHookProcessStart && hook <= kHookProcessRundownEnd) {
        decoder_.decode(*record, event);
        add_process(event);
      } else {
        joiner_.learn(*record, header);
      }
    }
    joiner_.begin();
    profile_.keys_over_limit_ = joiner_.keys_over_limit();
  }

  void add_process(const DecodedEvent& event) {
    const Field* name = find_field(event.fields, "ImageFileName");
    if (name == nullptr || profile_.names_.size() == kMaxProfiledProcesses) return;
    profile_.names_[static_cast<std::uint32_t>(number_in(event.fields, "ProcessId"))] =
        utf8_of(name->data);
  }

  void join() {
    TraceReader reader(files_, ReadOrder::time);
    reader.read_only(clock_);
    while (const Record* record = reader.next()) {
      const RecordHeader header = decode_header(*record);
      joiner_.add(*record, header, reader.clock().elapsed_ns(record->time));
    }
    joiner_.end();
    profile_.samples_cut_short_ = joiner_.cut_short();
    profile_.other_stacks_ = joiner_.other_stacks();
  }

  const std::vector<const TraceFile*>& files_;
  std::size_t clock_;
  Profile& profile_;
  Decoder decoder_;
  SampleJoiner joiner_;
};

Profile::Profile(const std::vector<const TraceFile*>& files, std::size_t clock)
    : known_(kKnownFrames) {
  frames_.number_of({0, kNoModule}, kMaxFrameNumbers);
  ProfileReader(files, clock, *this).read();
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
