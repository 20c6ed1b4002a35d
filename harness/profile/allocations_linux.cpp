#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/os/clock_instant.h"
#include "harness/os/perf_ring_linux.h"
#include "harness/overhead/process_threads.h"
#include "harness/profile/allocations.h"
#include "harness/profile/exported_function_linux.h"
#include "harness/profile/live_blocks.h"
#include "harness/profile/perf_samples_linux.h"
#include "harness/profile/process_image_linux.h"
#include "harness/profile/stack_names_linux.h"

namespace tailgate::profile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProbes = "/sys/bus/event_source/devices/uprobe/type";
constexpr std::size_t kMaxProbedThreads = 16;
// A begin holds a piece of the stack, so that a ring has room for 3600 of them, and another one for
// 4600 of the others, every 10 ms: more than a thread can make with probes on.
constexpr std::size_t kBeginRingPages = 2048;
constexpr std::size_t kOtherRingPages = 256;
constexpr std::uint32_t kAllocatorStackBytes = 2048;
constexpr std::size_t kMaxProbeBytes = std::size_t{128} << 20;
constexpr std::size_t kMaxNamedBlocks = 4000;
constexpr std::chrono::milliseconds kReadProbesEvery{10};

// Which arguments of a function say how much is wanted; the first three integer arguments are in
// rdi, rsi, rdx (System V ABI, AMD64 Architecture Processor Supplement, section 3.2.3).
enum class Wanted { first, second, product, none };

struct Allocator {
  const char* name;
  AllocatorFunction function;
  Wanted wanted;
};

// posix_memalign and mmap are not among them.
constexpr std::array<Allocator, 6> kAllocators = {{
    {"malloc", AllocatorFunction::allocate, Wanted::first},
    {"calloc", AllocatorFunction::allocate, Wanted::product},
    {"realloc", AllocatorFunction::reallocate, Wanted::second},
    {"aligned_alloc", AllocatorFunction::allocate, Wanted::second},
    {"memalign", AllocatorFunction::allocate, Wanted::second},
    {"free", AllocatorFunction::free, Wanted::none},
}};

// Numbers of DWARF, as PerfSample has the registers.
constexpr std::size_t kRax = 0;
constexpr std::size_t kRsi = 4;
constexpr std::size_t kRdi = 5;

std::uint64_t wanted_bytes(Wanted wanted, const PerfSample& sample) {
  const std::uint64_t first = sample.registers[kRdi];
  const std::uint64_t second = sample.registers[kRsi];
  switch (wanted) {
    case Wanted::first:
      return first;
    case Wanted::second:
      return second;
    case Wanted::product:
      return first * second;
    case Wanted::none:
      break;
  }
  return 0;
}

// One function of one file, where its calls begin or end.
struct ProbePoint {
  const Allocator* allocator = nullptr;
  fs::path file = {};
  std::uint64_t offset = 0;
  bool ends = false;
};

// The file from which the process takes its allocator: a library that brings one, else the C
// library. The loader has one for itself.
std::optional<fs::path> allocator_file(int pid) {
  std::optional<fs::path> c_library;
  for (const fs::path& file : code_files(pid)) {
    const std::string name = file.filename().string();
    if (name.starts_with("ld-") || !exported_function(file, "malloc")) continue;
    if (!name.starts_with("libc.so") && !name.starts_with("libc-")) return file;
    c_library = file;
  }
  return c_library;
}

// Two names of one function are one point.
std::vector<ProbePoint> points_of(const fs::path& file) {
  std::vector<ProbePoint> points;
  std::set<std::uint64_t> offsets;
  for (const Allocator& allocator : kAllocators) {
    const std::optional<std::uint64_t> offset = exported_function(file, allocator.name);
    if (!offset || !offsets.insert(*offset).second) continue;
    points.push_back({&allocator, file, *offset, false});
    if (allocator.function == AllocatorFunction::free) continue;
    points.push_back({&allocator, file, *offset, true});
  }
  return points;
}

std::uint32_t probe_type() {
  std::uint32_t type = 0;
  std::ifstream(kProbes) >> type;
  if (type == 0 || !kStackOfUser) {
    throw Error("allocations cannot be followed: the kernel has no uprobes for this processor",
                "use a kernel for x86-64 with CONFIG_UPROBE_EVENTS");
  }
  return type;
}

perf_event_attr attributes_of(std::uint32_t type, const ProbePoint& point) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = point.ends ? 1 : 0;
  attributes.uprobe_path = reinterpret_cast<std::uint64_t>(point.file.c_str());
  attributes.probe_offset = point.offset;
  attributes.sample_period = 1;
  attributes.sample_type = kSampleType;
  attributes.exclude_callchain_user = 1;
  attributes.exclude_callchain_kernel = 1;
  attributes.sample_regs_user = kUserRegisters;
  const bool begins = !point.ends && point.allocator->function != AllocatorFunction::free;
  attributes.sample_stack_user = begins ? kAllocatorStackBytes : 0;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC_RAW;
  return attributes;
}

// What came of a probe point in one thread.
struct ThreadProbe {
  ProbePoint point;
  PerfSamples samples{kMaxProbeBytes};
};

class AllocationSampler : public StackSampler {
 public:
  explicit AllocationSampler(const AllocationOptions& options)
      : clock_(options.clock), type_(probe_type()), begin_(clock_instant(options.clock)) {
    for (const int process : options.processes) probe(process);
    reader_ = std::thread([this] { read_until_stopped(); });
  }

  ~AllocationSampler() override { stop(); }

