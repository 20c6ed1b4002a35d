#include "harness/profile/kernel_samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/etl/event_fields.h"
#include "harness/etl/image_ranges.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/kernel_layouts.h"
#include "harness/etl/run_times.h"
#include "harness/etl/sample_join.h"
#include "harness/etl/trace_file.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::profile {
namespace {

constexpr unsigned kNoHelpers = 0;  // a duet may measure its other side meanwhile
constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxImages = 65'536;
constexpr std::size_t kMaxStarts = 65'536;
constexpr std::size_t kMaxFunctionBytes = 400;
// As many addresses has a stack at most (Microsoft: class StackWalk_Event).
constexpr std::size_t kMaxAddresses = 192;
constexpr std::uint32_t kSystemProcess = 4;  // its threads have no user's part

// Whose samples count, and as what. Ids of processes are used again.
class SampledRoles {
 public:
  explicit SampledRoles(const SampledThreads& whose) : whose_(whose) {}

  void add_start(std::int64_t time, std::uint32_t process, std::uint32_t parent) {
    if (starts_.size() < kMaxStarts) starts_.push_back({time, process, parent, std::nullopt});
  }

  void finish() {
    std::stable_sort(starts_.begin(), starts_.end(),
                     [](const Start& a, const Start& b) { return a.time < b.time; });
    for (Start& start : starts_) {
      start.role = of_process(start.parent, start.time);
      by_process_[start.process].push_back(&start);
    }
  }

  std::optional<SampledRole> of(const etl::CpuSample& sample) const {
    if (whose_.load.contains(sample.thread)) return SampledRole::load;
    return of_process(sample.process, sample.time);
  }

 private:
  struct Start {
    std::int64_t time;
    std::uint32_t process;
    std::uint32_t parent;
    std::optional<SampledRole> role;
  };

  std::optional<SampledRole> of_process(std::uint32_t process, std::int64_t time) const {
    if (const auto started = by_process_.find(process); started != by_process_.end()) {
      const auto& list = started->second;
      const auto after = std::upper_bound(
          list.begin(), list.end(), time,
          [](std::int64_t wanted, const Start* one) { return wanted < one->time; });
      if (after != list.begin()) return (*std::prev(after))->role;
    }
    const auto known = whose_.processes.find(process);
    return known == whose_.processes.end() ? std::nullopt : std::optional(known->second);
  }

  const SampledThreads& whose_;
  std::vector<Start> starts_;
  std::unordered_map<std::uint32_t, std::vector<const Start*>> by_process_;  // in order of time
};

std::string module_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of("\\/") + 1));
}

// Turns addresses into places in the table of functions.
class ImageNamer {
 public:
  ImageNamer(etl::ImageNames& names, FunctionTable& table) : names_(names), table_(table) {}

  etl::ImageRanges& ranges() { return ranges_; }

  void add_image(std::uint32_t process, std::uint64_t base, std::uint64_t size, std::string path) {
    if (base == 0 || path.empty() || images_.size() == kMaxImages) return;
    const auto number = static_cast<std::uint32_t>(images_.size());
    images_.push_back({std::move(path), size});
    ranges_.set(ranges_.key_of(process, base), {size, number});
  }

  // caller: the address is a return address, behind the call.
  std::uint32_t place_of(std::uint32_t process, std::uint64_t address, bool caller) {
    if (caller && address > 0) --address;
    const auto [place, is_new] = places_.try_emplace(ranges_.key_of(process, address), 0);
    if (is_new) place->second = named(process, address);
    return place->second;
  }

 private:
  struct Image {
    std::string path;
    std::uint64_t size = 0;
  };

  std::uint32_t named(std::uint32_t process, std::uint64_t address) {
    const auto place = ranges_.find(process, address);
    if (!place) {
      return ranges_.is_kernel(address) ? table_.place_of("[kernel]", "kernel")
                                        : table_.place_of("[?]", "?");
    }
    const Image& image = images_[place->number];
    const std::string module = module_name(image.path);
    std::string name = names_.function_at(image.path, image.size, place->offset);
    if (name.empty()) name = "[" + module + "]";
    if (name.size() > kMaxFunctionBytes) name.resize(kMaxFunctionBytes);
    return table_.place_of(name, module);
  }

  etl::ImageNames& names_;
  FunctionTable& table_;
  etl::ImageRanges ranges_;
  std::vector<Image> images_;
  std::map<etl::ImageRanges::Key, std::uint32_t> places_;
};

class SampleReader {
 public:
  SampleReader(const KernelSamplesFile& file, const SampledThreads& whose, etl::ImageNames& names)
      : file_(file),
        trace_(file.path),
        times_(trace_.header(), file.clock),
        roles_(whose),
        namer_(names, samples_.functions),
        joiner_([this](const etl::CpuSample& sample) { add(sample); }) {
    times_.check_start(file.start_ns, file.end_ns);
  }

  Samples read() {
    samples_.method = "cpu_clock";
    samples_.callers = "kernel_walk";
    samples_.rate_hz = file_.rate_hz;
    samples_.kernel = true;
    learn();
    join();
    samples_.lost = std::max<std::uint64_t>(file_.events_lost, trace_.header().events_lost);
    samples_.limits = limits();
    return std::move(samples_);
  }

