#include "harness/exec/uprobes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>

#include "harness/base/error.h"
#include "harness/calls/call_writer.h"
#include "harness/exec/uprobe_records.h"
#include "harness/tracefs/instance.h"
#include "harness/tracefs/uprobe_group.h"

namespace tailgate {
namespace {

using tracefs::Handle;
using tracefs::TraceFolder;

// At 700,000 calls a second, which is what a processor makes at most, the largest buffer holds a
// third of a second.
constexpr std::chrono::milliseconds kReadEvery{10};
constexpr const char* kSeeLog = "see the kernel's log";
constexpr const char* kMadeThread = "task/task_newtask";
constexpr const char* kEndedThread = "sched/sched_process_exit";

std::filesystem::path made(std::filesystem::path directory) {
  std::filesystem::create_directories(directory);
  return directory;
}

struct CpuBuffer {
  std::int32_t number;
  Handle file;
};

}  // namespace

class Uprobes::Recording {
 public:
  Recording(const std::vector<ProbePlace>& places, CallMemory& memory, const ClockParameters& clock,
            const std::filesystem::path& directory)
      : root_(TraceFolder::root()),
        group_(root_),
        instance_(made(directory / "uprobes"), {.buffer_bytes = tracefs::buffer_bytes_to_poll(),
                                                .overwrite = true,
                                                .clock = clock.kind}),
        memory_(memory),
        clock_(clock),
        writer_(memory),
        layout_(tracefs::parse_page_layout(folder().read("events/header_page"),
                                           folder().read("events/header_event"))),
        records_(layout_, clock_, writer_) {
    for (std::size_t i = 0; i < places.size(); ++i) add_probes(places[i], i);
    records_.add_event(format_of(kMadeThread), UprobeEvent::made_thread, 0);
    records_.add_event(format_of(kEndedThread), UprobeEvent::ended_thread, 0);
    for (const std::string& cpu : folder().folders_in("per_cpu")) {
      buffers_.push_back(
          {std::stoi(cpu.substr(3)),
           folder().open("per_cpu/" + cpu + "/trace_pipe_raw", O_RDONLY | O_NONBLOCK)});
    }
  }

  ~Recording() {
    try {
      stop();
    } catch (const Error&) {
      // Whoever wants to know calls it before.
    }
    // Before the instance, which cannot be removed while they are open.
    for (CpuBuffer& buffer : buffers_) buffer.file.close();
  }

  void watch(int pid) {
    folder().write("options/event-fork", "1", kSeeLog);
    folder().write("set_event_pid", fmt::format("{}", pid), kSeeLog);
    reader_ = std::thread([this] { read_until_stopped(); });
    for (const std::string& event : {std::string(kMadeThread), std::string(kEndedThread)}) {
      folder().write("events/" + event + "/enable", "1", kSeeLog);
    }
    folder().write("events/" + group_.name() + "/enable", "1",
                   "name another function, whose first instruction the kernel can probe");
  }

  void stop() {
    if (!reader_.joinable()) return;
    std::optional<Error> failed;
    try {
      // A probe stops every process that comes by until then.
      folder().write("events/enable", "0", kSeeLog);
    } catch (const Error& error) {
      failed = error;
    }
    stopped_ = true;
    reader_.join();
    if (!failed) failed = failed_;
    if (failed) throw Error(*failed);
    count_what_no_page_told();
  }

 private:
  const TraceFolder& folder() const { return instance_.folder(); }

  std::string format_of(const std::string& event) const {
    return folder().read("events/" + event + "/format");
  }

  void add_probes(const ProbePlace& place, std::size_t number) {
    const Handle file(::open(place.file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) {
      throw system_error("open", place.file.string(), errno, "check the file's rights");
    }
    for (const bool at_return : {false, true}) {
      const std::string event = fmt::format("{}{}", at_return ? "return" : "entry", number);
      group_.add(event, file.native(), place.offset, at_return);
      records_.add_event(format_of(group_.name() + "/" + event),
                         at_return ? UprobeEvent::returned : UprobeEvent::entry, place.kind);
    }
  }

  void read_until_stopped() {
    try {
      std::vector<std::byte> page(layout_.page_bytes);
      for (bool last = false; !last;) {
        last = stopped_;
        // What happens from now on may be read from one processor's buffer and not from another's.
        const std::uint64_t begin = clock_.ticks();
        for (const CpuBuffer& buffer : buffers_) drain(buffer, page);
        records_.pair_until(last ? std::numeric_limits<std::uint64_t>::max() : begin);
        if (!last) std::this_thread::sleep_for(kReadEvery);
      }
    } catch (const Error& error) {
      failed_ = error;
      writer_.count_lost(1);
    }
  }

  void drain(const CpuBuffer& buffer, std::vector<std::byte>& page) {
    for (;;) {
      const ssize_t bytes = ::read(buffer.file.native(), page.data(), page.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes == 0 || (bytes < 0 && errno == EAGAIN)) return;
      if (bytes < 0) {
        throw system_error("read", fmt::format("per_cpu/cpu{}/trace_pipe_raw", buffer.number),
                           errno, kSeeLog);
      }
      records_.add_page(buffer.number, std::span(page).first(static_cast<std::size_t>(bytes)));
    }
  }

  // A page says that records before it were lost, but has not always room for their number. Called
  // once everything was read.
  void count_what_no_page_told() {
    const tracefs::BufferCounts counts = tracefs::buffer_counts(instance_.folder());
    const std::uint64_t lost = counts.overrun_events + counts.dropped_events + counts.kept_events;
    const std::uint64_t told = memory_.counts().records_lost;
    if (lost > told) writer_.count_lost(lost - told);
  }

  // The group outlives the instance, which has enabled its events.
  const TraceFolder root_;
  tracefs::UprobeGroup group_;
  tracefs::Instance instance_;
  CallMemory& memory_;
  const Clock clock_;
  // The reader thread owns these while it runs.
  CallWriter writer_;
  const tracefs::PageLayout layout_;
  UprobeRecords records_;
  std::vector<CpuBuffer> buffers_;
  std::optional<Error> failed_;
  std::atomic<bool> stopped_ = false;
  std::thread reader_;
};

Uprobes::Uprobes(const std::vector<ProbePlace>& places, CallMemory& memory,
                 const ClockParameters& clock, const std::filesystem::path& directory)
    : recording_(std::make_unique<Recording>(places, memory, clock, directory)) {}

Uprobes::~Uprobes() = default;

void Uprobes::watch(int pid) {
  recording_->watch(pid);
}

void Uprobes::stop() {
  recording_->stop();
}

Probe probe_uprobes() {
  return tracefs::probe_uprobes();
}

void sweep_uprobes() {
  if (!tracefs::probe_tracefs().available) return;
  const TraceFolder root = TraceFolder::root();
  tracefs::sweep_instances(root);
  tracefs::sweep_uprobes(root);
}

}  // namespace tailgate