  void stop() override {
    if (!reader_.joinable()) return;
    for (PerfRing& ring : rings_) ring.stop();
    stopped_ = true;
    reader_.join();
    for (const PerfRing& ring : rings_) calls_ += ring.count();
    rings_.clear();
    end_ = clock_instant(clock_);
    for (auto& [pid, image] : images_) image->refresh();
  }

  Samples read() override {
    Samples samples{.method = "allocations", .callers = "dwarf"};
    std::vector<std::pair<std::size_t, std::size_t>> places;
    const std::vector<LiveBlock> blocks = live_blocks(calls(places));
    samples.lost = calls_ - std::min<std::uint64_t>(calls_, places.size());
    StackNames names(samples.functions);
    const std::size_t step = blocks.size() / kMaxNamedBlocks + 1;
    std::map<std::uint64_t, std::vector<const LiveBlock*>> by_size;
    for (const LiveBlock& block : blocks) by_size[block.bytes].push_back(&block);
    for (const auto& [bytes, of_size] : by_size) {
      // Blocks of one size mostly come from few places, so those between are as the one before.
      StackSample stack;
      for (std::size_t i = 0; i < of_size.size(); ++i) {
        if (i % step == 0) stack = named(*of_size[i], places, names);
        samples.list.push_back(stack);
      }
    }
    samples.limits = limits();
    return samples;
  }

 private:
  void probe(int pid) {
    const std::optional<fs::path> file = allocator_file(pid);
    if (!file) return;
    images_.emplace(pid, std::make_unique<ProcessImage>(pid));
    const std::vector<ProbePoint> points = points_of(*file);
    for (const ProcessThread& one : threads_of({pid})) {
      if (threads_ == kMaxProbedThreads) {
        more_threads_ = true;
        return;
      }
      ++threads_;
      for (const ProbePoint& point : points) {
        const perf_event_attr attributes = attributes_of(type_, point);
        const int descriptor = open_perf_event(attributes, static_cast<std::uint32_t>(one.thread));
        if (descriptor == -ESRCH) break;
        if (descriptor < 0) {
          throw system_error("perf_event_open", "a probe of malloc", -descriptor, "run as root");
        }
        const bool has_stack = attributes.sample_stack_user > 0;
        rings_.emplace_back(descriptor, has_stack ? kBeginRingPages : kOtherRingPages);
        probes_.push_back({point});
      }
    }
  }

  void read_until_stopped() {
    std::vector<std::byte> records;
    for (bool last = false; !last;) {
      last = stopped_;
      for (std::size_t probe = 0; probe < probes_.size(); ++probe) {
        records.clear();
        rings_[probe].drain(records);
        probes_[probe].samples.add(records);
      }
      if (!last) std::this_thread::sleep_for(kReadProbesEvery);
    }
  }

  // places: for AllocatorCall::sample, the probe and its sample.
  std::vector<AllocatorCall> calls(std::vector<std::pair<std::size_t, std::size_t>>& places) const {
    std::vector<AllocatorCall> calls;
    for (std::size_t probe = 0; probe < probes_.size(); ++probe) {
      const ThreadProbe& one = probes_[probe];
      const Allocator& allocator = *one.point.allocator;
      for (std::size_t i = 0; i < one.samples.size(); ++i) {
        const PerfSample sample = one.samples.at(i);
        AllocatorCall& call = calls.emplace_back();
        call.time_ns = sample.time_ns;
        call.process = sample.process;
        call.thread = sample.thread;
        call.function = allocator.function;
        call.ends = one.point.ends;
        call.sample = places.size();
        places.emplace_back(probe, i);
        if (one.point.ends) {
          call.address = sample.registers[kRax];
        } else if (allocator.function != AllocatorFunction::allocate) {
          call.address = sample.registers[kRdi];
        }
        if (!one.point.ends) call.bytes = wanted_bytes(allocator.wanted, sample);
      }
    }
    return calls;
  }

  StackSample named(const LiveBlock& block,
                    const std::vector<std::pair<std::size_t, std::size_t>>& places,
                    StackNames& names) {
    const auto [probe, index] = places[block.sample];
    const PerfSample sample = probes_[probe].samples.at(index);
    StackSample stack{.time_ns = run_time_ns(sample.time_ns, begin_, end_),
                      .role = SampledRole::provider,
                      .thread = sample.thread,
                      .cpu = sample.cpu};
    stack.bytes = block.bytes;
    const auto image = images_.find(static_cast<int>(sample.process));
    names.add(sample, image == images_.end() ? nullptr : image->second.get(), stack);
    return stack;
  }

  std::string limits() const {
    std::vector<std::string> list;
    if (probes_.empty()) list.emplace_back("no process has an allocator that could be followed");
    if (more_threads_) {
      list.push_back(fmt::format("allocations of all but {} threads", kMaxProbedThreads));
    }
    const bool no_stack = std::any_of(probes_.begin(), probes_.end(), [](const ThreadProbe& one) {
      return one.samples.no_stack() > 0;
    });
    if (no_stack) list.emplace_back("who made some allocations: there were too many");
    return fmt::to_string(fmt::join(list, "; "));
  }

  const Clock clock_;
  const std::uint32_t type_;
  const ClockInstant begin_;
  ClockInstant end_;
  std::atomic<bool> stopped_ = false;
  // The reader thread owns these until it has ended. Each probe has a ring, until it stops.
  std::vector<ThreadProbe> probes_;
  std::vector<PerfRing> rings_;
  std::map<int, std::unique_ptr<ProcessImage>> images_;  // by process
  std::uint64_t calls_ = 0;
  std::size_t threads_ = 0;
  bool more_threads_ = false;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<StackSampler> follow_allocations(const AllocationOptions& options) {
  return std::make_unique<AllocationSampler>(options);
}

}  // namespace tailgate::profile
