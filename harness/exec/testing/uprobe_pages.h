// Builds what the kernel's trace says of probes, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "harness/exec/uprobe_records.h"
#include "harness/tracefs/test_pages.h"

namespace tailgate {

inline constexpr std::uint16_t kEntryId = 5;
inline constexpr std::uint16_t kReturnId = 19;
inline constexpr std::uint16_t kMadeId = 6;
inline constexpr std::uint16_t kEndedId = 7;

// Registers events of these numbers, of functions of kind 0.
inline void add_test_events(UprobeRecords& records) {
  const std::string stack = "\tfield:u64 sp;\toffset:16;\tsize:8;\tsigned:0;\n";
  const auto text = [](const char* name, int id, const std::string& fields) {
    return tracefs::format_text(name, id, fields);
  };
  records.add_event(text("entry0", kEntryId, stack), UprobeEvent::entry, 0);
  records.add_event(text("return0", kReturnId, stack), UprobeEvent::returned, 0);
  records.add_event(text("task_newtask", kMadeId,
                         "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                         "\tfield:u64 clone_flags;\toffset:16;\tsize:8;\tsigned:0;\n"),
                    UprobeEvent::made_thread, 0);
  records.add_event(text("sched_process_exit", kEndedId, ""), UprobeEvent::ended_thread, 0);
}

// A page of one processor. Times are in ticks from `begin` on, and grow.
class UprobePage {
 public:
  explicit UprobePage(std::uint64_t begin) : page_(begin), last_(begin) {}

  void entry(std::uint64_t ticks, std::uint32_t thread, std::uint64_t stack = 1000) {
    record(ticks, kEntryId, thread, 0, stack);
  }
  void returned(std::uint64_t ticks, std::uint32_t thread, std::uint64_t stack = 1008) {
    record(ticks, kReturnId, thread, 0, stack);
  }
  void made(std::uint64_t ticks, std::uint32_t maker, std::uint32_t thread, bool in_own_process) {
    record(ticks, kMadeId, maker, thread, in_own_process ? 0 : 0x10000);
  }
  void ended(std::uint64_t ticks, std::uint32_t thread) { record(ticks, kEndedId, thread, 0, 0); }

  // lost: records before this page were lost, so many.
  std::vector<std::byte> page(std::uint64_t lost = 0) {
    if (lost == 0) return page_.page();
    page_.missed_events(lost);
    return page_.page(tracefs::kMissed | tracefs::kMissedStored);
  }

 private:
  void record(std::uint64_t ticks, std::uint16_t id, std::uint32_t thread, std::uint32_t middle,
              std::uint64_t last) {
    constexpr std::uint32_t kBytes = 24;
    std::string data(kBytes, '\0');
    std::memcpy(data.data(), &id, sizeof id);
    std::memcpy(data.data() + 4, &thread, sizeof thread);
    std::memcpy(data.data() + 8, &middle, sizeof middle);
    std::memcpy(data.data() + 16, &last, sizeof last);
    page_.header(kBytes / 4, static_cast<std::uint32_t>(ticks - last_));
    page_.data(data);
    last_ = ticks;
  }

  tracefs::PageWriter page_;
  std::uint64_t last_;
};

}  // namespace tailgate