 private:
  void learn() {
    etl::TraceReader reader({&trace_}, etl::ReadOrder::file, kNoHelpers);
    namer_.ranges().set_pointer_bytes(reader.header().pointer_bytes);
    while (const etl::Record* record = reader.next()) {
      const etl::RecordHeader header = etl::decode_header(*record);
      joiner_.learn(*record, header);
      if (header.is_kernel()) learn_names(*record, header);
    }
    joiner_.begin();
    roles_.finish();
  }

  void learn_names(const etl::Record& record, const etl::RecordHeader& header) {
    const std::uint16_t hook = header.hook_id;
    const bool is_image = hook == etl::kHookImageLoad || hook == etl::kHookImageRundownStart ||
                          hook == etl::kHookImageRundownEnd;
    if (!is_image && hook != etl::kHookProcessStart) return;
    fields_.clear();
    etl::decode_payload(*etl::kernel_layout(is_image ? etl::kHookImageLoad : hook, header.version),
                        header.payload, record.pointer_bytes, fields_);
    const auto process = static_cast<std::uint32_t>(etl::number_in(fields_, "ProcessId"));
    if (is_image) {
      namer_.add_image(process, etl::number_in(fields_, "ImageBase"),
                       etl::number_in(fields_, "ImageSize"), etl::text_in(fields_, "FileName"));
    } else {
      roles_.add_start(record.time, process,
                       static_cast<std::uint32_t>(etl::number_in(fields_, "ParentId")));
    }
  }

  void join() {
    etl::TraceReader reader({&trace_}, etl::ReadOrder::time, kNoHelpers);
    while (const etl::Record* record = reader.next()) {
      joiner_.add(*record, etl::decode_header(*record), reader.clock().elapsed_ns(record->time));
    }
    joiner_.end();
    damaged_bytes_ = reader.damage().unread_bytes + trace_.damage().skipped_bytes;
  }

  void add(const etl::CpuSample& sample) {
    const std::optional<SampledRole> role = roles_.of(sample);
    if (!role) return;
    StackSample one{.time_ns = static_cast<std::uint64_t>(times_.time_ns(sample.time)),
                    .role = *role,
                    .thread = sample.thread,
                    .cpu = sample.processor,
                    .cut = is_cut(sample)};
    const std::size_t bytes = sizeof one + sample.stack.size() * sizeof(std::uint32_t);
    for (std::size_t i = 0; i < sample.stack.size(); ++i) {
      one.functions.push_back(namer_.place_of(sample.process, sample.stack[i], i > 0));
    }
    for (std::uint32_t tick = 0; tick < sample.count; ++tick) {
      if (bytes_ + bytes > kMaxKeptBytes) {
        no_room_ += sample.count - tick;
        return;
      }
      bytes_ += bytes;
      samples_.list.push_back(one);
    }
  }

  bool is_cut(const etl::CpuSample& sample) {
    if (!sample.has_stack || sample.stack.size() >= kMaxAddresses) return true;
    return namer_.ranges().is_kernel(sample.stack.back()) && sample.process != kSystemProcess;
  }

  std::string limits() const {
    std::vector<std::string> list;
    auto buffers = std::max<std::uint64_t>(file_.buffers_lost, trace_.header().buffers_lost);
    for (const etl::Epoch& epoch : trace_.epochs()) {
      buffers = std::max(buffers, epoch.sequence_gaps);
    }
    if (samples_.lost > 0) {
      list.push_back("the lost records are of any kind: samples, stacks, or what names them");
    }
    if (buffers > 0) list.push_back(fmt::format("{} buffers of records were lost", buffers));
    if (file_.ended_early) {
      list.emplace_back(
          "the session ended early: its file was full, or another program stopped it");
    }
    if (joiner_.cut_short() > 0) {
      list.push_back(fmt::format("{} samples lack a part of their stack, which came too late",
                                 joiner_.cut_short()));
    }
    if (no_room_ > 0) {
      list.push_back(
          fmt::format("{} samples are missing: the memory of {} MiB was full; sample "
                      "more seldom",
                      no_room_, kMaxKeptBytes >> 20));
    }
    if (damaged_bytes_ > 0) {
      list.push_back(fmt::format("{} bytes of the file could not be read", damaged_bytes_));
    }
    return fmt::to_string(fmt::join(list, "; "));
  }

  const KernelSamplesFile& file_;
  const etl::TraceFile trace_;
  const etl::RunTimes times_;
  Samples samples_;
  SampledRoles roles_;
  ImageNamer namer_;
  etl::SampleJoiner joiner_;
  std::vector<etl::Field> fields_;
  std::size_t bytes_ = 0;
  std::uint64_t no_room_ = 0;
  std::uint64_t damaged_bytes_ = 0;
};

}  // namespace

Samples read_kernel_samples(const KernelSamplesFile& file, const SampledThreads& whose,
                            etl::ImageNames& names) {
  return SampleReader(file, whose, names).read();
}

}  // namespace tailgate::profile
