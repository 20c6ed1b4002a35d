// Who ran on each processor, and what each thread did meanwhile, as slices of a trace's tracks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/etl/bytes.h"
#include "harness/etl/trace_event_file.h"

namespace tailgate::etl {

// The "process" of the processors, which no process of Windows is: their ids are multiples of 4.
inline constexpr std::uint32_t kProcessorsTrack = 1;

// Sources of the payloads: Microsoft's documentation of the classes CSwitch and ReadyThread.
class ThreadSlices {
 public:
  static constexpr std::size_t kMaxThreads = 65'536;

  // process_of: the process of a thread; title_of: how a thread is shown on a processor's track.
  // Keeps a reference to the file.
  ThreadSlices(TraceEventFile& file, std::function<std::uint32_t(std::uint32_t)> process_of,
               std::function<std::string(std::uint32_t)> title_of)
      : file_(file), process_of_(std::move(process_of)), title_of_(std::move(title_of)) {}

  void add_switch(std::uint32_t processor, Bytes payload, std::int64_t time_ns);
  void add_ready(Bytes payload, std::int64_t time_ns);
  void add_end_of_thread(std::uint32_t thread) { off_.erase(thread); }

  // What runs and waits now does so to the end.
  void end(std::int64_t time_ns);

  std::uint64_t slices() const { return slices_; }
  // Stretches that are left out: by the switch that ends them another thread was running.
  std::uint64_t broken() const { return broken_; }
  // Times that a thread lost its processor and kMaxThreads others had none: what it did until it
  // ran again is left out.
  std::uint64_t over_limit() const { return over_limit_; }

 private:
  struct Running {
    std::uint32_t thread = 0;
    std::int64_t since_ns = 0;
    bool known = false;
  };
  // A thread without a processor.
  struct Off {
    std::int64_t since_ns = 0;
    std::int64_t ready_ns = 0;
    bool ready = false;
    std::uint8_t reason = 0;
  };

  void write_run(std::uint32_t processor, const Running& running, std::int64_t end_ns);
  void write_off(std::uint32_t thread, const Off& off, std::int64_t end_ns);
  void write(const Track& track, std::int64_t begin_ns, std::int64_t end_ns,
             const TraceLabel& label);

  TraceEventFile& file_;
  std::function<std::uint32_t(std::uint32_t)> process_of_;
  std::function<std::string(std::uint32_t)> title_of_;
  std::vector<Running> running_;  // index: processor
  std::unordered_map<std::uint32_t, Off> off_;
  std::uint64_t slices_ = 0;
  std::uint64_t broken_ = 0;
  std::uint64_t over_limit_ = 0;
};

// The tracks of a processor.
Track run_track(std::uint32_t processor);
Track interrupt_track(std::uint32_t processor);

}  // namespace tailgate::etl
