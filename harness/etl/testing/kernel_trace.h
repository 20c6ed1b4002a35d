// Writes traces of a kernel session for tests: processes, images, files and what else a test adds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/testing/trace_writer.h"

namespace tailgate::etl {

// States of a thread and reasons to wait, as Windows numbers them (KTHREAD_STATE, KWAIT_REASON).
inline constexpr std::uint8_t kReady = 1;
inline constexpr std::uint8_t kTerminated = 4;
inline constexpr std::uint8_t kWaiting = 5;
inline constexpr std::uint8_t kUserRequest = 6;
inline constexpr std::uint8_t kWrQueue = 15;
inline constexpr std::uint8_t kWrPreempted = 32;

// Times are in us since the trace's start; the session's clock counts 100 ns.
class KernelTrace {
 public:
  KernelTrace() = default;
  explicit KernelTrace(const WriterOptions& options) : options_(options) {}

  std::int64_t raw(std::int64_t time_us) const { return options_.start_raw + time_us * 10; }

  void add(std::int64_t time_us, std::uint16_t hook, const ByteBuilder& payload,
           std::uint16_t processor = 0) {
    KernelRecord record;
    record.hook_id = hook;
    record.time = raw(time_us);
    record.payload = payload.bytes();
    writer_.add(processor, perf_info_record(record));
  }

  // hook: 0x0301 starts, 0x0302 ends, 0x0303 and 0x0304 list a process.
  void process(std::int64_t time_us, std::uint16_t hook, std::uint32_t id, std::string_view name) {
    ByteBuilder b;
    add(time_us, hook, b.u64(1).u32(id).u32(4).u32(0).u32(0).u32(0).text8(name).text16(""));
  }

  void image(std::int64_t time_us, std::uint32_t process, std::uint64_t base, std::uint64_t size,
             std::string_view path) {
    ByteBuilder b;
    b.u64(base).u64(size).u32(process).u32(0).u32(0).u32(0).u64(base);
    add(time_us, 0x030A, b.u32(0).u32(0).u32(0).u32(0).text16(path));
  }

  // A stack of the event at event_us, innermost frame first.
  void stack(std::int64_t time_us, std::int64_t event_us, std::uint32_t process,
             std::uint32_t thread, const std::vector<std::uint64_t>& frames) {
    ByteBuilder b;
    b.u64(static_cast<std::uint64_t>(raw(event_us))).u32(process).u32(thread);
    for (std::uint64_t frame : frames) b.u64(frame);
    add(time_us, 0x1820, b);
  }

  void classic(std::int64_t time_us, const ClassicRecord& record) {
    ClassicRecord timed = record;
    timed.time = raw(time_us);
    writer_.add(0, full_record(timed));
  }

  // What a merge tool writes: the drive of a volume.
  void volume(std::string_view kernel_prefix, std::string_view drive_prefix) {
    ClassicRecord record;
    record.event_class = *parse_guid("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
    record.opcode = 35;
    record.payload = ByteBuilder().text16(kernel_prefix).text16(drive_prefix).bytes();
    classic(0, record);
  }

  TraceWriter& writer() { return writer_; }
  std::vector<std::uint8_t> file() {
    writer_.flush_all();
    return writer_.file();
  }

 private:
  WriterOptions options_;
  TraceWriter writer_{options_};
};

}  // namespace tailgate::etl
